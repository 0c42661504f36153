"""What the demo's agent writes: two fixes, of which the first is wrong, and a small feature with its test."""

from __future__ import annotations

TRUNCATING = 'total += int(number * 60) if unit == "h" else int(number)'
ROUNDING = 'total += round(number * 60) if unit == "h" else round(number)'

IMPORTS_BEFORE = "import re\n\n_PART"
IMPORTS_AFTER = "import re\nfrom decimal import ROUND_HALF_UP, Decimal\n\n_PART"

BODY_BEFORE = f"""\
    total = 0
    for amount, unit in parts:
        number = float(amount.replace(",", "."))
        {ROUNDING}
    return total
"""
BODY_AFTER = """\
    total = Decimal(0)
    for amount, unit in parts:
        number = Decimal(amount.replace(",", "."))
        total += number * 60 if unit == "h" else number
    # Decimal, since 2.05 * 60 is 122.99… in binary; half up, since round() goes to the even minute.
    return int(total.quantize(Decimal(1), rounding=ROUND_HALF_UP))
"""

TEST_TOTALS = """\
import unittest

from hourly.sheet import Entry
from hourly.totals import totals_by_client


def worked(client, duration):
    return Entry(1, "2026-03-02", "ada", client, duration, 0)


class TotalsByClient(unittest.TestCase):
    def test_the_largest_total_comes_first(self):
        entries = [worked("Small", "15m"), worked("Large", "2h"), worked("Small", "0.5h")]
        self.assertEqual(totals_by_client(entries), [("Large", 120, 1), ("Small", 45, 2)])

    def test_clients_with_equal_totals_come_by_name(self):
        entries = [worked("B", "1h"), worked("A", "60m")]
        self.assertEqual(totals_by_client(entries), [("A", 60, 1), ("B", 60, 1)])

    def test_no_entries_have_no_totals(self):
        self.assertEqual(totals_by_client([]), [])


if __name__ == "__main__":
    unittest.main()
"""

TOTALS = '''\
"""What to bill each client."""

from collections import Counter


def totals_by_client(entries):
    """Return (client, minutes, entries) for each client, the largest total first."""
    minutes, count = Counter(), Counter()
    for entry in entries:
        minutes[entry.client] += entry.minutes
        count[entry.client] += 1
    return sorted(
        ((client, minutes[client], count[client]) for client in minutes),
        key=lambda row: (-row[1], row[0]),
    )
'''

MAIN_IMPORTS_BEFORE = "from hourly.sheet import differing, read_sheet\n"
MAIN_IMPORTS_AFTER = MAIN_IMPORTS_BEFORE + "from hourly.totals import totals_by_client\n"
MAIN_COMMANDS_BEFORE = 'COMMANDS = {"import": log_import, "check": check}\n'
MAIN_COMMANDS_AFTER = """\
def totals(path):
    for client, minutes, count in totals_by_client(read_sheet(path)):
        print(f"{client:<20} {format_minutes(minutes):>8} in {count} entries")


COMMANDS = {"import": log_import, "check": check, "totals": totals}
"""
README_BEFORE = "compare with the sheet's own minutes\n"
README_AFTER = README_BEFORE + "    python -m hourly totals sheets/2026-02.csv     what to bill each client\n"
