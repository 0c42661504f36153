"""Reading a stored text back in portions an agent can afford: pages, lines, and the places of a search."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines import search_places, tokens

DEFAULT_TOKENS = 1_600
MOST_TOKENS = 16_000
MOST_CONTEXT = 100
MOST_GREP_CHARACTERS = 500
_LINES = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?")
_COUNTED_CHARACTERS = 65_536


class ReadError(ValueError):
    """What was asked for cannot be read; the text says what to send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A portion of a text, with what is needed to ask for the next one."""

    content: str
    truncated: bool
    """Something that was asked for is not in `content`."""
    next_offset: int | None
    """The `offset` that continues this reading, all other options as before; None at its end."""
    total_lines: int
    """Lines of the whole text, ended by a line feed as in `grep -n` and `sed -n`."""
    total_chars: int
    matches: int | None = None
    """With `grep`: the places that match from `offset` on, shown or not; 100 000 stands for that or more."""


def read(
    text: str,
    *,
    lines: str | None = None,
    grep: str | None = None,
    context: int = 0,
    offset: int = 0,
    limit: int | None = None,
    max_tokens: int = DEFAULT_TOKENS,
) -> Excerpt:
    """Return a portion of `text` of at most `max_tokens` tokens (no more than 16 000) and `limit` characters;
    a single character is given also where it alone has more tokens.

    Without `grep` the content is the text itself, from character `offset`, cut between characters and after
    a line where one ends late enough; the contents of all pages, each begun at the last one's `next_offset`,
    joined are the text exactly. `lines` ("10-60", "10-" or "10", from 1, both ends included) restricts the
    reading to these lines.

    With `grep` the content is the places that contain it, as plain text and in any case, written as by
    `grep -n`: `12:` before a line that matches, `11-` before each of up to `context` lines around it, `--`
    where lines are left out between them. Of a line longer than 500 characters only the part around the
    match is shown, what is left out marked where it is; such a line can have several places.

    Raises ReadError, which says what to send, for options that make no sense. Linear in the text.
    """
    _check(text, context=context, offset=offset, limit=limit, max_tokens=max_tokens)
    total_lines = text.count("\n") + (not text.endswith("\n") and text != "")
    start, end = _region(text, lines, total_lines) if lines else (0, len(text))
    start = max(start, min(offset, end))
    characters = tokens.EXACT_CHARACTERS if limit is None else limit
    budget = min(max_tokens, MOST_TOKENS)
    shortened, matches = False, None
    if grep:
        if "\n" in grep or len(grep) > MOST_GREP_CHARACTERS:
            raise ReadError(f"grep must be part of one line, at most {MOST_GREP_CHARACTERS} characters")
        lines_around = min(context, MOST_CONTEXT)
        found = search_places.find(
            text, grep, start, end, context=lines_around, max_characters=characters, max_tokens=budget
        )
        content, next_offset = found.content, found.next_offset
        shortened, matches = found.shortened, found.places
    else:
        page_end = _page_end(text, start, min(end, start + characters), budget)
        content = text[start:page_end]
        next_offset = page_end if page_end < end else None
    return Excerpt(
        content=content,
        truncated=shortened or next_offset is not None,
        next_offset=next_offset,
        total_lines=total_lines,
        total_chars=len(text),
        matches=matches,
    )


def _check(text: str, *, context: int, offset: int, limit: int | None, max_tokens: int) -> None:
    if offset < 0 or offset > len(text):
        raise ReadError(f"offset must be 0 to {len(text)}, the number of characters of this text")
    if limit is not None and limit < 1:
        raise ReadError("limit must be a number of characters, 1 or more")
    if max_tokens < 1:
        raise ReadError(f"max_tokens must be 1 to {MOST_TOKENS}")
    if context < 0:
        raise ReadError(f"context must be a number of lines, 0 to {MOST_CONTEXT}")


def _region(text: str, lines: str, total_lines: int) -> tuple[int, int]:
    """Return the characters that the lines span, the last line's line feed included."""
    found = _LINES.fullmatch(lines.strip())
    first = int(found[1]) if found else 0
    if not found or first < 1:
        raise ReadError('lines must be like "10-60", "10-" or "10", counted from 1')
    last = int(found[3]) if found[3] else (total_lines if found[2] else first)
    if first > total_lines:
        raise ReadError(f"lines must begin at 1 to {total_lines}; this text has {total_lines} lines")
    if found[3] and last < first:
        raise ReadError(f'lines must go up: send "{last}-{first}"')
    start = _line_start(text, first)
    return start, _line_start(text, min(last, total_lines) + 1)


def _line_start(text: str, number: int) -> int:
    """Return where line `number` begins, or the end of the text when there are fewer."""
    left = number - 1
    at = 0
    while left and at < len(text):
        fed = text.count("\n", at, at + _COUNTED_CHARACTERS)
        if fed >= left:
            for _ in range(left):
                at = text.index("\n", at) + 1
            return at
        left -= fed
        at += _COUNTED_CHARACTERS
    return min(at, len(text))


def _page_end(text: str, start: int, end: int, max_tokens: int) -> int:
    fitting = start + tokens.fit(text[start : min(end, start + tokens.EXACT_CHARACTERS)], max_tokens)
    if start == end or fitting >= end:
        return end
    after_line = text.rfind("\n", (start + fitting) // 2, fitting) + 1
    # Where a line feed is joined to what follows it, a text cut after it can have more tokens than one cut later.
    return after_line if after_line and tokens.count(text[start:after_line]) <= max_tokens else fitting
