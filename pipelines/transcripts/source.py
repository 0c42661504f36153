"""A transcript file as bytes: its beginning, its lines, and the JSON objects of a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from pipelines import pairs, rawjson

HEAD_BYTES = 65_536
MAX_LINE_BYTES = 64 * 2**20
"""A longer line is left out; nothing of it is kept in memory."""
_MOST_RESTARTS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line feed."""

    number: int
    content: bytes
    is_ended: bool
    """A line feed follows. Without one, the line may have been cut while it was written."""
    is_too_long: bool = False

    def text(self) -> tuple[str, bool]:
        """Return the line as text, and whether bytes that are not UTF-8 had to be replaced for it."""
        text = pairs.decode_text(self.content)
        if text is None:
            return self.content.decode("utf-8", "replace"), True
        return text, False


class Source:
    """A stream whose beginning can be looked at before it is read from the start; it need not be seekable."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.head = b""
        while len(self.head) < HEAD_BYTES and (chunk := stream.read(HEAD_BYTES - len(self.head))):
            self.head += chunk

    def lines(self) -> Iterator[Line]:
        """Yield every line that is not blank. To be called once."""
        number = 1
        held: list[bytes] = []
        size = 0
        for chunk in self._chunks():
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                size += end - start
                held.append(chunk[start:end])
                yield from _line(number, held, size, is_ended=True)
                number, start, size = number + 1, end + 1, 0
                held.clear()
            size += len(chunk) - start
            held.append(chunk[start:])
            if size > MAX_LINE_BYTES:
                held.clear()
        yield from _line(number, held, size, is_ended=False)

    def _chunks(self) -> Iterator[bytes]:
        yield self.head
        while chunk := self._stream.read(HEAD_BYTES):
            yield chunk


def digest(value: Any) -> int:
    """Return a number that is equal for equal JSON values, within this process."""
    try:
        return hash(rawjson.dump(value))
    except RecursionError:
        return 0


def _line(number: int, held: list[bytes], size: int, *, is_ended: bool) -> Iterator[Line]:
    if size > MAX_LINE_BYTES:
        yield Line(number, b"", is_ended, is_too_long=True)
        return
    content = b"".join(held).strip(b" \t\r\0")  # a file system that lost power leaves NULs
    if number == 1:
        content = content.removeprefix(b"\xef\xbb\xbf")
    if content:
        yield Line(number, content, is_ended)


def objects(text: str, restart: str) -> Iterator[tuple[dict[str, Any], int] | str]:
    """Yield the JSON objects of a line with the index where each begins, usually one; what is wrong as text.

    Two writers can have raced, so objects may follow each other. After one that is torn, reading goes on at
    the next `restart`, which must be how an object of the outermost level begins.
    """
    at = rawjson.skip_space(text, 0)
    restarts = 0
    while at < len(text):
        try:
            value, end = rawjson.parse_value(text, at)
        except rawjson.JsonSyntaxError as error:
            yield f"not JSON: {error}"
            restarts += 1
            end = text.find(restart, at + 1) if restarts <= _MOST_RESTARTS else -1
            if end < 0:
                return
        else:
            if isinstance(value, dict):
                yield value, at
            else:
                yield "not a JSON object"
        at = rawjson.skip_space(text, end)
