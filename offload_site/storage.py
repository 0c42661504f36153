"""Static files under names that change with their content, inside the scripts' own imports too."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites `import … from "./name.js"` in our own modules as well, so that they need no build.

    Only in ours: the switch Django has for this reads every package's scripts, some of which name files
    that are not there.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("canvases/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]),
    )
