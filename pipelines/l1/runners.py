"""Which command does what: runners, package managers and everyday programs, as one table of patterns."""

from __future__ import annotations

import re

from pipelines.records import Act

WEIGHTS: dict[Act, int] = {
    Act.DELIVER: 6,
    Act.TEST: 5,
    Act.VERIFY: 4,
    Act.RUN: 3,
    Act.CHANGE: 2,
    Act.EXPLORE: 1,
}
"""Which part of a compound command tells most."""

_LOOKING = r"""
(?:pytest|py\.test) .*--(?:collect-only|fixtures|version|help)\b
(?:\S+ )+(?:--version|--help|-h)$
git (?:-\S+ )*(?:status|diff|log|show|blame|remote|ls-files|grep|rev-parse|describe|reflog|config|ls-tree|ls-remote)\b
git (?:-\S+ )*(?:cat-file|shortlog|rev-list|merge-base|stash list|worktree list|check-ignore|for-each-ref|name-rev)\b
git (?:-\S+ )*(?:branch(?: (?:-[avrl]+|--list|--show-current|--all|--contains \S+))*|tag(?: -l)?)$
(?:gh|glab) (?:\S+ )?(?:view|list|status|diff|checks|search|api|watch)\b
(?:npm|pnpm|yarn|bun) (?:ls|list|view|info|outdated|why|root|bin|search|audit$)\b
(?:pip3?|uv pip) (?:list|show|freeze|index|check|download)\b
go (?:list|doc|env|version|tool|mod (?:why|graph|verify))\b
cargo (?:tree|metadata|search|info)\b
(?:docker|podman)(?: compose|-compose)? (?:ps|images|logs|inspect|stats|top|ls|version|info)\b
kubectl (?:get|describe|logs|top|explain|version)\b
bd (?:show|ready|list|stats|blocked|search)\b
(?:systemctl|service) (?:\S+ )?(?:status|list)
sed (?:-\S+ )*-n\b
(?:goto|scroll_up|scroll_down|find_file|search_file|search_dir)\b
open \S+\.\w+(?: \d+)?$
"""

_DELIVERING = r"""
git (?:-\S+ )*(?:commit|push|tag .)
(?:gh|glab) (?:pr|mr|issue|release|gist|repo) (?:create|merge|comment|close|edit|review|reopen|ready|upload|note)\b
(?:npm|pnpm|yarn|bun|cargo|poetry|uv|flit|hatch|lerna) publish\b
(?:npm|pnpm|yarn|bun|mise|make|just)(?: run)? \S*(?:publish|deploy|release)\S*
(?:twine upload|gem push|(?:docker|podman) push)\b
(?:mvn|gradle) .*\b(?:deploy|publish)\b
(?:terraform|tofu|pulumi) (?:apply|up)\b
kubectl (?:apply|rollout|create|set)\b
helm (?:install|upgrade)\b
(?:vercel|netlify|fly|flyctl|heroku|wrangler|gcloud|firebase) .*deploy
bd (?:create|close|update|sync)\b
submit$
"""

_TESTING = r"""
(?:pytest|py\.test|nosetests|nose2|tox|nox|trial|behave|ward|hatch test|robot|unittest|doctest)\b
python \S*(?:runtests|run_tests?)\.py\b
python \S*manage\.py test\b
python (?:\S*/)?(?:test_\S+|\S+_tests?|tests?)\.py\b
django-admin test\b
(?:go test|gotestsum|ginkgo)\b
cargo (?:\+\S+ )?(?:test|nextest|t|miri test|tarpaulin|llvm-cov)\b
(?:mvn|gradle|sbt|lein|ant|mill)\b.*\b(?:test|verify|check|integrationTest|surefire:test|testOnly)\b
(?:mvn|gradle)\b.*\b(?:connectedAndroidTest|testDebugUnitTest|jacocoTestReport)\b
(?:npm|pnpm|yarn|bun|deno|rushx|nx|turbo|lerna|vp)(?: run)?(?: -\S+(?: \S+)?)*? (?:\S*:)?(?:tests?|t|spec|e2e|unit)\b\S*
(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+(?: \S+)?)*? (?:vitest|jest|mocha|cypress|playwright|integration)\b
(?:jest|vitest|mocha|ava|tap|tape|jasmine|karma|cypress run|playwright test|wdio|uvu|qunit|c8|nyc|testcafe|stryker)\b
(?:node|tsx) (?:.*--test\b|\S*test\S*\.m?[jt]s)
(?:rspec|cucumber|minitest|rails test|rake (?:test|spec)|rake$)\b
(?:phpunit|pest|codecept|behat|artisan test|php artisan test|composer (?:run )?test)\b
(?:ctest|bats|busted|prove|shunit2|meson test|bazel test|buck2? test|ninja (?:\S*test|check))\b
dotnet (?:test|vstest)\b
(?:mix (?:test|coveralls|espec)|rebar3 (?:eunit|ct)|gleam test|stack test|cabal test|dune (?:test|runtest))\b
(?:swift test|xcodebuild .*\btest|flutter test|dart test|zig (?:build )?test|nim test|nimble test)\b
(?:Rscript .*test|julia .*test|forge test|hardhat test|sui move test|elm-test|lake test|crystal spec|v test)\b
(?:make|just|task|mise(?: run)?|rake|inv(?:oke)?|doit|moon run) (?:-\S+ )*(?:\S*[:_/-])?(?:tests?|specs?|e2e|unittest)\b
(?:\S+/)?(?:run[-_]?)?tests?\.(?:sh|py|js|ts|rb|pl)\b
(?:\S+/)run[-_]?tests?$
"""

_VERIFYING = r"""
(?:ruff check(?!.*--fix)|ruff format .*--(?:check|diff)|ruff (?!check|format))
(?:flake8|pylint|mypy|dmypy|pyright|basedpyright|ty|pyre|bandit|pycodestyle|pydocstyle|vulture)\b
(?:black .*--(?:check|diff)|isort .*--check(?:-only)?|py_compile|compileall)\b
(?:eslint(?!.*--fix)|tslint|stylelint|tsc|tsgo|vue-tsc|svelte-check|oxlint|knip|standard|xo|htmlhint)\b
(?:markdownlint|prettier .*(?:--check|--list-different|-c\b)|biome (?:check(?!.*--write)|lint|ci)|depcheck)
(?:npm|pnpm|yarn|bun|nx|turbo|lerna)(?: run)?(?: -\S+(?: \S+)?)*? (?:\S*[:_-])?(?:lint|check|typecheck|types|build)\b
(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+(?: \S+)?)*? (?:\S*[:_-])?(?:type-check|compile|tsc|verify|validate|bundle)\b\S*
(?:node --check|deno (?:check|lint|fmt --check)|esbuild|webpack|rollup|vite build|next (?:build|lint)|parcel build)\b
(?:ng (?:build|lint)|nuxt build|astro (?:check|build)|tsup|swc)\b
go (?:vet|build)\b
gofmt .*-[lde]\b
(?:golangci-lint|staticcheck|govulncheck|revive)\b
cargo (?:\+\S+ )?(?:check|build|b|clippy|fmt .*--check|deny|audit|doc)\b
rustc\b
(?:mvn|gradle|sbt|ant|mill)\b
(?:make|just|task|mise(?: run)?|rake|inv(?:oke)?) (?:-\S+ )*(?:\S*[:_/-])?(?:lint|check|typecheck|build|compile)\b
(?:make|just|task|mise(?: run)?|rake|inv(?:oke)?) (?:-\S+ )*(?:\S*[:_/-])?(?:vet|verify|validate|ci|all|fmt-check)\b
make\b(?! (?:-\S+ )*\S*(?:fmt|format|fix|clean|install|generate|deploy|release|publish|run|dev|serve))
(?:cmake|ninja|meson (?:compile|setup)|bazel build|buck2? build)\b
(?:gcc|g\+\+|clang|clang\+\+|cc|javac|kotlinc|scalac|swiftc|ghc|ocamlc|zig build|nim c|crystal build)(?: |$)
(?:dotnet (?:build|format .*--verify-no-changes)|msbuild|xcodebuild)\b
(?:swift build|flutter (?:analyze|build)|dart analyze)\b
(?:mix (?:compile|format .*--check-formatted|credo|dialyzer|xref)|rebar3 (?:compile|dialyzer))\b
(?:rubocop(?!.* -[aA]\b)|standardrb|brakeman|sorbet|srb|steep|erb_lint|haml-lint)\b
(?:phpstan|psalm|phpcs|php -l|pint --test|rector .*--dry-run|composer validate)\b
(?:shellcheck|shfmt -d|hadolint|yamllint|actionlint|ansible-lint|tflint|terraform (?:validate|plan)|checkov|trivy)\b
(?:semgrep|gitleaks|pre-commit run|buf lint|spectral lint|sqlfluff lint|vale|codespell|cspell|typos|lychee)\b
(?:jsonlint|xmllint|zizmor|helm lint|kubeconform|promtool check|nginx -t|bash -n)\b
(?:docker|podman) build\b
docker compose build\b
nix (?:build|flake check)\b
python \S*manage\.py (?:check|makemigrations .*--check)\b
python (?:\S*setup\.py (?:build\w*|sdist|bdist\w*)|-m build)\b
(?:uv build|poetry (?:build|check)|hatch build|stack build|cabal build|dune build|lake build|elm make|forge build)\b
"""

_CHANGING = r"""
(?:npm|pnpm|yarn|bun)(?: -\S+(?: \S+)?)*? (?:i|install|add|remove|rm|uninstall|un|update|up|upgrade|ci|link|dedupe)\b
yarn$
(?:pip3?|uv pip|pipx) (?:install|uninstall)\b
uv (?:add|remove|sync|lock|venv)\b
(?:poetry|pdm|pipenv|rye) (?:add|install|remove|update|lock|sync)\b
conda (?:install|create|env)
go (?:get|mod (?:tidy|init|edit|download|vendor)|install|generate|work|fmt|fix)\b
(?:gofmt|goimports|rustup|rustfmt)\b
cargo (?:add|remove|rm|update|install|init|new|fmt|fix|generate-lockfile)\b
(?:apt|apt-get|brew|yum|dnf|apk|pacman|choco|winget|snap) \S
(?:gem|bundle|composer|mix deps\.\w+|nuget|dotnet (?:add|restore|new|remove)|cpan|luarocks|opam)\b
(?:mise (?:install|use)|asdf|nvm|sdk)\b
git (?:-\S+ )*(?:add|rm|mv|checkout|switch|restore|reset|stash|merge|rebase|cherry-pick|revert|pull|clone|init|apply)\b
git (?:-\S+ )*(?:am|clean|fetch|branch|worktree|submodule|update-index|tag|notes|bisect)\b
(?:rm|mv|cp|mkdir|rmdir|touch|chmod|chown|ln|tee|patch|install|rsync|scp|unzip|tar|gzip|gunzip|dd|truncate)\b
(?:apply_patch|unlink|zip|sponge)\b
(?:sed|perl|gsed) (?:\S+ )*?-\S*i
(?:black|isort|autopep8|yapf|prettier|ruff|biome|dprint|clang-format|stylua|shfmt|mix format|pint)\b
(?:eslint|stylelint|rubocop)\b
(?:make|just|task|mise(?: run)?|npm run|pnpm|yarn|bun run|composer) (?:\S*[:_-])?(?:fmt|format|fix|generate|codegen)\S*
(?:make|just|task|mise(?: run)?|npm run|pnpm|yarn|bun run|composer) (?:\S*[:_-])?(?:migrate|install|setup|clean|copy)\S*
python \S*manage\.py (?:makemigrations|migrate|startapp|collectstatic|loaddata)\b
(?:alembic|mix ecto\.\w+|prisma (?:generate|migrate|db)|rails (?:g|generate|db:)|rake db:)
(?:edit|insert|create|str_replace) \S
gh (?:repo clone|pr checkout)\b
bd (?:init|dep|label)\b
(?:kill|killall|pkill)\b
"""

_READING = r"""
(?:cat|bat|less|more|head|tail|nl|ls|ll|dir|tree|find|fd|fdfind|grep|egrep|fgrep|rg|ag|ack|zgrep|zcat|wc|file|stat|du|df)\b
(?:which|type|whereis|whoami|hostname|pwd|date|env|printenv|uname|ps|top|lsof|id|netstat|ss|diff|cmp|sort|uniq|cut|tr)\b
(?:column|awk|gawk|sed|jq|yq|xxd|hexdump|od|strings|sqlite3|man|realpath|dirname|basename|readlink|md5sum|sha256sum)\b
(?:shasum|sha1sum|test|history|tokei|cloc|scc|dig|nslookup|ping|curl|wget|http|nm|objdump|otool|ldd|lsb_release)\b
(?:free|uptime|nproc|getent|comm|paste|rev|fold|xargs|tac|base64|jobs|pgrep|pdftotext|exiftool|identify|tshark)\b
(?:ast-grep|Get-Content|Get-ChildItem|Select-String|vim|view|plutil|defaults|ctags|locate)\b
\[\[?(?: |$)
"""

PATTERNS: list[tuple[re.Pattern[str], Act]] = [
    (re.compile(line), act)
    for act, table in (
        (Act.EXPLORE, _LOOKING),
        (Act.DELIVER, _DELIVERING),
        (Act.TEST, _TESTING),
        (Act.VERIFY, _VERIFYING),
        (Act.CHANGE, _CHANGING),
        (Act.EXPLORE, _READING),
    )
    for line in table.strip("\n").split("\n")
]
"""Act by the start of a normalised command line; the first match wins."""
