"""Words around a command that do not change what it is about: wrappers, shells, and flags for output only."""

from __future__ import annotations

from pipelines.l1.wording import words

IGNORED = frozenset(
    words(
        "cd pushd popd export set source . true false echo printf sleep wait unset alias clear shopt ulimit "
        "do then else fi "
        "done for while if case esac in trap exit return local readonly : umask"
    )
)
"""Words that start a command which says nothing about the aim."""

PREFIXES: dict[str, int] = {
    **dict.fromkeys(
        words(
            "sudo env time nohup nice exec command xvfb-run stdbuf npx bunx pnpx uvx do then else ! ionice "
            "caffeinate strace if while"
        ),
        0,
    ),
    "timeout": 1,
    "gtimeout": 1,
}
"""Words before the command proper, with the number of own arguments that follow them."""

PREFIX_PAIRS = frozenset(
    tuple(pair.split("+"))
    for pair in words(
        "poetry+run uv+run pipenv+run bundle+exec pnpm+exec npm+exec yarn+exec rye+run hatch+run pdm+run "
        "conda+run mise+exec "
        "yarn+dlx pnpm+dlx direnv+exec nix+develop coverage+run"
    )
)
"""Two words before the command proper."""

SHELLS = frozenset(words("bash sh zsh dash fish ksh pwsh powershell cmd cmd.exe"))

OUTPUT_FLAGS = frozenset(
    words(
        "-v -vv -vvv -q -qq -s -x -l -json --json --verbose --quiet --silent --no-header --no-color --color "
        "--nocapture "
        "--no-fail-fast --bail --exitfirst --showlocals --no-summary --full-trace --no-cov --watch=false "
        "--watchAll=false "
        "--trace --backtrace --no-progress --progress --ci --pretty --tap --stream --show-error-codes --no-capture "
        "--passWithNoTests --forceExit --lf --ff --failed-first --last-failed --stale --no-daemon --stacktrace --info "
        "--debug -rA -ra -rf -rs -rP -ns --no-isolate --yes -y --batch-mode -B -e --seed --failfast -f -k0 "
        "--show-progress --keep-going --output-on-failure -VV -V --if-present --offline --locked"
    )
)
"""Flags that change what a check prints or when it stops, not what it checks."""

OUTPUT_FLAG_STARTS = words(
    "--tb --color --colour --reporter --durations --log --maxfail --timeout -timeout -count --output --format --junit "
    "--report --verbosity --cov-report --maxWorkers --max-cases --max-failures -parallel --seed --retries --workers "
    "--jobs --show --console --logger --test-threads --outputFile -Dorg.slf4j --out-format -coverprofile --warning"
)

VALUED_OUTPUT_FLAGS = frozenset(
    words(
        "-n -j -p -o -W --tb --color --reporter --maxfail --timeout -timeout -count --durations --format --verbosity "
        "-parallel --seed --max-cases --maxWorkers --workers --jobs --logger --test-threads --out-format "
        "--max-failures "
        "-coverprofile --outputFile --log-level --log-cli-level --output-format"
    )
)
"""Output flags whose value may stand in the next word."""

SELECTING_FLAGS = frozenset(
    words(
        "-run -k -m -t -tags --grep -g --filter --testNamePattern --test --project -bench --only -R --package "
        "--testPathPattern --workspace --tests -L"
    )
)
"""Flags with a value that choose what is checked."""
