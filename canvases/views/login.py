"""Coming in: by a link that works once, or by name and password."""

from __future__ import annotations

from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from canvases.models import LoginLink
from canvases.views.pages import PageRequest, page

login_form = LoginView.as_view(template_name="login/form.html", redirect_authenticated_user=True)


@never_cache
@require_GET
def login_link(request: PageRequest, token: str) -> HttpResponse:
    """Use the link up, log its person in, and go on to `?next=` where that is a page of ours."""
    link = LoginLink.redeem(token)
    if link is None:
        return page(request, "login/spent.html", {}, status=410)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    target = request.GET.get("next", "")
    known = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return redirect(target if known else "session-list")
