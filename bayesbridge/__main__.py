"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import sys

from bayesbridge import interrupts


def main() -> int:
    """Run the command line; an interrupt ends it without a traceback from its first import to its last line."""
    interrupts.watch()
    try:
        from bayesbridge.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        interrupts.unwatch()


if __name__ == "__main__":
    sys.exit(main())
