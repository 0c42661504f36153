"""The words by which hosts say that a call was refused, stopped, or goes on."""

from __future__ import annotations

import re

DECLINED = (
    re.compile(r"The user doesn'?t want to (?:proceed|take this action)"),
    re.compile(r"(?:The )?(?:user|User|human) (?:has )?(?:rejected|denied|declined|cancelled|refused)\b"),
    re.compile(r"(?:Tool use|Tool call|Operation|Command|Edit|exec command) (?:was )?(?:rejected|denied|"
               r"cancelled|declined) by "),
    re.compile(r"(?:Permission (?:to use|for) .{1,200}(?:has been )?denied|This command requires approval|"
               r"Claude requested permissions? )"),
    re.compile(r"(?:exec command|command|patch) rejected by user|rejected by (?:the )?user|"
               r"approval denied", re.IGNORECASE),
    re.compile(r"<tool_use_error>(?:Permission|User) "),
    re.compile(r"\[?(?:PreToolUse|Hook)\S{0,60} (?:hook )?(?:blocked|denied)|.{0,80}hook (?:blocked|"
               r"returned blocking)"),
)  # fmt: skip
"""Beginnings of a result that say a person or a policy refused the call."""

INTERRUPTED = (
    re.compile(r"\[?Request interrupted by user"),
    re.compile(
        r"(?:<tool_use_error>)?(?:Sibling|Parallel) tool call (?:errored|failed)|Cancelled: parallel tool call"
    ),
    re.compile(r"Command (?:timed out|aborted|was aborted|interrupted|was interrupted|cancelled)"),
    re.compile(r"(?:Execution|Tool|Process|Operation|Script) (?:timed out|was aborted|aborted|interrupted)"),
    re.compile(r"(?:aborted by user|command timed out|timed out after \d)", re.IGNORECASE),
    re.compile(
        r"The (?:command|previous command) .{0,300}(?:timed out|was interrupted|is cancelled because it took)"
    ),
)
"""Beginnings or ends of a result that say the call was stopped or timed out."""

RUNNING = (
    re.compile(r"Command (?:still running|running in (?:the )?background|is still running)"),
    re.compile(r"Process running with session ID"),
    re.compile(r"The command has no new output after \d"),
    re.compile(r"<status>running</status>|<retrieval_status>(?:timeout|not_ready)</retrieval_status>"),
    re.compile(r"Background command started|Async agent launched|\[Command is still (?:running|executing)"),
)

SILENT = frozenset(
    {"(no output)", "(Bash completed with no output)", "[no output]", "<no output>", "(empty)"}
)
"""Results that stand for no output."""
