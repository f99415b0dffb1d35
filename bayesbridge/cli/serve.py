"""``bayesbridge serve``: the explorer, a page on which positions are set by clicking."""

from __future__ import annotations

import importlib.util
import re
import sys
from argparse import Namespace
from secrets import token_urlsafe
from typing import Final

from bayesbridge.cli import screens
from bayesbridge.cli.usage import UsageError

WEB_PACKAGES: Final = ("h11", "starlette", "uvicorn")


def run(args: Namespace) -> int:
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)} not installed: pip install {' '.join(missing)}"
        )
    if args.token is not None and not re.fullmatch(
        r"[\w-]{16,64}", args.token, re.ASCII
    ):
        raise UsageError(
            "argument --token: write 16 to 64 letters, digits, '-' and '_'"
        )
    from bayesbridge.web.server import explorer, listen

    listener = listen(args.port)
    token = args.token or token_urlsafe(16)  # 128 random bits
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/{token}/"

    def ready() -> None:
        if args.json:
            screens.print_json({"address": address})
        else:
            screens.say_whole(f"The explorer is at {address}", "Ctrl-C ends it.")
        sys.stdout.flush()
        if not args.no_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        explorer(token, args.workers, ready, args.seed).run(sockets=[listener])
    except KeyboardInterrupt:  # the usual end, so without a word
        return 130
    return 0
