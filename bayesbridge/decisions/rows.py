"""Answers with a row for each contract or question: Datasets that notebooks and ``print`` show as the screen does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import xarray

from bayesbridge.decisions.tables import SHOWN, answers_table, contracts_table, plain_rows
from bayesbridge.markup import Shown, Table


class Rows(Shown, xarray.Dataset):
    """A Dataset with a table; a part of one that lacks what the table needs is shown as any other Dataset."""

    __slots__ = ()

    @property
    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """As the command line prints them."""

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


class ContractRows(Rows):
    """What :func:`bayesbridge.contracts` gives."""

    __slots__ = ()

    @property
    def tables(self) -> Sequence[Table]:
        """The best contracts."""
        return [contracts_table(plain_rows(self), self.attrs, SHOWN)]


class AnswerRows(Rows):
    """What :func:`bayesbridge.value_of_information` gives."""

    __slots__ = ()

    @property
    def tables(self) -> Sequence[Table]:
        """The most valuable answers."""
        return [answers_table(plain_rows(self), self.attrs)]
