"""The places where a text contains a word, written as `grep -n` writes them, within a budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines import tokens

LONG_LINE = 500
"""Characters of a line that are shown at most."""
MOST_COUNTED = 100_000
"""Places that are counted at most once the page is full."""
_BEFORE_MATCH = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search shows, and where it goes on."""

    content: str
    next_offset: int | None
    shortened: bool
    """A line was too long to be shown whole, or context had to be left out."""
    places: int


@dataclass(frozen=True, slots=True)
class _Place:
    at: int
    line_start: int
    line_end: int
    number: int

    @property
    def is_long(self) -> bool:
        return self.line_end - self.line_start > LONG_LINE


@dataclass(slots=True)
class _Page:
    characters: int
    tokens: int
    rows: list[str] = field(default_factory=list)

    def add(self, rows: list[str]) -> bool:
        """Add the rows if all of them fit, the line feeds between the page's rows counted."""
        characters = sum(map(len, rows)) + len(rows) - (not self.rows)
        if characters > self.characters:
            return False
        cost = sum(tokens.count(row + "\n") for row in rows)
        if cost > self.tokens:
            return False
        self.characters -= characters
        self.tokens -= cost
        self.rows.extend(rows)
        return True

    def add_cut(self, row: str) -> None:
        """Add as much of a row as fits, and at least one character, so that each page makes progress."""
        self.rows.append(row[: min(self.characters, tokens.fit(row, self.tokens))])
        self.characters = self.tokens = 0


def find(
    text: str, word: str, start: int, end: int, *, context: int, max_characters: int, max_tokens: int
) -> Found:
    """Show the places of `word`, in any case, between two offsets of `text`, as many as fit."""
    lines = _Lines(text, _fold(text), _fold(word), end)
    page = _Page(max_characters, max_tokens)
    shown_until = start
    next_offset: int | None = None
    shortened = False
    count = 0
    for place in lines.places(start):
        count += 1
        if next_offset is not None:
            if count >= MOST_COUNTED:
                break
            continue
        block_start, rows, block_end = lines.block(place, shown_until, context)
        is_gap = context > 0 and bool(page.rows) and block_start > shown_until
        if page.add(["--", *rows] if is_gap else rows):
            shown_until = block_end
            shortened = shortened or place.is_long
        elif page.rows:
            next_offset = block_start
        else:
            page.add_cut(lines.row(place))
            shown_until = place.line_end + 1
            shortened = True
    return Found(content="\n".join(page.rows), next_offset=next_offset, shortened=shortened, places=count)


@dataclass(frozen=True, slots=True)
class _Lines:
    text: str
    folded: str
    needle: str
    end: int

    def places(self, start: int) -> Iterator[_Place]:
        """Yield each line that holds the needle once, a long line once for each window that holds it."""
        number, counted = 1, 0
        line_start, line_end = 0, -1
        at = self.folded.find(self.needle, start, self.end)
        while at >= 0:
            if at > line_end:
                number += self.text.count("\n", counted, at)
                counted = at
                line_start = self.text.rfind("\n", 0, at) + 1
                line_end = self._line_end(at)
            place = _Place(at, line_start, line_end, number)
            yield place
            after = self._window(place)[1] if place.is_long else line_end
            at = self.folded.find(self.needle, after, self.end)

    def block(self, place: _Place, shown_until: int, context: int) -> tuple[int, list[str], int]:
        """Return a place's rows with the context not yet shown, and the offsets before and after them."""
        rows = [self.row(place)]
        block_start = place.at if place.line_start < shown_until else place.line_start
        number = place.number
        while number > max(1, place.number - context) and block_start > shown_until:
            line_end = block_start - 1
            block_start = max(self.text.rfind("\n", 0, line_end) + 1, shown_until)
            number -= 1
            rows.insert(0, self._context_row(block_start, line_end, number))
        block_end = place.line_end + 1
        if place.is_long and self.folded.find(self.needle, self._window(place)[1], place.line_end) >= 0:
            return block_start, rows, block_end
        for number in range(place.number + 1, place.number + 1 + context):
            line_end = self._line_end(block_end)
            if block_end >= self.end or self.folded.find(self.needle, block_end, line_end) >= 0:
                break
            rows.append(self._context_row(block_end, line_end, number))
            block_end = line_end + 1
        return block_start, rows, block_end

    def row(self, place: _Place) -> str:
        """Write a place: `12:` and its line, of a long line the part around the match."""
        start, end = self._window(place)
        before = f"[from offset {start}] " if start > place.line_start else ""
        after = f" [{place.line_end - end} more characters]" if end < place.line_end else ""
        return f"{place.number}:{before}{self.text[start:end]}{after}"

    def _context_row(self, start: int, line_end: int, number: int) -> str:
        end = min(line_end, start + LONG_LINE)
        after = f" [{line_end - end} more characters]" if end < line_end else ""
        return f"{number}-{self.text[start:end]}{after}"

    def _window(self, place: _Place) -> tuple[int, int]:
        if not place.is_long:
            return place.line_start, place.line_end
        start = max(place.line_start, place.at - _BEFORE_MATCH)
        return start, min(place.line_end, start + LONG_LINE)

    def _line_end(self, at: int) -> int:
        found = self.text.find("\n", at, self.end)
        return self.end if found < 0 else found


def _fold(text: str) -> str:
    """Lower the case without changing the length: one letter, the dotted capital I, would become two."""
    return text.replace("\u0130", "i").lower().replace("ς", "σ")
