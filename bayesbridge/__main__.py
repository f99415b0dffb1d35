"""``python -m bayesbridge`` is the command ``bayesbridge``."""

import sys

from bayesbridge.cli import main

if __name__ == "__main__":
    sys.exit(main())
