"""Claude Code's session files: JSON Lines, a line for each content block and each thing the host notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipelines import pairs, rawjson
from pipelines.pairs import moment
from pipelines.transcripts.events import Event, Oddity, PromptSeen, SessionSeen
from pipelines.transcripts.host_text import typed_text
from pipelines.transcripts.joining import Call, Joiner, Result
from pipelines.transcripts.moments import milliseconds
from pipelines.transcripts.source import Line, Source, digest, objects

NAME = "Claude Code JSONL"
_OUTERMOST = '{"parentUuid":'
_SIGNS = ({"parentUuid", "uuid"}, {"isSidechain"}, {"leafUuid", "summary"}, {"messageId", "snapshot"})
_TYPES = {"user", "assistant", "system", "progress", "summary", "attachment", "queue-operation"}
_MOST_TITLE = 300


def recognises(head: bytes) -> bool:
    """Say whether a file that begins with these bytes is such a file."""
    for raw in head.split(b"\n")[:20]:
        text = raw.strip().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        try:
            value = rawjson.parse_value(text, 0)[0]
        except rawjson.JsonSyntaxError:
            if text.startswith('{"') and '"isSidechain":' in text and '"sessionId":' in text:
                return True
            continue
        if isinstance(value, dict) and _is_ours(value):
            return True
    return False


def _is_ours(value: dict[str, Any]) -> bool:
    if not isinstance(value.get("type"), str):
        return False
    return any(sign <= value.keys() for sign in _SIGNS) or (value["type"] in _TYPES and "sessionId" in value)


def read(source: Source) -> Iterator[Event]:
    """Yield the file's events: a pair where its result stands, a prompt where it stands.

    Every call of the file that has a result in it gives one pair, those of a sub-agent whose lines stand in
    the file (`isSidechain`) among them. A sub-agent's calls inside `progress` lines are copies of another
    file's: they are counted and reported. A sub-agent's instructions are not a person's prompt, unless the
    file is that sub-agent's own. Lines written again give nothing again.
    """
    reader = _Reader()
    for line in source.lines():
        yield from reader.line(line)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._joiner = Joiner()
        self._lines_seen: set[tuple[str, int]] = set()
        self._repeated_lines = 0
        self._own_thread: bool | None = None
        self._session: SessionSeen | None = None
        self._title: str | None = None
        self._agents: set[str] = set()
        self._agents_calls: set[str] = set()
        self._last_line = 1

    def line(self, line: Line) -> Iterator[Event]:
        self._last_line = line.number
        if line.is_too_long:
            yield Oddity(line=line.number, text="the line is longer than 64 MiB; left out")
            return
        text, was_repaired = line.text()
        if was_repaired:
            yield Oddity(line=line.number, text="bytes that are not UTF-8 were replaced")
        for found in objects(text, _OUTERMOST):
            if isinstance(found, str):
                end = "" if line.is_ended else "; the file ends here, cut while it was written"
                yield Oddity(line=line.number, text=found + end)
                continue
            try:
                yield from self._entry(line.number, text, *found)
            except rawjson.JsonSyntaxError as error:
                yield Oddity(line=line.number, text=f"{error}; left out")

    def end(self) -> Iterator[Event]:
        yield from self._joiner.end()
        repeated = self._repeated_lines + self._joiner.repeated
        if repeated:
            yield Oddity(
                line=self._last_line, text=f"{repeated} lines, calls or results are there again; left out"
            )
        if self._agents_calls:
            calls, agents = len(self._agents_calls), len(self._agents)
            yield Oddity(
                line=self._last_line,
                text=f"{calls} calls of {agents} sub-agents stand in progress lines only; import their own files",
            )

    def _entry(self, number: int, text: str, entry: dict[str, Any], start: int) -> Iterator[Event]:
        yield from self._about_session(entry)
        kind = entry.get("type")
        if kind == "progress":
            self._note_agent(entry)
        elif kind == "attachment":
            yield from self._queued(entry)
        message = entry.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict):
            return
        if self._is_again(entry, message):
            return
        if self._own_thread is None:
            self._own_thread = entry.get("isSidechain") is True
        content = message.get("content")
        places: list[int] | None = None
        for index, block in enumerate(content if isinstance(content, list) else []):
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use":
                yield from self._joiner.call(_call(number, entry, block))
            elif block.get("type") == "tool_result":
                raw = None
                if "content" in block and not isinstance(block["content"], str):
                    places = places or _block_places(text, start)
                    raw = slice(*_member(text, places[index], "content"))
                yield from self._joiner.result(_result(number, entry, block, raw and text[raw]))
        if kind == "user":
            yield from self._prompt(entry, content)

    def _is_again(self, entry: dict[str, Any], message: dict[str, Any]) -> bool:
        """Say whether this very line stood before. Its id alone does not tell: two lines may have one."""
        uuid = entry.get("uuid")
        if not isinstance(uuid, str):
            return False
        key = (uuid, digest(message.get("content")))
        if key in self._lines_seen:
            self._repeated_lines += 1
            return True
        self._lines_seen.add(key)
        return False

    def _prompt(self, entry: dict[str, Any], content: Any) -> Iterator[Event]:
        if any(entry.get(mark) for mark in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")):
            return
        if (entry.get("isSidechain") is True) != self._own_thread:
            return
        if text := typed_text(content):
            yield PromptSeen(text=text, timestamp=moment(entry.get("timestamp")))

    def _queued(self, entry: dict[str, Any]) -> Iterator[Event]:
        """Take what a person typed while the agent was at work: it has no user line of its own."""
        attachment = entry.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        if not self._is_again(entry, {"content": attachment.get("prompt")}):
            yield from self._prompt(entry, attachment.get("prompt"))

    def _about_session(self, entry: dict[str, Any]) -> Iterator[Event]:
        title = entry.get("summary") if entry.get("type") == "summary" else entry.get("customTitle")
        if isinstance(title, str) and title:
            self._title = title[:_MOST_TITLE]
        session_id, cwd = entry.get("sessionId"), entry.get("cwd")
        before = self._session
        if not isinstance(session_id, str) or not session_id:
            session_id = before.session_id if before else ""
        if not session_id:
            return
        if before is not None and before.session_id == session_id and before.cwd:
            cwd = before.cwd
        seen = SessionSeen(
            session_id=session_id, cwd=cwd if isinstance(cwd, str) and cwd else None, title=self._title
        )
        if seen != before:
            self._session = seen
            yield seen

    def _note_agent(self, entry: dict[str, Any]) -> None:
        data = entry.get("data")
        if not isinstance(data, dict) or data.get("type") != "agent_progress":
            return
        agent = str(data.get("agentId") or entry.get("parentToolUseID"))
        outer = data.get("message")
        inner = outer.get("message") if isinstance(outer, dict) else None
        content = inner.get("content") if isinstance(inner, dict) else None
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                self._agents.add(agent)
                self._agents_calls.add(f"{agent} {block.get('id')}")


def _call(number: int, entry: dict[str, Any], block: dict[str, Any]) -> Call:
    return Call(
        line=number,
        id=_text(block.get("id")),
        message=_text(entry["message"].get("id")) or _text(entry.get("uuid")),
        name=_text(block.get("name")),
        params=block.get("input"),
    )


def _result(number: int, entry: dict[str, Any], block: dict[str, Any], raw: str | None) -> Result:
    is_error = block.get("is_error")
    noted = entry.get("toolUseResult")
    return Result(
        line=number,
        call_id=_text(block.get("tool_use_id")),
        content=pairs.encode_text(block.get("content", "") if raw is None else raw),
        media_type=pairs.TEXT if raw is None else pairs.JSON,
        is_error=is_error if isinstance(is_error, bool) else None,
        timestamp_text=_text(entry.get("timestamp")),
        duration_ms=_duration(noted) if isinstance(noted, dict) else None,
    )


def _duration(noted: dict[str, Any]) -> int | None:
    for key, per_unit in (("durationMs", 1), ("totalDurationMs", 1), ("durationSeconds", 1000)):
        if (stated := milliseconds(noted.get(key), per_unit=per_unit)) is not None:
            return stated
    return None


def _block_places(text: str, start: int) -> list[int]:
    """Return where each of the blocks of `message.content` begins in the object at `start`."""
    message = _member(text, start, "message")[0]
    content = _member(text, message, "content")[0]
    return [begin for begin, _ in rawjson.elements(text, content)]


def _member(text: str, start: int, key: str) -> tuple[int, int]:
    # The last one counts, as it does for the parser.
    return {name: (begin, end) for name, begin, end in rawjson.members(text, start)}[key]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
