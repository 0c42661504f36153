"""Endorse the keys that were registered before endorsements were: this once, as the table has them."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django.db import migrations

from canvases.server_key import server_key
from pipelines.signing.endorsement import endorse
from pipelines.signing.keys import PublicKey


def endorse_known(apps: Any, schema_editor: Any) -> None:
    for row in apps.get_model("canvases", "SigningKeyRecord").objects.all():
        key = PublicKey(
            public=bytes(row.public),
            valid_from=row.valid_from.astimezone(UTC),
            valid_to=row.valid_to.astimezone(UTC) if row.valid_to else None,
            revoked=row.revoked,
        )
        row.endorsement = endorse(key, server_key())
        row.save()


class Migration(migrations.Migration):
    dependencies = [("canvases", "0007_key_endorsements")]

    operations = [migrations.RunPython(endorse_known, migrations.RunPython.noop)]
