"""Secrets that are known by their own form, whatever they are called: keys of services, JWTs, PEM blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipelines.redaction.values import is_placeholder, looks_random


class Found(NamedTuple):
    """A secret in a text: `text[start:end]`."""

    start: int
    end: int
    kind: str
    is_number: bool = False
    """It is a JSON number, so what comes in its place needs quotes."""


_LONGEST_PEM = 65_536
# Where a form may begin: not inside a word or a run of base64, but after the escape of a line break.
_BEGIN = r"(?:(?<![A-Za-z0-9_+-])|(?<=\\[nrt]))"
_FORMS = {
    "aws_key": r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "github_token": r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})(?![A-Za-z0-9_])",
    "jwt": r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+",
    "slack_token": r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}+|xapp-[0-9]-[A-Za-z0-9-]{10,255}+",
    "google_key": r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|GOCSPX-[A-Za-z0-9_-]{20,64}|ya29\.[A-Za-z0-9_-]{20,2048}+",
    "offload_key": r"ofk_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])",
    "api_key": r"(?:[rs]k_(?:live|test)_|whsec_|npm_|hf_|gsk_|r8_|dop_v1_|shp(?:at|ss|ca)_|lin_api_)"
    r"[A-Za-z0-9]{16,255}+"
    r"|(?:tvly|glpat|xai|pplx)-[A-Za-z0-9_-]{16,255}+|pypi-AgE[A-Za-z0-9_-]{40,2048}+"
    r"|SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,64}+",
    "sk": r"sk-[A-Za-z0-9_-]{20,255}+",
}
_FORM = re.compile(_BEGIN + "(?:" + "|".join(f"(?P<{kind}>{form})" for kind, form in _FORMS.items()) + ")")
_AWS_SECRET = re.compile(r"[\"',:;\s]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")
_HOOK = re.compile(r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/]{20,255})")
_SCHEME = re.compile(r"\b(?:Bearer|Basic)\s{1,4}([A-Za-z0-9._~+/-]{16,8192}+=*+)", re.IGNORECASE)
_USER_INFO = re.compile(r"://[^\s/:@\"'<>\\?#]{0,256}+:([^\s/@\"'<>\\]{1,256}+)@")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,.-]|\\+[nrt]){1,65536}+")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/]{16}")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")


def forms(text: str) -> Iterator[Found]:
    """Yield what is a secret by its form; the places may overlap."""
    for found in _FORM.finditer(text):
        kind = str(found.lastgroup)
        if kind == "sk":
            if not any(looks_random(run) for run in _RUN.findall(found[0])):
                continue
            kind = "api_key"
        yield Found(found.start(), found.end(), kind)
        secret = _AWS_SECRET.match(text, found.end()) if kind == "aws_key" else None
        if secret:
            yield Found(*secret.span(1), "aws_key")
    for found in _HOOK.finditer(text):
        yield Found(*found.span(1), "slack_webhook")
    for found in _SCHEME.finditer(text):
        if looks_random(found[1][:256]):
            yield Found(*found.span(1), "authorization")
    for found in _USER_INFO.finditer(text):
        if not is_placeholder(found[1]) and not found[1].startswith(("{", "[")):
            yield Found(*found.span(1), "password")
    yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Found]:
    """Yield PEM blocks of private keys, and what is left of one that was cut. A line that only names one is none."""
    after = 0
    for begin in _PEM.finditer(text):
        if begin.start() < after:
            continue
        end = text.find("-----END ", begin.end(), begin.end() + _LONGEST_PEM)
        closing = text.find("-----", end + 9, end + 80) if end >= 0 else -1
        if closing >= 0:
            after = closing + 5
        else:
            body = _PEM_BODY.match(text, begin.end())
            after = begin.end() + len(body[0].rstrip()) if body else begin.end()
        if _BASE64_RUN.search(text, begin.end(), after):
            yield Found(begin.start(), after, "private_key")
