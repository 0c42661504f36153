"""What an agent does with contents, through the services that every way in uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from canvases.models import Agent, Reference
from canvases.services.offloads import offload
from canvases.services.ref_reads import RefRefused, Refusal, ref_read
from canvases.services.verification import agent_verify

# Two contents whose hashes begin with the same 64 bits, and so have one label.
TWINS = (b"offload collision probe 4b15f00d2bf6c0d8", b"offload collision probe 08c7a835b456a701")
TWINS_REF = "ofl_E2NYKI6OFGRUU"


def put(agent: Agent, content: str | bytes, **options: Any) -> Reference:
    raw = content.encode() if isinstance(content, str) else content
    return offload(agent=agent, actor="test", content=raw, **options)


def get(agent: Agent, ref_id: str, sha256: str = "") -> bytes:
    return ref_read(agent=agent, actor="test", how="test", ref_id=ref_id, sha256=sha256).content


def refusal(agent: Agent, ref_id: str, sha256: str = "") -> Refusal | None:
    """Return why a read is refused; None when it is not."""
    try:
        get(agent, ref_id, sha256)
    except RefRefused as error:
        return error.refusal
    return None


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def holds(*agents: Agent) -> bool:
    return all(agent_verify(one).to_json()["holds"] for one in agents)


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is done inside, so that the next edit meets the rows as they were."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
