"""How deep message lists are compressed, as the environment sets it."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from offload_site import env
from pipelines.l3.settings import Settings


def compression() -> Settings:
    """Return the levels of compression. Shares that contradict each other stop the start."""
    try:
        return Settings(
            mild_ratio=env.ratio("OFFLOAD_MILD_OFFLOAD_RATIO", 0.5),
            aggressive_ratio=env.ratio("OFFLOAD_AGGRESSIVE_COMPRESS_RATIO", 0.85),
            aggressive_delete_ratio=env.ratio("OFFLOAD_AGGRESSIVE_DELETE_RATIO", 0.4),
            emergency_ratio=env.ratio("OFFLOAD_EMERGENCY_COMPRESS_RATIO", 0.95),
            emergency_target_ratio=env.ratio("OFFLOAD_EMERGENCY_TARGET_RATIO", 0.6),
            mmd_max_token_ratio=env.ratio("OFFLOAD_MMD_MAX_TOKEN_RATIO", 0.2),
            system_overhead_ratio=env.ratio("OFFLOAD_DEFAULT_SYSTEM_OVERHEAD_RATIO", 0.12),
        )
    except ValueError as error:
        raise ImproperlyConfigured(f"{error}") from None
