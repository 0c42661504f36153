"""Whether the value of a telling name is a secret, or a placeholder, a type, a variable or a sentence."""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import Enum

from pipelines.redaction.names import Telling, telling

JUDGED = 256
"""Characters by which a long value is judged."""
_LONGEST = 65_536
_LONGEST_WORD = 30
_NO_SECRETS = frozenset(
    str.split(
        "password passwd passphrase pass pwd secret token key apikey api_key api-key authorization cookie "
        "credential credentials string str text bytes number int integer bool boolean float object any "
        "none null nil undefined true false yes no on off ok required optional missing invalid expired "
        "incorrect empty unset set hidden masked redacted removed enabled disabled changed failed success "
        "default unknown present absent not varchar char uuid email file env prompt ask stdin bearer "
        "basic digest jwt oauth oauth2 example dummy placeholder value new old todo tbd n/a na encrypted "
        "hashed plaintext"
    )
)
_PLACEHOLDER = re.compile(
    r"[$<]|%[\w(]|\{\{|\{\w*\}|\[redacted|!\w|#\{|@@|(?:your|my|the|some|insert|enter|replace)[ _-]|"
    r"(?:os|process|import\.meta)\.env|.{0,20}(?:\.\.\.|…)\Z|(.)\1*\Z|[x*.•-]{3,}\Z|(?:None|null|undefined)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:~|\.{0,2})/[\w.-]{1,40}(?:/[\w.-]{1,40})*/?\Z|[A-Za-z]:\\")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,80}[(\[]")
_DOTTED = re.compile(r"[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,8}\Z")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+\Z")
_WORDLIKE = re.compile(r"[A-Za-z_][\w$]*\Z")
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]+[ _.-]?\d{1,4}\Z")
_DIGIT = re.compile(r"\d")
_SPACE = re.compile(r"\s")
_TURN = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_CASE_TURN = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,30}://", re.IGNORECASE)


class Place(Enum):
    """Where a value stands, which tells how sure it is that it is one."""

    FIELD = "the value of a JSON member or an XML element, or a quoted literal"
    ASSIGNED = "unquoted: of an environment variable, or in a query"
    LINE = "unquoted: all there is on the line after the name and a colon"
    PROPERTY = "unquoted: all there is on the line after the name and an equals sign"
    LOOSE = "unquoted: after an option, or somewhere in a line"


def is_secret(value: str, told: Telling, place: Place) -> bool:
    """Say whether a value that stands in this place under this name is a secret."""
    if not value or value != value.strip() or len(value) > _LONGEST or is_placeholder(value):
        return False
    if told.kind == "mnemonic":
        return 8 <= value.count(" ") + 1 <= 48 and value.replace(" ", "").isalpha()
    if told.kind == "cookie" and "=" in value:
        return place is not Place.LOOSE
    if _SCHEME.match(value) or _PATH.match(value):
        return False
    if " " in value and (not told.strong or is_sentence(value)):
        return False
    head = value[:JUDGED]
    if place is not Place.FIELD and _is_code(head, place):
        return False
    if not told.strong:
        least = 6 if place is Place.ASSIGNED else 8
        return len(value) >= least and (
            looks_random(head) or (place is Place.ASSIGNED and not head.isdecimal())
        )
    return _is_strong_secret(value, head, place)


def _is_strong_secret(value: str, head: str, place: Place) -> bool:
    if place in (Place.FIELD, Place.ASSIGNED):
        return len(value) >= 3
    if value.isdecimal():
        return place is not Place.LOOSE and len(value) >= 6
    if place in (Place.LINE, Place.PROPERTY):
        is_word = _WORDLIKE.match(head) and not _has_digit(head)
        return len(value) >= 4 and (not is_word or (place is Place.LINE and head.islower()))
    return len(value) >= 5 and _has_digit(head) and any(map(str.isalpha, head))


def is_placeholder(value: str) -> bool:
    """Say whether a value only stands where a secret would: a variable, a word for it, stars, a mark of ours."""
    if len(value) <= _LONGEST_WORD and value.lower().rstrip(".!?") in _NO_SECRETS:
        return True
    if _VARIABLE.match(value) and telling(value) is not None:
        return True
    found = _PLACEHOLDER.match(value)
    return found is not None and (found[1] is None or not value.isdecimal())


def is_sentence(value: str) -> bool:
    """Say whether a value with spaces is something said of secrets rather than one."""
    words = value[:JUDGED].split()
    if len(words) > 4:
        return True
    return any(
        telling(word.strip(".,:;!?'\"()")) is not None or word.lower() in _NO_SECRETS for word in words
    )


def looks_random(value: str) -> bool:
    """Say whether a value of 8 characters and more looks made by chance, and not of words."""
    if len(value) < 8 or _SPACE.search(value):
        return False
    if not _has_digit(value):
        turns = len(_CASE_TURN.findall(value)) if len(value) >= 20 else 0
        return turns > 0 and turns * 4 >= len(value) and bits(value) >= 3.5
    if not any(map(str.isalpha, value)) or (len(value) < 16 and _WORD_AND_NUMBER.match(value)):
        return False
    return (len(_DIGIT.findall(value)) >= 4 or len(_TURN.findall(value)) >= 2) and bits(value) >= 2.5


def bits(value: str) -> float:
    """Return the entropy of the value's own characters, in bits for each."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def _has_digit(value: str) -> bool:
    return _DIGIT.search(value) is not None


def _is_code(value: str, place: Place) -> bool:
    """Say whether an unquoted value is an expression: a call, an attribute, a name that tells of a secret itself."""
    if _CALL.match(value):
        return True
    name = value.rstrip(":")
    if _DOTTED.match(name):
        return telling(name) is not None or not any(looks_random(part) for part in name.split("."))
    if place is Place.ASSIGNED and "_" not in name:
        return False
    return bool(_WORDLIKE.match(name)) and telling(name) is not None
