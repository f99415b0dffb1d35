"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import _thread
import signal
import sys
import threading


def main() -> int:
    """Run the command line; an interrupt ends it without a traceback from its first import to its last line."""
    sys.unraisablehook = _interrupt_again
    try:
        from bayesbridge.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        # All is said and written: whoever interrupts now ends the process at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(ignored: "sys.UnraisableHookArgs") -> None:
    """An interrupt that came where Python can only ignore errors, such as in a destructor, would be lost."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(ignored)


if __name__ == "__main__":
    sys.exit(main())
