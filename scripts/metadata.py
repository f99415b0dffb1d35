"""Tell the package index where the repository is, which the tree cannot know.

$BAYESBRIDGE_REPOSITORY says it; the release workflow sets it. Links of the README are
then absolute, and the project has addresses; without it the README is as it stands, and
there are none.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")
RELATIVE_PICTURE = re.compile(r'(src|srcset)="(?!\w+:)([^"]+)"')


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """A page whose links and pictures lead to that version of the repository."""
    text = RELATIVE_LINK.sub(rf"]({repository}/blob/{tag}/\1)", text)
    return RELATIVE_PICTURE.sub(rf'\1="{repository}/raw/{tag}/\2"', text)


class Metadata(MetadataHookInterface):
    """Fills in ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """The fields that ``pyproject.toml`` calls dynamic."""
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["urls"] = {}
        repository = os.environ.get("BAYESBRIDGE_REPOSITORY", "").rstrip("/")
        if repository:
            tag = f"v{metadata['version']}"
            text = with_absolute_links(text, repository, tag)
            metadata["urls"] = {
                "Source": repository,
                "Documentation": f"{repository}/blob/{tag}/docs/index.md",
                "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
