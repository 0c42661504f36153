"""To-do list tools: the list after the call, and its state in words."""

from __future__ import annotations

import re
from typing import Any

from pipelines.l1.request import Request
from pipelines.l1.wording import clip, one_line
from pipelines.records import PlanItem

LIST_KEYS = ("todos", "plan", "items", "tasks", "task_list", "todoList", "newTodos", "steps")
TEXT_KEYS = ("content", "step", "text", "title", "subject", "description", "task", "activeForm", "name")
DONE = {"completed", "done", "complete", "finished", "cancelled", "x"}
ACTIVE = {"in_progress", "in-progress", "active", "doing", "started", "current", "inprogress"}
MAX_ITEMS = 200
_CHECKBOX = re.compile(r"\s{0,12}(?:[-*]|\d{1,3}\.)?\s{0,4}(?:\[([ xX~>/-])\]|([☐☑☒✅✔]))\s{0,4}(.{1,400})")
_TASK_LINE = re.compile(r"#(\d{1,6})\.? \[(\w{1,20})\] (.{1,300})")


def plan_of(request: Request, result: Any, text: str) -> tuple[PlanItem, ...]:
    """Return the whole list after a call, from its parameters or, for a call that reads it, from the result."""
    for source in (request.params, result if isinstance(result, dict) else {}):
        items = _from_fields(source)
        if items:
            return items
    lines = request.text("todos", "plan", "text", "markdown") or text
    return _from_lines(lines) or _from_task_lines(text)


def plan_words(request: Request) -> str:
    """Return the state of the list in the call's parameters, such as `3/7 done, now: run the tests`."""
    items = _from_fields(request.params)
    if items:
        return describe(items)
    one = request.text("subject", "title", "status", "taskId", "command")
    parts = [
        one_line(v, 80)
        for k in ("taskId", "subject", "status")
        if isinstance(v := request.params.get(k), str)
    ]
    return " ".join(parts) or one_line(one, 80) or one_line(request.text("plan"), 80)


def describe(items: tuple[PlanItem, ...]) -> str:
    """Return a list's state in words."""
    done = sum(item.done for item in items)
    words = f"{done}/{len(items)} done"
    active = next((item for item in items if item.active), None)
    following = active or next((item for item in items if not item.done), None)
    if following is None:
        return words
    return f"{words}, {'now' if active else 'next'}: {clip(following.text, 100)}"


def _from_fields(fields: dict[str, Any]) -> tuple[PlanItem, ...]:
    for key in LIST_KEYS:
        value = fields.get(key)
        if isinstance(value, list) and value:
            items = tuple(item for entry in value[:MAX_ITEMS] if (item := _item(entry)))
            if items:
                return items
    return ()


def _item(entry: Any) -> PlanItem | None:
    if isinstance(entry, str):
        return PlanItem(text=one_line(entry, 300), done=False) if entry.strip() else None
    if not isinstance(entry, dict):
        return None
    text = next(
        (one_line(v, 300) for key in TEXT_KEYS if isinstance(v := entry.get(key), str) and v.strip()), ""
    )
    status = str(entry.get("status", "")).lower()
    done = status in DONE or entry.get("done") is True or entry.get("completed") is True
    return PlanItem(text=text, done=done, active=status in ACTIVE) if text else None


def _from_lines(text: str) -> tuple[PlanItem, ...]:
    items: list[PlanItem] = []
    for line in text[:60_000].split("\n")[:1_000]:
        if (found := _CHECKBOX.match(line)) and len(items) < MAX_ITEMS:
            mark = found[1] or found[2]
            items.append(PlanItem(text=one_line(found[3], 300), done=mark in "xX☑☒✅✔", active=mark in "~>/"))
    return tuple(items)


def _from_task_lines(text: str) -> tuple[PlanItem, ...]:
    found = _TASK_LINE.findall(text[:60_000])
    return tuple(
        PlanItem(text=one_line(words, 300), done=status in DONE, active=status in ACTIVE)
        for _, status, words in found[:MAX_ITEMS]
    )
