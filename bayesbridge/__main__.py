"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import sys

from bayesbridge.display.words import tell


def main() -> int:
    """Run the command line; an interrupt while it is imported ends it in one line."""
    try:
        from bayesbridge.cli import main as run

        return run()
    except KeyboardInterrupt:
        tell("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main())
