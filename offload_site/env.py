"""Environment variables, read once at start: typed, checked, with the cure in the message."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_LONGEST_SOCKET_PATH = 100  # bytes; the kernel's own limit is 107


def text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file named by `<name>_FILE`, or the default."""
    file_name = os.environ.get(f"{name}_FILE")
    if not file_name:
        return os.environ.get(name, default)
    try:
        return Path(file_name).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name}_FILE names {file_name!r}, which cannot be read ({error.strerror}). "
            f"Give a readable file or unset {name}_FILE."
        ) from error


def boolean(name: str, default: bool) -> bool:
    """Return the variable as a truth value; anything but true and false stops the start."""
    value = text(name).strip().lower()
    if not value:
        return default
    if value in _TRUE | _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name} is {value!r}. Set it to true or false.")


def integer(name: str, default: int, *, least: int, most: int) -> int:
    """Return the variable as a whole number between `least` and `most`."""
    value = text(name).strip()
    if not value:
        return default
    if value.isascii() and value.isdigit() and least <= int(value) <= most:
        return int(value)
    raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a whole number from {least} to {most}.")


def ratio(name: str, default: float) -> float:
    """Return the variable as a share: more than 0, and 1 at most."""
    value = text(name).strip()
    if not value:
        return default
    if re.fullmatch(r"\d*\.?\d+", value, re.ASCII) and 0 < float(value) <= 1:
        return float(value)
    raise ImproperlyConfigured(
        f"{name} is {value!r}. Set it to a number above 0 and up to 1, such as {default}."
    )


def days(name: str, *, least: int) -> int:
    """Return the variable as a number of days: 0 (the default: for ever), or `least` and more."""
    value = integer(name, 0, least=0, most=36_500)
    if 0 < value < least:
        raise ImproperlyConfigured(f"{name} is {value}. Set it to 0 (keep for ever) or to {least} or more.")
    return value


def choice(name: str, default: str, known: frozenset[str]) -> str:
    """Return the variable, in any case, as one of the known words; another value stops the start."""
    value = (text(name).strip() or default).lower()
    for word in known:
        if word.lower() == value:
            return word
    raise ImproperlyConfigured(f"{name} is {text(name)!r}. Set it to one of {', '.join(sorted(known))}.")


def url(name: str, schemes: tuple[str, ...]) -> str:
    """Return the variable as an address of one of the schemes, or an empty text when it is not set."""
    value = text(name).strip()
    if not value or value.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        return value
    raise _no_address(name, schemes)


def urls(name: str, schemes: tuple[str, ...]) -> list[str]:
    """Return the variable as a list of addresses of the schemes, cut at commas."""
    values = words(name, [])
    if all(value.startswith(tuple(f"{scheme}://" for scheme in schemes)) for value in values):
        return values
    raise _no_address(name, schemes)


def _no_address(name: str, schemes: tuple[str, ...]) -> ImproperlyConfigured:
    begins = " or ".join(f"{scheme}://" for scheme in schemes)
    return ImproperlyConfigured(f"{name} is no address that can be used. Begin it with {begins}")


def words(name: str, default: list[str]) -> list[str]:
    """Return the variable as a list, cut at commas."""
    value = text(name)
    return [word.strip() for word in value.split(",") if word.strip()] if value else default


def home() -> Path:
    """Return the data folder (`OFFLOAD_HOME`), made for its owner alone when it is missing."""
    folder = Path(text("OFFLOAD_HOME") or "~/.offload").expanduser().absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {folder} cannot be made ({error.strerror}). "
            "Set OFFLOAD_HOME to a folder that you may write."
        ) from error
    return folder


def secret_key(folder: Path) -> str:
    """Return `OFFLOAD_SECRET_KEY`, or the key kept in the data folder, made at the first start."""
    given = text("OFFLOAD_SECRET_KEY")
    return given or kept_secret(folder / "secret_key")


def kept_secret(path: Path) -> str:
    """Return the secret in a file only its owner can read; make both when the file is missing."""
    try:
        while not (kept := _read_secret(path)):
            _write_secret(path, secrets.token_urlsafe(48))
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "not a secret of ours"
        raise ImproperlyConfigured(
            f"{path} cannot be used ({cause}). Make the data folder readable and writable, "
            "or set OFFLOAD_HOME to another folder."
        ) from error
    return kept


def _read_secret(path: Path) -> str:
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def _write_secret(path: Path, secret: str) -> None:
    """Write the file whole or not at all, and never over a secret that another process has just made."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secret)
        if path.exists() and not _read_secret(path):
            os.replace(temporary, path)
            return
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        Path(temporary).unlink(missing_ok=True)


def broker_socket(folder: Path) -> Path:
    """Return where the private broker listens: in the data folder, or, when that path is too long for a
    socket, in a folder of the same owner under the system's temporary folder."""
    path = folder / "broker.sock"
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"offload-{os.getuid()}-{digest}" / "broker.sock"
