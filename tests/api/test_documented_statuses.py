"""Each status of the published document happens, in the media type it says, and no other does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from canvases.api import schemas
from canvases.models import Agent, CompressionEvent
from tests.api.test_body_cap import answered, limit_of
from tests.conftest import Api, pair

PREFIX = "/api/v1"
REF = "ofl_E2NYKI6OFGRUU"  # of two contents
TWINS = ("offload collision probe 4b15f00d2bf6c0d8", "offload collision probe 08c7a835b456a701")
FOUND = {"{session_id}": "s1", "{number}": "1", "{ref_id}": "ofl_XFGSPOMTJU7AQ", "{event_id}": "newest"}
GONE = "ofl_FVYRMQVXE2YEI"  # of a content that was deleted
UNKNOWN = {"{session_id}": "unknown", "{number}": "77", "{ref_id}": "ofl_AAAAAAAAAAAAA"}
QUERIES = {"/deref": "session_id=s1&tool_call_id=c1", "/search": "q=hello", "/audit/events": "since=1"}
UNKNOWN_QUERIES = {"/deref": "session_id=s1&tool_call_id=no", "/search": "q=a&session_id=no"}
WRONG_QUERIES = {"/deref": "lines=x", "/search": "q=", "/audit/events": "since=x", "/audit/verify": "since=x"}
WRONG_QUERIES["/contents"] = "ttl_seconds=x"
BODIES = {
    "/sessions/{session_id}/tool-pairs": {"tool_pairs": [pair("posted")]},
    "/sessions/{session_id}/prompts": {"prompt": "Fix the parser"},
    "/sessions/{session_id}/compress": {"messages": [], "dry_run": True},
    "/audit/verify": {},
    "/offload": {"content": "kept"},
    "/contents": "kept",
}
NEW_BODIES = {
    "/sessions/{session_id}/tool-pairs": {"tool_pairs": [pair("not posted yet")]},
    "/offload": {"content": "not posted yet"},
    "/contents": "not posted yet",
}
Documented = dict[tuple[str, str], dict[str, Any]]


def documented() -> Documented:
    paths = Client().get(f"{PREFIX}/openapi.json").json()["paths"]
    return {(method, path): one for path, methods in paths.items() for method, one in methods.items()}


@pytest.fixture
def used(alice: Api) -> Api:
    alice.pairs(pair("hello world"), *[pair(text, tool_call_id=text) for text in TWINS])
    alice.process()
    alice.post("offload", {"content": "x"})
    alice.client.delete(f"{PREFIX}/refs/{GONE}")
    alice.post("sessions/s1/compress", {"messages": []})
    return alice


def filled(path: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        path = path.replace(name, value)
    if "newest" in path:
        path = path.replace("newest", str(CompressionEvent.objects.latest("pk").pk))
    return path.replace("{event_id}", "999999")


class Asker:
    """Brings about each status of one operation."""

    def __init__(self, api: Api, method: str, path: str) -> None:
        self.client = api.client
        self.method = method
        self.path = path
        self.name = path.removeprefix(PREFIX)

    def ask(
        self, values: dict[str, str] = FOUND, query: str = "", client: Client | None = None, **more: Any
    ) -> Any:
        query = query or QUERIES.get(self.name, "")
        path = filled(self.path, values) + (f"?{query}" if query else "")
        if self.method == "get":
            return (client or self.client).get(path, **more)
        if self.method == "delete":
            return (client or self.client).delete(path, **more)
        body = more.pop("body", BODIES[self.name])
        send = (client or self.client).put if self.method == "put" else (client or self.client).post
        return send(path, body, content_type="application/json", **more)

    def status(self, status: str) -> Any:
        acts: dict[str, Callable[[], Any]] = {
            "200": self.ask,
            "201": self.ask,
            "202": self.ask,
            "204": self._delete,
            "206": lambda: self.ask(headers={"range": "bytes=0-1"}),
            "304": lambda: self.ask(headers={"if-none-match": "*"}),
            "400": self._unreadable,
            "401": lambda: self.ask(client=Client()),
            "404": self._unknown,
            "409": self._conflict,
            "410": lambda: self.ask({"{ref_id}": GONE}, f"ref_id={GONE}"),
            "416": lambda: self.ask(headers={"range": "bytes=99-"}),
            "422": self._wrong,
            "507": self._full,
        }
        return acts[status]()

    def _delete(self) -> Any:
        self.client.post(f"{PREFIX}/offload", '{"content": "hello world"}', content_type="application/json")
        return self.ask()

    def _unreadable(self) -> Any:
        if self.method != "post" or self.name == "/audit/verify":
            return self.ask(query="a=%ff")
        return self.ask(body="{")

    def _unknown(self) -> Any:
        if self.method == "post":
            return self.ask({"{session_id}": "%ff"})
        return self.ask(UNKNOWN, UNKNOWN_QUERIES.get(self.name, ""))

    def _conflict(self) -> Any:
        if self.method == "get":
            return self.ask({"{ref_id}": REF})
        headers = {"idempotency-key": self.path}
        self.ask(headers=headers)
        if self.name in ("/offload", "/contents"):
            return self.ask(body={"content": "other"}, headers=headers)
        return self.ask({"{session_id}": "another"}, headers=headers)

    def _full(self) -> Any:
        Agent.objects.update(total_limit_bytes=1)
        given = self.ask(body=NEW_BODIES[self.name])
        Agent.objects.update(total_limit_bytes=None)
        return given

    def _wrong(self) -> Any:
        if self.method == "post" and self.name != "/audit/verify":
            return self.ask(body={"tool_pairs": []})
        if self.method == "delete":
            return self.ask(query="namespace=session/s1")
        return self.ask(query=WRONG_QUERIES.get(self.name, "limit=x&rev=x"))


def test_each_documented_status_is_brought_about_and_of_its_type(used: Api) -> None:
    for (method, path), operation in documented().items():
        if path.endswith("/events") and "audit" not in path:
            continue  # tested with the running server
        for status, answer in operation["responses"].items():
            if status in ("default", "413"):
                continue
            given = Asker(used, method, path).status(status)
            assert str(given.status_code) == status, (method, path, status, given.content)
            types = list(answer.get("content", {}))
            if types and status != "304":
                assert given["Content-Type"].partition(";")[0] in types, (method, path, status)
            if int(status) >= 400:
                schemas.ProblemOut.model_validate(given.json(), strict=True)
                assert given.json()["status"] == int(status)


def test_each_documented_413_is_the_servers_own(used: Api) -> None:
    tried = 0
    for (method, path), operation in documented().items():
        if "413" in operation["responses"]:
            too_long = (b"content-length", str(limit_of(method.upper(), path) + 1).encode())
            status, problem, _ = answered(filled(path, FOUND), [], too_long, method=method.upper())
            assert status == 413, path
            schemas.ProblemOut.model_validate(problem, strict=True)
            tried += 1
    assert tried >= 3


def test_no_status_happens_that_is_not_documented(used: Api) -> None:
    """Everything that brings about a status somewhere is tried everywhere."""
    for (method, path), operation in documented().items():
        if path.endswith("/events") and "audit" not in path:
            continue
        asker = Asker(used, method, path)
        for status in ("200", "206", "304", "400", "401", "404", "409", "410", "416", "422"):
            if method == "get" or status not in ("206", "304", "410", "416"):
                idempotent = "{session_id}" in path or "{ref_id}" in path
                if status == "409" and (method == "delete" or not idempotent):
                    continue
                given = asker.status(status)
                assert str(given.status_code) in operation["responses"], (method, path, given.status_code)


def test_every_error_is_documented_as_a_problem() -> None:
    document = Client().get(f"{PREFIX}/openapi.json").json()
    for operation in documented().values():
        errors = {status: one for status, one in operation["responses"].items() if status >= "400"}
        assert "default" in errors
        for answer in errors.values():
            assert list(answer["content"]) == ["application/problem+json"]
    assert {"detail", "errors", "limit", "sha256"} <= set(
        document["components"]["schemas"]["ProblemOut"]["properties"]
    )


SECRET = "tvly-SECRET-0123456789"


def test_no_error_echoes_a_parameter_or_a_body(used: Api) -> None:
    errors = 0
    for (method, path), operation in documented().items():
        if (method, path) == ("get", f"{PREFIX}/sessions/{{session_id}}/events"):
            continue
        for one in operation.get("parameters", ()):
            values = {**FOUND, f"{{{one['name']}}}": SECRET} if one["in"] == "path" else FOUND
            query = f"{one['name']}={SECRET}" if one["in"] == "query" else ""
            asker = Asker(used, method, path)
            more = {} if method == "get" else {"body": {"prompt": [SECRET], "tool_pairs": SECRET, SECRET: 1}}
            given = asker.ask(values, query, **more)
            if given.status_code >= 400:
                assert SECRET not in given.content.decode(), (method, path, one["name"])
                errors += 1
    assert errors > 20
