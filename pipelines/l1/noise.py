"""Lines that every run prints and nobody needs."""

from __future__ import annotations

import re

from pipelines.l1.wording import count

_LINES = r"""
\s*(?:Debugger attached\.|Waiting for the debugger|Error in the js-debug bootloader)
(?:bash|sh): line \d+: warning: here-document
> @?[\w./-]{1,100}@\S{1,40} \S
npm (?:warn|WARN|notice)|npm error (?:code|path|errno|workspace|location)\b|npm error A complete log
\[notice\]|WARNING: (?:Running pip|You are using pip)|Running as user
Reading package lists|Building dependency tree|Reading state information
Defaulting to user installation|Requirement already satisfied|Collecting \S|Installing collected packages
\s*(?:Downloading |Using cached )\S
\s*(?:Preparing metadata|Getting requirements|Installing build)
Progress: |\s*\d{1,3}%\|
\s*Compiling \d+ files? \(|\s*(?:Compiling|Downloaded|Checking) \S+ v\d|Generated \S+ app|==> \S+$
Listing '[^']{0,150}'\.\.\.$|Compiling '[^']{0,150}'\.\.\.$
make(?:\[\d+\])?: (?:Entering|Leaving) directory
(?:remote: )?(?:Enumerating|Counting|Compressing|Writing|Receiving|Unpacking) objects:
(?:remote: )?(?:Resolving deltas|Updating files):
(?:remote: )?Total \d+ \(delta|Delta compression|remote:\s*$
[0-9a-f]{12}: (?:Pulling|Waiting|Verifying|Download|Pull complete|Already exists|Extracting|Pushed|Preparing|Layer)
#\d+ (?:sha256:|DONE |CACHED|extracting|transferring|resolve |\[internal\])| => =>[ ]
(?:Get|Hit|Ign):\d+ |Selecting previously|Preparing to unpack|Unpacking \S+ |Processing triggers|\(Reading database
debconf: |Need to get |After this operation|Fetched \d
\S{1,120}: (?:Refreshing state|Reading\.\.\.|Read complete|Still (?:creating|destroying|modifying|reading))
Waiting for deployment[ ]
\s*(?:Updating (?:crates\.io|git repo)|Locking \d|Downloading crates|Blocking waiting|Fresh \S+ v)
\d+ packages? (?:is|are) looking for funding|\s+run `npm fund`
\s*(?:Looking in indexes|Attempting uninstall|Found existing installation|Uninstalling |Building wheel|Created wheel)
Running setup for|Getting extensions in|Running ExUnit with seed
=== (?:RUN|PAUSE|CONT|NAME)[ ]
platform \w+ -- Python|cachedir: |rootdir: |plugins: |configfile: |collecting \.\.\.
REMINDER: You MUST|Here's the result of running `cat -n`|<NOTE>|hint:[ ]
\[\w[\w:-]{0,30}\] \$[ ]
[-=_*~#+.\s─━═⎯]{3,}$|```\w{0,12}$
<response clipped>|\(Results are truncated|</?elided_chars>|[.( ]{0,6}\d[\d,]{0,12} more lines not shown
[.[ ]{0,6}(?:omitted )?\d[\d,]{0,12} (?:lines|characters|chars|tokens|bytes)\b.{0,40}(?:truncated|omitted|elided)
\[\.{3} omitted \d
Command exited with code \d{1,5}$
"""
_NOISE = re.compile("|".join(f"(?:{line})" for line in _LINES.strip("\n").split("\n")))
_COUNTED = (
    ("Compiling '", "compiled {}, no errors", "file"),
    ("Requirement already satisfied", "{} already satisfied", "requirement"),
    ("Listing '", "nothing left to compile, no errors", ""),
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


def quiet_words(lines: list[str]) -> str:
    """Return what a tool did that printed nothing but its usual lines, or an empty text when they tell nothing."""
    for start, said, noun in _COUNTED:
        amount = sum(line.startswith(start) for line in lines)
        if amount:
            return said.format(count(amount, noun))
    return ""
