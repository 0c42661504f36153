from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canvases.models import Agent


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.OFFLOAD_HOME = tmp_path
    return tmp_path


@pytest.fixture
def agent(db: None) -> Agent:
    return Agent.objects.create(name="ai:alice")


@pytest.fixture
def other(db: None) -> Agent:
    return Agent.objects.create(name="ai:bob")
