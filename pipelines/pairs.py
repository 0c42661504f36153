"""Tool pairs as they are posted: read, checked one by one, and turned into what is stored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pipelines import rawjson

TEXT = "text/plain; charset=utf-8"
JSON = "application/json"
MAX_PAIRS = 200
MAX_ID_CHARACTERS = 100_000
MAX_NAME_CHARACTERS = 2_000
BAD_TIME = "timestamp must be an ISO 8601 string such as 2026-01-31T12:00:00Z"
_LONGEST_TIME = 64  # characters


class PairError(ValueError):
    """A posted pair cannot be stored; the text says what to send instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedPair:
    """One tool call and its result, checked and ready to store."""

    tool_name: str
    tool_call_id: str = ""
    params: Any = None
    content: bytes = b""
    """The result's exact bytes: UTF-8 of a string, else the JSON text as received."""
    media_type: str = TEXT
    error: str = ""
    is_error: bool | None = None
    timestamp: datetime | None = None
    timestamp_text: str = ""
    duration_ms: int | None = None

    @property
    def content_sha256(self) -> str:
        """SHA-256 of the content, 64 lower-case hex digits."""
        return hashlib.sha256(self.content).hexdigest()

    def fingerprint(self) -> str:
        """Return 64 hex digits that are equal for two pairs equal in every field, and only for those."""
        fields = [
            self.tool_call_id,
            self.tool_name,
            self.params,
            self.media_type,
            self.content_sha256,
            self.error,
            self.is_error,
            self.timestamp_text,
        ]
        return hashlib.sha256(rawjson.dump(fields).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A posted batch: the good pairs and, by index, why the others were refused."""

    pairs: list[tuple[int, PostedPair]] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    recent_messages: list[dict[str, Any]] = field(default_factory=list)
    context_window: int | None = None


def encode_text(text: str) -> bytes:
    """Return the UTF-8 bytes of a text; a lone surrogate gives the three bytes that UTF-8 would give it."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(content: bytes) -> str | None:
    """Return the text that `encode_text` turns into exactly these bytes, or None when there is none."""
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def moment(value: Any) -> datetime | None:
    """Read an ISO 8601 time, as UTC; None for anything else. A time without a zone is taken as UTC.

    What a clock would not write (other characters between date and time, hundreds of digits) is no time.
    """
    if not isinstance(value, str) or not (value.isascii() and value.isprintable()):
        return None
    if len(value) > _LONGEST_TIME:
        return None
    try:
        read = datetime.fromisoformat(value)
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_batch(text: str, *, max_result_bytes: int) -> Batch:
    """Read the JSON body of a tool-pairs request.

    Raises JsonSyntaxError when the body is not JSON, PairError when it is not a batch. A single bad pair is
    reported in `errors` and costs the others nothing.
    """
    if not rawjson.is_object(text):
        rawjson.parse(text)
        raise PairError('send a JSON object: {"tool_pairs": [...]}')
    spans = rawjson.document_members(text)
    if "tool_pairs" not in spans or not rawjson.is_array(text, spans["tool_pairs"][0]):
        raise PairError("tool_pairs is missing or not a list")
    elements = list(rawjson.elements(text, spans["tool_pairs"][0]))
    if not elements:
        raise PairError("tool_pairs is empty; send at least one pair")
    if len(elements) > MAX_PAIRS:
        raise PairError(
            f"{len(elements)} pairs in one request; send at most {MAX_PAIRS} and post the rest next"
        )
    batch = Batch(
        recent_messages=messages(_value(text, spans, "recent_messages")),
        context_window=_context_window(_value(text, spans, "context_window")),
    )
    for index, (start, _) in enumerate(elements):
        try:
            batch.pairs.append((index, read_pair(text, start, max_result_bytes=max_result_bytes)))
        except PairError as error:
            batch.errors.append((index, str(error)))
    return batch


def read_pair(text: str, start: int = 0, *, max_result_bytes: int) -> PostedPair:
    """Read the pair whose JSON object begins at `start`. Raises PairError for what cannot be stored."""
    if not rawjson.is_object(text, start):
        raise PairError("a pair must be an object")
    spans = {key: (begin, end) for key, begin, end in rawjson.members(text, start)}
    error = _text(_value(text, spans, "error"), "error")
    content, media_type, replaced = _content(text, spans, error)
    if len(content) > max_result_bytes:
        raise PairError(f"result has {len(content)} bytes; the limit is {max_result_bytes}")
    timestamp_text, timestamp = _timestamp(_value(text, spans, "timestamp"))
    is_error = _value(text, spans, "is_error")
    if is_error is not None and not isinstance(is_error, bool):
        raise PairError("is_error must be true or false")
    tool_name = _text(_value(text, spans, "tool_name"), "tool_name")
    if not tool_name:
        raise PairError("tool_name is missing")
    if len(tool_name) > MAX_NAME_CHARACTERS:
        raise PairError(f"tool_name has {len(tool_name)} characters; the limit is {MAX_NAME_CHARACTERS}")
    call_id = _text(_value(text, spans, "tool_call_id"), "tool_call_id")
    if len(call_id) > MAX_ID_CHARACTERS:
        raise PairError(f"tool_call_id has {len(call_id)} characters; the limit is {MAX_ID_CHARACTERS}")
    return PostedPair(
        tool_name=tool_name,
        tool_call_id=call_id,
        params=_value(text, spans, "params"),
        content=content,
        media_type=media_type,
        error=error,
        is_error=True if replaced and is_error is None else is_error,
        timestamp=timestamp,
        timestamp_text=timestamp_text,
        duration_ms=_duration(_value(text, spans, "duration_ms")),
    )


def _value(text: str, spans: dict[str, tuple[int, int]], key: str) -> Any:
    return rawjson.parse_value(text, spans[key][0])[0] if key in spans else None


def _content(text: str, spans: dict[str, tuple[int, int]], error: str) -> tuple[bytes, str, bool]:
    """Return the result's bytes, their media type, and whether the error stands in for a missing result."""
    if "result" not in spans:
        if not error:
            raise PairError("result is missing; send the tool's output, or error when it failed without one")
        return encode_text(error), TEXT, True
    start, end = spans["result"]
    value = rawjson.parse_value(text, start)[0]
    if value is None and error:
        return encode_text(error), TEXT, True
    if isinstance(value, str):
        return encode_text(value), TEXT, False
    return encode_text(text[start:end]), JSON, False


def _text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise PairError(f"{name} must be a string")
    return value


def _timestamp(value: Any) -> tuple[str, datetime | None]:
    if value is None or value == "":
        return "", None
    read = moment(value)
    if read is None:
        raise PairError(BAD_TIME)
    return value, read


def _duration(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise PairError("duration_ms must be a number of milliseconds, 0 or more")
    return int(value)


def _context_window(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**31:
        raise PairError("context_window must be a whole number of tokens, 1 or more")
    return value


def messages(value: Any) -> list[dict[str, Any]]:
    """Read `recent_messages`; PairError for what is no list of objects."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise PairError('recent_messages must be a list of objects: {"role": "user", "content": "..."}')
    return value
