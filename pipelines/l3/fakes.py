"""Refs that are kept in memory, for trying a compression without a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines import tokens
from pipelines.blobs import ref_id
from pipelines.l3.stub import Ref
from pipelines.messages.view import Part
from pipelines.pairs import encode_text


class MemoryRefs:
    """Keeps every text it is asked about; `kept` gives them back by ref id."""

    def __init__(self, count: Callable[[str], int] = tokens.count) -> None:
        self.count = count
        self.kept: dict[str, str] = {}

    def text(self, text: str) -> str:
        label = ref_id(encode_text(text))
        self.kept[label] = text
        return label

    def results(self, wanted: Sequence[tuple[Part, Part | None]]) -> list[Ref | None]:
        return [
            Ref(
                ref_id=self.text(part.text),
                node_id="001-N1",
                summary=f"{part.text.count(chr(10)) + 1} lines",
                tokens=self.count(part.text),
            )
            for part, _ in wanted
        ]
