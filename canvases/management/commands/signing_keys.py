"""The keys that sign the audit log and the references."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canvases.management.agents import user_here
from canvases.models import SigningKeyRecord
from canvases.selectors.keys import key_ring
from canvases.services.key_changes import KeyChangeRefused, key_revoke, key_rotate, key_trust
from canvases.services.keys import signing_key


class Command(BaseCommand):
    help = (
        "list the keys; rotate: let a new key sign from now on; trust ID: believe what another key of yours signed up "
        "to now; revoke ID: believe nothing that a key signed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["list", "rotate", "trust", "revoke"])
        parser.add_argument("key_id", nargs="?", metavar="ID")

    def handle(self, *args: Any, **options: Any) -> None:
        act, key_id = options["act"], options["key_id"]
        if (act in ("trust", "revoke")) != bool(key_id):
            raise CommandError(f"{act} takes {'the ID of a key' if not key_id else 'no ID'}.", returncode=2)
        try:
            if act == "list":
                self._list()
            elif act == "rotate":
                self.stdout.write(f"{key_rotate(actor=user_here()).key_id} signs from now on")
            elif act == "trust":
                key_trust(key_id, actor=user_here())
                self.stdout.write(f"{key_id} is trusted for what it signed up to now")
            else:
                key_revoke(key_id, actor=user_here())
                self.stdout.write(f"{key_id} is trusted for nothing any more")
        except KeyChangeRefused as error:
            raise CommandError(str(error)) from None

    def _list(self) -> None:
        current, trusted = signing_key().key_id, key_ring().keys
        for row in SigningKeyRecord.objects.order_by("valid_from", "key_id"):
            begins = f"{row.valid_from:%Y-%m-%d %H:%M:%S}" if row.valid_from else "no time"
            until = f"{row.valid_to:%Y-%m-%d %H:%M:%S}" if row.valid_to else "now"
            state = "signs" if row.key_id == current else "retired"
            if row.revoked:
                state = "revoked"
            elif row.key_id not in trusted:
                state = "not trusted by this server's key"
            self.stdout.write(f"{row.key_id}  {begins} to {until}  {state}")
