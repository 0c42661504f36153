"""Playing recorded sessions through compression and through what others do."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.loader import render_to_string
from tqdm import tqdm

from pipelines.l3.weights import Counter
from pipelines.replay import report
from pipelines.replay.chart import chart
from pipelines.replay.play import Pricing, Scale, fitting_window, play
from pipelines.replay.policies import Clearing, Masking, Ours, Policy, Untouched
from pipelines.replay.recordings import NoRecording, Recording, recordings

FEWEST_TURNS = 2
PRICES = {"claude-opus": 5.0, "claude-sonnet": 3.0, "claude-haiku": 1.0, "gpt-5": 1.25, "gpt-4o": 2.5}
PRICES_OF = "December 2025"
"""When these were the list prices of a million input tokens, in US dollars."""


class Command(BaseCommand):
    help = (
        "Play recorded sessions turn by turn, as a client would send them, and say what input tokens, money and "
        "recall come to: for the list as it is, for clearing and masking as others do it, and for compression here. "
        "No model is asked and nothing is stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines or JSON of any agent")
        parser.add_argument(
            "--window",
            type=_positive,
            metavar="N",
            help="tokens of the context (default: one the session outgrows)",
        )
        parser.add_argument(
            "--model", choices=sorted(PRICES), default="claude-sonnet", help=f"prices of {PRICES_OF}"
        )
        parser.add_argument("--price", type=float, metavar="USD", help="of a million input tokens, instead")
        parser.add_argument("--read", type=float, default=0.1, help="share of the price for cached tokens")
        parser.add_argument("--write", type=float, default=1.25, help="share of the price for others")
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--html", metavar="OUT", help="write a page with the tokens of each turn")
        shape.add_argument("--json", action="store_true", help="print JSON, with the tokens of each turn")
        shape.add_argument("--markdown", action="store_true", help="print the totals as a Markdown table")

    def handle(self, *args: Any, **options: Any) -> None:
        price = PRICES[options["model"]] if options["price"] is None else options["price"]
        pricing = Pricing(read=options["read"], write=options["write"])
        scale = Scale(Counter())
        found = [one for name in options["files"] for one in _recordings(name)]
        sessions = [
            self._played(recording, options["window"] or fitting_window(recording, scale), scale, pricing)
            for recording in found
        ]
        if options["json"]:
            told = {
                "sessions": [report.session_data(one, price=price) for one in sessions],
                "totals": report.totals(sessions, price=price),
            }
            self.stdout.write(json.dumps(told))
            return
        if options["html"]:
            _write_page(Path(options["html"]), sessions, pricing, price)
            self.stdout.write(f"{options['html']} shows the tokens of each turn.")
            return
        table = [list(report.HEAD), *report.total_rows(sessions, price=price)]
        if options["markdown"]:
            self.stdout.write("\n".join(report.markdown(table)))
            return
        for session in sessions:
            raw = session.played[0]
            self.stdout.write(f"{session.name}: {raw.turns} turns, window {raw.window}")
            rows = [list(report.HEAD), *report.rows(session, price=price)]
            self.stdout.write("\n".join(report.aligned(rows)) + "\n")
        if len(sessions) > 1:
            self.stdout.write(f"mean of {len(sessions)} sessions; money, invalid and over are sums")
            self.stdout.write("\n".join(report.aligned(table)))

    def _played(self, recording: Recording, window: int, scale: Scale, pricing: Pricing) -> report.Session:
        ways = policies(window, scale)
        turns = len(recording.turns) * len(ways)
        with tqdm(total=turns, desc=recording.name[-40:], unit="turn", disable=None, leave=False) as bar:
            played = [
                play(
                    recording,
                    make(),
                    name=name,
                    window=window,
                    scale=scale,
                    pricing=pricing,
                    after_turn=bar.update,
                )
                for name, make in ways.items()
            ]
        return report.Session(name=recording.name, played=played)


def _write_page(path: Path, sessions: Sequence[report.Session], pricing: Pricing, price: float) -> None:
    """Write a page that stands by itself: the curves, and the figures as tables."""
    shown = [
        {"name": one.name, "chart": chart(one.played), "rows": report.rows(one, price=price)}
        for one in sessions
    ]
    context = {
        "sessions": shown,
        "head": report.HEAD,
        "totals": report.total_rows(sessions, price=price),
        "pricing": pricing,
    }
    try:
        path.write_text(render_to_string("replay/page.html", context), encoding="utf-8", errors="replace")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None


def policies(window: int, scale: Scale) -> dict[str, Callable[[], Policy]]:
    """Return the ways that are compared, by name."""
    return {
        report.UNTOUCHED: Untouched,
        "clearing": lambda: Clearing(window, scale.weigh),
        "masking": Masking,
        "ours": lambda: Ours(window, scale.counter, settings.OFFLOAD_COMPRESSION),
    }


def _positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens")
    return int(text)


def _recordings(name: str) -> list[Recording]:
    try:
        found = recordings(Path(name).name, Path(name).read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}") from None
    except NoRecording as error:
        raise CommandError(f"{error}.") from None
    played = [one for one in found if len(one.turns) >= FEWEST_TURNS]
    if not played:
        raise CommandError(f"{name} has fewer than {FEWEST_TURNS} turns of a model.")
    return played
