"""A part of a page in docs/ builds a plugin: its files, its commands, and a place where they are tried by a reader."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"(?:^\*\*(?P<file>\S+)\*\*\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)


class Guide:
    """The blocks of a part of a page: files under their names, commands to type, and doctests."""

    def __init__(self, page, heading):
        _, _, rest = (ROOT / "docs" / page).read_text("utf-8").partition(f"\n## {heading}\n")
        self.text = rest.partition("\n## ")[0]
        self.blocks = [match.groupdict() for match in BLOCK.finditer(self.text)]
        self.files = {block["file"]: block["text"] for block in self.blocks if block["file"]}
        self.commands = [
            line for block in self.blocks if block["language"] == "sh" for line in block["text"].splitlines()
        ]

    def strangers(self):
        """Blocks that nothing runs."""
        known = [b for b in self.blocks if b["file"] or b["language"] == "sh" or ">>>" in b["text"]]
        return len(self.blocks) - len(known) + abs(self.text.count("\n```") // 2 - len(self.blocks))

    def write(self, folder):
        """Put the files into a folder."""
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8")
        return folder


def run(project, *command):
    """What Python prints in the folder of the project, with what was installed there."""
    environment = os.environ | {"PYTHONPATH": f"{project / 'site'}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-P", *command], cwd=project, env=environment, capture_output=True, text=True, check=True
    ).stdout


def install(project):
    """Install with pip, into a folder where Python looks and not into the environment that runs the tests."""
    pip = ("-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps")
    run(project, *pip, "--target", "site", ".")
