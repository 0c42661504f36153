"""The pages' addresses."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.generic import RedirectView

from canvases.views import canvases, entries, health, login, refs, sessions, storage

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="session-list"), name="home"),
    path("login/", login.login_form, name="login"),
    path("login/<str:token>/", login.login_link, name="login-link"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("sessions/", sessions.session_list, name="session-list"),
    path("sessions/<int:pk>/", sessions.session_detail, name="session-detail"),
    path("sessions/<int:pk>/timeline/", sessions.session_timeline, name="session-timeline"),
    path("sessions/<int:pk>/prompts/<int:number>/", sessions.session_prompt, name="session-prompt"),
    path("sessions/<int:pk>/canvases/<int:number>/", canvases.canvas_detail, name="canvas-detail"),
    path("sessions/<int:pk>/entries/<int:seq>/", entries.entry_detail, name="entry-detail"),
    path("sessions/<segment:session_id>/", sessions.session_named, name="session-named"),
    path("refs/<str:ref_id>/", refs.ref_detail, name="ref-detail"),
    path("refs/<str:ref_id>/raw", refs.ref_raw, name="ref-raw"),
    path("health/", health.health_detail, name="health"),
    path("storage/", storage.storage_detail, name="storage"),
]
