"""Have documents wait for their terms, and mark those that are to be worked out: by workers, some at a time.

That is contents put away by hand, which had none; calls with an error, which was not among their words; and JSON
results, some of which are now read as blocks. What could be found before still can meanwhile.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models.functions import Left
from django.utils import timezone

AT_ONCE = 1_000


def mark(apps: Any, schema_editor: Any) -> None:
    documents = apps.get_model("canvases", "SearchDocument").objects
    pairs = apps.get_model("canvases", "ToolPair").objects
    references = apps.get_model("canvases", "Reference").objects.alias(start=Left("namespace", 8))
    now = timezone.now()
    failed = pairs.exclude(error="")
    documents.filter(entry__pair__in=failed.values("pk")).update(waiting_since=now)
    of_json = pairs.filter(media_type="application/json")
    documents.filter(note__in=["", "cut"], blob__in=of_json.values("blob")).update(waiting_since=now)
    by_hand = references.exclude(start="session/").filter(blob__gone_at=None, blob__search_document=None)
    last = 0
    while pks := _after(last, by_hand):
        rows = [documents.model(blob_id=pk, codes="", waiting_since=now) for pk in pks]
        documents.bulk_create(rows, ignore_conflicts=True)
        last = pks[-1]


def _after(last: int, by_hand: Any) -> list[int]:
    found = by_hand.filter(blob__gt=last).order_by("blob").values_list("blob", flat=True)
    return list(found.distinct()[:AT_ONCE])


class Migration(migrations.Migration):
    dependencies = [("canvases", "0009_tool_dictionaries")]

    operations = [
        migrations.AddField(
            model_name="searchdocument",
            name="waiting_since",
            field=models.DateTimeField(
                help_text="set while its terms are to be worked out (anew)", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="searchdocument",
            index=models.Index(
                condition=models.Q(("waiting_since__isnull", False)),
                fields=["waiting_since"],
                name="document_waiting",
            ),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
