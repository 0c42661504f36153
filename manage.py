#!/usr/bin/env python
"""Run the project's management commands."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "offload_site.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        _ = settings.INSTALLED_APPS  # read here, since the commands hide what is wrong with a setting
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"error: {error}")
    except Exception as error:
        from offload_site.failures import cure

        line = None if "--traceback" in sys.argv else cure(error)
        if line is None:
            raise
        sys.exit(f"error: {line}")


if __name__ == "__main__":
    main()
