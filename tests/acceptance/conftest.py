from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack import Stack


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """The running product, with its demo session."""
    started = Stack(tmp_path / "home")
    started.start()
    yield started
    started.stop()
