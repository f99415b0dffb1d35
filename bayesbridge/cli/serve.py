"""``bayesbridge serve``: the explorer, a page on which positions are set by clicking."""

from __future__ import annotations

import importlib.util
import re
import sys
from argparse import Namespace
from functools import partial
from secrets import token_urlsafe
from typing import Final

from bayesbridge.cli import screens
from bayesbridge.cli.usage import UsageError

WEB_PACKAGES: Final = ("h11", "starlette", "uvicorn")

TOKEN: Final = re.compile(r"[\w-]{16,64}", re.ASCII)
TOKEN_BYTES: Final = 16
"""Random bytes of a new token: 128 bits."""

INTERRUPTED: Final = 130
"""Exit status."""


def run(args: Namespace) -> int:
    """Answer the page until an interrupt, which is its usual end."""
    verify_packages()
    if args.token is not None and not TOKEN.fullmatch(args.token):
        raise UsageError(
            "argument --token: write 16 to 64 letters, digits, '-' and '_'"
        )
    from bayesbridge.web.server import explorer, listen

    listener = listen(args.port)
    port = listener.getsockname()[1]
    token = args.token or token_urlsafe(TOKEN_BYTES)
    ready = partial(open_page, args, f"http://127.0.0.1:{port}/{token}/")
    try:
        explorer(token, args.workers, ready, args.seed).run(sockets=[listener])
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def verify_packages() -> None:
    """Refuse to serve where a package of the extra ``web`` is missing."""
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)} not installed: pip install {' '.join(missing)}"
        )


def open_page(args: Namespace, address: str) -> None:
    """Say where the page is, and open it in a browser."""
    if args.json:
        screens.print_json({"address": address})
    else:
        screens.say_whole(f"The explorer is at {address}", "Ctrl-C ends it.")
    sys.stdout.flush()
    if not args.no_browser:
        import webbrowser

        webbrowser.open(address)
