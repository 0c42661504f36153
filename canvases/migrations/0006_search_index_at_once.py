"""Write terms into PostgreSQL's index at once: a list of those still to be sorted in takes several times the room."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def write_at_once(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER INDEX search_codes SET (fastupdate = off)")


class Migration(migrations.Migration):
    dependencies = [("canvases", "0005_keep_stored_contents")]

    operations = [migrations.RunPython(write_at_once, migrations.RunPython.noop)]
