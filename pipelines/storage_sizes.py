"""How many bytes contents take when they are stored in different ways, counted over a stream of them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field

from pipelines import blobs, dictionaries
from pipelines.dictionaries import Dictionary

_EVERY = ""


@dataclass(slots=True)
class Sizes:
    """Sums over all contents added so far, in bytes."""

    contents: int = 0
    distinct: int = 0
    posted: int = 0
    plain: int = 0
    """Each content compressed, also those that were there before."""
    once: int = 0
    """Each distinct content compressed once."""
    per_tool: _Learned = field(default_factory=lambda: _Learned())
    """As `once`, with a dictionary for each tool."""
    shared: _Learned = field(default_factory=lambda: _Learned())
    """As `once`, with one dictionary for all tools."""
    _seen: set[bytes] = field(default_factory=set)

    def add(self, tool_name: str, content: bytes) -> None:
        """Count one more content, in the order in which they were posted."""
        packed = len(blobs.pack(content))
        self.contents += 1
        self.posted += len(content)
        self.plain += packed
        digest = hashlib.sha256(content).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        self.distinct += 1
        self.once += packed
        self.per_tool.add(tool_name, content, packed)
        self.shared.add(_EVERY, content, packed)


@dataclass(slots=True)
class _Learned:
    """What is stored when dictionaries are trained on the first contents of a group and used for later ones only."""

    contents: int = 0
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    _samples: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))

    @property
    def total(self) -> int:
        """Bytes of the contents and of the dictionaries themselves."""
        return self.contents + sum(one.stored_bytes() for one in self.dictionaries.values())

    def add(self, group: str, content: bytes, packed: int) -> None:
        dictionary = self.dictionaries.get(group)
        if dictionary is not None:
            self.contents += min(packed, len(dictionaries.pack(content, dictionary)))
            return
        self.contents += packed
        samples = self._samples[group]
        samples.append(content)
        count = len(samples)
        if count >= dictionaries.LEAST_SAMPLES and count & (count - 1) == 0:  # tried again at each doubling
            chosen = dictionaries.choose(samples)
            if chosen is not None:
                self.dictionaries[group] = chosen
                self._samples.pop(group)
