"""Django settings, all of them from the environment (see `offload_site.env`)."""

from __future__ import annotations

import os
from pathlib import Path

import environ
from csp.constants import NONE, SELF, UNSAFE_INLINE

from offload_site import env
from offload_site.compression import compression

BASE_DIR = Path(__file__).resolve().parent.parent
VENDOR_DIR = BASE_DIR / "vendor"
os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(VENDOR_DIR / "tiktoken"))

VERSION = "0.1.0"
OFFLOAD_HOME = env.home()
OFFLOAD_HOST = env.text("OFFLOAD_HOST", "127.0.0.1")
OFFLOAD_PORT = env.integer("OFFLOAD_PORT", 8000, least=1, most=65535)
OFFLOAD_MAX_BODY_BYTES = env.integer("OFFLOAD_MAX_BODY_MB", 32, least=1, most=1024) * 2**20
OFFLOAD_MAX_RESULT_BYTES = env.integer("OFFLOAD_MAX_RESULT_MB", 16, least=1, most=512) * 2**20
OFFLOAD_MAX_OFFLOAD_BYTES = env.integer("OFFLOAD_MAX_OFFLOAD_MB", 1, least=1, most=64) * 2**20
OFFLOAD_MAX_TOTAL_BYTES = env.integer("OFFLOAD_MAX_TOTAL_MB", 0, least=0, most=100_000_000) * 2**20
OFFLOAD_MAX_READ_BYTES = env.integer("OFFLOAD_MAX_READ_MB", 16, least=1, most=512) * 2**20
OFFLOAD_REDACT = env.boolean("OFFLOAD_REDACT", False)
OFFLOAD_RETENTION_DAYS = env.days("OFFLOAD_RETENTION_DAYS", least=3)
OFFLOAD_LOG_MAX_BYTES = env.integer("OFFLOAD_LOG_MAX_MB", 50, least=1, most=10_240) * 2**20
OFFLOAD_CANVAS_MAX_NODES = env.integer("OFFLOAD_CANVAS_MAX_NODES", 40, least=8, most=200)
OFFLOAD_CANVAS_MAX_CHARS = env.integer("OFFLOAD_CANVAS_MAX_CHARS", 4000, least=1500, most=40000)
OFFLOAD_DEFAULT_CONTEXT_WINDOW = env.integer(
    "OFFLOAD_DEFAULT_CONTEXT_WINDOW", 200_000, least=1_000, most=100_000_000
)
OFFLOAD_COMPRESSION = compression()
OFFLOAD_L3_TOKEN_COUNT_MODE = env.choice(
    "OFFLOAD_L3_TOKEN_COUNT_MODE", "tiktoken", frozenset({"tiktoken", "heuristic"})
)
OFFLOAD_L3_TIKTOKEN_ENCODING = env.choice(
    "OFFLOAD_L3_TIKTOKEN_ENCODING", "o200k_base", frozenset({"o200k_base", "cl100k_base"})
)

SECRET_KEY = env.secret_key(OFFLOAD_HOME)
OFFLOAD_SIGNING_KEY = env.text("OFFLOAD_SIGNING_KEY")
OFFLOAD_API_KEY = env.text("OFFLOAD_API_KEY")
OFFLOAD_MUST_BE_SIGNED = env.boolean("OFFLOAD_MUST_BE_SIGNED", True)
DEBUG = env.boolean("OFFLOAD_DEBUG", False)
ALLOWED_HOSTS = [*env.words("OFFLOAD_ALLOWED_HOSTS", []), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env.urls("OFFLOAD_TRUSTED_ORIGINS", ("http", "https"))

INSTALLED_APPS = [
    "canvases",
    "ninja",
    "django_htmx",
    "csp",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
]
MIDDLEWARE = [
    "canvases.middleware.RequestIdMiddleware",
    "canvases.middleware.HeadMiddleware",
    "canvases.middleware.ProblemMiddleware",
    "canvases.middleware.ExactQueryMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "offload_site.urls"
ASGI_APPLICATION = "offload_site.asgi.application"
WSGI_APPLICATION = "offload_site.wsgi.application"
APPEND_SLASH = True
DATA_UPLOAD_MAX_MEMORY_SIZE = OFFLOAD_MAX_BODY_BYTES

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


def _database() -> dict[str, object]:
    """Return the database: DATABASE_URL, or SQLite in the data folder.

    SQLite needs IMMEDIATE transactions (a deferred one fails when it turns to writing) and syncs at each
    commit, since an answered request promises that the bytes are on disk.
    """
    url = (
        env.url("DATABASE_URL", ("postgres", "postgresql", "sqlite"))
        or f"sqlite:///{OFFLOAD_HOME / 'offload.sqlite3'}"
    )
    database: dict[str, object] = dict(environ.Env.db_url_config(url))
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["OPTIONS"] = {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
    else:
        database["CONN_HEALTH_CHECKS"] = True
    database["CONN_MAX_AGE"] = 600
    return database


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

BROKER_SOCKET = env.broker_socket(OFFLOAD_HOME)
REDIS_URL = env.url("REDIS_URL", ("redis", "rediss", "redis+socket"))
CACHE_URL = REDIS_URL or f"unix://{BROKER_SOCKET}"
CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{BROKER_SOCKET}"

AUTH_PASSWORD_VALIDATORS: list[dict[str, str]] = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "session-list"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_NAME = "offload_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.boolean("OFFLOAD_HTTPS", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SESSION_COOKIE_SECURE else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, UNSAFE_INLINE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "build" / "static"
STATICFILES_DIRS = [VENDOR_DIR / "static"]
_STATIC = "django.contrib.staticfiles.storage.StaticFilesStorage"
_STATIC_COLLECTED = "offload_site.storage.StaticFiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC if DEBUG else _STATIC_COLLECTED},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

LOG_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": env.choice("OFFLOAD_LOG_LEVEL", "WARNING", LOG_LEVELS)},
    # What a client asked wrongly is told to the client; here only our own failures matter.
    "loggers": {"django.request": {"level": "ERROR"}},
}
