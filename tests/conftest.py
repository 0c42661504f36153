"""What every test needs before the code it tests is imported."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines import rank_files


@pytest.fixture(scope="session", autouse=True)
def rank_files_at_hand() -> Iterator[None]:
    """Unpack the tokenizer's rank files for this run where no set-up has done so."""
    if os.environ.get(rank_files.CACHE_VARIABLE):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="offload-ranks-") as folder:
        rank_files.unpack_ranks(Path(folder))
        os.environ[rank_files.CACHE_VARIABLE] = folder
        yield
        del os.environ[rank_files.CACHE_VARIABLE]
