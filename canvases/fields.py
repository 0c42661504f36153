"""Columns that keep every text and every JSON value exactly, on every database."""

from __future__ import annotations

import json
import re
from typing import Any

from django.db import models

from pipelines import rawjson

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|\\)")


def escape(text: str) -> str:
    """Write NUL and lone surrogates, which PostgreSQL or UTF-8 refuse, as `\\uXXXX`, and `\\` as `\\\\`."""
    return _UNSTORABLE.sub(lambda found: _escape_one(found[0]), text)


def _escape_one(character: str) -> str:
    return "\\\\" if character == "\\" else f"\\u{ord(character):04x}"


def unescape(text: str) -> str:
    """Read back what `escape` wrote."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)


class ExactTextField(models.TextField):
    """Text from outside: any string goes in, the same string comes out, equality works."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return escape(value) if isinstance(value, str) else value

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        return unescape(value) if value and "\\" in value else value


class ExactJSONField(models.TextField):
    """A JSON value kept as ASCII text, so that every database can store a NUL or a lone surrogate in it."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else rawjson.dump(value)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def value_to_string(self, obj: models.Model) -> str:
        return rawjson.dump(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value
