"""Shell text split into simple commands; never raises, whatever the quoting."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_COMMAND = 40_000
_HEREDOC = re.compile(r"<<-?\s{0,4}(['\"]?)([\w.-]{1,80})\1")
_OPERATOR = re.compile(r"&&|\|\||;;|\|&|[;|&\n()]|[{}](?=\s|;|$)")
_REDIRECT = re.compile(r"(?:\d?&?>>?(?:&\d|\|)?|\d?<(?!<))\s{0,8}")
_PLAIN = re.compile(r"[^\s'\"\\`$<>;|&()#]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command of a shell line."""

    words: tuple[str, ...]
    before: str
    """The operator before it: empty for the first, else `&&`, `||`, `;`, `|` or `&`."""
    after: str
    """The operator behind it, empty for the last."""
    writes: tuple[str, ...] = ()
    """Files that its output goes to."""
    heredoc: str = ""
    """The text that a here-document feeds it, at most 20 000 characters."""


def split_commands(text: str) -> list[Command]:
    """Split a shell text into its simple commands, in order; what cannot be read is taken as plain words."""
    scanner = _Scanner(text[:MAX_COMMAND])
    scanner.run()
    return scanner.commands


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[Command] = []
        self.words: list[str] = []
        self.writes: list[str] = []
        self.word: list[str] | None = None
        self.before = ""
        self.heredocs: list[str] = []
        self.bodies: list[str] = []
        self.redirecting: str = ""

    def run(self) -> None:
        while self.at < len(self.text):
            self._step()
        self._end_word()
        self._end_command("")

    def _step(self) -> None:
        text, char = self.text, self.text[self.at]
        if char in " \t\r":
            self._end_word()
            self.at += 1
        elif char == "\\":
            if text[self.at + 1 : self.at + 2] != "\n":
                self._add(text[self.at + 1 : self.at + 2])
            self.at += 2
        elif char in "'\"":
            self._quoted(char)
        elif char == "#" and self.word is None:
            end = text.find("\n", self.at)
            self.at = len(text) if end < 0 else end
        elif char in "$`":
            self._substitution(char)
        elif char == "<" and text.startswith("<<", self.at) and (found := _HEREDOC.match(text, self.at)):
            self._end_word()
            self.heredocs.append(found[2])
            self.at = found.end()
        elif char in "<>0123456789&" and (found := self._redirect()):
            self._end_word()
            self.redirecting = found[0].strip()
            self.at = found.end()
            if self.redirecting[-1].isdigit():
                self.redirecting = ""
        elif found := _OPERATOR.match(text, self.at):
            self._operator(found[0])
        elif found := _PLAIN.match(text, self.at):
            self._add(found[0])
            self.at = found.end()
        else:
            self._add(char)
            self.at += 1

    def _redirect(self) -> re.Match[str] | None:
        if self.text[self.at].isdigit() and self.word is not None:
            return None
        return _REDIRECT.match(self.text, self.at)

    def _quoted(self, quote: str) -> None:
        end = self.text.find(quote, self.at + 1)
        while quote == '"' and end > 0 and self._escaped(end):
            end = self.text.find(quote, end + 1)
        if end < 0:
            end = len(self.text)
        held = self.text[self.at + 1 : end]
        self._add(held.replace('\\"', '"') if quote == '"' else held)
        self.at = end + 1

    def _escaped(self, place: int) -> bool:
        slashes = 0
        while slashes < 64 and self.text[place - 1 - slashes] == "\\":
            slashes += 1
        return slashes % 2 == 1

    def _substitution(self, char: str) -> None:
        text, start = self.text, self.at
        if char == "`":
            end = text.find("`", start + 1)
            self.at = len(text) if end < 0 else end + 1
        elif text.startswith("$(", start):
            depth, self.at = 1, start + 2
            while self.at < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[self.at], 0)
                self.at += 1
        else:
            self.at = start + 1
            if text[self.at : self.at + 1] == "{":
                end = text.find("}", self.at)
                self.at = len(text) if end < 0 else end + 1
        self._add(text[start : self.at])

    def _operator(self, operator: str) -> None:
        self.at += len(operator)
        if operator in "{}" and (self.word is not None or self.words):
            self._add(operator)
            return
        self._end_word()
        if operator == "\n" and self.heredocs:
            self._read_heredocs()
        self._end_command(
            ";" if operator in ("\n", ";;", "(", ")", "{", "}") else operator.replace("|&", "|")
        )

    def _read_heredocs(self) -> None:
        for mark in self.heredocs:
            end = re.compile(rf"^[\t ]*{re.escape(mark)}[ \t]*$", re.MULTILINE).search(self.text, self.at)
            stop = end.start() if end else len(self.text)
            self.bodies.append(self.text[self.at : stop])
            self.at = end.end() if end else len(self.text)
        self.heredocs = []

    def _add(self, part: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(part)

    def _end_word(self) -> None:
        if self.word is None:
            return
        word = "".join(self.word)
        self.word = None
        if not self.redirecting:
            self.words.append(word)
        elif ">" in self.redirecting and word != "/dev/null":
            self.writes.append(word)
        self.redirecting = ""

    def _end_command(self, after: str) -> None:
        if not self.words and not self.writes:
            if self.commands and self.bodies:
                self._give_bodies()
            if after in ("|", "&&", "||") and not self.commands:
                self.before = after
            return
        self.commands.append(
            Command(
                words=tuple(self.words),
                before=self.before if self.commands else "",
                after=after,
                writes=tuple(self.writes),
                heredoc="\n".join(self.bodies)[:20_000],
            )
        )
        self.words, self.writes, self.bodies = [], [], []
        self.before = after

    def _give_bodies(self) -> None:
        last = self.commands[-1]
        self.commands[-1] = Command(
            words=last.words,
            before=last.before,
            after=last.after,
            writes=last.writes,
            heredoc="\n".join(self.bodies)[:20_000],
        )
        self.bodies = []
