"""A process killed while it stores: what it acknowledged is there, and nothing else is half there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack import ROOT, own_database, wait_for

# Stores content after content and tells each that was acknowledged, a line each.
STORING = """
import django
django.setup()
from canvases.services.offloads import offload
from canvases.services.owner import agent_named
agent = agent_named("ai:alice")
for number in range(10**6):
    content = f"content {number} of {WHO}\\n".encode() * 3000
    reference = offload(agent=agent, actor="test", content=content, namespace=f"n{number % 3}")
    print(reference.blob.ref_id, reference.blob.content_sha256, flush=True)
"""
# Reads back what is named on standard input, and counts what is there.
READING = """
import hashlib, sys, django
django.setup()
from canvases.models import Agent, OffloadedBlob, SignedEvent
from canvases.services.ref_reads import ref_read
agent = Agent.objects.get()
print(OffloadedBlob.objects.count(), SignedEvent.objects.count())
for line in sys.stdin:
    ref, sha256 = line.split()
    content = ref_read(agent=agent, actor="test", how="test", ref_id=ref).content
    assert hashlib.sha256(content).hexdigest() == sha256
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    made = {
        **os.environ,
        **own_database(tmp_path),
        "OFFLOAD_HOME": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "offload_site.settings",
    }
    run = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(run, cwd=ROOT, env=made, check=True)
    return made


def python(code: str, environment: dict[str, str], given: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_processes_killed_in_the_middle_of_an_offload_lose_nothing_they_acknowledged(
    environment: dict[str, str], tmp_path: Path
) -> None:
    for killed, wanted in enumerate((3, 11, 24)):
        out = tmp_path / f"acknowledged-{killed}"
        with out.open("wb") as file:
            code = STORING.replace("{WHO}", str(killed))
            process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=file)
        wait_for(lambda out=out, wanted=wanted: out.read_text().count("\n") >= wanted, "acknowledgements")
        process.kill()
        process.wait(30)
    # Of a line that was cut short nobody was told.
    lines = [line for path in tmp_path.glob("acknowledged-*") for line in path.read_text().splitlines(True)]
    told = [line for line in lines if line.endswith("\n")]
    assert len(told) >= 38
    contents, events = map(int, python(READING, environment, "".join(told)).split())
    assert contents == events, "a content is there with its event, or neither is"
    assert len(told) <= contents <= len(told) + 3
    check = subprocess.run(
        [sys.executable, "manage.py", "verify_chain"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stdout
    assert "OK" in check.stdout
