"""The small project the demo works on: a time sheet reader with a real fault in it, and its tests."""

from __future__ import annotations

from pathlib import Path

README = """\
# hourly

Reads time sheets and says how many minutes to bill.

    python -m hourly import sheets/2026-03.csv     log how each entry was read
    python -m hourly check sheets/2026-03.csv      compare with the sheet's own minutes

A duration is written `1h30m`, `45m`, `2h` or `2.05h`. The rounding agreed with the clients is in `billing.toml`.
Tests: `python -m unittest -v`.
"""

BILLING = """\
[rounding]
# Agreed with the clients: half a minute or more counts as a minute.
minutes = "half_up"

[currency]
code = "EUR"
digits = 2
"""

DURATIONS = '''\
"""Durations as people write them on a time sheet."""

import re

_PART = re.compile(r"(\\d+(?:[.,]\\d+)?)\\s*(h|m)")


class DurationError(ValueError):
    """The text is not a duration."""


def parse_minutes(text):
    """Return the whole minutes of a duration such as "1h30m", "45m" or "2.05h"."""
    parts = _PART.findall(text.lower())
    if not parts:
        raise DurationError(f"not a duration: {text!r}")
    total = 0
    for amount, unit in parts:
        number = float(amount.replace(",", "."))
        total += int(number * 60) if unit == "h" else int(number)
    return total


def format_minutes(minutes):
    """Return minutes as hours and minutes: 95 is "1h35m"."""
    hours, rest = divmod(minutes, 60)
    return f"{hours}h{rest:02d}m" if hours else f"{rest}m"
'''

SHEET = '''\
"""Time sheets: CSV files with a line for each piece of work."""

import csv
from dataclasses import dataclass

from hourly.durations import parse_minutes

COLUMNS = ["date", "person", "client", "duration", "minutes"]


@dataclass(frozen=True)
class Entry:
    """One piece of work."""

    number: int
    date: str
    person: str
    client: str
    duration: str
    stated_minutes: int

    @property
    def minutes(self):
        return parse_minutes(self.duration)


def read_sheet(path):
    """Yield the entries of a sheet, numbered from 1."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream)
        if rows.fieldnames != COLUMNS:
            raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}")
        for number, row in enumerate(rows, 1):
            yield Entry(
                number=number,
                date=row["date"],
                person=row["person"],
                client=row["client"],
                duration=row["duration"],
                stated_minutes=int(row["minutes"]),
            )


def differing(entries):
    """Return the entries whose duration is not what the sheet itself states in minutes."""
    return [entry for entry in entries if entry.minutes != entry.stated_minutes]
'''

MAIN = '''\
"""The command line: python -m hourly COMMAND FILE."""

import sys

from hourly.durations import format_minutes
from hourly.sheet import differing, read_sheet


def log_import(path):
    day, total = None, 0
    for entry in read_sheet(path):
        if day not in (None, entry.date):
            print(f"{day} INFO  hourly.import day closed with {format_minutes(total)}")
            total = 0
        day, total = entry.date, total + entry.minutes
        print(
            f"{entry.date} DEBUG hourly.import entry {entry.number:04d} {entry.person} / {entry.client}: "
            f"{entry.duration!r} read as {entry.minutes} min"
        )
        if entry.minutes != entry.stated_minutes:
            print(
                f"{entry.date} WARN  hourly.import entry {entry.number:04d} {entry.duration!r}: "
                f"the sheet states {entry.stated_minutes} min, read {entry.minutes}"
            )
    print(f"{day} INFO  hourly.import day closed with {format_minutes(total)}")


def check(path):
    entries = list(read_sheet(path))
    wrong = differing(entries)
    missing = sum(entry.stated_minutes - entry.minutes for entry in wrong)
    print(f"{len(wrong)} of {len(entries)} entries differ, {missing} minutes are missing")
    return 1 if wrong else 0


COMMANDS = {"import": log_import, "check": check}


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in COMMANDS:
        print(f"usage: python -m hourly {{{','.join(COMMANDS)}}} FILE", file=sys.stderr)
        return 2
    return COMMANDS[arguments[0]](arguments[1]) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

TEST_DURATIONS = """\
import unittest

from hourly.durations import DurationError, format_minutes, parse_minutes


class ParseMinutes(unittest.TestCase):
    def test_hours_and_minutes(self):
        self.assertEqual(parse_minutes("1h30m"), 90)
        self.assertEqual(parse_minutes("3h 20m"), 200)

    def test_minutes_alone(self):
        self.assertEqual(parse_minutes("45m"), 45)

    def test_quarters_of_an_hour(self):
        self.assertEqual(parse_minutes("2.25h"), 135)
        self.assertEqual(parse_minutes("0,5h"), 30)

    def test_hundredths_of_an_hour(self):
        self.assertEqual(parse_minutes("2.05h"), 123)

    def test_half_a_minute_counts_as_one(self):
        self.assertEqual(parse_minutes("0.075h"), 5)

    def test_other_text_is_refused(self):
        with self.assertRaises(DurationError):
            parse_minutes("all day")


class FormatMinutes(unittest.TestCase):
    def test_hours_and_minutes(self):
        self.assertEqual(format_minutes(95), "1h35m")
        self.assertEqual(format_minutes(5), "5m")


if __name__ == "__main__":
    unittest.main()
"""

TEST_SHEET = """\
import unittest

from hourly.sheet import Entry, differing


def entry(duration, minutes):
    return Entry(1, "2026-03-02", "ada", "Bakery Holm", duration, minutes)


class Differing(unittest.TestCase):
    def test_an_entry_that_agrees_is_left_out(self):
        self.assertEqual(differing([entry("1h30m", 90)]), [])

    def test_an_entry_that_does_not_is_named(self):
        wrong = entry("1h30m", 91)
        self.assertEqual(differing([wrong]), [wrong])


if __name__ == "__main__":
    unittest.main()
"""

_DURATIONS = {
    "1h30m": 90,
    "45m": 45,
    "2h": 120,
    "2.05h": 123,
    "20m": 20,
    "3h 20m": 200,
    "2.25h": 135,
    "0.075h": 5,
    "1h05m": 65,
    "0.5h": 30,
    "15m": 15,
}
_PEOPLE = ("ada", "grace", "linus")
_CLIENTS = ("Bakery Holm", "Nordlicht Energie", "City Library", "Orchard & Sons", "Studio Kvist")
_ENTRIES = 264
_ENTRIES_A_DAY = 12


def write_project(folder: Path) -> None:
    """Write the project's files into a new folder."""
    files = {
        "README.md": README,
        "billing.toml": BILLING,
        "hourly/__init__.py": '"""Time sheets in, minutes to bill out."""\n',
        "hourly/__main__.py": MAIN,
        "hourly/durations.py": DURATIONS,
        "hourly/sheet.py": SHEET,
        "tests/__init__.py": "",
        "tests/test_durations.py": TEST_DURATIONS,
        "tests/test_sheet.py": TEST_SHEET,
        "sheets/2026-02.csv": _sheet("2026-02", first=5),
        "sheets/2026-03.csv": _sheet("2026-03", first=0),
        ".gitignore": "__pycache__/\nimport.log\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _sheet(month: str, *, first: int) -> str:
    durations = list(_DURATIONS.items())
    rows = ["date,person,client,duration,minutes"]
    for number in range(first, first + _ENTRIES):
        duration, minutes = durations[(number * 7 + number // 11) % len(durations)]
        person = _PEOPLE[number % len(_PEOPLE)]
        client = _CLIENTS[(number * 3 + number // 7) % len(_CLIENTS)]
        rows.append(f"{month}-{2 + number // _ENTRIES_A_DAY:02d},{person},{client},{duration},{minutes}")
    return "\n".join(rows) + "\n"
