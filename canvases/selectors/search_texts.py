"""The texts that results and entries are searched in, and by whose words they are found."""

from __future__ import annotations

from canvases.models import OffloadEntry
from canvases.selectors.deref import readable
from pipelines.pairs import JSON, decode_text
from pipelines.search.plain import plain


def searched_texts(content: bytes) -> list[str]:
    """Return the texts a content is searched in: as it is and, where it may be read as blocks, as theirs.

    None for what is no text.
    """
    if decode_text(content) is None:
        return []
    texts = [content_text(content, "")]
    if content[:64].lstrip()[:1] in (b"[", b"{"):
        texts += {content_text(content, JSON)} - {texts[0]}
    return texts


def content_text(content: bytes, media_type: str) -> str:
    """Return the text that `readable` gives, made plain; none of what is no text, as it is if it is no JSON."""
    if decode_text(content) is None:
        return ""
    try:
        return plain(readable(content, media_type))
    except ValueError:
        return plain(readable(content, ""))


def entry_text(entry: OffloadEntry) -> str:
    """Return the text an entry is searched in: the call, the summary, the keys, and the error of its pair."""
    return "\n".join(part for part in (call_text(entry), plain(entry.pair.error)) if part)


def call_text(entry: OffloadEntry) -> str:
    """Return what comes before the error in the text of an entry."""
    return plain("\n".join([entry.tool_call, entry.summary, *map(str, entry.keys)]))
