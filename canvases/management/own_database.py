"""A database beside the configured one, for commands that measure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import connection


@contextmanager
def own_database() -> Iterator[str]:
    """Make a database beside the configured one, use it, and drop it; its name is given."""
    name = str(connection.settings_dict["NAME"])
    with TemporaryDirectory(
        prefix="benchmark-", dir=Path(name).parent if connection.vendor == "sqlite" else None
    ) as folder:
        own = (
            f"{folder}/benchmark.sqlite3" if connection.vendor == "sqlite" else f"{name}_{Path(folder).name}"
        )
        connection.settings_dict["TEST"]["NAME"] = own
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield own
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)
