"""What a step says to the canvas builder: names, weight, kind of command."""

from __future__ import annotations

import re

from pipelines.mermaid.encode import clean
from pipelines.records import Act, Kind, Outcome, Step

TEXT_KEPT = 160
FAILED = 4
"""The weight of a result that says what went wrong."""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{20,40}|[0-9a-f]{12,64}|\d{5,}")
_NO_PATH = re.compile(r"[\s|*()\[\]{}<>\"'?$^=;]|^https?:|\.\.\.|^-")
_FILE = re.compile(r"[\w-]\.[a-z][a-z0-9]{0,4}$")
_WINDOWS = re.compile(r"[A-Za-z]:\\|\\\\\w|[\w.-]{2,60}\\[\w.-]{2,60}")
_NOTHING = re.compile(r"^(?:no (?:match|file|result|output|hit)|0 |nothing|empty\b)", re.IGNORECASE)
_RANGE = re.compile(r":\d+(?:[-:,]\d+)?$")
_DEPENDENCY = re.compile(
    r"\b(?:go (?:get|mod (?:tidy|download|vendor|init))"
    r"|(?:npm|pnpm|yarn|bun) (?:install|i|add|ci|remove|uninstall|up|update)"
    r"|(?:pip3?|uv pip|pipx|conda|mamba|apt|apt-get|apk|brew|gem|dnf|yum) (?:-\S+ )?(?:install|add)"
    r"|(?:uv|poetry|cargo|composer|mix|dotnet|bundle) (?:add|lock|sync|install|remove))\b"
)
_BACK = re.compile(r"\bgit (?:checkout (?:\S+ )?--|restore|reset --hard|revert|clean -)")
_STAGING = re.compile(r"^(?:\$ |bash: |exec: )?git add\b(?!.*&&)")
_GLANCE = re.compile(
    r"^(?:\$ |bash: |exec: )?"
    r"(?:git (?:status|diff|log|show|branch|rev-parse|stash list)|ls|pwd|wc|which|echo|cd|date|true|sleep)\b"
)


def clip(text: str, width: int = TEXT_KEPT) -> str:
    """Return `text` on one line in at most `width` characters, without controls and halves of characters."""
    flat = clean(text[: 4 * width])
    return flat if len(flat) <= width else flat[: width - 1].rstrip() + "…"


def names(step: Step) -> tuple[str, ...]:
    """Return what the step was about: its objects without line ranges, most telling first, ids last."""
    found = (clip(_RANGE.sub("", text.strip()), 100) for text in step.facts.objects[:8])
    kept = tuple(dict.fromkeys(name for name in found if name.strip("./~ ")))
    return tuple(name for name in kept if not _ID.fullmatch(name)) or kept[:1]


def is_path(name: str) -> bool:
    """Say whether a name looks like a path."""
    return not _NO_PATH.search(name) and bool("/" in name or _FILE.search(name) or _WINDOWS.match(name))


def paths(step: Step) -> frozenset[str]:
    """Return the paths among the names."""
    return frozenset(name for name in names(step) if is_path(name))


def folder(path: str) -> str:
    """Return the folder of a path, empty for a bare name."""
    return path.replace("\\", "/").rpartition("/")[0]


def is_dependency_work(step: Step) -> bool:
    """Say whether the step adds, removes or tidies packages."""
    return bool(_DEPENDENCY.search(step.tool_call[:TEXT_KEPT]))


def goes_back(step: Step) -> bool:
    """Say whether the step takes changes back."""
    return bool(_BACK.search(step.tool_call[:TEXT_KEPT]))


def is_staging(step: Step) -> bool:
    """Say whether the step only prepares a delivery."""
    return bool(_STAGING.match(step.tool_call[:TEXT_KEPT]))


def is_glance(step: Step) -> bool:
    """Say whether the step only looks around, as one does beside other work."""
    return bool(_GLANCE.match(step.tool_call[:TEXT_KEPT]))


def sign(step: Step, mark: str) -> int:
    """Return the number after `+` or `−` where the call ends in one, as in `Edit a.py (+14 −2)`; else 0."""
    found = re.search(r"\((?:\+\d{1,7})?(?: ?−\d{1,7})?\)$", step.tool_call[:TEXT_KEPT])
    number = re.search(rf"{re.escape(mark)}(\d+)", found[0]) if found else None
    return int(number[1]) if number else 0


def check_of(step: Step) -> str:
    """Return the identity of a check, from its command when the summariser found none."""
    return clip(step.facts.check or step.tool_call)


def covers(wide: str, narrow: str) -> bool:
    """Say whether a pass of check `wide` also says that `narrow` passes: each word of it begins a word there."""
    if wide == narrow:
        return True
    wide_words, narrow_words = wide.split(), narrow.split()
    if (
        not wide_words
        or wide_words[:2] != narrow_words[: len(wide_words[:2])]
        or len(wide_words) > len(narrow_words)
    ):
        return False
    rest = iter(narrow_words)
    return all(any(word.startswith(begin) for word in rest) for begin in wide_words)


def weigh(step: Step) -> int:
    """Return how much the step's result tells a reader of the canvas; the newer of two equal ones wins."""
    facts = step.facts
    if facts.outcome is Outcome.DECLINED or facts.act is Act.PLAN or not step.summary.strip():
        return 0
    if facts.outcome is Outcome.FAILED:
        return 1 if facts.act is Act.EXPLORE else FAILED
    if facts.kind in (Kind.EMPTY, Kind.POINTER) or is_glance(step) or _NOTHING.match(step.summary):
        return 1
    if facts.kind is Kind.FILE:
        return 3 if "defines" in step.summary else 2
    return 3
