"""The records that pass between the layers: a tool call, what was read in its result, and its summary."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a result is, seen by its content and its tool."""

    EMPTY = "empty"  # nothing, or white space only
    SHELL = "shell"  # output of a command that is none of the kinds below
    FILE = "file"  # (part of) a file that was read
    SEARCH = "search"  # hits of grep, glob, find, a code or a file search
    TEST_LOG = "test_log"  # a test runner's output
    BUILD_LOG = "build_log"  # a compiler's, linter's, type checker's or package manager's output
    EDIT = "edit"  # a file was written or changed
    DIFF = "diff"  # a unified diff
    TRACEBACK = "traceback"  # an exception with its stack
    JSON = "json"  # a JSON document
    HTML = "html"  # a page or other markup
    WEB = "web"  # a search or fetch of the web, as text
    IMAGE = "image"  # image blocks
    BINARY = "binary"  # bytes that are not text
    PLAN = "plan"  # the agent's own to-do list
    AGENT = "agent"  # the answer of a sub-agent
    POINTER = "pointer"  # the host kept the output elsewhere and left a pointer or a truncation notice
    TEXT = "text"  # anything else


class Act(StrEnum):
    """What the call did, as a verb for the canvas."""

    EXPLORE = "explore"  # read, list, search
    CHANGE = "change"  # write or edit files, add dependencies
    TEST = "test"  # run tests
    VERIFY = "verify"  # lint, type check, build, format check
    RUN = "run"  # run something else
    DELIVER = "deliver"  # commit, push, open a pull request, publish
    PLAN = "plan"  # keep a to-do list
    DELEGATE = "delegate"  # start a sub-agent
    ASK = "ask"  # ask the person


class Outcome(StrEnum):
    """How the call ended, by what the result says; never better than what was read."""

    OK = "ok"  # the result says so: exit status 0, tests passed, file written, content returned
    FAILED = "failed"  # non-zero exit, failed tests, an error flag, an exception
    DECLINED = "declined"  # a person or a policy refused the call
    INTERRUPTED = "interrupted"  # stopped or timed out
    RUNNING = "running"  # still going on in the background
    UNKNOWN = "unknown"  # the result does not tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call with its result, as the summariser gets it."""

    tool_name: str
    tool_call_id: str = ""
    params: Any = None
    """The parameters, as parsed JSON (usually a dict; may be any JSON value or None)."""
    result: Any = None
    """The result as posted: a string, or parsed JSON (a list of content blocks, a dict, a number, None)."""
    error: str = ""
    is_error: bool | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One line of the agent's own to-do list."""

    text: str
    done: bool
    active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was read in a call and its result, for the boundary judge and the canvas builder."""

    kind: Kind
    act: Act
    outcome: Outcome
    exit_status: int | None = None
    objects: tuple[str, ...] = ()
    """What the call was about, most telling first: paths as given, symbols, packages, queries. At most 8."""
    check: str = ""
    """For a test, build or lint: a normalised identity; two runs of the same check have equal text
    (`go test -run TestResume ./cmd` with other flags for output only is the same check)."""
    passed: int | None = None
    failed: int | None = None
    first_error: str = ""
    """The first error line or message, cut to 160 characters."""
    plan: tuple[PlanItem, ...] = ()
    """The whole to-do list after this call, where the call keeps one."""
    readback: tuple[str, ...] = ()
    """Where the result is an answer of this server: the ref ids (or the canvas) it was read from."""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready dict without empty fields; `from_json` reads it back."""
        return {key: value for key, value in asdict(self).items() if value not in ("", (), None)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Facts:
        """Read what `to_json` wrote (lists in place of tuples are fine)."""
        fields = dict(data)
        fields["kind"] = Kind(fields["kind"])
        fields["act"] = Act(fields["act"])
        fields["outcome"] = Outcome(fields["outcome"])
        fields["objects"] = tuple(fields.get("objects", ()))
        fields["plan"] = tuple(PlanItem(**item) for item in fields.get("plan", ()))
        fields["readback"] = tuple(fields.get("readback", ()))
        return cls(**fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The L1 row of one tool call."""

    tool_call: str
    """The call in one line, at most 150 characters: `Read cmd/resume.go:40-120`, `go test ./...`."""
    summary: str
    """What was found or done, at most 200 characters of prose, one line."""
    keys: tuple[str, ...] = ()
    """Identifiers, paths and numbers a later step is likely to need; at most 12 of 80 characters."""
    score: int = 5
    """0–10: how well the summary can stand in for the raw result; 10 = raw no longer needed."""
    short: bool = False
    """The result is so short that a summary would not be shorter."""
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One summarised tool call as the boundary judge and the canvas builder see it."""

    seq: int
    """The pair's number in its session, from 1."""
    tool_name: str
    tool_call: str
    summary: str
    score: int
    facts: Facts
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One thing a person asked for."""

    text: str
    before_seq: int
    """The number the next tool pair gets: steps with `seq >= before_seq` come after this prompt."""
    timestamp: datetime
