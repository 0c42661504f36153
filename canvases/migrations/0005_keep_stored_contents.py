"""Give each content that is already stored a signed reference for each session that has it."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any

from django.db import migrations

from canvases.server_key import server_key
from pipelines.signing import bundle


def keep(apps: Any, schema_editor: Any) -> None:
    tool_pairs = apps.get_model("canvases", "ToolPair")
    places = tool_pairs.objects.order_by("blob_id", "session_id").values_list(
        "blob_id", "session__session_id", "media_type"
    )
    kept: dict[tuple[int, str], str] = {}
    for blob, session_id, media_type in places.iterator():
        kept.setdefault((blob, f"session/{session_id}"), media_type)
    if kept:
        _write(apps, kept)


def _write(apps: Any, kept: dict[tuple[int, str], str]) -> None:
    key, now = server_key(), int(time.time())
    apps.get_model("canvases", "SigningKeyRecord").objects.get_or_create(
        key_id=key.key_id, defaults={"public": key.public}
    )
    reference = apps.get_model("canvases", "Reference")
    blobs = apps.get_model("canvases", "OffloadedBlob").objects.select_related("agent").defer("content_zstd")
    for (pk, namespace), media_type in kept.items():
        blob = blobs.get(pk=pk)
        stated = bundle.Bundle(
            agent=blob.agent.name,
            namespace=namespace,
            ref_id=blob.ref_id,
            content_sha256=blob.content_sha256,
            size_bytes=blob.size_bytes,
            codec=blob.codec,
            media_type=media_type,
            stored_at=now,
        )
        reference.objects.create(
            blob=blob,
            namespace=namespace,
            namespace_key=hashlib.sha256(namespace.encode("utf-8", "surrogatepass")).hexdigest(),
            media_type=media_type,
            stored_at=now,
            key_id=key.key_id,
            signature_b64=base64.urlsafe_b64encode(bundle.sign(stated, key)).decode().rstrip("="),
        )


class Migration(migrations.Migration):
    dependencies = [("canvases", "0004_references")]

    operations = [migrations.RunPython(keep, migrations.RunPython.noop)]
