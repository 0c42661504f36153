"""Loaded before Django's settings: tests never touch the data folder of the person who runs them."""

from __future__ import annotations

import os
import tempfile

if "OFFLOAD_TEST_HOME" not in os.environ:
    os.environ["OFFLOAD_TEST_HOME"] = tempfile.mkdtemp(prefix="offload-test-")
os.environ["OFFLOAD_HOME"] = os.environ["OFFLOAD_TEST_HOME"]
os.environ["OFFLOAD_LOG_LEVEL"] = "CRITICAL"
