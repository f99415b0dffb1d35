"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import sys


def main() -> int:
    """Run the command line; an interrupt while it is being imported ends it in one line too."""
    try:
        from bayesbridge.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("bayesbridge: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
