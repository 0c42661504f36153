"""A shell call judged by its most telling part: what it does, to what, and which check it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.l1 import flags, runners
from pipelines.l1.splitting import Command, split_commands
from pipelines.records import Act

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,80}=")
_PYTHON = re.compile(r"(?:\S*/)?(?:python|pypy)(?:[23](?:\.\d+)?)?(?:\.exe)?$")
_SCRIPT = re.compile(r"[\w./@+~-]{1,300}")
MAX_NESTING = 3
MAX_COMMANDS = 300
SEARCHERS = {
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "zgrep",
    "diff",
    "cmp",
    "test",
    "[",
    "[[",
    "pgrep",
    "which",
}
"""Programs whose exit status 1 says no rather than failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One simple command, its wrappers taken off."""

    words: tuple[str, ...]
    act: Act
    command: Command
    folder: str = ""
    """The folder that a `cd` before it went to."""

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCall:
    """What a shell text does."""

    parts: tuple[Part, ...]
    telling: Part | None
    act: Act
    check: str
    masked: bool
    """Whether the exit status is not that of the telling part (a pipe, `||`, or something that follows)."""

    @property
    def patch(self) -> str:
        """The patch text that the call feeds to `apply_patch`, or an empty text."""
        for part in self.parts:
            if part.program in ("apply_patch", "applypatch"):
                return part.command.heredoc or next((w for w in part.words[1:] if "*** " in w), "")
        return ""

    @property
    def searches(self) -> bool:
        """Whether exit status 1 only says that nothing was found."""
        return any(part.program in SEARCHERS for part in self.parts) and self.act is Act.EXPLORE


def read_shell(text: str) -> ShellCall:
    """Judge a shell text."""
    parts = tuple(_parts(text, "", 0))
    best: Part | None = None
    for part in parts:
        if best is None or runners.WEIGHTS[part.act] > runners.WEIGHTS[best.act]:
            best = part
    act = best.act if best else Act.RUN
    checks = [part for part in parts if part.act is act] if act in (Act.TEST, Act.VERIFY) else []
    identities = dict.fromkeys(check_identity(part) for part in checks)
    return ShellCall(
        parts=parts,
        telling=best,
        act=act,
        check=" && ".join(identities)[:300],
        masked=best is not None and _is_masked(parts, best),
    )


def check_identity(part: Part) -> str:
    """Return the text that two runs of the same check share: the runner, what it selects, its targets.

    Flags that only change the output, environment settings, folders and redirections are left out; flags are
    sorted before the targets, so their place in the line does not matter.
    """
    words = [word for word in part.words if word]
    head, rest = _runner(words)
    kept: list[str] = []
    targets: list[str] = []
    index = 0
    while index < len(rest):
        word = rest[index]
        index += 1
        following = rest[index] if index < len(rest) else ""
        if word in flags.VALUED_OUTPUT_FLAGS and "=" not in word:
            index += 1 if following and not following.startswith("-") else 0
        elif _is_output_flag(word, head):
            continue
        elif word in flags.SELECTING_FLAGS and following:
            kept.append(f"{word} {following}")
            index += 1
        elif word.startswith("-"):
            name, _, value = word.partition("=")
            kept.append(f"{name} {value}" if value and name in flags.SELECTING_FLAGS else word)
        else:
            targets.append(_target(word, part.folder))
    return " ".join([*head, *sorted(kept), *targets])


def _is_output_flag(word: str, head: list[str]) -> bool:
    if word in flags.OUTPUT_FLAGS or word.startswith(flags.OUTPUT_FLAG_STARTS) or word == "--":
        return True
    return head == ["pytest"] and bool(re.fullmatch(r"-[vqsxl]{2,6}|-r[a-zA-Z]{1,6}", word))


def _runner(words: list[str]) -> tuple[list[str], list[str]]:
    """Split off the words that name the runner and its sub-command, in their usual form."""
    program = words[0].rsplit("/", 1)[-1] if words else ""
    program = {"py.test": "pytest", "gradlew": "gradle", "mvnw": "mvn", "gotestsum": "go test"}.get(
        program, program
    )
    rest = words[1:]
    if program in ("npm", "pnpm", "yarn", "bun"):
        rest = rest[1:] if rest[:1] in (["run"], ["run-script"]) else rest
        place = next((at for at, word in enumerate(rest) if not word.startswith("-")), None)
        if place is not None:
            script = {"t": "test"}.get(rest[place], rest[place])
            head = [program, script] if script == "test" else [program, "run", script]
            return head, rest[:place] + rest[place + 1 :]
    if program == "vitest" and rest[:1] in (["run"], ["watch"]):
        rest = rest[1:]
    two = program in ("go", "cargo", "mix", "dotnet", "make", "just", "mise", "task")
    if two and rest and not rest[0].startswith("-"):
        taken = 2 if program == "mise" and rest[0] == "run" and len(rest) > 1 else 1
        return [program, *rest[:taken]], rest[taken:]
    return [program], rest


def _target(word: str, folder: str) -> str:
    if folder and word.startswith(folder.rstrip("/") + "/"):
        word = word[len(folder.rstrip("/")) + 1 :]
    return word.rstrip("/") or word


def _parts(text: str, folder: str, depth: int) -> list[Part]:
    found: list[Part] = []
    for command in split_commands(text)[:MAX_COMMANDS]:
        words = strip_prefixes(command.words)
        if words and words[0] in ("cd", "pushd") and len(words) > 1:
            folder = words[1]
            continue
        inner = _inner_text(words)
        if inner and depth < MAX_NESTING:
            found.extend(_parts(inner, folder, depth + 1))
            continue
        if not words:
            if command.writes:
                found.append(Part(words=("write",), act=Act.CHANGE, command=command, folder=folder))
            continue
        if words[0] in flags.IGNORED and not command.writes:
            continue
        found.append(Part(words=words, act=_act_of(words, command), command=command, folder=folder))
    return found


def strip_prefixes(words: tuple[str, ...]) -> tuple[str, ...]:
    """Take environment settings and wrappers (`sudo`, `timeout 60`, `poetry run`, `python -m`) off a command."""
    rest = list(words)
    for _ in range(12):
        if not rest:
            break
        name = rest[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(rest[0]):
            rest.pop(0)
        elif name in flags.PREFIXES and len(rest) > 1:
            rest.pop(0)
            while rest and rest[0].startswith("-"):
                rest.pop(0)
            del rest[: flags.PREFIXES[name]]
        elif tuple(rest[:2]) in flags.PREFIX_PAIRS and len(rest) > 2:
            del rest[:2]
            while rest and rest[0].startswith("--"):
                rest.pop(0)
        elif (
            _PYTHON.match(rest[0])
            and len(rest) > 2
            and rest[1] == "-m"
            and rest[2] not in ("build", "http.server")
        ):
            del rest[:2]
        else:
            break
    return tuple(rest)


def _inner_text(words: tuple[str, ...]) -> str:
    """Return the script of `bash -lc "…"` and of its kin."""
    if len(words) > 2 and words[0].rsplit("/", 1)[-1] in flags.SHELLS:
        for place, word in enumerate(words[1:4], start=1):
            if re.fullmatch(r"-[a-z]*c|-Command|/c", word) and place + 1 < len(words):
                return words[place + 1]
    return ""


def _act_of(words: tuple[str, ...], command: Command) -> Act:
    name = "python" if _PYTHON.match(words[0]) else words[0].rsplit("/", 1)[-1]
    name = {"gradlew": "gradle", "mvnw": "mvn"}.get(name, name)
    line = " ".join((name, *words[1:]))[:600]
    if words[0].startswith(("./", "bin/", "scripts/")) and re.search(r"tests?(?:\.\w+)?$", words[0]):
        return Act.TEST
    for pattern, act in runners.PATTERNS:
        if pattern.match(line):
            if act is Act.EXPLORE and any(_is_real_file(path) for path in command.writes):
                return Act.CHANGE
            return act
    if name in flags.IGNORED:
        return Act.CHANGE if command.writes else Act.EXPLORE
    return Act.RUN


def _is_real_file(path: str) -> bool:
    return not path.startswith(("/dev/", "/tmp/", "&"))  # noqa: S108


def _is_masked(parts: tuple[Part, ...], telling: Part) -> bool:
    place = parts.index(telling)
    if telling.command.after in ("|", "||", ";", "&"):
        return place + 1 < len(parts) or telling.command.after != ";"
    return False


def paths_in(words: tuple[str, ...], limit: int = 8) -> list[str]:
    """Return the words that look like paths, in order."""
    found = []
    for word in words:
        if word.startswith("-") or "://" in word or len(word) > 300 or not _SCRIPT.fullmatch(word):
            continue
        if (
            "/" in word.strip("./")
            or re.search(r"\w\.[A-Za-z]\w{0,7}$", word)
            or word.startswith(("./", "~/", "/"))
        ):
            found.append(word)
        if len(found) == limit:
            break
    return found
