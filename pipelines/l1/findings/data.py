"""JSON documents: what the thing is, its telling values, and how much more there is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pipelines.l1.case import Case, Finding
from pipelines.l1.kinds import json_of
from pipelines.l1.wording import clip, count, listing, one_line, words

TELLING = words(
    "error message identifier id number key title name full_name status state result url html_url path type version "
    "email branch headRefName count total amount price"
)
VALUE = 60
"""Characters of a value in a summary."""
KEY = 80
"""A longer value is prose and no key."""
_PAIR = re.compile(
    r'"([\w.$-]{1,60})"\s{0,4}:\s{0,4}("(?:[^"\\\n]|\\.){0,120}"|-?\d[\d.eE+-]{0,20}|true|false|null)'
)


def read_json(case: Case) -> Finding:
    """Say what a JSON document holds."""
    document = json_of(case.text)
    if document is None:
        return _cut_document(case)
    if isinstance(document, dict):
        return _of_object(document)
    if isinstance(document, list):
        return _of_list(document)
    return Finding(parts=(one_line(case.text, 190),))


def json_error(document: Any) -> str:
    """Return the error that a JSON document reports about its own call, or an empty text."""
    if not isinstance(document, dict):
        return ""
    if (
        document.get("success") is False
        or document.get("ok") is False
        or str(document.get("status")).lower() in ("error", "failed", "failure")
    ):
        return one_line(
            str(
                document.get("error")
                or document.get("message")
                or document.get("reason")
                or "reported as failed"
            ),
            160,
        )
    error = document.get("error") or document.get("errors")
    if isinstance(error, dict):
        return one_line(str(error.get("message") or error.get("code") or error), 160)
    if isinstance(error, list):
        first = error[0] if error else ""
        return one_line(str(first.get("message", first) if isinstance(first, dict) else first), 160)
    return one_line(error, 160) if isinstance(error, str) else ""


def _of_object(document: dict[str, Any]) -> Finding:
    inner = next(
        (
            value
            for key in ("data", "result", "results", "items", "content", "value")
            if isinstance(value := document.get(key), list | dict) and len(document) <= 4
        ),
        None,
    )
    if inner and isinstance(inner, list):
        finding = _of_list(inner)
        return Finding(
            parts=(*finding.parts, _next_page(document)), keys=finding.keys, symbols=finding.symbols
        )
    if not document:
        return Finding(parts=("an empty object",), complete=True)
    values = _telling_values(document)
    shown = [f"{key} {clip(value, VALUE)}" for key, value in values]
    more = [
        f"{key} ({len(value)})" for key, value in document.items() if isinstance(value, list | dict) and value
    ]
    names = [key for key in document if key not in dict(values)]
    parts = (
        [", ".join(shown[:5])]
        if shown
        else [f"object with {listing(map(str, document), len(document), 140)}"]
    )
    if shown:
        parts.append(
            listing(more, len(more), 90)
            if more
            else f"also {listing(names, len(names), 60)}"
            if names
            else ""
        )
    return Finding(
        parts=tuple(parts),
        keys=tuple(value for key, value in values[:8] if _is_key(key, value)),
        symbols=tuple(clip(value, VALUE) for key, value in values[:4] if _names_it(key))[:2],
    )


def _of_list(items: list[Any]) -> Finding:
    if not items:
        return Finding(parts=("an empty list",), complete=True)
    names = list(_names(items[:40]))
    text = f"list of {len(items)}"
    if names:
        return Finding(
            parts=(f"{text}: {listing(names, len(items), 150)}",),
            keys=tuple(names[:10]),
            symbols=tuple(names[:2]),
        )
    if isinstance(items[0], dict):
        return Finding(parts=(f"{text} objects with {listing(map(str, items[0]), len(items[0]), 130)}",))
    if isinstance(items[0], list):
        inner = list(_names([entry for item in items[:20] if isinstance(item, list) for entry in item[:2]]))
        return Finding(
            parts=(f"{text} lists" + (f": {listing(inner, len(inner), 130)}" if inner else ""),),
            keys=tuple(inner[:10]),
        )
    shown = [
        one_line(json.dumps(item, ensure_ascii=False) if not isinstance(item, str) else item, 60)
        for item in items[:20]
    ]
    return Finding(parts=(f"{text}: {listing(shown, len(items), 150)}",), keys=tuple(shown[:8]))


def _names(items: list[Any]) -> Iterator[str]:
    for item in items:
        if not isinstance(item, dict):
            continue
        values = dict(_telling_values(item))
        words = [
            values[key]
            for key in ("identifier", "number", "id", "key", "title", "name", "path")
            if key in values
        ]
        other = [v for k, v in values.items() if k.endswith(("_id", "_number", "Id", "name"))]
        chosen = words[:2] or other[:1] or [values[key] for key in ("status", "state") if key in values]
        if chosen:
            yield " ".join(clip(word, 50) for word in chosen)


def _is_key(key: str, value: str) -> bool:
    """Tell whether a value can be looked up again: no truth value, and a bare number only where it names something."""
    return len(value) <= KEY and (_names_it(key) or not re.fullmatch(r"true|false|-?[\d.eE+-]{1,3}", value))


def _names_it(key: str) -> bool:
    return key in ("identifier", "id", "number", "key", "title", "name") or key.endswith(
        ("_id", "_number", "Id")
    )


def _telling_values(document: dict[str, Any]) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    names = [key for key in TELLING if key in document]
    names += [
        key
        for key in document
        if key.lower().endswith(("_id", "_number", "name", "status")) and key not in names
    ]
    names += [key for key in document if key not in names]
    for key in names:
        value = document[key]
        if (
            isinstance(value, dict)
            and key in ("status", "state", "error", "user", "author", "name")
            and (inner := value.get("name") or value.get("message"))
        ):
            value = inner
        if isinstance(value, str) and value.strip():
            if key == "id" and "identifier" in found:
                continue
            found[key] = one_line(value, 2 * KEY)
        elif isinstance(value, bool | int | float):
            found[key] = json.dumps(value)
        if len(found) == 10:
            break
    return list(found.items())


def _next_page(document: dict[str, Any]) -> str:
    page = document.get("pageInfo")
    if (
        document.get("has_more")
        or document.get("nextPageToken")
        or document.get("next")
        or (isinstance(page, dict) and page.get("hasNextPage"))
    ):
        return "more pages follow"
    total = document.get("total") or document.get("total_count")
    return f"{total} in all" if isinstance(total, int) else ""


def _cut_document(case: Case) -> Finding:
    pairs = _PAIR.findall(case.text[:4_000])
    shown = [f"{key} {one_line(value.strip(chr(34)), 50)}" for key, value in pairs[:6]]
    words = (
        f"JSON of {count(case.view.characters, 'character')}, not whole"
        if case.view.partial or case.reading.cut.missing
        else "JSON lines or broken JSON"
    )
    return Finding(
        parts=(words, ", ".join(shown)),
        keys=tuple(one_line(value.strip(chr(34)), 70) for _, value in pairs[:8]),
    )
