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
        threading.Timer(0.01, _interrupt).start()
    else:
        sys.__unraisablehook__(ignored)


def _interrupt() -> None:
    main_thread = threading.main_thread().ident
    if main_thread is not None and hasattr(signal, "pthread_kill"):  # also wakes one that waits for the system
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        _thread.interrupt_main()


if __name__ == "__main__":
    sys.exit(main())
