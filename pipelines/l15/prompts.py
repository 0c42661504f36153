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
)
_NAME = re.compile(r"<command-name>\s{0,9}([^<]{1,120}?)\s{0,9}</command-name>")
_ARGS = re.compile(r"<command-args>\s{0,9}([^<]{0,2000}?)\s{0,9}</command-args>")
_BLOCK = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|environment_context|user_instructions)>.{0,20000}?</\1>",
    re.S,
)
_LABEL_WORD = re.compile(r"[a-z0-9]+")
_FILLER = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "could",
        "do",
        "does",
        "for",
        "from",
        "have",
        "hey",
        "hi",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "let",
        "lets",
        "me",
        "my",
        "need",
        "now",
        "of",
        "ok",
        "okay",
        "on",
        "or",
        "our",
        "please",
        "pls",
        "should",
        "so",
        "some",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "those",
        "to",
        "try",
        "us",
        "want",
        "was",
        "we",
        "what",
        "when",
        "which",
        "will",
        "with",
        "would",
        "yes",
        "you",
        "your",
        "like",
        "make",
        "sure",
        "also",
        "all",
        "any",
    ]
)


def is_host_text(text: str) -> bool:
    """Say whether the host wrote this, by its exact opening; people's words are never taken for it."""
    return text.lstrip()[:200].startswith(_HOST)


def spoken(text: str) -> str:
    """Return a prompt on one line as a person would read it: a slash command with its arguments, no host blocks."""
    cut = text[: 8 * READ]
    if name := _NAME.search(cut[:READ]):
        args = _ARGS.search(cut[:READ])
        cut = f"{name[1]} {args[1] if args else ''}"
    return " ".join(_BLOCK.sub(" ", cut)[:READ].split())


def goal_of(text: str) -> str:
    """Return the first line of meaning of a prompt, at most 160 characters."""
    flat = spoken(text)
    if len(flat) <= GOAL:
        return flat
    sentence = re.match(r".{40,158}?[.!?。！？](?=\s|$|[^\x00-\x7f])", flat)
    return sentence[0] if sentence else flat[: GOAL - 1].rstrip() + "…"


def label_of(*texts: str) -> str:
    """Return a kebab-case label of at most 30 characters from the first text that gives one, else `task`."""
    for text in texts:
        words = [word for word in _LABEL_WORD.findall(text[:400].lower()) if word not in _FILLER]
        label = ""
        for word in words[:6]:
            longer = f"{label}-{word}" if label else word
            if len(longer) > 30:
                break
            label = longer
        if len(label) >= 3 and not label.isdigit():
            return label
    return "task"
