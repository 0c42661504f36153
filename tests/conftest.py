"""The people of the tests: Alice's agent owns, Charlie's must see nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from canvases.models import Agent, ApiKey, Session
from canvases.models.session import text_key
from canvases.services.processing import session_process


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
