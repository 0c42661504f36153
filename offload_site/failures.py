"""What to do about a data folder or a database that cannot be used, as one line in place of a traceback."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from django.db import Error, OperationalError

_NO_TABLE = re.compile(r"no such (table|column)|(relation|column) .* does not exist")
_NO_DATABASE = re.compile("file is not a database|malformed")


def cure(error: Exception) -> str | None:
    """Return what went wrong and what to do, in one line; None for an error that is ours."""
    if isinstance(error, Error):
        return _database(error)
    if isinstance(error, OSError) and isinstance(error.filename, str):
        return _folder(error, Path(error.filename))
    return None


def _database(error: Error) -> str | None:
    cause = str(error).strip().partition("\n")[0]
    if _NO_TABLE.search(cause):
        return (
            "The database has no tables yet, or those of an older version. "
            "Run `manage.py migrate` first; `make run` does so by itself."
        )
    if not isinstance(error, OperationalError) and not _NO_DATABASE.search(cause):
        return None
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        return (
            f"The database {database['NAME']} cannot be used ({cause}). It must be an SQLite file which you may "
            "write, in a folder you may write, with room on the disk; or set OFFLOAD_HOME to another folder."
        )
    return (
        f"The database that DATABASE_URL names does not answer ({cause}). Start it, or correct DATABASE_URL."
    )


def _folder(error: OSError, path: Path) -> str | None:
    homes = (settings.OFFLOAD_HOME, settings.BROKER_SOCKET.parent)
    if not any(path.is_relative_to(home) for home in homes):
        return None
    return (
        f"{path} cannot be used ({error.strerror}). Make the data folder readable and writable, "
        "or set OFFLOAD_HOME to another folder."
    )
