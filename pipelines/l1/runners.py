"""Which command does what: runners, package managers and everyday programs, as plain data."""

from __future__ import annotations

import re

from pipelines.records import Act

IGNORED = set(["cd", "pushd", "popd", "export", "set", "source", ".", "true", "false", "echo", "printf", "sleep", "wait", "unset", "alias", "clear", "shopt", "ulimit", "do", "then", "else", "fi", "done", "for", "while", "if", "case", "esac", "in", "trap", "exit", "return", "local", "readonly", ":", "umask"])  # fmt: skip
"""Words that start a command which says nothing about the aim."""

PREFIXES: dict[str, int] = {
    "sudo": 0, "env": 0, "time": 0, "nohup": 0, "nice": 0, "exec": 0, "command": 0, "xvfb-run": 0, "stdbuf": 0,
    "timeout": 1, "gtimeout": 1, "npx": 0, "bunx": 0, "pnpx": 0, "uvx": 0, "do": 0, "then": 0, "else": 0, "!": 0,
    "ionice": 0, "caffeinate": 0, "strace": 0, "if": 0, "while": 0,
}  # fmt: skip
"""Words before the command proper, with the number of own arguments that follow them."""

PREFIX_PAIRS = {
    ("poetry", "run"), ("uv", "run"), ("pipenv", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("npm", "exec"),
    ("yarn", "exec"), ("rye", "run"), ("hatch", "run"), ("pdm", "run"), ("conda", "run"), ("mise", "exec"),
    ("yarn", "dlx"), ("pnpm", "dlx"), ("direnv", "exec"), ("nix", "develop"), ("coverage", "run"),
}  # fmt: skip

SHELLS = {"bash", "sh", "zsh", "dash", "fish", "ksh", "pwsh", "powershell", "cmd", "cmd.exe"}

PATTERNS: list[tuple[re.Pattern[str], Act]] = [
    (re.compile(pattern), act)
    for act, patterns in (
        (
            Act.EXPLORE,
            (
                r"(?:pytest|py\.test) .*--(?:collect-only|fixtures|version|help)\b",
                r"(?:\S+ )+(?:--version|--help|-h)$",
                r"git (?:-\S+ )*(?:status|diff|log|show|blame|branch(?: (?:-[avrl]+|--list|--show-current|--all))*$|"
                r"remote|ls-files|grep|rev-parse|describe|reflog|config|ls-tree|ls-remote|cat-file|shortlog|"
                r"rev-list|merge-base|stash list|worktree list|tag(?: -l)?$|check-ignore|for-each-ref|name-rev)\b",
                r"git branch$",
                r"(?:gh|glab) (?:\S+ )?(?:view|list|status|diff|checks|search|api|watch)\b",
                r"(?:npm|pnpm|yarn|bun) (?:ls|list|view|info|outdated|why|root|bin|search|audit$)\b",
                r"(?:pip3?|uv pip) (?:list|show|freeze|index|check|download)\b",
                r"go (?:list|doc|env|version|mod (?:why|graph|verify))\b",
                r"cargo (?:tree|metadata|search|info)\b",
                r"(?:docker|podman)(?: compose|-compose)? (?:ps|images|logs|inspect|stats|top|ls|version|info)\b",
                r"kubectl (?:get|describe|logs|top|explain|version)\b",
                r"bd (?:show|ready|list|stats|blocked|search)\b",
                r"(?:systemctl|service) (?:\S+ )?(?:status|list)",
                r"sed (?:-\S+ )*-n\b",
                r"(?:goto|scroll_up|scroll_down|find_file|search_file|search_dir)\b|open \S+\.\w+(?: \d+)?$",
            ),
        ),
        (
            Act.DELIVER,
            (
                r"git (?:-\S+ )*(?:commit|push|tag .)",
                r"(?:gh|glab) (?:pr|mr|issue|release|gist|repo) "
                r"(?:create|merge|comment|close|edit|review|reopen|ready|upload|note)\b",
                r"(?:npm|pnpm|yarn|bun|cargo|poetry|uv|flit|hatch|lerna) publish\b",
                r"(?:npm|pnpm|yarn|bun|mise|make|just)(?: run)? (?:\S*publish|\S*deploy|\S*release)\S*",
                r"twine upload\b",
                r"(?:docker|podman) push\b",
                r"(?:mvn|gradle) .*\b(?:deploy|publish)\b",
                r"(?:terraform|tofu|pulumi) (?:apply|up)\b",
                r"kubectl (?:apply|rollout|create|set)\b",
                r"helm (?:install|upgrade)\b",
                r"(?:vercel|netlify|fly|flyctl|heroku|wrangler|gcloud|firebase) .*deploy",
                r"bd (?:create|close|update|sync)\b",
                r"gem push\b|submit$",
            ),
        ),
        (
            Act.TEST,
            (
                r"(?:pytest|py\.test|nosetests|nose2|tox|nox|trial|behave|ward|hatch test|robot)\b",
                r"(?:unittest|doctest|pytest)\b",
                r"python \S*(?:runtests|run_tests?|manage)\.py(?: test)?\b(?<!manage\.py)",
                r"python \S*(?:(?:^|/)test_\w+|\w+_tests?|(?:^|/)tests?)\.py\b",
                r"python (?:\S*/)?test_\S+\.py\b",
                r"django-admin test\b",
                r"go test\b|gotestsum\b|ginkgo\b",
                r"cargo (?:\+\S+ )?(?:test|nextest|t|miri test|tarpaulin|llvm-cov)\b",
                r"(?:mvn|gradle|sbt|lein|ant|mill)\b.*\b(?:test|verify|check|integrationTest|surefire:test|"
                r"connectedAndroidTest|testDebugUnitTest|jacocoTestReport|testOnly)\b",
                r"(?:npm|pnpm|yarn|bun|deno|rushx|nx|turbo|lerna|vite-plus|vp)(?: run)?(?: -\S+(?: \S+)?)*? "
                r"(?:\S*:)?(?:tests?|t|spec|e2e|vitest|jest|mocha|cypress|playwright|unit|integration)\b\S*",
                r"(?:jest|vitest|mocha|ava|tap|tape|jasmine|karma|cypress run|playwright test|wdio|uvu|qunit|"
                r"node --test|node .*--test\b|tsx --test|node \S*test\S*\.m?[jt]s|c8|nyc|testcafe|stryker)\b",
                r"(?:rspec|cucumber|minitest|rails test|rake (?:test|spec)|bin/rails test|rake$)\b",
                r"(?:phpunit|pest|codecept|behat|artisan test|composer (?:run )?test)\b",
                r"(?:ctest|bats|busted|prove|shunit2|meson test|bazel test|buck2? test|ninja (?:\S*test|check))\b",
                r"dotnet (?:test|vstest)\b",
                r"mix (?:test|coveralls|espec)\b|rebar3 (?:eunit|ct)|gleam test|stack test|cabal test|dune (?:test|"
                r"runtest)|swift test|xcodebuild .*\btest|flutter test|dart test|zig (?:build )?test|nim test|"
                r"Rscript .*test|julia .*test|forge test|hardhat test|sui move test|elm-test|lake test|"
                r"nimble test|clojure .*:test|crystal spec|v test",
                r"(?:make|just|task|mise(?: run)?|rake|invoke|inv|nox -s|tox -e|doit|pdm|hatch run|composer|moon run) "
                r"(?:-\S+ )*(?:\S*[:_/-])?(?:tests?|spec|specs|check-tests?|e2e|unittest|integration)\b\S*",
                r"(?:\./|\S+/)?(?:run[-_]?)?tests?(?:\.(?:sh|py|js|ts|rb|pl))?(?: |$)(?<!^test )",
            ),
        ),
        (
            Act.VERIFY,
            (
                r"(?:ruff(?: check)?(?!.*--fix)(?! format(?! .*--check))|flake8|pylint|mypy|dmypy|pyright|basedpyright|ty|"
                r"pyre|bandit|pycodestyle|pydocstyle|vulture|black .*--(?:check|diff)|isort .*--check(?:-only)?)\b",
                r"ruff format .*--(?:check|diff)\b",
                r"py_compile\b|compileall\b|python .*-m py_compile",
                r"(?:eslint|tslint|stylelint|tsc|tsgo|vue-tsc|svelte-check|oxlint|knip|standard|xo|htmlhint|"
                r"markdownlint|prettier .*--(?:check|list-different|-c)|biome (?:check|lint|ci)|depcheck)\b",
                r"(?:npm|pnpm|yarn|bun|rushx|nx|turbo|lerna)(?: run)?(?: -\S+(?: \S+)?)*? "
                r"(?:\S*[:_-])?(?:lint|check|typecheck|type-check|types|build|compile|tsc|verify|validate|bundle|ci)"
                r"\b\S*",
                r"node --check\b|deno (?:check|lint|fmt --check)|esbuild\b|webpack\b|rollup\b|vite build|next (?:build|lint)"
                r"|parcel build|ng (?:build|lint)|nuxt build|astro (?:check|build)|tsup\b|swc\b",
                r"go (?:vet|build)\b|gofmt .*-[ld]\b|golangci-lint\b|staticcheck\b|govulncheck\b|revive\b",
                r"cargo (?:\+\S+ )?(?:check|build|b|clippy|fmt .*--check|deny|audit|doc)\b|rustc\b",
                r"(?:mvn|gradle|sbt|ant|mill)\b",
                r"(?:make|just|task|mise(?: run)?|rake|invoke|inv|moon run|composer) "
                r"(?:-\S+ )*(?:\S*[:_/-])?(?:lint|check|typecheck|build|compile|vet|verify|validate|ci|all|fmt-check)\b\S*",
                r"make(?: -\S+)*$|make\b|cmake\b|ninja\b|meson (?:compile|setup)|bazel build|buck2? build|"
                r"(?:gcc|g\+\+|clang|clang\+\+|cc|javac|kotlinc|scalac|swiftc|ghc|ocamlc|zig build|nim c|crystal build)\b",
                r"dotnet (?:build|format .*--verify-no-changes)\b|msbuild\b|xcodebuild\b|swift build|flutter (?:analyze|"
                r"build)|dart analyze",
                r"mix (?:compile|format .*--check-formatted|credo|dialyzer|xref)\b|rebar3 (?:compile|dialyzer)",
                r"(?:rubocop|standardrb|brakeman|sorbet|srb|steep|erb_lint|haml-lint)\b",
                r"(?:phpstan|psalm|phpcs|php -l|pint --test|rector .*--dry-run|composer validate)\b",
                r"(?:shellcheck|shfmt -d|hadolint|yamllint|actionlint|ansible-lint|tflint|terraform (?:validate|plan)|"
                r"checkov|trivy|semgrep|gitleaks|pre-commit run|buf lint|spectral lint|sqlfluff lint|vale|codespell|"
                r"cspell|typos|lychee|jsonlint|xmllint|zizmor)\b",
                r"(?:docker|podman) build\b|docker compose build|bash -n\b|nix (?:build|flake check)",
                r"python .*manage\.py (?:check|makemigrations .*--check)\b",
                r"python (?:setup\.py (?:build\w*|sdist|bdist\w*)|-m build)\b|uv build\b|poetry (?:build|check)\b|hatch build",
                r"tsx? .*check\b|stack build|cabal build|dune build|lake build|elm make|forge build",
                r"actionlint\b|helm lint|kubeconform|promtool check|nginx -t",
            ),
        ),
        (
            Act.CHANGE,
            (
                r"(?:npm|pnpm|yarn|bun)(?: -\S+(?: \S+)?)*? (?:i|install|add|remove|rm|uninstall|un|update|up|upgrade|ci|"
                r"link|dedupe)\b|yarn$",
                r"(?:pip3?|uv pip|pipx) (?:install|uninstall)\b|uv (?:add|remove|sync|lock|venv)\b|(?:poetry|pdm|pipenv|"
                r"rye) (?:add|install|remove|update|lock|sync)\b|conda (?:install|create|env)",
                r"go (?:get|mod (?:tidy|init|edit|download|vendor)|install|generate|work|fmt|fix)\b|gofmt\b|goimports\b",
                r"cargo (?:add|remove|rm|update|install|init|new|fmt|fix|generate-lockfile)\b|rustup\b|rustfmt\b",
                r"(?:apt|apt-get|brew|yum|dnf|apk|pacman|choco|winget|snap) ",
                r"(?:gem|bundle|composer|mix deps\.\w+|nuget|dotnet (?:add|restore|new|remove)|cpan|luarocks|opam|"
                r"mise (?:install|use)|asdf|nvm|sdk)\b",
                r"git (?:-\S+ )*(?:add|rm|mv|checkout|switch|restore|reset|stash|merge|rebase|cherry-pick|revert|pull|"
                r"clone|init|apply|am|clean|fetch|branch|worktree|submodule|update-index|tag|notes|bisect)\b",
                r"(?:rm|mv|cp|mkdir|rmdir|touch|chmod|chown|ln|tee|patch|install|rsync|scp|unzip|tar|gzip|gunzip|dd|"
                r"truncate|apply_patch|unlink|zip|sponge)\b",
                r"(?:sed|perl|gsed) (?:\S+ )*?-\S*i",
                r"(?:black|isort|autopep8|yapf|prettier|ruff|biome|dprint|clang-format|stylua|shfmt|mix format|pint)\b",
                r"(?:eslint|stylelint|rubocop) .*--fix|rubocop -[aA]\b",
                r"(?:make|just|task|mise(?: run)?|npm run|pnpm|yarn|bun run|composer) (?:\S*[:_-])?(?:fmt|format|fix|"
                r"generate|codegen|migrate|install|setup|clean|copy)\S*",
                r"python .*manage\.py (?:makemigrations|migrate|startapp|collectstatic|loaddata)\b|alembic\b|"
                r"mix ecto\.\w+|prisma (?:generate|migrate|db)\b|rails (?:g|generate|db:)\b|rake db:",
                r"(?:edit|insert|create|str_replace) \S|gh (?:repo clone|pr checkout)\b|bd (?:init|dep|label)\b|kill(?:all)?\b|pkill\b",
            ),
        ),
        (
            Act.EXPLORE,
            (
                r"(?:cat|bat|less|more|head|tail|nl|ls|ll|dir|tree|find|fd|fdfind|grep|egrep|fgrep|rg|ag|ack|zgrep|zcat|"
                r"wc|file|stat|du|df|which|type|whereis|whoami|hostname|pwd|date|env|printenv|uname|ps|top|lsof|id|"
                r"netstat|ss|diff|cmp|sort|uniq|cut|tr|column|awk|gawk|sed|jq|yq|xxd|hexdump|od|strings|sqlite3|man|"
                r"realpath|dirname|basename|readlink|md5sum|sha256sum|shasum|test|\[|\[\[|history|tokei|cloc|scc|dig|"
                r"nslookup|ping|curl|wget|http|nm|objdump|otool|ldd|lsb_release|free|uptime|nproc|getent|comm|"
                r"paste|rev|fold|xargs|tac|base64|sha1sum|jobs|pgrep|pdftotext|exiftool|identify|tshark|ast-grep|"
                r"Get-Content|Get-ChildItem|Select-String|vim|view|plutil|defaults|gofiles|ctags|locate)\b",
            ),
        ),
    )
    for pattern in patterns
]  # fmt: skip
"""Act by the start of a normalised command; the first match wins."""

WEIGHTS: dict[Act, int] = {
    Act.DELIVER: 6,
    Act.TEST: 5,
    Act.VERIFY: 4,
    Act.RUN: 3,
    Act.CHANGE: 2,
    Act.EXPLORE: 1,
}
"""Which part of a compound command tells most."""

OUTPUT_FLAGS = set(
    ["-v", "-vv", "-vvv", "-q", "-qq", "-s", "-x", "-l", "-json", "--json", "--verbose", "--quiet", "--silent", "--no-header", "--no-color", "--color", "--nocapture", "--no-fail-fast", "--bail", "--exitfirst", "--showlocals", "--no-summary", "--full-trace", "--no-cov", "--watch=false", "--watchAll=false", "--trace", "--backtrace", "--no-progress", "--progress", "--ci", "--pretty", "--tap", "--stream", "--show-error-codes", "--no-capture", "--passWithNoTests", "--forceExit", "--lf", "--ff", "--failed-first", "--last-failed", "--stale", "--no-daemon", "--stacktrace", "--info", "--debug", "-rA", "-ra", "-rf", "-rs", "-rP", "-ns", "--no-isolate", "--run", "run", "--yes", "-y", "--batch-mode", "-B", "-e", "--seed", "--failfast", "-f", "--show-progress", "--keep-going", "-k0", "--output-on-failure", "-VV", "-V", "--if-present", "--offline", "--locked"]
)
"""Flags that change what a check prints or when it stops, not what it checks."""

OUTPUT_FLAG_STARTS = (
    "--tb", "--color", "--colour", "--reporter", "--durations", "--log", "--maxfail", "--timeout", "-timeout", "-count",
    "--output", "--format", "--junit", "--report", "--verbosity", "--cov-report", "--maxWorkers", "--max-cases",
    "--max-failures", "-parallel", "--seed", "--retries", "--workers", "--jobs", "--show", "--console", "--logger",
    "--test-threads", "--outputFile", "-Dorg.slf4j", "--out-format", "-coverprofile", "--exclude-newer", "--warning",
)  # fmt: skip

VALUED_OUTPUT_FLAGS = {
    "-n", "-j", "-p", "-o", "-W", "--tb", "--color", "--reporter", "--maxfail", "--timeout", "-timeout", "-count",
    "--durations", "--format", "--verbosity", "-parallel", "--seed", "--max-cases", "--maxWorkers", "--workers",
    "--jobs", "--logger", "--test-threads", "--out-format", "--max-failures", "-coverprofile", "--outputFile",
    "--log-level", "--log-cli-level", "--output-format",
}  # fmt: skip
"""Output flags whose value may stand in the next word."""

SELECTING_FLAGS = {"-run", "-k", "-m", "-t", "-tags", "--grep", "-g", "--filter", "--testNamePattern", "--test", "--project",
                   "-bench", "--only", "-R", "--package", "--testPathPattern", "--workspace", "--tests", "-L"}  # fmt: skip
"""Flags with a value that choose what is checked."""
