"""How many tests passed and failed, in the words of each common runner."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A runner's own count."""

    passed: int | None = None
    failed: int | None = None
    """Failures and errors together."""
    skipped: int | None = None
    seconds: str = ""
    unit: str = "test"
    """What is counted: `test`, or `package` where a runner only names packages."""
    says_failed: bool = False
    """The runner said in words that the run failed."""
    says_passed: bool = False
    """The runner said in words that the run passed."""

    counted: bool = False
    """The lines were counted, there was no sum to read: in a part of a log the numbers are too small."""

    @property
    def clean(self) -> bool:
        """Whether the runner itself says that something passed and nothing failed."""
        return not self.failed and not self.says_failed and (bool(self.passed) or self.says_passed)


def read_counts(lines: list[str]) -> Counts | None:
    """Return the runner's count from an output's lines, or None when no known runner speaks in them."""
    for reader in _READERS:
        counts = reader(lines)
        if counts is not None:
            return counts
    return None


_PYTEST = re.compile(r"(?:=+ )?((?:\d{1,9} [a-z]{4,20}, )*\d{1,9} (?:passed|failed|errors?|skipped|xfailed|"
                     r"xpassed|deselected|warnings?)"
                     r"(?:, \d{1,9} [a-z]{4,20})*) in ([\d.:]{1,20}) ?s?")  # fmt: skip
_PYTEST_NONE = re.compile(r"(?:=+ )?no tests ran in ")
_WORD_COUNT = re.compile(r"(\d{1,9}) ([a-z]{4,20})")


def _pytest(lines: list[str]) -> Counts | None:
    for line in reversed(lines[-400:]):
        found = _PYTEST.match(line[:300])
        if found:
            words = _WORD_COUNT.findall(found[1])
            amount = {
                name: sum(int(n) for n, word in words if word.startswith(name))
                for name in ("passed", "failed", "error", "skipped")
            }
            return Counts(
                passed=amount["passed"],
                failed=amount["failed"] + amount["error"],
                skipped=amount["skipped"],
                seconds=found[2],
            )
        if _PYTEST_NONE.match(line[:100]):
            return Counts(passed=0, failed=0)
    return _pytest_dots(lines)


_DOTS = re.compile(r"(?:\S{1,300} )?([.FEsxX]{1,200})\s{0,200}\[ ?(\d{1,3})%\]\s{0,4}$")


def _pytest_dots(lines: list[str]) -> Counts | None:
    marks = [found[1] for line in lines if (found := _DOTS.match(line[:500]))]
    if not marks:
        return None
    every = "".join(marks)
    done = any("[100%]" in line for line in lines)
    failed = every.count("F") + every.count("E")
    return Counts(
        passed=every.count("."),
        failed=failed,
        skipped=every.count("s"),
        says_passed=done and not failed,
        counted=True,
    )


_RAN = re.compile(r"Ran (\d{1,9}) tests? in ([\d.]{1,20})s")
_UNITTEST_END = re.compile(r"(OK|FAILED)(?: \((.{1,200})\))?\s*$")
_NAMED = re.compile(r"(\w[\w ]{1,30})=(\d{1,9})")


def _unittest(lines: list[str]) -> Counts | None:
    ran = next((found for line in reversed(lines) if (found := _RAN.match(line[:100]))), None)
    if ran is None:
        return None
    end = next((found for line in reversed(lines) if (found := _UNITTEST_END.match(line[:300]))), None)
    named = {name.strip(): int(number) for name, number in _NAMED.findall(end[2] or "")} if end else {}
    failed = named.get("failures", 0) + named.get("errors", 0) + named.get("unexpected successes", 0)
    skipped = named.get("skipped", 0)
    bad = bool(end and end[1] == "FAILED")
    passed = int(ran[1]) - failed - skipped if end else None
    return Counts(
        passed=passed, failed=failed if end else None, skipped=skipped, seconds=ran[2], says_failed=bad
    )


_GO_OK = re.compile(r"ok\s{1,20}(\S{1,400})\s")
_GO_TIME = re.compile(r"\t([\d.]{1,12})s\b")
_GO_FAIL = re.compile(r"FAIL\s{1,20}(\S{1,400})(?:\s|$)")
_GO_CASE = re.compile(r"\s{0,40}--- (PASS|FAIL|SKIP): (\S{1,300})")


def _go(lines: list[str]) -> Counts | None:
    cases: dict[str, set[str]] = {"PASS": set(), "FAIL": set(), "SKIP": set()}
    ok = bad = 0
    seconds = ""
    for line in lines:
        short = line[:400]
        if "--- " in short and (found := _GO_CASE.match(short)):
            cases[found[1]].add(found[2])
        elif short.startswith("ok") and _GO_OK.match(short + " "):
            ok += "[no tests to run]" not in short
            took = _GO_TIME.search(short)
            seconds = took[1] if took and ok == 1 and not bad else ""
        elif short.startswith("FAIL\t") or (
            short.startswith("FAIL ") and _GO_FAIL.match(short) and "/" in short
        ):
            bad += 1
    said = bad > 0 or any(line.rstrip() == "FAIL" for line in lines)
    if any(cases.values()):
        failing = _leaves(cases["FAIL"])
        counted = bool(cases["PASS"]) or not ok
        return Counts(
            passed=len(_leaves(cases["PASS"])) if counted else None,
            failed=len(failing) or (1 if said else 0),
            skipped=len(cases["SKIP"]),
            says_failed=said or bool(failing),
            says_passed=ok > 0 or any(line.rstrip() == "PASS" for line in lines),
            counted=True,
        )
    if ok or bad or any("[no tests to run]" in line for line in lines):
        return Counts(passed=ok, failed=bad, seconds=seconds, unit="package", says_failed=said, counted=True)
    return None


def _leaves(names: set[str]) -> set[str]:
    parents = {name.rsplit("/", cut)[0] for name in names for cut in range(1, name.count("/") + 1)}
    return names - parents


_JEST = re.compile(r"\s{0,8}Tests:?\s{1,8}(.{1,200})$")
_JEST_PART = re.compile(r"(\d{1,9}) (passed|failed|skipped|todo|pending|errors?)")


def _jest(lines: list[str]) -> Counts | None:
    for line in reversed(lines):
        found = _JEST.match(line[:300])
        parts = {word: int(number) for number, word in _JEST_PART.findall(found[1])} if found else {}
        if parts:
            suites = any(
                re.match(r"\s{0,8}Test (?:Suites|Files):?\s{1,8}\d{1,9} failed", other[:200])
                for other in lines
            )
            return Counts(
                passed=parts.get("passed", 0),
                failed=parts.get("failed", 0),
                skipped=parts.get("skipped"),
                says_failed=suites,
            )
    return None


_MOCHA = re.compile(r"\s{0,8}(\d{1,9}) (passing|failing|pending)(?: \(([^)]{1,20})\))?\s*$")


def _mocha(lines: list[str]) -> Counts | None:
    parts = {found[2]: int(found[1]) for line in lines if (found := _MOCHA.match(line[:100]))}
    if "passing" not in parts and "failing" not in parts:
        return None
    return Counts(
        passed=parts.get("passing", 0), failed=parts.get("failing", 0), skipped=parts.get("pending")
    )


_CARGO = re.compile(r"test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored")


def _cargo(lines: list[str]) -> Counts | None:
    found = [hit for line in lines if (hit := _CARGO.match(line[:200]))]
    if not found:
        return None
    passed, failed, skipped = (sum(int(hit[group]) for hit in found) for group in (2, 3, 4))
    return Counts(
        passed=passed, failed=failed, skipped=skipped, says_failed=any(hit[1] == "FAILED" for hit in found)
    )


_NEXTEST = re.compile(
    r"\s{0,8}Summary \[.{1,40}\] (\d{1,9}) tests? run: (\d{1,9}) passed(?:.{0,60}?(\d{1,9}) failed)?"
)
_JUNIT = re.compile(
    r"(?:\[\w{1,10}\] )?Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9})(?:, Skipped: (\d{1,9}))?(.{0,200})"
)
_GRADLE = re.compile(r"(\d{1,9}) tests? completed, (\d{1,9}) failed")


def _java(lines: list[str]) -> Counts | None:
    hits = [hit for line in lines if (hit := _JUNIT.match(line[:400]))]
    if hits:
        totals = [hit for hit in hits if "Time elapsed" not in hit[5] and " in " not in hit[5]] or hits
        total = max(totals, key=lambda hit: int(hit[1]))
        failed, skipped = int(total[2]) + int(total[3]), int(total[4] or 0)
        return Counts(passed=int(total[1]) - failed - skipped, failed=failed, skipped=skipped)
    for line in lines:
        found = _GRADLE.match(line[:200])
        if found:
            return Counts(passed=int(found[1]) - int(found[2]), failed=int(found[2]), says_failed=True)
    return None


def _nextest(lines: list[str]) -> Counts | None:
    found = next((hit for line in lines if (hit := _NEXTEST.match(line[:300]))), None)
    return Counts(passed=int(found[2]), failed=int(found[3] or 0)) if found else None


_RSPEC = re.compile(r"(\d{1,9}) (?:examples?|runs|tests|doctests?)(?:, \d{1,9} (?:tests?|doctests?|assertions|"
                    r"properties|excluded))*, "
                    r"(?:\d{1,9} assertions, )?(\d{1,9}) failures?(?:, (\d{1,9}) errors?(?! "
                    r"))?(?:.{0,40}?(\d{1,9}) (?:pending|skip))?")  # fmt: skip


def _rspec(lines: list[str]) -> Counts | None:
    for line in reversed(lines):
        found = _RSPEC.search(line[:300]) if "failure" in line[:300] else None
        if found and not line.startswith("Tests run"):
            failed = int(found[2]) + int(found[3] or 0)
            leading = re.match(
                r"(?:(\d{1,9}) doctests?, )?(?:(\d{1,9}) propert\w+, )?(\d{1,9}) tests?, ", line
            )
            total = sum(int(n or 0) for n in leading.groups()) if leading else int(found[1])
            return Counts(
                passed=max(total - failed - int(found[4] or 0), 0), failed=failed, skipped=int(found[4] or 0)
            )
    return None


_PHP_OK = re.compile(r"OK \((\d{1,9}) tests?, \d{1,9} assertions?\)")
_PHP_BAD = re.compile(r"Tests: (\d{1,9}), Assertions: \d{1,9}(.{0,200})")


def _phpunit(lines: list[str]) -> Counts | None:
    for line in lines:
        found = _PHP_OK.match(line[:100])
        if found:
            return Counts(passed=int(found[1]), failed=0)
        found = _PHP_BAD.match(line[:300])
        if found:
            failed = sum(int(n) for n in re.findall(r"(?:Failures|Errors): (\d{1,9})", found[2]))
            return Counts(passed=int(found[1]) - failed, failed=failed)
    return None


_CTEST = re.compile(r"\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})")
_GTEST = re.compile(r"\[  (PASSED|FAILED)  \] (\d{1,9}) tests?")
_DOTNET = re.compile(
    r"(?:Passed!|Failed!)\s{1,4}-\s{1,4}Failed:\s{1,8}(\d{1,9}), Passed:\s{1,8}(\d{1,9}), Skipped:\s{1,8}(\d{1,9})"
)


def _native(lines: list[str]) -> Counts | None:
    gtest: dict[str, int] = {}
    for line in lines:
        short = line[:200]
        if found := _CTEST.match(short):
            return Counts(passed=int(found[2]) - int(found[1]), failed=int(found[1]))
        if found := _DOTNET.match(short.strip()):
            return Counts(passed=int(found[2]), failed=int(found[1]), skipped=int(found[3]))
        if found := _GTEST.match(short):
            gtest.setdefault(found[1], int(found[2]))
    return Counts(passed=gtest.get("PASSED", 0), failed=gtest.get("FAILED", 0)) if gtest else None


_LIST = re.compile(
    r"\s{0,8}(\d{1,9}) (pass(?:ed)?|fail(?:ed)?|skip(?:ped)?|flaky)(?: \([\d.]{1,9}m?s\))?\s*$"
)
_DENO = re.compile(r"(?:ok|FAILED) \| (\d{1,9}) passed(?: \([^)]{1,40}\))? \| (\d{1,9}) failed")


def _listed(lines: list[str]) -> Counts | None:
    found = {hit[2][:4]: int(hit[1]) for line in lines[-40:] if (hit := _LIST.match(line[:100]))}
    if "pass" in found or "fail" in found:
        return Counts(passed=found.get("pass", 0), failed=found.get("fail", 0), skipped=found.get("skip"))
    deno = next((hit for line in lines[-10:] if (hit := _DENO.match(line[:200]))), None)
    return Counts(passed=int(deno[1]), failed=int(deno[2])) if deno else None


_NODE = re.compile(r"(?:#|ℹ) (pass|fail|skipped) (\d{1,9})\s*$")
_TAP = re.compile(r"\s{0,20}(not ok|ok) \d{1,9}\b(.{0,200})")


def _tap(lines: list[str]) -> Counts | None:
    said = {found[1]: int(found[2]) for line in lines if (found := _NODE.match(line[:60]))}
    if "pass" in said or "fail" in said:
        return Counts(passed=said.get("pass", 0), failed=said.get("fail", 0), skipped=said.get("skipped"))
    hits = [found for line in lines if (found := _TAP.match(line[:300]))]
    if not hits or not (
        len(hits) > 1 or any(re.match(r"\d{1,6}\.\.\d{1,6}|TAP version", line) for line in lines)
    ):
        return None
    failed = sum(hit[1] == "not ok" and "# TODO" not in hit[2] for hit in hits)
    return Counts(passed=sum(hit[1] == "ok" for hit in hits), failed=failed, counted=True)


_READERS: tuple[Callable[[list[str]], Counts | None], ...] = (
    _unittest, _cargo, _nextest, _jest, _mocha, _java, _rspec, _phpunit, _native, _tap, _go, _pytest, _listed,
)  # fmt: skip
