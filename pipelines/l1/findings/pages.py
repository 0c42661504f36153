"""Pages and answers from the web: title, headings, links."""

from __future__ import annotations

import html
import json
import re

from pipelines.l1.case import Case, Finding
from pipelines.l1.wording import clip, count, listing, one_line

_TITLE = re.compile(r"<title[^>]{0,200}>\s{0,40}([^<]{1,300})", re.IGNORECASE)
_HEADING = re.compile(r"<h([1-3])[^>]{0,200}>\s{0,40}([^<]{1,300})", re.IGNORECASE)
_TAG = re.compile(r"<[A-Za-z!/?][^<>]{0,2000}>")
_SCRIPT = re.compile(
    r"<(script|style)\b[^>]{0,400}>[^<]{0,20000}(?:<(?!/\1)[^<]{0,20000}){0,50}</\1>", re.IGNORECASE
)
_LINKS = re.compile(r"Links: (\[\{.{1,60000}?\}\])(?:\n|$)")
_URL = re.compile(r"https?://[^\s)\"'<>\]]{4,300}")
_MARKDOWN_HEADING = re.compile(r"^#{1,4} (.{1,160})$", re.MULTILINE)


def read_html(case: Case) -> Finding:
    """Give a page's title and headings, or its first words."""
    text = case.view.text[:200_000]
    title = html.unescape(one_line(found[1], 120)) if (found := _TITLE.search(text)) else ""
    headings = [html.unescape(one_line(words, 60)) for _, words in _HEADING.findall(text)[:8]]
    body = one_line(html.unescape(_TAG.sub(" ", _SCRIPT.sub(" ", text[:40_000]))), 160)
    lead = f"page {title!r}" if title else f"markup of {count(case.view.characters, 'character')}"
    parts = (lead, listing(headings, len(headings), 100) if headings else clip(body, 120))
    return Finding(parts=parts, keys=tuple([title, *headings][:8]))


def read_web(case: Case) -> Finding:
    """Give the hits of a web search, or the headings and first words of a fetched page."""
    text = case.text
    links = _links(text)
    if links:
        titles = [title for title, _ in links]
        return Finding(
            parts=(f"{count(len(links), 'hit')}: {listing(titles, len(titles), 150)}",),
            keys=tuple(clip(url, 80) for _, url in links[:6]),
        )
    headings = [one_line(words, 60) for words in _MARKDOWN_HEADING.findall(text[:60_000])]
    prose = next(
        (line for line in case.lines if len(line) > 40 and not line.startswith("#")),
        case.lines[0] if case.lines else "",
    )
    parts = [one_line(_plain(prose), 130)]
    if headings:
        parts = [parts[0], f"on {listing(headings, len(headings), 70)}"]
    return Finding(parts=tuple(parts), keys=tuple(dict.fromkeys(_URL.findall(text[:60_000])))[:6])


def _links(text: str) -> list[tuple[str, str]]:
    found = _LINKS.search(text[:80_000])
    if not found:
        return []
    try:
        items = json.loads(found[1])
    except (ValueError, RecursionError):
        return []
    return [
        (one_line(str(i.get("title", "")), 60), str(i.get("url", ""))) for i in items if isinstance(i, dict)
    ]


def _plain(text: str) -> str:
    return re.sub(r"\*{1,3}|`{1,3}", "", text[:2_000])
