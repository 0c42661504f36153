"""Record the demo session."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from canvases import demo
from canvases.models import Session
from canvases.services.ingest import batch_prepare, pairs_store, prompt_store
from canvases.services.owner import first_agent
from canvases.services.processing import session_process
from pipelines.pairs import Batch, PostedPair

SESSION_ID = "demo"


class Command(BaseCommand):
    help = (
        "Really do a small coding task in a temporary folder and keep its tool calls as the session `demo`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing when any session exists")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["if_empty"] and Session.objects.exists():
            return
        with tempfile.TemporaryDirectory(prefix="offload-demo-") as folder:
            for event in demo.run_task(Path(folder)):
                session_process(self._store(event))
        self.stdout.write(f"recorded the session {SESSION_ID}")

    def _store(self, event: demo.DemoEvent) -> int:
        agent = first_agent()
        if isinstance(event, PostedPair):
            prepared = batch_prepare(agent=agent, batch=Batch(pairs=[(0, event)]))
            stored = pairs_store(
                agent=agent, session_id=SESSION_ID, batch=prepared, actor="demo", notify=False
            )
            return stored[0].row.session_id
        boundary, _ = prompt_store(
            agent=agent,
            session_id=SESSION_ID,
            prompt=event.text,
            timestamp=event.timestamp,
            notify=False,
        )
        return boundary.session_id
