"""Which tool does what: names of the tools of common agents, as plain data."""

from __future__ import annotations

import re
from enum import StrEnum

from pipelines.records import Act


class Role(StrEnum):
    """What a tool is for, whatever its maker calls it."""

    SHELL = "shell"  # runs a command
    OUTPUT = "output"  # polls a command that runs in the background
    READ = "read"  # reads a file
    WRITE = "write"  # writes a whole file
    EDIT = "edit"  # changes a part of a file
    PATCH = "patch"  # applies a patch
    GREP = "grep"  # searches in files
    GLOB = "glob"  # finds files by name
    LIST = "list"  # lists a folder
    WEB_SEARCH = "web_search"  # searches the web
    WEB_FETCH = "web_fetch"  # fetches an address
    PLAN = "plan"  # keeps a to-do list
    AGENT = "agent"  # starts a sub-agent
    ASK = "ask"  # asks the person
    THINK = "think"  # writes a thought down
    SUBMIT = "submit"  # hands the work in
    OTHER = "other"  # anything else


ROLES: dict[str, Role] = {
    name: role
    for role, names in {
        Role.SHELL: "bash shell exec execcommand executebash executecommand localshell runshellcommand run "
        "runcommand shellcommand terminal runinterminal runterminalcmd command cmdrun powershell "
        "runcommandline sh cmd ipython executeipythoncell runipython executepython python runpython",
        Role.OUTPUT: "bashoutput taskoutput agentoutput process writestdin killshell killbash taskstop waitagent "
        "getterminaloutput readoutput",
        Role.READ: "read readfile view viewfile open openfile cat notebookread readmanyfiles fileread getfile "
        "getfilecontents readtextfile viewimage readmediafile goto scrolldown scrollup",
        Role.WRITE: "write writefile create createfile savefile writetofile filewrite newfile",
        Role.EDIT: "edit editfile multiedit strreplace strreplaceeditor strreplacebasededittool "
        "strreplacebasededit texteditor replace replaceinfile insert insertfile notebookedit editnotebook "
        "searchreplace fileeditor fileedit undoedit editnotebookcell",
        Role.PATCH: "applypatch patch applydiff",
        Role.GREP: "grep greptool searchfilecontent searchfile searchdir searchcode codesearch codebasesearch "
        "grepsearch searchtext ripgrep searchfiles semanticsearch searchinfiles",
        Role.GLOB: "glob find findfile findfiles globtool filesearch findbyname globsearch",
        Role.LIST: "ls list listdir listdirectory listfiles listfolder directorytree viewrepomap",
        Role.WEB_SEARCH: "websearch googlewebsearch searchweb internetsearch bravewebsearch tavilysearch googlesearch",
        Role.WEB_FETCH: "webfetch fetch fetchurl fetchwebpage readurl openurl browse browserinteractive navigate "
        "browsernavigate visit readwebpage webreader",
        Role.PLAN: "todowrite todoread updateplan taskcreate taskupdate tasklist taskget writetodos todo "
        "managetodolist updatetodolist tasktracker plan exitplanmode enterplanmode",
        Role.AGENT: "task agent dispatchagent subagent spawnagent delegate runagent delegatetask newtask sendinput "
        "sessionsspawn callagent",
        Role.ASK: "askuserquestion askuser askfollowupquestion requestuserinput askhuman askquestion messageuser "
        "transfertohumanagents",
        Role.THINK: "think sequentialthinking thought",
        Role.SUBMIT: "submit finish attemptcompletion complete done",
    }.items()
    for name in names.split()
}
"""Role by tool name in lower case without separators."""

ACTS: dict[Role, Act] = {
    Role.SHELL: Act.RUN,
    Role.OUTPUT: Act.RUN,
    Role.READ: Act.EXPLORE,
    Role.WRITE: Act.CHANGE,
    Role.EDIT: Act.CHANGE,
    Role.PATCH: Act.CHANGE,
    Role.GREP: Act.EXPLORE,
    Role.GLOB: Act.EXPLORE,
    Role.LIST: Act.EXPLORE,
    Role.WEB_SEARCH: Act.EXPLORE,
    Role.WEB_FETCH: Act.EXPLORE,
    Role.PLAN: Act.PLAN,
    Role.AGENT: Act.DELEGATE,
    Role.ASK: Act.ASK,
    Role.THINK: Act.PLAN,
    Role.SUBMIT: Act.DELIVER,
    Role.OTHER: Act.RUN,
}

VERBS: dict[str, Act] = {
    verb: act
    for act, verbs in {
        Act.EXPLORE: "get list search find read fetch query lookup show describe view count check browse resolve "
        "inspect retrieve load calculate screenshot snapshot status info recall deref grep "
        "explain export select",
        Act.CHANGE: "create update delete remove add set edit write insert book cancel modify rename move replace "
        "assign close reopen upload save enable disable exchange return",
        Act.DELIVER: "publish deploy merge push release submit send post commit",
        Act.TEST: "test",
        Act.VERIFY: "lint validate verify diagnostics build compile typecheck",
        Act.ASK: "ask confirm",
        Act.DELEGATE: "spawn delegate",
    }.items()
    for verb in verbs.split()
}
"""Act by the first known verb in the name of a tool that is not in `ROLES`."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def bare_name(tool_name: str) -> str:
    """Return a tool's own name: `mcp__files__read_file`, `functions.read_file` both give `read_file`."""
    name = tool_name.strip()[:300]
    if name.startswith("mcp__"):
        return name.rsplit("__", 1)[-1] or name
    return re.split(r"[./:]", name)[-1] or name


def server_name(tool_name: str) -> str:
    """Return the MCP server in a tool name, or an empty text."""
    parts = tool_name.strip()[:300].split("__")
    return parts[1] if len(parts) > 2 and parts[0] == "mcp" else ""


def role_of(tool_name: str) -> Role:
    """Return the role of a tool by its name."""
    flat = _SEPARATORS.sub("", bare_name(tool_name).lower())
    if server_name(tool_name) and flat in (
        "list",
        "create",
        "run",
        "get",
        "search",
        "find",
        "open",
        "task",
        "agent",
    ):
        return Role.OTHER
    return ROLES.get(flat, Role.OTHER)


def act_by_verb(tool_name: str) -> Act:
    """Return what a tool of unknown role does, by the first verb in its name; RUN when there is none."""
    words = [word.lower() for word in _WORDS.findall(bare_name(tool_name))]
    if {"create", "merge", "open"} & set(words) and {"pull", "pr", "release"} & set(words):
        return Act.DELIVER
    return next((VERBS[word] for word in words if word in VERBS), Act.RUN)
