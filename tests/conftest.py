"""The people of the tests: Alice's agent owns, Charlie's must see nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.db import connections
from django.http import HttpResponse
from django.test import Client

from canvases import streams
from canvases.models import Agent, ApiKey, Session
from canvases.models.session import text_key
from canvases.services.processing import session_process

hypothesis.settings.register_profile(
    "steady", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("steady")  # no test depends on how busy the machine is


class Api:
    """A program with an API key."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.key = ApiKey.issue(agent)
        self.client = Client(headers={"authorization": f"Bearer {self.key}"})

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.client.get(f"/api/v1/{path}", query)

    def post(self, path: str, body: Any, **headers: str) -> HttpResponse:
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.post(
            f"/api/v1/{path}", data, content_type="application/json", headers=headers or None
        )

    def pairs(self, *pairs: dict[str, Any], session: str = "s1", **headers: str) -> HttpResponse:
        return self.post(f"sessions/{session}/tool-pairs", {"tool_pairs": list(pairs)}, **headers)

    def prompt(self, text: str, session: str = "s1", **headers: str) -> HttpResponse:
        return self.post(f"sessions/{session}/prompts", {"prompt": text}, **headers)

    def session(self, session: str = "s1") -> Session:
        return Session.objects.get(agent=self.agent, session_key=text_key(session))

    def process(self, session: str = "s1") -> None:
        session_process(self.session(session).pk)


def pair(result: Any = "ok", **fields: Any) -> dict[str, Any]:
    """Return a tool pair to post."""
    return {
        "tool_name": "Bash",
        "tool_call_id": "c1",
        "params": {"command": "ls"},
        "result": result,
        **fields,
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest) -> None:
    """Keep SQLite's test database in a file, so that threads meet the same locks as in production."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        path = Path(os.environ["OFFLOAD_TEST_HOME"]) / f"test-{worker}-{os.getpid()}.sqlite3"
        database.setdefault("TEST", {})["NAME"] = str(path)
    else:
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")


@pytest.fixture(scope="session", autouse=True)
def streams_let_go_of_the_database(django_db_setup: None) -> Iterator[None]:
    """Close the connection that event streams share, so that the test database can be dropped."""
    yield
    streams.readers.submit(connections.close_all).result()


@pytest.fixture
def alice(db: None) -> Api:
    return Api(Agent.objects.create(name="alice"))


@pytest.fixture
def charlie(db: None) -> Api:
    return Api(Agent.objects.create(name="charlie"))


@pytest.fixture
def owner_client(db: None, django_user_model: Any) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("owner"))
    return client


@pytest.fixture
def run_on_commit(
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> Callable[..., Any]:
    """Run what is due on commit, inside a test's transaction."""
    return lambda: django_capture_on_commit_callbacks(execute=True)
