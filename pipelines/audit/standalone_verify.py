#!/usr/bin/env python3
"""Verify an exported audit chain with nothing but this file and Python 3.11 or newer.

    python standalone_verify.py EXPORT.jsonl [--json] [--key HEX ...] [--checkpoints FILE] [--allow-unsigned]

Exit status: 0 holds, 1 chain broken, 2 usage, 3 only signatures fail, 5 the file cannot be read.
That an export comes from whom you think is proved by a public key you were given some other way (--key, 64 hex
digits); that nothing was cut off before it was exported, by checkpoints you kept (--checkpoints).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, BinaryIO

HOLDS, BROKEN, SIGNATURES, UNREADABLE = 0, 1, 3, 5
FORMAT = "offload-audit-export-1"
SIGNED = {"kind", "agent", "sequence", "timestamp", "key_id", "signature"}
LINE_FIELDS = {
    "header": {"kind", "format", "agent", "exported_at", "since", "keys"},
    "event": SIGNED | {"event_id", "event_type", "actor", "outcome", "payload", "prev_hash", "bytes"},
    "checkpoint": SIGNED | {"head_hash"},
    "end": {"kind", "events", "checkpoints", "sha256", "key_id", "signature"},
}
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
HASH = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LINE_TEXT = "{}line {line}, sequence {sequence!a}: {kind}: expected {expected}; found {found}"
MAX_LINE_BYTES = 16 * 2**20
Fields = dict[str, Any]
NEVER = "9999-12-31T23:59:59.999999Z"
ALWAYS_VALID: Fields = {"valid_from": "0001-01-01T00:00:00.000000Z", "valid_to": None, "revoked": False}


class Unreadable(ValueError):
    """The text says what cannot be read."""


def cbor(value: Any, depth: int = 0) -> bytes:
    """Return the deterministic CBOR of a value (RFC 8949, 4.2.1)."""
    if value is None or type(value) is bool:
        return b"\xf6" if value is None else b"\xf5" if value else b"\xf4"
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise Unreadable("a whole number has more than 64 bits")
        return cbor_head(0, value) if value >= 0 else cbor_head(1, -1 - value)
    if type(value) is bytes:
        return cbor_head(2, len(value)) + value
    if type(value) is str:
        try:
            raw = value.encode()
        except UnicodeEncodeError:
            return cbor(value.encode(errors="surrogatepass"))
        return cbor_head(3, len(raw)) + raw
    if type(value) is list and depth < 32:
        return cbor_head(4, len(value)) + b"".join(cbor(item, depth + 1) for item in value)
    if type(value) is dict and depth < 32:
        pairs = sorted((cbor(key), cbor(item, depth + 1)) for key, item in value.items())
        if any(key[0] >> 5 != 3 for key, _ in pairs):
            raise Unreadable("a key is not a text")
        return cbor_head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    raise Unreadable("a value is no text, whole number, truth value, list or object, or it is too deep")


def cbor_head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    size = 1 if number < 2**8 else 2 if number < 2**16 else 4 if number < 2**32 else 8
    return bytes([major << 5 | 23 + size.bit_length()]) + number.to_bytes(size, "big")


# Ed25519 (RFC 8032), verification only: nothing here is secret, so nothing has to take constant time.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]
Checker = Callable[[bytes, bytes], bool]


def point_of(raw: bytes) -> Point:
    """Return the point (x, y, z, xy) that 32 bytes stand for."""
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign) or y >= P:
        raise Unreadable(f"{raw.hex()} is no Ed25519 public key")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def add(one: Point, two: Point) -> Point:
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c = 2 * one[3] * two[3] * D % P
    d = 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiples(point: Point) -> list[list[Point]]:
    """Return for each of the 64 hex digits of a factor the 15 multiples of the point it can stand for."""
    table = []
    for _ in range(64):
        row = [point]
        while len(row) < 15:
            row.append(add(row[-1], point))
        table.append(row)
        point = add(row[-1], point)
    return table


BASE = multiples(point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")))


def checker_of(public: bytes) -> Checker:
    """Return the function that checks a public key's signatures."""
    point = point_of(public)
    tables = [BASE, multiples((P - point[0], point[1], 1, P - point[3]))]
    return lambda signature, message: ed25519_holds(tables, public, signature, message)


def ed25519_holds(tables: list[list[list[Point]]], public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether 64 bytes sign a message, by multiples of the base point and of minus the public key."""
    factor = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or factor >= ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(hashed, "little") % ORDER
    total = 0, 1, 1, 0
    for table, number in zip(tables, (factor, challenge)):  # noqa: B905
        for row in table:
            if number & 15:
                total = add(total, row[(number & 15) - 1])
            number >>= 4
    inverse = pow(total[2], P - 2, P)
    x, y = total[0] * inverse % P, total[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def parse(raw: bytes) -> Fields:
    """Return the fields of one line."""

    def once(pairs: list[tuple[str, Any]]) -> Fields:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise Unreadable("a name stands twice in an object")
        return fields

    try:
        fields = json.loads(raw.decode("ascii"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the line is not JSON: {error}") from None
    if not isinstance(fields, dict) or set(fields) != LINE_FIELDS.get(str(fields.get("kind"))):
        raise Unreadable("the line has not the fields of a header, an event, a checkpoint or an end")
    return fields


def time_of(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def form(rule: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def has_form(value: Any) -> bool:
        try:
            return bool(rule(value))
        except (ValueError, TypeError):
            return False

    return has_form


is_hash = form(HASH.fullmatch)
is_time = form(lambda text: TIME.fullmatch(text) and time_of(text))
is_number = form(lambda value: type(value) is int and 0 <= value < 2**63)
FORMS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("agent", "event_type", "actor", "outcome"), lambda text: type(text) is str),
    **dict.fromkeys(("prev_hash", "head_hash", "sha256", "public", "event_hash"), is_hash),
    **dict.fromkeys(("timestamp", "exported_at", "valid_from"), is_time),
    **dict.fromkeys(("events", "checkpoints"), is_number),
    "sequence": lambda value: is_number(value) and value > 0,
    "valid_to": lambda text: text is None or is_time(text),
    "revoked": lambda value: type(value) is bool,
    "event_id": form(UUID.fullmatch),
    "payload": lambda value: type(value) is dict,
    "key_id": lambda text: text is None or type(text) is str,
    "signature": form(lambda text: text is None or base64.b64encode(base64.b64decode(text)).decode() == text),
}


def check_forms(fields: Any, *needed: str) -> None:
    for name in needed or fields:
        if name in FORMS and not FORMS[name](fields[name]):
            raise Unreadable(f"{name} is {ascii(fields[name])[:200]}")


def signed_of(fields: Fields, header: Fields) -> tuple[bytes, bytes | None]:
    """Return the bytes of a line that are signed, made from its readable fields, and the signature."""
    check_forms(fields)
    signed: Fields = {"domain": f"offload.audit-{fields['kind']}", "version": 1}
    if fields["kind"] == "end":
        signed.update(agent=header["agent"], exported_at=header["exported_at"])
    elif fields["agent"] != header["agent"]:
        raise Unreadable(f"agent is {fields['agent']!a}")
    for name, value in fields.items():
        if name == "payload":
            payload = {"domain": "offload.audit-payload", "version": 1, "payload": value}
            signed["payload_hash"] = hashlib.sha256(cbor(payload)).digest()
        elif name not in ("kind", "signature", "bytes"):
            signed[name] = bytes.fromhex(value) if FORMS[name] is is_hash else value
    signature = fields["signature"]
    return cbor(signed), None if signature is None else base64.b64decode(signature)


class Walk:
    """The walk over one export: where it stands and what it found."""

    def __init__(self, header: Fields, pinned: list[str], must_be_signed: bool) -> None:
        try:
            if header["format"] != FORMAT:
                raise Unreadable(f"the export is not of format {FORMAT}")
            check_forms(header, "agent", "exported_at")
            check_forms(header["since"], "events", "event_hash")
            keys: dict[str, Fields] = dict.fromkeys(pinned, ALWAYS_VALID)
            for key in header["keys"]:
                check_forms(key, "public", "valid_from", "valid_to", "revoked")
                if not pinned or key["public"] in pinned:
                    keys[key["public"]] = key
        except (KeyError, TypeError) as error:
            raise Unreadable(f"the header is not complete: {error}") from None
        self.keys = {
            hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16]: (checker_of(bytes.fromhex(public)), key)
            for public, key in keys.items()
        }
        self.header, self.must_be_signed = header, must_be_signed
        self.sequence = self.furthest = header["since"]["events"]
        self.head: str | None = header["since"]["event_hash"]
        self.first = self.rows = self.points = self.unsigned = 0
        self.line: int | None = None
        self.due: dict[int, list[str]] = {}
        self.breaks: list[Fields] = []
        self.failures: list[Fields] = []

    def note(self, kind: str, sequence: Any, expected: str, found: str) -> None:
        row = {"kind": kind, "line": self.line, "sequence": sequence, "expected": expected, "found": found}
        (self.failures if kind.startswith(("signature", "key")) else self.breaks).append(row)

    def check(self, fields: Fields, signed: bytes, signature: bytes | None, at: str) -> bool:
        """Note a signature that proves nothing; tell whether it holds or need not be there."""
        key_id, kind, time = fields["key_id"], "", time_of(at)
        holds, key = self.keys.get(key_id, (None, ALWAYS_VALID))
        if key_id is None and signature is None and not self.must_be_signed:
            return True
        if not key_id or not signature:
            kind = "signature_missing"
        elif holds is None:
            kind = "key_unknown"
        elif key["revoked"]:
            kind = "key_revoked"
        elif time < time_of(key["valid_from"][:20] + "000000Z") or time >= time_of(key["valid_to"] or NEVER):
            kind = "key_outside_validity"
        elif not holds(signature, signed):
            kind = "signature_wrong"
        if kind:
            self.note(kind, fields.get("sequence"), f"a trusted key's, valid at {at}", f"key {key_id!a}")
        return not kind

    def event(self, fields: Fields) -> None:
        self.rows += 1
        self.unsigned += fields["signature"] is None
        sequence, event_hash = fields["sequence"], None
        try:
            signed, signature = signed_of(fields, self.header)
            row = {"domain": "offload.audit-row", "version": 1, "event": signed, "signature": signature}
            event_hash = hashlib.sha256(cbor(row)).hexdigest()
            if fields["bytes"] != (expected := base64.b64encode(signed).decode()):
                self.note("bytes_differ", sequence, expected, ascii(fields["bytes"])[:2000])
            self.check(fields, signed, signature, fields["timestamp"])
        except Unreadable as error:
            self.note("odd_value", sequence, "the values of an event", str(error))
        if not FORMS["sequence"](sequence):
            return
        if sequence != self.sequence + 1:
            kind = "sequence_gap" if sequence > self.sequence else "sequence_repeated"
            self.note(kind, sequence, str(self.sequence + 1), str(sequence))
        elif self.head is not None and fields["prev_hash"] != self.head:
            self.note("prev_hash", sequence, self.head, ascii(fields["prev_hash"]))
        for due in self.due.pop(sequence, ()):
            if due != event_hash:
                self.note("checkpoint_mismatch", sequence, due, event_hash or "an unreadable row")
        self.sequence, self.head = sequence, event_hash
        self.furthest, self.first = max(self.furthest, sequence), min(self.first or sequence, sequence)

    def checkpoint(self, fields: Fields) -> None:
        self.points += self.line is not None
        try:
            if self.check(fields, *signed_of(fields, self.header), fields["timestamp"]):
                self.due.setdefault(fields["sequence"], []).append(fields["head_hash"])
        except Unreadable as error:
            self.note("odd_value", fields["sequence"], "a checkpoint of this chain", str(error))

    def end(self, fields: Fields | None, sha256: str) -> None:
        """Compare with the last line, and with the checkpoints whose rows did not come."""
        counted = {"events": self.rows, "checkpoints": self.points, "sha256": sha256}
        if fields is None:
            self.note("export_cut", None, "a line of kind end", "the end of the file")
        elif {**fields, **counted} != fields:
            self.note("export_changed", None, ascii(fields)[:2000], ascii(counted))
        if fields is not None:
            try:
                self.check(fields, *signed_of(fields, self.header), self.header["exported_at"])
            except Unreadable as error:
                self.note("odd_value", None, "the values of an end", str(error))
        self.line, start = None, self.header["since"]
        for sequence, due in sorted((number, due) for number, dues in self.due.items() for due in dues):
            if sequence > self.furthest:
                self.note("tail_cut", sequence, due, f"the chain ends at {self.furthest}")
            elif sequence > start["events"]:
                self.note("checkpoint_mismatch", sequence, due, "no row of this number")
            elif sequence == start["events"] and due != start["event_hash"]:
                self.note("checkpoint_mismatch", sequence, due, start["event_hash"])


def verify(file: BinaryIO, *, points: list[Fields], pinned: list[str], must_be_signed: bool) -> Fields:
    """Walk an export and return the report. Raises Unreadable when its header cannot be used."""
    lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
    header = parse(raw := next(lines, b""))
    walk, hashed, end, sealed = Walk(header, pinned, must_be_signed), hashlib.sha256(raw), None, ""
    for point in points:
        walk.checkpoint(point)
    for walk.line, raw in enumerate(lines, 2):
        try:
            fields = parse(raw)
            if end is not None or fields["kind"] == "header":
                raise Unreadable("a line stands after the end" if end else "a second header")
        except Unreadable as error:
            walk.note("line_unreadable", None, "a line of an export", str(error))
        else:
            if fields["kind"] == "end":
                end, sealed = fields, hashed.hexdigest()
            elif fields["kind"] == "event":
                walk.event(fields)
            else:
                walk.checkpoint(fields)
        hashed.update(raw)
    walk.end(end, sealed)
    return {
        "holds": not walk.breaks and not walk.failures,
        "agent": header["agent"],
        "rows_checked": walk.rows,
        "unsigned": walk.unsigned,
        "first_sequence": walk.first or None,
        "last_sequence": walk.furthest,
        "breaks": walk.breaks,
        "signature_failures": walk.failures,
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Verify an exported audit chain.")
    parser.add_argument("export")
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    parser.add_argument("--key", action="append", default=[], help="a public key you trust, 64 hex digits")
    parser.add_argument("--checkpoints", help="an older export, or checkpoint lines of one")
    parser.add_argument("--allow-unsigned", action="store_true")
    given = parser.parse_args(arguments)
    if not all(map(is_hash, given.key)):
        parser.error("--key takes 64 lower-case hex digits")
    try:
        points: list[Fields] = []
        if given.checkpoints:
            with open(given.checkpoints, "rb") as file:
                points = [fields for fields in map(parse, file) if fields["kind"] == "checkpoint"]
        with open(given.export, "rb") as file:
            report = verify(file, points=points, pinned=given.key, must_be_signed=not given.allow_unsigned)
    except (OSError, Unreadable) as error:
        sys.stderr.write(f"cannot verify: {str(error)!a}\n")
        return UNREADABLE
    found = sorted(report["breaks"] + report["signature_failures"], key=lambda row: row["line"] or 10**12)
    rows = f"{report['rows_checked']} row(s), {report['first_sequence']} to {report['last_sequence']}"
    lines = [f"{'HOLDS' if report['holds'] else 'DOES NOT HOLD'}: {rows}, agent {report['agent']!a}"]
    if not given.key:
        lines.append("note: the keys are the export's own; --key proves whose they are")
    lines += [LINE_TEXT.format("first: " if row is found[0] else "", **row) for row in found]
    sys.stdout.write((json.dumps(report, indent=2) if given.json else "\n".join(lines)) + "\n")
    return BROKEN if report["breaks"] else SIGNATURES if report["signature_failures"] else HOLDS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
