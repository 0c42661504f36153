"""What a sweep costs: as much as what expired, however much else is kept."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from canvases.models import Agent, Reference
from canvases.selectors.references import expired
from canvases.services.expiry import references_expire
from tests.integration.refs.acts import undone

KEPT = int(os.environ.get("OFFLOAD_TEST_REFERENCES", "200000"))
EXPIRED = 1_000
AT = 1_800_000_000
MOST_ROWS = 60  # a step has 50 references, and as many contents

_BLOBS = """
    INSERT INTO offloaded_blobs
        (id, agent_id, ref_id, content_sha256, content_zstd, codec, size_bytes, tokens, gone_at, gone_why)
    SELECT n, %s, 'ofl_' || n, 'hash ' || n, '', 'zstd', 1, 1, NULL, '' FROM {numbers}
"""
# Three of four have a time to live that is not over.
_REFERENCES = """
    INSERT INTO blob_references
        (id, blob_id, namespace, namespace_key, media_type, stored_at, ttl_seconds, expires_at, key_id, signature_b64)
    SELECT n, n, 'auto', 'key', 'text/plain', 0, NULL,
        CASE WHEN n <= %s THEN %s - 1 WHEN n %% 4 > 0 THEN %s + n ELSE NULL END, NULL, '' FROM {numbers}
"""
_NUMBERS = {
    "postgresql": "generate_series(1, %s) AS numbers(n)",
    "sqlite": "(WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s) "
    "SELECT n FROM numbers)",
}


@pytest.fixture
def many(agent: Agent) -> None:
    numbers = _NUMBERS[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(_BLOBS.format(numbers=numbers), [agent.pk, KEPT])
        cursor.execute(_REFERENCES.format(numbers=numbers), [EXPIRED, AT, AT, KEPT])
        cursor.execute("ANALYZE")


def plan_of(sql: str) -> list[str]:
    """Return the steps of a statement; on PostgreSQL with the rows that each touched, from a run of it."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            return [str(row[3]) for row in cursor.fetchall()]
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}")
        told = cursor.fetchone()[0]
    return list(_steps((json.loads(told) if isinstance(told, str) else told)[0]["Plan"]))


def _steps(node: dict[str, Any]) -> Any:
    touched = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    touched *= node["Actual Loops"]
    name = node.get("Index Name", node.get("Relation Name", ""))
    yield f"{node['Node Type']} {name} rows={touched:.0f}"
    for below in node.get("Plans", []):
        yield from _steps(below)


def is_narrow(step: str) -> bool:
    """Say if a step is no walk over a table, and touches no more than what a step of the sweep takes away."""
    if connection.vendor == "sqlite":
        return not step.startswith("SCAN")
    return int(re.findall(r"rows=(\d+)", step)[0]) <= MOST_ROWS


@pytest.mark.usefixtures("many")
def test_the_expired_are_found_by_the_partial_index_and_nothing_else_is_touched() -> None:
    chosen = expired(AT).values_list("pk", "blob_id")[:EXPIRED]
    with CaptureQueriesContext(connection) as captured:
        assert len(chosen) == EXPIRED
    plan = plan_of(captured[0]["sql"])
    assert any("reference_expiry" in step for step in plan), plan
    if connection.vendor == "postgresql":
        assert max(int(re.findall(r"rows=(\d+)", step)[0]) for step in plan) <= EXPIRED, plan
    else:
        assert plan == ["SEARCH blob_references USING INDEX reference_expiry (expires_at>? AND expires_at<?)"]


@pytest.mark.usefixtures("many")
def test_every_statement_of_a_step_touches_only_what_it_takes_away() -> None:
    with undone(), CaptureQueriesContext(connection) as captured:
        assert references_expire(at=AT, most=50, pause=0).contents == 50
    statements = [one["sql"] for one in captured if re.match(r"SELECT|UPDATE|DELETE", one["sql"])]
    ours = [sql for sql in statements if "blob_references" in sql or "offloaded_blobs" in sql]
    assert len(ours) >= 6
    for sql in ours:
        plan = plan_of(sql)
        assert all(is_narrow(step) for step in plan), f"{sql}\n{plan}"


@pytest.mark.usefixtures("many")
def test_a_sweep_takes_all_that_expired_and_is_over() -> None:
    assert references_expire(at=AT, pause=0).references == EXPIRED
    assert references_expire(at=AT, pause=0).references == 0
    assert Reference.objects.count() == KEPT - EXPIRED
