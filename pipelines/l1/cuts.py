"""What a host left out of an output, and where it keeps the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD = 4_000
WHOLE = 300_000
END = 100_000
_HINTS = ("runcat", "mitted", "lided", "not shown", "more lines", "lipped", "saved to", "max output")
_START = r"^[\s\[(.…<]{0,8}"
_COUNTED = (
    re.compile(
        _START + r"(?:omitted |truncated |elided )?(\d[\d,]{0,12}) (lines?|characters?|chars|tokens|bytes)\b"
        r".{0,40}(?:truncated|omitted|elided|not shown)",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(
        _START + r"(?:omitted|truncated|elided) (\d[\d,]{0,12})(?: of \d[\d,]{0,12})? "
        r"(lines?|characters?|chars|tokens|bytes)",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(_START + r"(\d[\d,]{0,12}) more (lines?)\b(?! above| below)", re.MULTILINE),
    re.compile(r"<elided_chars>\s{0,4}(\d[\d,]{0,12}) (characters?)"),
    re.compile(r"…(\d{1,12}) (tokens|chars|lines) truncated…"),
)
_PLAIN = re.compile(
    _START
    + r"(?:response clipped>|Output truncated|Results are truncated|output was truncated|truncated[ \])]|"
    r"NOTE>Due to the max output limit)|<response clipped>|\.\.\. ?\[?truncated\]?\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_POINTER_HEAD = re.compile(
    r"\s{0,8}<persisted-output>|\s{0,8}Output too large|(?:Error: )?(?:MCP tool |The )?[^\n]{0,200}"
    r"(?:response|result|content|output)[^\n]{0,200}exceeds (?:the )?maximum (?:allowed )?"
    r"(?:tokens|size|length|characters)"
)
_POINTER = re.compile(
    r"(?:Full output (?:saved to|available at|is in)|[Oo]utput (?:has been )?saved to|saved to file)"
    r":? {0,4}(\S{1,500})"
)
_SIZE = re.compile(r"\((\d[\d.,]{0,12} ?(?:[KMG]i?B|bytes|tokens|characters|chars)?)\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What is not in an output."""

    missing: str = ""
    """How much, such as `48 lines`; `part` when the host gave no number; empty when nothing was cut."""
    pointer: str = ""
    """Where the host keeps the output instead of showing it; `-` when it only refused to show it."""
    size: str = ""
    """The size that the host gave for what it keeps."""


NOTHING_CUT = Cut()


def cut_in(text: str) -> Cut:
    """Find the notice of a host that it cut an output or keeps it elsewhere."""
    head = text[:HEAD]
    if _POINTER_HEAD.match(head):
        place, size = _POINTER.search(head), _SIZE.search(head)
        return Cut(pointer=place[1].rstrip(".,)>]") if place else "-", size=size[1] if size else "")
    ends = text if len(text) <= WHOLE else text[:END] + "\n" + text[-END:]
    if not any(hint in ends for hint in _HINTS):
        return NOTHING_CUT
    found = next((hit for mark in _COUNTED if (hit := mark.search(ends))), None)
    if found:
        return Cut(missing=f"{found[1]} {found[2]}" if found[1].strip("0,") else "")
    return Cut(missing="part" if _PLAIN.search(ends) else "")
