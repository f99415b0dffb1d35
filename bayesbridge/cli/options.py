"""Names that commands take from several modules."""

from bayesbridge.cli.evidence_options import BIDS as BIDS
from bayesbridge.cli.modes import Mode as Mode
from bayesbridge.cli.modes import verify as verify
from bayesbridge.cli.positions import settings_of as settings_of
from bayesbridge.cli.usage import UsageError as UsageError
from bayesbridge.cli.usage import attributed as attributed
