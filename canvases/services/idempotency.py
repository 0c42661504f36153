"""Requests that are safe to repeat whole: the answer to an `Idempotency-Key` is kept with what it did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction

from canvases.models import Agent, IdempotencyRecord
from canvases.models.access import digest

Act = Callable[[], tuple[int, dict[str, Any]]]


class KeyReused(ValueError):
    """This Idempotency-Key came with another request before; use a new one for each request."""

    def __str__(self) -> str:
        return str(self.__doc__)


def request_sha256(method: str, path: str, body: bytes) -> str:
    """Return a digest that is equal for two requests only if they ask for the same."""
    return hashlib.sha256(f"{method} {path}\n".encode("utf-8", "surrogatepass") + body).hexdigest()


def once(*, agent: Agent, key: str, request_sha256: str, act: Act) -> tuple[int, dict[str, Any]]:
    """Run `act` and return its status and answer; under a key seen before, return the first answer instead.

    The act and the record of it are one transaction. Raises KeyReused when the key came with another request.
    """
    if not key:
        return act()
    try:
        with transaction.atomic():
            return _kept(agent, key, request_sha256) or _first(agent, key, request_sha256, act)
    except IntegrityError:
        kept = _kept(agent, key, request_sha256)
        if kept is None:
            raise
        return kept


def _kept(agent: Agent, key: str, request_sha256: str) -> tuple[int, dict[str, Any]] | None:
    record = IdempotencyRecord.objects.filter(agent=agent, key_sha256=digest(key)).first()
    if record is None:
        return None
    if record.request_sha256 != request_sha256:
        raise KeyReused
    return record.status, json.loads(record.answer)


def _first(agent: Agent, key: str, request_sha256: str, act: Act) -> tuple[int, dict[str, Any]]:
    status, answer = act()
    IdempotencyRecord.objects.create(
        agent=agent,
        key_sha256=digest(key),
        request_sha256=request_sha256,
        status=status,
        answer=json.dumps(answer),
    )
    return status, answer
