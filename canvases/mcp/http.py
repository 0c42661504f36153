"""MCP over HTTP: one POST is one message with its answer, so any server behind a balancer can take the next."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.db import OperationalError
from django.http.request import split_domain_port, validate_host
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from canvases.mcp import server as tools
from canvases.mcp.surrogates import pack
from canvases.mcp.tool import Caller
from canvases.models import ApiKey
from canvases.problems import Problem, problem_send

PATH = "/mcp"
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_CALLER = "offload.caller"
logging.getLogger("mcp.server.streamable_http_manager").setLevel(logging.WARNING)


def _caller_of(context: tools.Context) -> Caller:
    return cast("Caller", cast("Any", context.request).scope[_CALLER])


_server = tools.server(_caller_of)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request. It is checked as the API checks one, then handed to the SDK.

    The SDK's manager is made for this request alone: without sessions it keeps nothing, and so needs no start
    and no end of the process.
    """
    body = await _body(receive)
    try:
        _host_checked(scope)
        caller, message = await tools.in_thread(
            lambda: (_caller(_header(scope, b"authorization")), pack(body))
        )
        if scope["method"] != "POST":
            raise Problem(405, "POST one JSON-RPC message; there is no stream and no session here.")
    except Problem as problem:
        await problem_send(send, problem, _HEADERS.get(problem.status, {}))
        return
    manager = StreamableHTTPSessionManager(
        _server, json_response=True, stateless=True, max_request_body_size=settings.OFFLOAD_MAX_BODY_BYTES
    )
    stated = (b"content-length", str(len(message)).encode())
    headers = [*(pair for pair in scope["headers"] if pair[0] != b"content-length"), stated]
    async with manager.run():
        await manager.handle_request(
            {**scope, "headers": headers, _CALLER: caller}, _again(message, receive), send
        )


_HEADERS = {401: {"www-authenticate": "Bearer"}, 405: {"allow": "POST"}, 503: {"retry-after": "5"}}


def _host_checked(scope: Scope) -> None:
    """Refuse a name that is not this server's, and a page of another: a name can be made to lead here."""
    host, _ = split_domain_port(_header(scope, b"host"))
    if not host or not validate_host(host, settings.ALLOWED_HOSTS):
        raise Problem(400, "The server does not know this host name; add it to OFFLOAD_ALLOWED_HOSTS.")
    origin = _header(scope, b"origin")
    if not origin or origin in settings.CSRF_TRUSTED_ORIGINS:
        return
    with contextlib.suppress(ValueError):
        page_host, _ = split_domain_port(urlsplit(origin).netloc)
        if page_host and validate_host(page_host, settings.ALLOWED_HOSTS):
            return
    raise Problem(403, "Pages of this origin may not call the server; add it to OFFLOAD_TRUSTED_ORIGINS.")


def _caller(authorization: str) -> Caller:
    scheme, _, secret = authorization.partition(" ")
    came = scheme.lower() == "bearer" and secret.strip()
    try:
        key = ApiKey.find(secret.strip()) if came else None
        if key is None:
            cause = "This API key is not known here." if came else "Send `Authorization: Bearer <api key>`."
            raise Problem(401, f"{cause} `manage.py create_api_key --agent NAME` makes one.")
    except OperationalError as error:
        raise Problem.of_database(error) from None
    with contextlib.suppress(OperationalError):  # what only reads must work on a full disk
        key.note_use()
    return Caller(agent=key.agent, actor=f"key {key.prefix}")


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


async def _body(receive: Receive) -> bytes:
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> dict[str, Any]:
        return left.pop() if left else await receive()

    return replay
