"""The tools of the demo's agent: each really does what its call says, and gives what really came out."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.pairs import TEXT, PostedPair, encode_text

_SECONDS_A_COMMAND = 10
_SHOWN_AROUND_EDIT = 3


@dataclass(slots=True)
class Tools:
    """A coding agent's tools on one folder. Each method is one call; it returns the call with its result."""

    folder: Path
    _calls: int = field(default=0, init=False)

    def read(self, path: str) -> PostedPair:
        """Read a whole file, its lines numbered."""
        return self._call("Read", {"file_path": path}, lambda: (_numbered(self._text(path)), False))

    def glob(self, pattern: str) -> PostedPair:
        """List the files whose path matches a pattern; hidden ones are left out."""
        return self._call("Glob", {"pattern": pattern}, lambda: (self._matching(pattern), False))

    def grep(self, pattern: str, path: str) -> PostedPair:
        """Search a file or a folder's Python files."""
        params = {"pattern": pattern, "path": path, "output_mode": "content", "-n": True}
        return self._call("Grep", params, lambda: (self._hits(pattern, path) or "No matches found", False))

    def edit(self, path: str, old: str, new: str) -> PostedPair:
        """Replace a text that stands in a file exactly once."""
        params = {"file_path": path, "old_string": old, "new_string": new}
        return self._call("Edit", params, lambda: self._replaced(path, old, new))

    def write(self, path: str, content: str) -> PostedPair:
        """Write a new file."""
        return self._call(
            "Write", {"file_path": path, "content": content}, lambda: self._written(path, content)
        )

    def bash(self, command: str, description: str) -> PostedPair:
        """Run a command line of words and `&&`; `python` is the Python that runs this."""
        params = {"command": command, "description": description}
        return self._call("Bash", params, lambda: self.run(command))

    def todo(self, *items: tuple[str, str]) -> PostedPair:
        """Replace the to-do list by (content, status) items."""
        todos = [{"content": content, "status": status, "activeForm": content} for content, status in items]
        left = sum(status != "completed" for _, status in items)
        answer = f"The to-do list has {len(items)} items, {left} of them open."
        return self._call("TodoWrite", {"todos": todos}, lambda: (answer, False))

    def run(self, command: str) -> tuple[str, bool]:
        """Run a command line; return its output, its exit status before it when it failed, and whether so."""
        outputs = []
        for part in command.split(" && "):
            words = shlex.split(part)
            if words[0] == "python":
                words[0] = sys.executable
            try:
                done = subprocess.run(
                    words,
                    cwd=self.folder,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=_SECONDS_A_COMMAND,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"Exit code 1\n{error}", True
            outputs.append(done.stdout.decode("utf-8", "replace"))
            if done.returncode:
                return f"Exit code {done.returncode}\n{''.join(outputs)}", True
        return "".join(outputs), False

    def _environment(self) -> dict[str, str]:
        """Return an environment in which no settings and no git identity of the person here play a part."""
        kept = ("PATH", "TMPDIR", "LD_LIBRARY_PATH")
        return {
            **{key: os.environ[key] for key in kept if key in os.environ},
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Demo Agent",
            "GIT_AUTHOR_EMAIL": "agent@example.org",
            "GIT_COMMITTER_NAME": "Demo Agent",
            "GIT_COMMITTER_EMAIL": "agent@example.org",
        }

    def _call(self, name: str, params: Any, act: Callable[[], tuple[str, bool]]) -> PostedPair:
        self._calls += 1
        began = time.perf_counter()
        output, failed = act()
        duration = round((time.perf_counter() - began) * 1000)
        now = datetime.now(UTC)
        return PostedPair(
            tool_name=name,
            tool_call_id=f"demo_{self._calls:03d}",
            params=params,
            content=encode_text(output),
            media_type=TEXT,
            is_error=failed,
            timestamp=now,
            timestamp_text=now.isoformat(),
            duration_ms=duration,
        )

    def _text(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def _replaced(self, path: str, old: str, new: str) -> tuple[str, bool]:
        text = self._text(path)
        if text.count(old) != 1:
            return f"old_string stands {text.count(old)} times in {path}; nothing was changed", True
        changed = text.replace(old, new)
        (self.folder / path).write_text(changed, encoding="utf-8")
        first = changed.count("\n", 0, changed.index(new))
        last = first + new.count("\n") + 1
        lines = _numbered(changed).split("\n")[max(0, first - _SHOWN_AROUND_EDIT) : last + _SHOWN_AROUND_EDIT]
        return f"{path} was updated. Around the change it now reads:\n" + "\n".join(lines), False

    def _written(self, path: str, content: str) -> tuple[str, bool]:
        (self.folder / path).write_text(content, encoding="utf-8")
        return f"{path} was created with {content.count(chr(10))} lines", False

    def _matching(self, pattern: str) -> str:
        found = (path.relative_to(self.folder) for path in self.folder.glob(pattern) if path.is_file())
        return "\n".join(sorted(str(path) for path in found if not path.parts[0].startswith(".")))

    def _hits(self, pattern: str, path: str) -> str:
        is_folder = (self.folder / path).is_dir()
        options = "-rnE --include=*.py" if is_folder else "-nE"
        found, failed = self.run(f"grep {options} {shlex.quote(pattern)} {shlex.quote(path)}")
        # It fails where there is no hit, or no grep.
        hits = self._walk(pattern, path) if failed else [hit.removeprefix("./") for hit in found.splitlines()]
        # The order of a folder's files differs between file systems.
        return "\n".join(sorted(hits, key=lambda hit: hit.split(":")[0]) if is_folder else hits)

    def _walk(self, pattern: str, path: str) -> list[str]:
        start = self.folder / path
        files = sorted(start.rglob("*.py")) if start.is_dir() else [start]
        return [
            f"{file.relative_to(self.folder)}:{number}:{line}" if start.is_dir() else f"{number}:{line}"
            for file in files
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
            if re.search(pattern, line)
        ]


def _numbered(text: str) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.splitlines(), 1))
