"""Messages in an envelope, `{"type": "message", "message": {...}}`, and messages of no dialect that is known."""

from __future__ import annotations

from typing import Any

from pipelines.messages.fields import json_text
from pipelines.messages.view import Dialect, Part, PartKind, Raw, Role, View


class Wrapped:
    """The messages of a dialect, each in an envelope; edits go inside and leave the envelope as it was."""

    def __init__(self, inner: Dialect) -> None:
        self.inner = inner
        self.name = inner.name

    def fits(self, raw: Raw) -> bool:
        message = raw.get("message")
        return raw.get("type") == "message" and isinstance(message, dict) and self.inner.fits(message)

    def owns(self, raw: Raw) -> bool:
        return self.inner.owns(raw["message"])

    def view(self, raw: Raw) -> View | None:
        seen = self.inner.view(raw["message"]) if self.fits(raw) else None
        return View(raw=raw, role=seen.role, parts=seen.parts, dialect=self) if seen else None

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        return {**raw, "message": self.inner.with_result(raw["message"], place, text)}

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return {**raw, "message": self.inner.with_input(raw["message"], place, value)}

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        return {**raw, "message": self.inner.with_text(raw["message"], place, text)}

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        if not places:
            return raw
        left = self.inner.without(raw["message"], places)
        return {**raw, "message": left} if left is not None else None

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        return {**raw, "message": self.inner.with_id(raw["message"], place, call_id)}

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        return {"type": "message", "message": self.inner.answer(raw["message"], place, text)}

    def user_message(self, text: str) -> Raw:
        return {"type": "message", "message": self.inner.user_message(text)}


class Unknown:
    """What no dialect knows: seen as one part, and passed through unchanged."""

    name = "unknown"

    def fits(self, raw: Raw) -> bool:
        return True

    def owns(self, raw: Raw) -> bool:
        return False

    def view(self, raw: Raw) -> View:
        part = Part(kind=PartKind.OTHER, place=0, text=json_text(raw))
        return View(raw=raw, role=Role.OTHER, parts=(part,), dialect=self)

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        return raw

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        return raw

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        return raw

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        return None if places else raw

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        return raw

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        return self.user_message(text)

    def user_message(self, text: str) -> Raw:
        return {"role": "user", "content": text}
