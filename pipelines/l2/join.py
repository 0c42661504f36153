"""Taking a step into a node, or making a node of it."""

from __future__ import annotations

from dataclasses import replace

from pipelines.l2.node import Node
from pipelines.l2.reading import clip, names, weigh
from pipelines.l2.state import Draft
from pipelines.records import Act, Outcome, Step

OBJECTS_KEPT = 8


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
    if step.facts.outcome is Outcome.DECLINED:
        node = replace(node, declined=node.declined + 1)
    if not aside:
        node = _told(_counted(node, step), step)
    draft.nodes[place] = node
    return node


def _counted(node: Node, step: Step) -> Node:
    facts = step.facts
    did = facts.act
    ran = did in (Act.TEST, Act.VERIFY, Act.RUN, Act.DELIVER)
    good = facts.outcome not in (Outcome.FAILED, Outcome.DECLINED)
    edited = did is Act.CHANGE and good and not node.deps
    objects = dict(node.objects)
    more = node.more_objects
    for name in names(step):
        if name in objects or len(objects) < OBJECTS_KEPT:
            objects[name] = objects.get(name, 0) + 1
        else:
            more += 1
    return replace(
        node,
        objects=tuple(objects.items()),
        more_objects=more,
        check=clip(facts.check) or node.check,
        edits=node.edits + edited,
        runs=node.runs + ran,
        failures=node.failures + (facts.outcome is Outcome.FAILED),
    )


def _told(node: Node, step: Step) -> Node:
    facts = step.facts
    if (weight := weigh(step)) >= node.weight:
        node = replace(node, weight=weight, finding=clip(step.summary), call=clip(step.tool_call))
    if facts.first_error and facts.outcome is Outcome.FAILED:
        node = replace(node, error=clip(facts.first_error))
    if facts.passed is not None or facts.failed is not None:
        node = replace(node, passed=facts.passed, failed=facts.failed)
    return node
