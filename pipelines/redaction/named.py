"""Secrets in plain text that are known by the name before them: env files, YAML, headers, queries, code, options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.redaction.names import LONGEST_NAME, Telling, telling
from pipelines.redaction.patterns import Found
from pipelines.redaction.values import JUDGED, Place, is_placeholder, is_secret, looks_random

_LONGEST_VALUE = 8_192
_STEM = re.compile(
    r"pass|pwd|secret|token|key|authorization|auth|cookie|credential|mnemonic|phrase|signature|(?<=[?&;])sig(?==)",
    re.IGNORECASE,
)
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_AFTER = re.compile(
    r"(?P<rest>[A-Za-z0-9_-]{0,60}+)(?P<closing>(?:\\{0,7}[\"'`])?\]?)[ \t]{0,8}"
    r"(?P<sep>=>|:=|!=|={1,3}|:(?!:)|(?<!-)>(?=[^\s<>])|(?<=\w) (?=\S))[ \t]{0,8}",
)
_QUOTE = re.compile(r"[bBrR]?(\\{0,7})([\"'`])")
_QUOTED = {quote: re.compile(rf"((?:[^{quote}\\\r\n]++|\\.)*+){quote}") for quote in ("'", '"', "`")}
_WORD = re.compile(r"[^\s\"'`<>(){}\[\],;|&\\]{1,4096}+")
_WIDE = re.compile(r"[^\s\"'`\\<>|]{1,4096}+")
_QUERY = re.compile(r"[^\s\"'`\\<>|&#;,)\]]{1,4096}+")
_HEADER = re.compile(r"[^\"'`\r\n\\]{1,8192}+")
_ELEMENT = re.compile(r"[^<\r\n]{1,8192}+(?=</)")
_LINE = re.compile(r"[^\r\n\"'`\\{}\[\]()<>,;]{1,1024}+(?=\r|\n|\Z)")
_CREDENTIAL = re.compile(
    r"(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|Negotiate|NTLM)\s{1,4}(\S+)|(?:Digest|AWS4-HMAC-SHA256)\s{1,4}(.+))",
    re.IGNORECASE,
)
_FIRST_OF_SET_COOKIE = re.compile(r"[^=;\s]{1,256}=([^;]{1,8192})")
_COOKIES = re.compile(r"[^=;,\s\"'(){}\[\]]{1,256}=\S|[^=\s]+\Z")
_AT_LINE_START = re.compile(
    r"(?:^|\n)[ \t]*+(?:-[ \t]+)?(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+)?[\"']?\Z"
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class _Hit:
    """A telling name in a text, and where its value begins."""

    told: Telling
    name: str
    start: int
    """Where the name begins."""
    separator: str
    is_spaced: bool
    """Spaces stand before the separator."""
    is_quoted: bool
    """The name ends with a quote, so what follows without one is code."""
    value: int


def named(text: str) -> Iterator[Found]:
    """Yield the values of telling names that are secrets."""
    at = 0
    while stem := _STEM.search(text, at):
        at = stem.end()
        after = _AFTER.match(text, stem.end())
        if after is None:
            continue
        hit = _hit(text, stem, after)
        if hit is None:
            at = max(at, stem.end() + len(after["rest"]))
            continue
        at = hit.value
        for start, end, is_sure in _value(text, hit):
            if is_sure:
                yield Found(start, end, hit.told.kind)
                at = max(at, end)


def _hit(text: str, stem: re.Match[str], after: re.Match[str]) -> _Hit | None:
    start, earliest = stem.start(), max(0, stem.start() - LONGEST_NAME)
    while start > earliest and text[start - 1] in _NAME_CHARACTERS:
        start -= 1
    option = text.startswith("-", start)
    # The letter of an escape such as \n is no part of the name.
    if text[start - 1 : start] == "\\" and text[start] in "nrt":
        start += 1
    name = text[start : after.end("rest")].lstrip("-.")
    told = telling(name)
    separator = after["sep"]
    if (
        told is None
        or (separator == " " and not option)
        or (separator == ">" and not _is_element(text, start))
    ):
        return None
    spaced = text[after.end("closing")] in " \t" and separator != " "
    return _Hit(told, name, start, separator, spaced, bool(after["closing"]), after.end())


def _is_element(text: str, start: int) -> bool:
    return text[max(0, start - 1) : start] in ("<", ":")


def _value(text: str, hit: _Hit) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is a secret) of the value, or of those parts of it that are."""
    if hit.separator == ">":
        yield from _judged(text, _ELEMENT, hit, Place.FIELD)
        return
    if hit.told.kind in ("authorization", "cookie") and hit.separator in (":", "="):
        yield from _header(text, hit)
        return
    span = _quoted(text, hit.value)
    if span is not None:
        value = text[span[0] : span[1]]
        is_text = value[:1] not in (",", ")", "+", ";", "{") and not (value.count("{") and "}" in value)
        yield *span, is_text and is_secret(value, hit.told, Place.FIELD)
        return
    for pattern, place in _ways(text, hit):
        yield from _judged(text, pattern, hit, place)


def _judged(text: str, pattern: re.Pattern[str], hit: _Hit, place: Place) -> Iterator[tuple[int, int, bool]]:
    if place is Place.LOOSE:
        # Most are no secrets, so a long one is judged by its beginning before it is read to its end.
        head = pattern.match(text, hit.value, hit.value + JUDGED)
        if head is None or not is_secret(head[0], hit.told, place):
            return
    found = pattern.match(text, hit.value)
    if found is None or (place is Place.LOOSE and text[found.end() : found.end() + 1] in ("(", "[", "{")):
        return
    value = found[0]
    if place in (Place.LINE, Place.PROPERTY):
        value = value.split(" #", 1)[0].rstrip()
    elif place is Place.ASSIGNED:
        value = value.rstrip(",;&" if "(" in value else ",;)&")
    yield found.start(), found.start() + len(value), is_secret(value, hit.told, place)


def _ways(text: str, hit: _Hit) -> Iterator[tuple[re.Pattern[str], Place]]:
    """Yield how an unquoted value may be read here; the first that is a secret counts."""
    if hit.is_quoted:
        yield _WORD, Place.LOOSE
        return
    before = text[max(0, hit.start - 1) : hit.start]
    if hit.separator == "=" and not hit.is_spaced:
        if before in ("?", "&"):
            yield _QUERY, Place.ASSIGNED
            return
        if _VARIABLE.match(hit.name) or "." in hit.name or before == ":" or hit.start == 0 or before == "\n":
            yield _WIDE, Place.ASSIGNED
            return
    if hit.separator in ("=", ":"):
        if _AT_LINE_START.search(text, max(0, hit.start - 80), hit.start):
            yield _LINE, Place.LINE if hit.separator == ":" else Place.PROPERTY
        if _VARIABLE.match(hit.name) and hit.separator == ":":
            yield _WIDE, Place.LINE
    yield _WORD, Place.LOOSE


def _quoted(text: str, start: int) -> tuple[int, int] | None:
    """Return the span inside the quotes that begin here, which may be escaped; None when there are none."""
    opening = _QUOTE.match(text, start)
    if opening is None:
        return None
    if opening[1]:
        end = text.find(opening[0].lstrip("bBrR"), opening.end(), opening.end() + _LONGEST_VALUE)
        return None if end < 0 or "\n" in text[opening.end() : end] else (opening.end(), end)
    found = _QUOTED[opening[2]].match(text, opening.end(), opening.end() + _LONGEST_VALUE)
    return found.span(1) if found else None


def _header(text: str, hit: _Hit) -> Iterator[tuple[int, int, bool]]:
    span = _quoted(text, hit.value)
    if span is None:
        found = _HEADER.match(text, hit.value)
        if found is None or hit.is_quoted:
            return
        span = found.start(), found.start() + len(found[0].rstrip())
    for start, end in header_secrets(text[span[0] : span[1]], hit.told, hit.name):
        yield span[0] + start, span[0] + end, True


def header_secrets(value: str, told: Telling, name: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the secrets in the value of an `Authorization` or a cookie header."""
    if told.kind == "cookie":
        if name.lower().startswith("set"):
            found = _FIRST_OF_SET_COOKIE.match(value)
            if found and not is_placeholder(found[1]):
                yield found.span(1)
        elif _COOKIES.match(value) and is_secret(value, told, Place.FIELD):
            yield 0, len(value)
        return
    found = _CREDENTIAL.match(value)
    if found is None:
        if looks_random(value):
            yield 0, len(value)
        return
    group = 1 if found[1] is not None else 2
    if len(found[group]) >= 4 and not is_placeholder(found[group]) and "{" not in found[group]:
        yield found.span(group)
