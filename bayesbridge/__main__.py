"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import signal
import sys


def main() -> int:
    """Run the command line; an interrupt ends it without a traceback from its first import to its last line."""
    try:
        from bayesbridge.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        # All is said and written: whoever interrupts now ends the process at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
