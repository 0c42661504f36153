"""The levels of compression and how deep each goes, as shares of the context window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set; the defaults are those that other implementations of the pattern use."""

    mild_ratio: float = 0.5
    """From here on everything that can be replaced is, whatever it costs."""
    aggressive_ratio: float = 0.85
    """From here on whole exchanges go."""
    aggressive_delete_ratio: float = 0.4
    """The share of the list's tokens that goes with them."""
    emergency_ratio: float = 0.95
    emergency_target_ratio: float = 0.6
    mmd_max_token_ratio: float = 0.2
    """The most that canvases may take."""
    system_overhead_ratio: float = 0.12
    """What is sent beside the messages (system prompt, tools), where the client does not say."""


# When rewriting pays, at a tenth of the price for what is cached and a quarter more for what is new: measured on
# recorded sessions. A step replaces all results but the newest at once; then nothing before them changes again.
READ_PRICE, WRITE_PRICE = 0.1, 1.25
"""What a token costs that the provider reads from its cache, and one that it writes there."""
TAKEN_OUT = 0.75
"""The share of what is replaced that is gone then."""
LEAST_TURNS, MOST_TURNS = 6, 40
"""Turns that a session is taken to go on for: as many as there were, within these."""
STEP_TOKENS = 400
"""The least that a step must take out."""
MILD_SOONER = 1.5
"""From the mild ratio on, a step counts for so many times more turns."""
TAIL_SHARE = 0.04
"""The newest messages up to this share of the window stay as they are,"""
TAIL_RESULTS = 1
"""and at least so many results."""
STRINGS_SHARE = 0.1
"""The most of the window that the strings of exchanges that went may take."""
FORGET_DEEPER = 0.7
"""Exchanges go until the list is this far below the ratio at which they begin to."""
CANVAS_SHARE = 0.5
"""Of what canvases may take, the part that is used when exchanges go; more comes when more go."""
LEAST_TOKENS = 40
"""Smaller results are never replaced."""
LEAST_INPUT_TOKENS = 60
"""Smaller values of a call's input are never replaced."""
RESULT_BUDGET, INPUT_BUDGET = 200, 60
"""The most tokens of strings that a stub keeps,"""
BUDGET_SHARE = 0.25
"""and the most as a share of what it stands for."""
