"""Which names tell that their value is a secret: `DB_PASSWORD`, `client_secret`, `X-Api-Key`, `accessToken`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST_NAME = 100  # characters
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TRAILING = _words(
    "value base prod production dev development staging test live main default confirmation confirm again new old "
    "current primary secondary backup plain text string"
)
_PASSWORDS = ("password", "passwd", "passphrase", "passcode")
_PASS_OF = _words(
    "db database user root admin smtp mysql postgres postgresql pg redis mongo mongodb rabbitmq ftp sftp ssh mail "
    "email imap ldap login http proxy registry docker store key master require default service account"
)
_KEYS = tuple(
    _words(
        "apikey accesskey signingkey encryptionkey authkey accountkey masterkey licensekey subscriptionkey sharedkey "
        "servicekey deploykey storagekey functionkey hmackey ingestkey writekey"
    )
)
_STRONG_KEYS = ("secretkey", "privatekey")
_NO_SECRET_TOKENS = _words(
    "next page pagination continuation continue cancellation sync cursor resume previous prev eos bos pad unk mask sep "
    "cls stop end start special first last current prompt completion output input per each other unexpected expected "
    "invalid"
)
_CREDENTIALS = frozenset({"credential", "credentials"})
_PHRASES = frozenset({"mnemonic", "seedphrase", "recoveryphrase", "mnemonicphrase"})


@dataclass(frozen=True, slots=True)
class Telling:
    """What a name tells of its value."""

    kind: str
    """What stands in the mark: `[redacted:KIND]`."""
    strong: bool
    """Almost anything under the name is a secret, however it looks; else only what looks made by chance."""


@lru_cache(maxsize=4096)
def telling(name: str) -> Telling | None:
    """Return what the name of a field, variable, header or parameter tells, or None when nothing."""
    if not name or len(name) > LONGEST_NAME or name in ("PWD", "OLDPWD"):
        return None
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1] in _TRAILING:
        words.pop()
    if not words:
        return None
    return _of_words(words)


def _of_words(words: list[str]) -> Telling | None:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    two = before + last
    if last.endswith(_PASSWORDS) or two.endswith(_PASSWORDS) or last == "pwd":
        return Telling("password", True)
    if last == "pass" and before in _PASS_OF:
        return Telling("password", True)
    if last.endswith("pass") and last.removesuffix("pass") in _PASS_OF:
        return Telling("password", True)
    if last.endswith("secret"):
        return Telling("secret", True)
    if two.endswith(_STRONG_KEYS):
        return Telling("private_key" if two.endswith("privatekey") else "secret", True)
    if two.endswith(_KEYS):
        return Telling("api_key", False)
    if last.endswith("token") and before not in _NO_SECRET_TOKENS:
        return Telling("token", False)
    if last == "authorization":
        return Telling("authorization", False)
    if last == "cookie":
        return Telling("cookie", False)
    if last in _PHRASES or two in _PHRASES:
        return Telling("mnemonic", False)
    if last in _CREDENTIALS or words == ["auth"] or (last, before) in (("signature", "amz"), ("sig", "")):
        return Telling("credential", False)
    return None
