"""Taking secrets out of what is about to be stored, when `OFFLOAD_REDACT` says so.

Every way in comes through here before anything is hashed, compressed or written: calls with their results, prompts,
messages and contents put away by hand. Names and ids (tool, call, session, namespace) stay, since things are found by
them; so do bytes that are no text.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from django.conf import settings

from pipelines import rawjson
from pipelines.pairs import PostedPair, decode_text, encode_text
from pipelines.redaction import redact


def text_redacted(text: str) -> tuple[str, int]:
    """Return a text without its secrets, and how many were taken out."""
    if not settings.OFFLOAD_REDACT:
        return text, 0
    done = redact(text)
    return done.text, done.count


def content_redacted(content: bytes, *, limit: int) -> tuple[bytes, int]:
    """Return a content without its secrets, and how many were taken out.

    Bytes that are neither UTF-8 nor free of NULs are no text and stay. What the marks would take over `limit` bytes is
    overwritten with stars instead, so that a content that may be stored still may.
    """
    if not settings.OFFLOAD_REDACT:
        return content, 0
    text = decode_text(content)
    encode: Callable[[str], bytes] = encode_text
    if text is None:
        if b"\0" in content:
            return content, 0
        text, encode = content.decode("utf-8", "surrogateescape"), _encode_escaped
    done = redact(text)
    if not done.count:
        return content, 0
    redacted = encode(done.text)
    if len(redacted) > limit:
        redacted = encode(redact(text, same_length=True).text)
    return redacted, done.count


def _encode_escaped(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def value_redacted(value: Any) -> tuple[Any, int]:
    """Return a JSON value without its secrets, and how many were taken out."""
    if not settings.OFFLOAD_REDACT:
        return value, 0
    done = redact(rawjson.dump(value))
    return (json.loads(done.text), done.count) if done.count else (value, 0)


def pair_redacted(pair: PostedPair) -> tuple[PostedPair, int]:
    """Return a pair without the secrets of its result, its parameters and its error, and how many there were."""
    content, in_content = content_redacted(pair.content, limit=settings.OFFLOAD_MAX_RESULT_BYTES)
    params, in_params = value_redacted(pair.params)
    error, in_error = text_redacted(pair.error)
    count = in_content + in_params + in_error
    return dataclasses.replace(pair, content=content, params=params, error=error) if count else pair, count
