"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import signal
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
        # All is said and written: whoever interrupts now ends the process at once; one that comes again is old.
        signal.signal(signal.SIGINT, signal.SIG_IGN if interrupts.was_ignored() else signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
