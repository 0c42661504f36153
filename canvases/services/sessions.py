"""Finding a session by the client's id, making it at first sight, and holding it while it is written."""

from __future__ import annotations

from canvases.models import Agent, Session
from canvases.models.reference import SESSION_NAMESPACE
from canvases.models.session import text_key

MAX_SESSION_ID_CHARACTERS = 4_000
NAMESPACE = SESSION_NAMESPACE


class SessionIdRefused(ValueError):
    """The session id cannot be used; the text says why."""


def session_namespace(session_id: str) -> str:
    """Return the namespace under which a session keeps the results of its calls."""
    return f"{NAMESPACE}{session_id}"


def session_locked(*, agent: Agent, session_id: str) -> Session:
    """Return the agent's session with this id, made when it is new, locked until the transaction ends."""
    if not session_id:
        raise SessionIdRefused("the session id is empty; choose one, such as the conversation's own id")
    if len(session_id) > MAX_SESSION_ID_CHARACTERS:
        raise SessionIdRefused(
            f"the session id has {len(session_id)} characters; the limit is {MAX_SESSION_ID_CHARACTERS}"
        )
    session, _ = Session.objects.get_or_create(
        agent=agent, session_key=text_key(session_id), defaults={"session_id": session_id}
    )
    return session_held(session.pk)


def session_held(session_pk: int) -> Session:
    """Return the session as it is now, locked until the transaction ends."""
    # Only the session's own row: whoever stores anything for the agent needs the agent's at commit, to see that it
    # is there, and would wait for this transaction as this one may wait for theirs.
    locked = Session.objects.select_for_update(of=("self",), no_key=True).select_related("agent")
    return locked.defer("recent_messages").get(pk=session_pk)
