"""Which node a step belongs to: decided when the step arrives, never changed after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pipelines.l2.attempts import fold_failed_attempts
from pipelines.l2.join import join, new, reset
from pipelines.l2.node import Node
from pipelines.l2.reading import (
    check_of,
    covers,
    folder,
    goes_back,
    is_dependency_work,
    is_glance,
    is_path,
    is_staging,
    names,
    paths,
)
from pipelines.l2.state import Draft
from pipelines.records import Act, Outcome, Step

LOOKS_IN_A_NODE = 40
RUNS_IN_A_NODE = 12
MENDING_CALLS = 30
"""A failed run is no longer what the work is about after so many calls without another run."""
OPEN_CHECKS = 16
NEAR = 3
"""How many nodes back a call may join a node of its stretch."""


def place(draft: Draft, step: Step) -> int:
    """Fold one step in and return the number of its own node."""
    facts = step.facts
    if facts.act is Act.PLAN or (facts.outcome is Outcome.DECLINED and draft.nodes):
        return _accompany(draft, step).k
    draft.since_failed += 1
    if draft.since_failed > MENDING_CALLS:
        draft.failing, draft.attempts = "", []
    return _PLACES[facts.act](draft, step).k


def _accompany(draft: Draft, step: Step) -> Node:
    tail = draft.tail
    if tail is None or tail.fold:
        return new(draft, step, "plan")
    return join(draft, len(draft.nodes) - 1, step, aside=True)


def _begin(draft: Draft, step: Step, act: str, *, deps: bool = False, turning: bool = False) -> Node:
    """Make a node, or take over a node in which so far only a plan was made."""
    tail = draft.tail
    if tail and not tail.fold and tail.act == "plan":
        place = len(draft.nodes) - 1
        draft.nodes[place] = replace(
            tail, deps=deps, turning=turning, stretch=draft.stretch, phase=draft.phase
        )
        return join(draft, place, step, act=act)
    return new(draft, step, act, deps=deps, turning=turning)


def _near(draft: Draft, *acts: str) -> int:
    """Return the place of the newest node of these acts in this stretch and phase, or -1."""
    for place in range(len(draft.nodes) - 1, max(-1, len(draft.nodes) - 1 - NEAR), -1):
        node = draft.nodes[place]
        if node.fold or node.stretch != draft.stretch or node.phase != draft.phase:
            return -1
        if node.act in acts and not node.deps and not node.given_up:
            return place
    return -1


def _look(draft: Draft, step: Step) -> Node:
    tail, last = draft.tail, len(draft.nodes) - 1
    here = tail is not None and not tail.fold and tail.phase == draft.phase
    beside = here and tail and tail.stretch == draft.stretch and tail.act in ("change", "fix")
    if tail and beside and (is_glance(step) or _shares(tail, step)):
        return join(draft, last, step, aside=True)
    if tail and here and is_glance(step) and tail.act in ("deliver", "verify") and tail.status == "done":
        return join(draft, last, step, aside=True)
    place = _near(draft, "explore")
    if place >= 0 and draft.nodes[place].calls < LOOKS_IN_A_NODE:
        return join(draft, place, step)
    return _begin(draft, step, "explore")


def _change(draft: Draft, step: Step) -> Node:
    if is_staging(step):
        return _stage(draft, step)
    failed = step.facts.outcome is Outcome.FAILED
    if not failed:
        draft.unproven = draft.ever_changed = True
    if is_dependency_work(step):
        for place in range(len(draft.nodes) - 1, -1, -1):
            if draft.nodes[place].deps and not draft.nodes[place].fold:
                return _settle(draft, join(draft, place, step), blocked=failed)
        return _settle(draft, _begin(draft, step, "change", deps=True), blocked=failed)
    if goes_back(step):
        return _go_back(draft, step)
    act = "fix" if draft.failing else "change"
    last = len(draft.nodes) - 1
    place = _near(draft, "change", "fix")
    if place >= 0 and _same_aim(draft.nodes[place], step):
        node = join(draft, place, step)
    elif last >= 0 and _near(draft, "explore") == last and _only_prepares(draft.nodes[last], step):
        reset(draft, last)
        node = join(draft, last, step, act=act)
    else:
        node = _begin(draft, step, act)
    return _settle(draft, node, blocked=bool(node.failures and not node.edits))


def _go_back(draft: Draft, step: Step) -> Node:
    """Mark the newest change that the step takes back as given up; the work is back at the node before it."""
    back = 0
    for place in range(len(draft.nodes) - 1, -1, -1):
        node = draft.nodes[place]
        if node.fold or node.phase != draft.phase or node.act == "deliver":
            break
        if node.act in ("change", "fix") and not node.given_up and (not paths(step) or _shares(node, step)):
            draft.nodes[place] = replace(node, given_up=True, status="blocked")
            back = draft.nodes[place - 1].hi if place else 0
            break
    node = _begin(draft, step, "change")
    draft.nodes[-1] = replace(draft.nodes[-1], back_to=back)
    draft.stretch += 1
    return node


def _check(draft: Draft, step: Step) -> Node:
    outcome = step.facts.outcome
    act = step.facts.act.value
    if outcome is Outcome.FAILED:
        return _failed_check(draft, step, act)
    if outcome is Outcome.OK:
        return _passed_check(draft, step, act)
    tail = draft.tail
    if tail and not tail.fold and tail.check and tail.check == check_of(step) and not tail.turning:
        node = join(draft, len(draft.nodes) - 1, step)
    else:
        node = _begin(draft, step, act)
    if outcome is Outcome.INTERRUPTED:
        draft.nodes[draft.index(node.k)] = replace(node, status="blocked")
    draft.stretch += 1
    return node


def _failed_check(draft: Draft, step: Step, act: str) -> Node:
    check = check_of(step)
    tail = draft.tail
    again = tail and not tail.fold and tail.check == check and tail.status == "blocked" and not tail.given_up
    if again:
        node = join(draft, len(draft.nodes) - 1, step)
    else:
        node = _begin(draft, step, act, turning=True)
        place = draft.index(node.k)
        draft.nodes[place] = replace(draft.nodes[place], status="blocked", check=check)
        draft.attempts = [*draft.attempts, node.k][-3:]
        fold_failed_attempts(draft)
    draft.open_checks.pop(check, None)
    draft.open_checks[check] = node.k
    while len(draft.open_checks) > OPEN_CHECKS:
        del draft.open_checks[next(iter(draft.open_checks))]
    draft.failing, draft.since_failed = check, 0
    draft.stretch += 1
    return node


def _passed_check(draft: Draft, step: Step, act: str) -> Node:
    check = check_of(step)
    mended = [name for name in draft.open_checks if covers(check, name)]
    for name in mended:
        del draft.open_checks[name]
    draft.unproven = False
    tail = draft.tail
    green = bool(tail and not tail.fold and tail.act in ("test", "verify") and tail.status == "done")
    if mended and not (green and tail and tail.turning):
        node = _begin(draft, step, act, turning=True)
        draft.failing, draft.attempts = "", []
    elif (
        tail
        and not tail.fold
        and not tail.turning
        and tail.act in ("test", "verify")
        and tail.status == "done"
    ):
        node = join(draft, len(draft.nodes) - 1, step, act=act if act == tail.act else "verify")
    else:
        node = _begin(draft, step, act)
    draft.stretch += 1
    return node


def _run(draft: Draft, step: Step) -> Node:
    failed = step.facts.outcome in (Outcome.FAILED, Outcome.INTERRUPTED)
    place = _near(draft, "run")
    if place >= 0:
        node = draft.nodes[place]
        similar = _similar(node, step)
        if node.status == "blocked" and similar:
            return _settle(draft, join(draft, place, step), blocked=failed)
        if node.status == "done" and not failed and (similar or node.calls < RUNS_IN_A_NODE):
            return join(draft, place, step)
    return _settle(draft, _begin(draft, step, "run"), blocked=failed)


def _settle(draft: Draft, node: Node, *, blocked: bool) -> Node:
    node = replace(node, status="blocked" if blocked else "done")
    draft.nodes[draft.index(node.k)] = node
    return node


def _deliver(draft: Draft, step: Step) -> Node:
    failed = step.facts.outcome is Outcome.FAILED
    tail = draft.tail
    if tail and not tail.fold and tail.act == "deliver" and tail.phase == draft.phase:
        node = join(draft, len(draft.nodes) - 1, step)
    else:
        node = _begin(draft, step, "deliver")
    if not failed:
        draft.unproven, draft.delivered = False, True
    draft.stretch += 1
    return _settle(draft, node, blocked=failed)


def _stage(draft: Draft, step: Step) -> Node:
    tail = draft.tail
    if tail and not tail.fold and tail.act == "deliver" and tail.phase == draft.phase:
        return join(draft, len(draft.nodes) - 1, step, aside=True)
    return _begin(draft, step, "deliver")


def _delegate(draft: Draft, step: Step) -> Node:
    failed = step.facts.outcome in (Outcome.FAILED, Outcome.INTERRUPTED)
    node = _settle(draft, _begin(draft, step, "delegate"), blocked=failed)
    draft.stretch += 1
    return node


def _ask(draft: Draft, step: Step) -> Node:
    tail = draft.tail
    if tail and not tail.fold and tail.act == "ask" and tail.phase == draft.phase:
        return join(draft, len(draft.nodes) - 1, step)
    return _begin(draft, step, "ask")


def _shares(node: Node, step: Step) -> bool:
    known = {name for name, _ in node.objects}
    return any(name in known for name in paths(step) or names(step))


def _same_aim(node: Node, step: Step) -> bool:
    """Edits are of one aim while a node is small, or when they stay in its files or folders."""
    if node.act == "fix" or node.edits < 6 or _shares(node, step):
        return True
    return bool(
        {folder(name) for name, _ in node.objects if is_path(name)} & {folder(path) for path in paths(step)}
    )


def _only_prepares(node: Node, step: Step) -> bool:
    """A few reads of the very files that are then edited belong to the edit."""
    read = {name for name, _ in node.objects if is_path(name)}
    return node.calls <= 4 and bool(read) and not node.more_objects and read <= paths(step)


def _similar(node: Node, step: Step) -> bool:
    return node.call.split(" ")[:1] == step.tool_call.split(" ")[:1] or _shares(node, step)


_PLACES: dict[Act, Callable[[Draft, Step], Node]] = {
    Act.EXPLORE: _look,
    Act.CHANGE: _change,
    Act.TEST: _check,
    Act.VERIFY: _check,
    Act.RUN: _run,
    Act.DELIVER: _deliver,
    Act.DELEGATE: _delegate,
    Act.ASK: _ask,
}
