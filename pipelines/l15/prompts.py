"""What a person meant by a prompt, and what their host put there."""

from __future__ import annotations

import re

READ = 4000
"""Characters of a prompt that are looked at."""
GOAL = 160
_HOST = (
    "[Request interrupted by user",
    "Caveat: The messages below",
    "[Inter-session message]",
    "This session is being continued from a previous conversation",
    "<command-name>",
    "<command-message>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<task-notification>",
    "Base directory for this skill:",
    "<bash-input>",
    "<bash-stdout>",
)
_NAME = re.compile(r"<command-name>\s{0,9}([^<]{1,120}?)\s{0,9}</command-name>")
_ARGS = re.compile(r"<command-args>\s{0,9}([^<]{0,2000}?)\s{0,9}</command-args>")
_BLOCKS = ("system-reminder", "ide_opened_file", "ide_selection", "environment_context", "user_instructions")
_HEADING = re.compile(
    r"(?:#{1,3} ?)?(?:issue|task|title|problem(?: statement)?|goal|request):?"
    r"|<[a-z_]{0,20}(?:issue|task|title|problem|goal|request|description)[a-z_]{0,20}>",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"[^\W\d_][\w'’]{0,30},? [\w'’`]{1,60},? [\w'’`]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}"
)
_TAIL = re.compile(r"['’](?:s|t|re|ve|ll|d|m)\b")
_LABEL_WORD = re.compile(r"[a-z0-9]+")
_FILLER_WORDS = """
a about actually ah all also am an and any are as at be been but by can check could did do does doing done each
feel for from get getting go going good got had has have hey hi how i if in into is it its just keep know let
lets like look looking made make maybe me might mine more my need needs now of off ok okay on once one only or
our out please pls really remember right run running said same say see seems session should show so some
something sorry start sure than thank thanks that the their them then there these they thing things think this
those to too try trying two ugh us use using very want was way we well were what when where which while who why
will with without work working would yes yet you your
"""
_FILLER = frozenset(_FILLER_WORDS.split())


def is_host_text(text: str) -> bool:
    """Say whether the host wrote this, by its exact opening; people's words are never taken for it."""
    return text.lstrip()[:200].startswith(_HOST)


def spoken(text: str) -> str:
    """Return a prompt on one line as a person would read it: a slash command with its arguments, no host blocks."""
    cut = text[: 8 * READ]
    if name := _NAME.search(cut[:READ]):
        args = _ARGS.search(cut[:READ])
        cut = f"{name[1]} {args[1] if args else ''}"
    return " ".join(_without_blocks(cut)[:READ].split())


def telling_line(text: str) -> str:
    """Return the line that says what is asked: not the paste above it, and what stands under a heading `ISSUE:`."""
    flat = spoken(text)
    if _NAME.search(text[:READ]):
        return flat
    lines = [" ".join(line.split()) for line in _without_blocks(text[: 8 * READ]).splitlines()[:400]]
    lines = [line[:READ] for line in lines if line]
    under = next((place + 1 for place, line in enumerate(lines[:60]) if _HEADING.fullmatch(line)), 0)
    if under:
        return next((line for line in lines[under : under + 6] if line[-1] != ":" and line[0] != "<"), flat)
    if len(lines) < 2 or _PROSE.match(lines[0]):
        return flat
    if lines[0][0] == "<":
        return next((line for line in lines if _PROSE.match(line)), flat)
    return lines[-1] if _PROSE.match(lines[-1]) else flat


def goal_of(text: str) -> str:
    """Return what is asked, at most 160 characters."""
    flat = telling_line(text)
    if len(flat) <= GOAL:
        return flat
    sentence = re.match(r".{40,158}?[.!?。！？](?=\s|$|[^\x00-\x7f])", flat)
    return sentence[0] if sentence else flat[: GOAL - 1].rstrip() + "…"


def _without_blocks(text: str) -> str:
    """Leave out what hosts put between people's words; a block without an end stays."""
    for name in _BLOCKS:
        opening, closing = f"<{name}>", f"</{name}>"
        parts: list[str] = []
        here = 0
        while (start := text.find(opening, here)) >= 0 and (end := text.find(closing, start)) >= 0:
            parts += (text[here:start], " ")
            here = end + len(closing)
        text = "".join(parts) + text[here:]
    return text


def label_of(*texts: str) -> str:
    """Return a kebab-case label of at most 30 characters from the first text that gives one, else `task`."""
    for text in texts:
        bare = _TAIL.sub("", text[:400].lower())
        words = [word for word in dict.fromkeys(_LABEL_WORD.findall(bare)) if word not in _FILLER]
        label = ""
        for word in words[:6]:
            longer = f"{label}-{word}" if label else word
            if len(longer) > 30:
                break
            label = longer
        if len(label) >= 3 and not label.replace("-", "").isdigit():
            return label
    return "task"
