"""One view of a message, whatever dialect it is written in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

from pipelines import digests

Raw = dict[str, Any]
"""A message as it was received. Never changed in place: an edit gives another one."""


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"  # system and developer messages
    USER = "user"  # a person, or the host in a person's name
    ASSISTANT = "assistant"  # the model: text, thinking and calls
    TOOL = "tool"  # results only
    OTHER = "other"  # nothing that is known


class PartKind(StrEnum):
    """What a part of a message is."""

    TEXT = "text"
    CALL = "call"  # a tool call
    RESULT = "result"  # what a call returned
    THINKING = "thinking"  # the model's own reasoning; never changed
    MEDIA = "media"  # an image, a document, a sound
    OTHER = "other"  # anything else; passes through unchanged


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a message."""

    kind: PartKind
    place: int
    """Its number in the message, from 0: what edits name it by."""
    text: str = ""
    """What a model reads of it: a call's input as JSON, a result's blocks flattened."""
    call_id: str = ""
    """Of a call, and of the result that answers it; may be empty or repeated."""
    name: str = ""
    """The tool, of a call; of a result where the dialect says it."""
    input: Any = None
    """A call's input as a JSON value; the text itself where it is no JSON."""
    is_error: bool = False
    media: int = 0
    """Images and other media in it."""
    by_name: bool = False
    """Of a call and its result that are paired by the tool's name, having no ids (`function_call`)."""

    @cached_property
    def digest(self) -> bytes:
        """What its text is known by."""
        return digests.of_text(self.text)

    @cached_property
    def key(self) -> str:
        """What a call or a result is known by: its ids and its text, wherever it stands."""
        name = self.name if self.kind is PartKind.CALL else ""
        return digests.of_fields(self.kind, self.call_id, name, self.digest)


@dataclass(frozen=True, kw_only=True)
class View:
    """A message seen through its dialect."""

    raw: Raw
    role: Role
    parts: tuple[Part, ...]
    dialect: Dialect

    @cached_property
    def key(self) -> str:
        """What the message is known by: who says what, without marks that hosts move about."""
        fields: list[str | bytes] = [self.role]
        for part in self.parts:
            fields += (part.kind, part.call_id, part.digest)
        return digests.of_fields(*fields)

    def of(self, kind: PartKind) -> list[Part]:
        """Return the parts of a kind, in order."""
        return [part for part in self.parts if part.kind is kind]

    @property
    def is_human(self) -> bool:
        """Say whether a person (or the host in their name) says something here, beside any results."""
        return self.role is Role.USER and any(
            part.kind in (PartKind.TEXT, PartKind.MEDIA) for part in self.parts
        )


class Dialect(Protocol):
    """A way to write messages. Edits return a new message and leave every field they do not concern as it was."""

    name: str

    def fits(self, raw: Raw) -> bool:
        """Say whether the message may be of this dialect."""

    def owns(self, raw: Raw) -> bool:
        """Say of a message that fits whether no other dialect writes it so."""

    def view(self, raw: Raw) -> View | None:
        """Return the message seen in this dialect; None for a message of another."""

    def with_result(self, raw: Raw, place: int, text: str) -> Raw:
        """Return the message with a result's content replaced by a text; its call id and error flag stay."""

    def with_input(self, raw: Raw, place: int, value: Any) -> Raw:
        """Return the message with a call's input replaced by a JSON value (an object); id and name stay."""

    def with_text(self, raw: Raw, place: int, text: str) -> Raw:
        """Return the message with a text part replaced."""

    def without(self, raw: Raw, places: frozenset[int]) -> Raw | None:
        """Return the message without these parts; None when nothing would be left."""

    def with_id(self, raw: Raw, place: int, call_id: str) -> Raw:
        """Return the message with another id of a call, or with another id that a result names."""

    def answer(self, raw: Raw, place: int, text: str) -> Raw:
        """Return a new message that answers the call at `place` of the message with this text, as an error."""

    def user_message(self, text: str) -> Raw:
        """Return a new message of the user with this text."""
