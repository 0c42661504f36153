"""Reading many rows as they were at one moment, while others go on writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Let all reads inside see the database as it is at the first of them; writers do not wait, and nothing may be
    written here. Inside a transaction that is already open it adds nothing."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            _execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not `atomic`, whose transactions hold SQLite's one lock for writing from their start.
        _execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            _execute("ROLLBACK")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
