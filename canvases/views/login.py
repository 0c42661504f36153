"""Coming in: by a link that works once, or by name and password."""

from __future__ import annotations

from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from canvases.models import LoginLink
from canvases.views.pages import PageRequest, page

login_form = LoginView.as_view(template_name="login/form.html", redirect_authenticated_user=True)


@never_cache
@require_GET
def login_link(request: PageRequest, token: str) -> HttpResponse:
    """Use the link up and log its person in."""
    link = LoginLink.redeem(token)
    if link is None:
        return page(request, "login/spent.html", {}, status=410)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("session-list")
