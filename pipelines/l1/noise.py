"""Lines that every run prints and nobody needs."""

from __future__ import annotations

import re

_NOISE = re.compile(
    r"\s*(?:Debugger attached\.|Waiting for the debugger|(?:bash|sh): line \d+: warning: here-document|"
    r"> @?[\w./-]{1,100}@\S{1,40} \S|npm (?:warn|WARN|notice)|\[notice\]|WARNING: (?:Running pip|You are using pip)|"
    r"Running as user|Reading package lists|Building dependency tree|Reading state information|"
    r"Defaulting to user installation|Requirement already satisfied|Collecting \S|Downloading |Using cached |"
    r"\s*Preparing metadata|\s*Getting requirements|\s*Installing build|Progress: |\s*\d{1,3}%\||"
    r"Compiling \d+ files? \(|Generated \S+ app|==> \S+$|Running setup for|Getting extensions in|"
    r"Running ExUnit with seed|=== (?:RUN|PAUSE|CONT|NAME) |Error in the js-debug bootloader|"
    r"platform \w+ -- Python|cachedir: |rootdir: |plugins: |configfile: |collecting \.\.\.|"
    r"REMINDER: You MUST|Here's the result of running `cat -n`|\[\w[\w:-]{0,30}\] \$ |<NOTE>|"
    r"npm error (?:code|path|errno|workspace|location)\b|hint: |npm error A complete log|"
    r"[-=_*~#+.\s─━═]{3,}$|```\w{0,12}$|Command exited with code \d{1,5}$)"
)
_SCRIPT_HEADING = re.compile(r"\s*> (?:@?[\w./-]{1,100}@\S{1,40} \S|[\w./-]{1,100} \S{1,40} /)")


def without_noise(lines: list[str]) -> list[str]:
    """Return the lines that may tell something; npm's echo of the script it runs goes with its heading."""
    kept = []
    after_heading = False
    for line in lines:
        if not _NOISE.match(line[:200]) and not (after_heading and line.startswith("> ")):
            kept.append(line)
        after_heading = bool(_SCRIPT_HEADING.match(line[:200]))
    return kept
