"""Columns that keep every text and every JSON value exactly, on every database."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

from django.db import models

from pipelines import rawjson

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
log = logging.getLogger(__name__)
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

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str | None:
        text = _text(value)
        return unescape(text) if text and "\\" in text else text


class ShortTextField(models.CharField):
    """A short text of the server's own, such as a hash. SQLite lets any column hold any kind of value: another
    one that was written there by hand reads as a text, so that what checks it finds it wrong and goes on."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str | None:
        return _text(value)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class NumberField(models.BigIntegerField):
    """A whole number. A value of another kind, as for a ShortTextField, reads as -1, which the server never writes
    where these stand."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> int | None:
        return value if value is None or isinstance(value, int) else -1

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.BigIntegerField", args, kwargs


class BytesField(models.BinaryField):
    """Bytes. A value of another kind, as for a ShortTextField, reads as the bytes of its text."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> bytes | None:
        return None if value is None else _bytes(value)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.BinaryField", args, kwargs


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _bytes(value).decode(errors="replace")


def _bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode(errors="replace")


def read_json(text: str, default: Any, what: str) -> Any:
    """Read a stored JSON text; one that was damaged is logged and reads as `default`, so that a row that
    cannot be read does not take those beside it along. So does a value of another kind than the default."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        log.error("%s is damaged: %s", what, error)
        return default
    if default is not None and type(value) is not type(default):
        log.error("%s is damaged: not a %s", what, type(default).__name__)
        return default
    return value


class ExactJSONField(models.TextField):
    """A JSON object or list kept as ASCII text, so that every database can store a NUL or a lone surrogate in
    it. A damaged one reads as empty."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else rawjson.dump(value)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        if value is None:
            return None
        return read_json(value, self.get_default() if self.has_default() else [], f"{self}")

    def value_to_string(self, obj: models.Model) -> str:
        return rawjson.dump(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class OrderedJSONField(ExactJSONField):
    """JSON as for an ExactJSONField, whose objects keep the order of their keys."""

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else rawjson.write(value)

    def value_to_string(self, obj: models.Model) -> str:
        return rawjson.write(self.value_from_object(obj))
