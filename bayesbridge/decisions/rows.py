"""Answers with a row for each contract or question: Datasets that notebooks and ``print`` show as the screen does."""

from __future__ import annotations

import xarray

from bayesbridge.decisions.tables import SHOWN, answers_table, contracts_table, plain_rows
from bayesbridge.markup import Displayable, Table


class Rows(Displayable, xarray.Dataset):  # type: ignore[no-untyped-call]
    """What :func:`bayesbridge.contracts` and :func:`bayesbridge.value_of_information` give.

    A part of it that lacks what the table needs is shown as any other Dataset.
    """

    __slots__ = ()

    @property
    def tables(self) -> list[Table]:
        """The best contracts, or the most valuable answers."""
        rows = plain_rows(self)
        return [answers_table(rows, self.attrs) if "bits" in self else contracts_table(rows, self.attrs, SHOWN)]

    def _repr_html_(self) -> str:
        try:
            return super()._repr_html_()
        except (KeyError, IndexError):
            return str(xarray.Dataset._repr_html_(self))

    def __str__(self) -> str:
        try:
            return super().__str__()
        except (KeyError, IndexError):
            return repr(self)
