"""The levels of compression and how deep each goes, as shares of the context window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set; the defaults are those that other implementations of the pattern use."""

    mild_ratio: float = 0.5
    """From here on results are replaced however few they are."""
    aggressive_ratio: float = 0.85
    """From here on whole exchanges go."""
    aggressive_delete_ratio: float = 0.4
    """How much goes at once, as a share of the window: few deep steps cost less than many."""
    emergency_ratio: float = 0.95
    emergency_target_ratio: float = 0.6
    mmd_max_token_ratio: float = 0.2
    """The most that canvases may take."""
    system_overhead_ratio: float = 0.12
    """What is sent beside the messages (system prompt, tools), where the client does not say."""

    def __post_init__(self) -> None:
        if not self.mild_ratio <= self.aggressive_ratio <= self.emergency_ratio:
            raise ValueError(
                "The levels of compression must not be in another order: OFFLOAD_MILD_OFFLOAD_RATIO is "
                f"{self.mild_ratio}, OFFLOAD_AGGRESSIVE_COMPRESS_RATIO {self.aggressive_ratio} and "
                f"OFFLOAD_EMERGENCY_COMPRESS_RATIO {self.emergency_ratio}."
            )
        if self.emergency_target_ratio >= self.emergency_ratio:
            raise ValueError(
                f"OFFLOAD_EMERGENCY_TARGET_RATIO is {self.emergency_target_ratio}. Set it below "
                f"OFFLOAD_EMERGENCY_COMPRESS_RATIO, which is {self.emergency_ratio}."
            )


# A provider bills what it has cached at a tenth and what is new at a quarter more. So a result is replaced as soon as
# it is no longer among the newest: then little stands behind it that is written anew, and nothing before it changes.
# Measured on recorded sessions: steps that wait longer, and longer tails, cost more.
TURNS = 20
"""Turns that a session is taken to go on for,"""
PRESSED = 3
"""and how many times as many where the window is filling."""
STUB_TOKENS = 65
"""What a stub takes without the strings it keeps, about."""
TAIL_SHARE = 0.0
"""The newest messages up to this share of the window stay as they are,"""
TAIL_RESULTS = 1
"""and at least so many results."""
STRINGS_SHARE = 0.1
"""The most of the window that the strings of exchanges that went may take."""
CANVAS_SHARE = 0.5
"""Of what canvases may take, the part that is used when exchanges go; more comes when more go."""
TOLD = 100
"""How many of our messages that tell what went are known as ours."""
LEAST_TOKENS = 40
"""Smaller results are never replaced."""
LEAST_INPUT_TOKENS = 60
"""Smaller values of a call's input are never replaced."""
RESULT_BUDGET, INPUT_BUDGET = 320, 60
"""The most tokens of strings that a stub keeps,"""
BUDGET_SHARE = 0.14
"""and the most as a share of what it stands for."""
