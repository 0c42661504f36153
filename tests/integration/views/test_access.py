from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from canvases.models import LoginLink, Session
from tests.api.test_access import addresses, sample

OPEN = {"", "login/", "logout/", "login/1/"}
ADMIN_OPEN = {"admin/login/", "admin/logout/"}
ADMIN_SAMPLES = {"<path:object_id>": "1", "<path:content_type_id>": "1", "<id>": "1"}
PAGES = sorted(
    {
        sample(path).replace("<str:token>", "1")
        for path in addresses()
        if not path.startswith(("api/", "admin/"))
    }
    - OPEN
)


def admin_addresses() -> list[str]:
    """Return a sample address of every pattern of the admin."""
    found = set()
    for pattern in addresses():
        if pattern.startswith("admin/"):
            text = re.sub(r"\(\?P<(\w+)>[^)]*\)", "auth", pattern.replace("\\Z", "").replace("$", ""))
            for name, value in ADMIN_SAMPLES.items():
                text = text.replace(name, value)
            found.add(text.replace("^", ""))
    return sorted(found - ADMIN_OPEN)


@pytest.mark.parametrize("path", admin_addresses())
def test_every_address_of_the_admin_sends_a_stranger_to_log_in(
    client: Client, django_user_model: Any, db: None, path: str
) -> None:
    assert "<" not in path, "give a sample value for this parameter"
    plain = Client()
    plain.force_login(django_user_model.objects.create_user("bob"))
    for visitor in (client, plain):
        for answer in (visitor.get(f"/{path}"), visitor.post(f"/{path}", {})):
            assert answer.status_code == 302
            assert answer["Location"].startswith("/admin/login/?next=/")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_but_the_login_sends_a_stranger_to_log_in(
    client: Client, session: Session, path: str
) -> None:
    assert "<" not in path, "give a sample value for this parameter"
    if path.endswith("events"):
        assert client.get(f"/{path}").status_code == 401
        return
    for answer in (client.get(f"/{path}"), client.post(f"/{path}"), client.head(f"/{path}")):
        assert answer.status_code == 302
        assert answer["Location"].startswith("/login/?next=/")


def test_a_stranger_gets_no_json_and_no_fragment(client: Client, session: Session) -> None:
    twin = client.get(f"/sessions/{session.pk}/", {"_format": "json"})
    assert twin.status_code == 401
    assert twin["Content-Type"] == "application/problem+json"
    fragment = client.get(f"/sessions/{session.pk}/timeline/", headers={"hx-request": "true"})
    assert fragment["HX-Redirect"].startswith("/login/")
    assert not fragment.content


@pytest.fixture
def token(django_user_model: Any, db: None) -> str:
    return LoginLink.issue(django_user_model.objects.create_superuser("owner"))


def test_a_login_link_lets_in_once(client: Client, token: str) -> None:
    assert client.get(f"/login/{token}/")["Location"] == "/sessions/"
    assert client.get("/sessions/").status_code == 200
    other = Client()
    spent = other.get(f"/login/{token}/")
    assert spent.status_code == 410
    assert "no longer works" in spent.content.decode()
    assert other.get("/sessions/").status_code == 302


def test_a_login_link_leads_on_only_within_this_server(client: Client, token: str) -> None:
    assert client.get(f"/login/{token}/?next=https://elsewhere.example/")["Location"] == "/sessions/"


def test_a_login_link_leads_on_to_the_page_it_names(client: Client, token: str) -> None:
    assert client.get(f"/login/{token}/?next=/health/")["Location"] == "/health/"


def test_an_old_login_link_is_refused(client: Client, token: str) -> None:
    LoginLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(f"/login/{token}/").status_code == 410


def test_name_and_password_work_too(client: Client, django_user_model: Any, db: None) -> None:
    django_user_model.objects.create_user("ann", password="correct horse")
    wrong = client.post("/login/", {"username": "ann", "password": "x"})
    assert wrong.status_code == 200
    assert "do not fit" in wrong.content.decode()
    right = client.post(
        "/login/?next=/health/", {"username": "ann", "password": "correct horse", "next": "/health/"}
    )
    assert right["Location"] == "/health/"


def test_logging_out_takes_a_post(owner_client: Client) -> None:
    assert owner_client.get("/logout/").status_code == 405
    assert owner_client.post("/logout/")["Location"] == "/login/"
    assert owner_client.get("/sessions/").status_code == 302
