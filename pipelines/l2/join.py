"""Taking a step into a node, or making a node of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipelines.l2.naming import check_name
from pipelines.l2.node import Node
from pipelines.l2.reading import FAILED, check_of, clip, is_path, names, sign, weigh
from pipelines.l2.state import Draft
from pipelines.records import Act, Outcome, Step

OBJECTS_KEPT = 8
SEEN_KEPT = 48
_SAID = re.compile(r"^declined by the user: ")


def new(draft: Draft, step: Step, act: str, *, deps: bool = False, turning: bool = False) -> Node:
    """Append an own node that holds `step` and return it."""
    k = draft.next_k
    draft.next_k += 1
    node = Node(
        k=k,
        lo=k,
        hi=k,
        act=act,
        first_seq=step.seq,
        updated=step.timestamp,
        phase=draft.phase,
        stretch=draft.stretch,
        deps=deps,
        turning=turning,
    )
    draft.nodes.append(node)
    return join(draft, len(draft.nodes) - 1, step)


def join(draft: Draft, place: int, step: Step, *, act: str = "", aside: bool = False) -> Node:
    """Take `step` into the node at `place` and return the node; `aside` calls count but do not colour its text."""
    node = draft.nodes[place]
    node = replace(
        node,
        act=act or node.act,
        calls=node.calls + 1,
        first_seq=node.first_seq or step.seq,
        last_seq=max(node.last_seq, step.seq),
        updated=max(node.updated, step.timestamp),
    )
    if aside:
        node = replace(node, asides=node.asides + 1)
    if step.facts.outcome is Outcome.DECLINED:
        said = _SAID.sub("", clip(step.summary))
        node = replace(node, declined=node.declined + 1, said="" if said.startswith("declined") else said)
    if not aside:
        node = _told(_counted(node, step, draft.seen), step)
    draft.nodes[place] = node
    draft.seen = [*draft.seen, *(name for name in names(step) if name not in draft.seen)][-SEEN_KEPT:]
    return node


def reset(draft: Draft, place: int) -> None:
    """Forget what the calls of a node were about: they only prepared what comes."""
    node = draft.nodes[place]
    draft.nodes[place] = replace(
        node, objects=(), more_objects=0, finding="", weight=-1, call="", asides=node.calls
    )


def _counted(node: Node, step: Step, known: Sequence[str]) -> Node:
    facts = step.facts
    did = facts.act
    ran = did in (Act.TEST, Act.VERIFY, Act.RUN, Act.DELIVER)
    good = facts.outcome not in (Outcome.FAILED, Outcome.DECLINED)
    edited = did is Act.CHANGE and good and not node.deps
    objects = dict(node.objects)
    more = node.more_objects
    found: Sequence[str] = [check_name(check_of(step))] if did in (Act.TEST, Act.VERIFY) else names(step)
    if node.deps:
        found = [clip(step.tool_call, 60)]
    elif did is Act.EXPLORE and (files := [name for name in found if is_path(name)]):
        # What a file defines says what was read only while it is the one file.
        found = files if node.calls > 1 else found[: len(files) + 1]
    # A name that is new to the canvas says what a change adds; old ones are often only the lines around it.
    for name in sorted(found, key=lambda name: name in known):
        if name in objects or len(objects) < OBJECTS_KEPT:
            objects[name] = objects.get(name, 0) + 1
        elif name not in known:
            more += 1
    return replace(
        node,
        objects=tuple(objects.items()),
        more_objects=more,
        check=clip(facts.check) or node.check,
        edits=node.edits + edited,
        runs=node.runs + ran,
        added=node.added + (sign(step, "+") if edited else 0),
        removed=node.removed + (sign(step, "−") if edited else 0),
        failures=node.failures + (facts.outcome is Outcome.FAILED),
    )


def _told(node: Node, step: Step) -> Node:
    facts = step.facts
    weight = weigh(step)
    recovered = node.weight == FAILED and facts.outcome is Outcome.OK and facts.act is not Act.EXPLORE
    if weight >= node.weight or recovered:
        node = replace(node, weight=weight, finding=clip(step.summary), call=clip(step.tool_call))
    if facts.first_error and facts.outcome is Outcome.FAILED:
        node = replace(node, error=clip(facts.first_error))
    if facts.passed is not None or facts.failed is not None:
        node = replace(node, passed=facts.passed, failed=facts.failed)
    return node
