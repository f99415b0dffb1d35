"""What the fits of the learned models share.

That is a reader of sequences, hands as vectors, and the training.

The reader (a causal transformer) reads what everybody at the table knows and never sees
a hidden hand; what a hand says is added to it in one hidden layer. So a thousand
candidate hands cost a thousand short products, and the sequence is read once.
:mod:`bayesbridge.bidders.networks` does the same in NumPy. Names of layers and
parameters are those of the files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

SUIT_WIDTH = 13 + 14 + 16 + 4
"""Features of a holding: cards, length, honours and numbers (:func:`suit_features`)."""

MOST_POINTS = 37
"""High-card points of the strongest hand."""


def tensors(
    arrays: Mapping[str, np.ndarray], device: torch.device
) -> dict[str, Tensor]:
    """Arrays as tensors on the device."""
    return {name: torch.tensor(array, device=device) for name, array in arrays.items()}


def holdings_of(masks: np.ndarray) -> np.ndarray:
    """(…, 4) cards of each suit C D H S as 13 bits, of hands as masks of 52 bits."""
    suit_shifts = 13 * np.arange(4, dtype=np.uint64)
    holdings = masks[..., None] >> suit_shifts & np.uint64(0x1FFF)
    return holdings.astype(np.int16)


def token_rows(columns: Iterable[Tensor], starts: np.ndarray) -> Tensor:
    """(b, n, columns) rows of the reader's table.

    A column (b, n) of a token has rows of its own, from its start on.
    """
    rows = []
    for column, start in zip(columns, starts, strict=False):
        rows.append(column + int(start))
    return torch.stack(rows, dim=2)


def half_precision(device: torch.device) -> torch.autocast:
    """Half precision where the device is quick with it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


class Layer(nn.Module):
    """Attention to the past and a hidden layer, each added to what went in."""

    def __init__(self, width: int, heads: int, reach: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.norm_1 = nn.LayerNorm(width)
        self.norm_2 = nn.LayerNorm(width)
        self.ask = nn.Linear(width, 3 * width)
        self.answer = nn.Linear(width, width)
        self.distance = nn.Parameter(torch.zeros(heads, reach))
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def bias(self, distances: Tensor) -> Tensor:
        """(heads, n, n) what distance adds to the attention; −∞ for what comes later."""
        place = distances.clamp(min=0).flatten()
        bias = self.distance.index_select(1, place).view(-1, *distances.shape)
        return bias.masked_fill(distances < 0, -math.inf)

    def forward(self, x: Tensor, distances: Tensor) -> Tensor:
        """(b, n, width) → (b, n, width); ``distances`` (n, n) as the reader has them."""
        x = x + self._dropped(self.attention(self.norm_1(x), distances))
        hidden = F.relu(self.up(self.norm_2(x)))
        return x + self._dropped(self.down(hidden))

    def attention(self, x: Tensor, distances: Tensor) -> Tensor:
        """(b, n, width) what each token takes from itself and those before it."""
        b, n, width = x.shape
        joined = self.ask(x).view(b, n, 3, self.heads, width // self.heads)
        queries, keys, values = joined.permute(2, 0, 3, 1, 4)
        bias = self.bias(distances).to(queries.dtype).expand(b, -1, -1, -1)
        mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
        return self.answer(mixed.transpose(1, 2).reshape(b, n, width))

    def _dropped(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class Reader(nn.Module):
    """A causal transformer over tokens that are sums of rows of one table.

    ``reach`` is how many distances between tokens are told apart.
    """

    def __init__(
        self, rows: int, width: int, layers: int, heads: int, reach: int, dropout: float
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, width)
        nn.init.normal_(self.table.weight, std=0.05)
        self.layers = nn.ModuleList(
            Layer(width, heads, reach, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.reach = reach

    def distances(self, n: int, device: torch.device) -> Tensor:
        """(n, n) how far back each token lies, −1 for those that come later."""
        place = torch.arange(n, device=device)
        return (place[:, None] - place).clamp(-1, self.reach - 1)

    def forward(self, tokens: Tensor, extra: Tensor | None = None) -> Tensor:
        """(b, n, width) what was read up to each token.

        ``tokens`` (b, n, k) are rows of the table, all different, to be added up;
        ``extra`` (b, n, width) is added to them.
        """
        # A product with zeros and ones: the gradient of a look-up in so few rows takes
        # longer than everything else.
        b, n, _ = tokens.shape
        is_row = torch.zeros(b, n, self.table.num_embeddings, device=tokens.device)
        is_row = is_row.scatter_(2, tokens, 1.0)
        x = (is_row @ self.table.weight).float()
        if extra is not None:
            x = x + extra
        distances = self.distances(n, x.device)
        for layer in self.layers:
            x = layer(x, distances)
        return self.norm(x)


class Holdings(nn.Module):
    """A hand as the sum over its suits of a vector looked up by the holding.

    ``features`` (8192, 47) are those of :func:`suit_features`.
    """

    def __init__(self, units: int, hidden: int, features: Tensor) -> None:
        super().__init__()
        self.register_buffer("features", features, persistent=False)
        self.suit_in = nn.Parameter(torch.randn(4, SUIT_WIDTH, hidden) / math.sqrt(8))
        self.suit_in_bias = nn.Parameter(torch.zeros(4, hidden))
        self.suit_out = nn.Parameter(
            torch.randn(4, hidden, units) / math.sqrt(2 * hidden)
        )
        self.suit_skip = nn.Parameter(torch.randn(4, SUIT_WIDTH, units) / math.sqrt(32))
        self.hand_bias = nn.Parameter(torch.zeros(units))

    def forward(self, holdings: Tensor) -> Tensor:
        """(n, units) vectors of hands, (n, 4) holdings."""
        features = self.features[holdings].transpose(0, 1)  # (4, n, 47)
        products = torch.baddbmm(self.suit_in_bias[:, None], features, self.suit_in)
        hidden = F.relu(products)
        # All four suits side by side, so that one product adds them up.
        inputs = torch.cat([hidden, features.to(hidden.dtype)], dim=2)
        inputs = inputs.transpose(0, 1).flatten(1)
        weights = torch.cat([self.suit_out, self.suit_skip], dim=1).flatten(0, 1)
        return inputs @ weights + self.hand_bias


SHAPES = [shape for shape in product(range(14), repeat=4) if sum(shape) == 13]
"""The 560 lengths C D H S, in the order in which their vectors are stored."""

TOPS = 5 + 4 * 6
"""Features of a set of aces and kings.

They are how many aces (0 … 4), and key cards for each suit (0 … 5).
"""


def tops_features() -> Tensor:
    """(256, 29) features of every set of aces and kings: a 1 for each count.

    A set has clubs' king at bit 0, their ace at bit 1, then diamonds'.
    """
    is_held = np.arange(256)[:, None] >> np.arange(8) & 1
    kings = is_held[:, ::2]
    aces = is_held[:, 1::2].sum(axis=1)
    features = [np.eye(5)[aces]]
    for suit in range(4):
        key_cards = aces + kings[:, suit]
        features.append(np.eye(6)[key_cards])
    return torch.tensor(np.concatenate(features, axis=1), dtype=torch.float32)


def shape_numbers() -> np.ndarray:
    """(14, 14, 14) place in :data:`SHAPES` by the lengths of clubs, diamonds, hearts."""
    numbers = np.zeros((14, 14, 14), np.int64)
    for place, (clubs, diamonds, hearts, _) in enumerate(SHAPES):
        numbers[clubs, diamonds, hearts] = place
    return numbers


class Hands(nn.Module):
    """Vectors of hands, suit by suit; ``with_totals`` adds what counts in all suits.

    That is points, shape, aces and key cards.
    """

    def __init__(
        self, units: int, features: Tensor, dropout: float, with_totals: bool = False
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.holdings = Holdings(units, 64, features)
        self.deepen = nn.Linear(units, units)
        self.with_totals = with_totals
        if with_totals:
            self._add_totals(units)

    def _add_totals(self, units: int) -> None:
        """Add parameters for totals, and tables of what a holding counts."""
        self.points = nn.Parameter(torch.zeros(MOST_POINTS + 1, units))
        self.shapes = nn.Parameter(torch.zeros(len(SHAPES), units))
        self.tops = nn.Parameter(torch.randn(TOPS, units) * 0.1)
        cards = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
        tables = {
            "length_of": torch.tensor(cards.sum(axis=1)),
            "points_of": torch.tensor(cards[:, 9:] @ np.arange(1, 5)),
            "shape_of": torch.tensor(shape_numbers()),
            "tops_of": tops_features(),
        }
        for name, values in tables.items():
            self.register_buffer(name, values, persistent=False)

    def top_cards(self, holdings: Tensor) -> Tensor:
        """(n, 29) features of the aces and kings of each hand."""
        king_and_ace = holdings >> 11
        suit_shifts = 2 * torch.arange(4, device=holdings.device)
        return self.tops_of[(king_and_ace << suit_shifts).sum(dim=1)]

    def forward(self, holdings: Tensor) -> Tensor:
        """(n, units) vectors of hands, (n, 4) holdings."""
        hand = self.holdings(holdings)
        if self.with_totals:
            points = self.points_of[holdings].sum(dim=1)
            clubs, diamonds, hearts, _ = self.length_of[holdings].unbind(dim=1)
            shape = self.shape_of[clubs, diamonds, hearts]
            hand = hand + one_hot(points, MOST_POINTS + 1) @ self.points
            hand = hand + one_hot(shape, len(SHAPES)) @ self.shapes
            hand = hand + self.top_cards(holdings) @ self.tops
        hand = F.dropout(F.relu(hand), self.dropout, self.training)
        return F.dropout(F.relu(self.deepen(hand)), self.dropout, self.training)


def one_hot(place: Tensor, n: int) -> Tensor:
    """(…, n) a 1 at each place.

    A product with it is quicker than a look-up, whose gradient takes long.
    """
    zeros = torch.zeros(*place.shape, n, device=place.device)
    return zeros.scatter_(-1, place[..., None], 1.0)


def suit_features() -> Tensor:
    """(8192, 47) features of every holding.

    They are those of :func:`bayesbridge.bidders.networks.suit_features`; a fit needs no
    package.
    """
    holdings = np.arange(1 << 13)
    cards = (holdings[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    points = cards[:, 9:] @ np.arange(1.0, 5.0)
    controls = 2 * cards[:, 12] + cards[:, 11]
    honours = cards[:, 8:].sum(axis=1)
    numbers = [points / 4, length / 4, controls, honours * length / 10]
    is_length = np.eye(14)[length.astype(int)]
    is_honour_set = np.eye(16)[holdings >> 9]
    features = [cards, is_length, is_honour_set, np.stack(numbers, axis=1)]
    return torch.tensor(np.concatenate(features, axis=1), dtype=torch.float32)


def grouped(
    length: np.ndarray,
    chosen: np.ndarray,
    tokens: int,
    rng: np.random.Generator,
    mixed: int = 1,
) -> Iterator[np.ndarray]:
    """All chosen tables in random order, about ``tokens`` tokens at a time.

    Lengths of a group are up to ``mixed`` apart.
    """
    noisy = length[chosen] + mixed * rng.random(len(chosen))
    ordered = chosen[np.argsort(noisy, kind="stable")]
    ends = np.cumsum(length[ordered]) // tokens
    groups = np.split(ordered, np.flatnonzero(np.diff(ends)) + 1)
    for place in rng.permutation(len(groups)):
        yield groups[place]


class RecordedStep:
    """A step that a GPU recorded once and replays.

    Launching its kernels one by one takes longer than running them.
    """

    def __init__(
        self, advance: Callable[[object], None], optimiser: torch.optim.Optimizer
    ) -> None:
        self.advance = advance
        self.optimiser = optimiser
        self.graph: torch.cuda.CUDAGraph | None = None
        self.batch: tuple[Tensor, ...] = ()
        """What the recorded step reads: the batch of each step is copied into it."""

    def __call__(self, batch: tuple[Tensor, ...]) -> None:
        if self.graph is None:
            self._record(batch)
        for target, values in zip(self.batch, batch, strict=True):
            target.copy_(values, non_blocking=True)
        assert self.graph is not None
        self.graph.replay()

    def _record(self, batch: tuple[Tensor, ...]) -> None:
        """Take a few steps, which choose kernels and allocate, and record another."""
        self.batch = tuple(values.cuda() for values in batch)
        warm_up = torch.cuda.Stream()
        warm_up.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm_up):
            for _ in range(3):
                self.optimiser.zero_grad(set_to_none=True)
                self.advance(self.batch)
        torch.cuda.current_stream().wait_stream(warm_up)
        self.optimiser.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.advance(self.batch)


WARM_UP_STEPS = 300
LOWEST_RATE = 0.01
"""Share of the highest rate that is left at the end."""

AVERAGE_STEP = 0.002
"""How far the averaged weights move towards the weights in a step."""

SECONDS_BETWEEN_REPORTS = 20
STEPS_BETWEEN_WAITS = 50
"""After so many the host waits for the GPU, since the clock is the host's."""


class Schedule(NamedTuple):
    """How long a model is fitted, and how fast it learns."""

    seconds: float
    rate: float
    """The highest learning rate."""
    decay: float
    """Of the weights."""

    def rate_at(self, step: int, seconds: float) -> float:
        """The rate after so many steps and seconds.

        It warms up, then falls along a half cosine.
        """
        warm_up = min(1.0, (step + 1) / WARM_UP_STEPS)
        half_cosine = 0.5 * (1 + math.cos(math.pi * seconds / self.seconds))
        fall = LOWEST_RATE + (1 - LOWEST_RATE) * half_cosine
        return self.rate * warm_up * fall


def train(
    model: nn.Module,
    batches: Callable[[np.random.Generator], Iterator[object]],
    loss_of: Callable[[object], Tensor],
    validate: Callable[[], float],
    schedule: Schedule,
    rng: np.random.Generator,
    name: str,
    recorded: bool = False,
) -> None:
    """Fit a model for a stated time.

    An average of the weights is what is judged; from time to time it is, and the best
    one is kept, so that few tables and much time do not end in a model that knows its
    tables by heart.

    Parameters
    ----------
    model : Module
    batches : callable
        One pass through all batches, in an order that the generator decides.
    loss_of : callable
        The loss of a batch.
    validate : callable
        The loss of the model on tables to choose by.
    schedule : Schedule
    rng : Generator
    name : str
        Of the model, for what is printed.
    recorded : bool, default False
        Whether batches are tuples of tensors of the same shapes throughout, so that a
        GPU may record one step and replay it.
    """
    training = Training(model, loss_of, schedule)
    average = BestAverage(model, training.average, validate)
    advance = training.advance_anew
    if recorded and training.on_gpu:
        advance = RecordedStep(training.advance, training.optimiser)
    start = time.monotonic()
    last_report = 0.0
    spent = 0.0
    step = 0
    epoch = 0
    while spent < schedule.seconds:
        epoch += 1
        first_step = step
        training.total_loss.zero_()
        for batch in batches(rng):
            spent = time.monotonic() - start
            if spent >= schedule.seconds:
                break
            training.set_rate(schedule.rate_at(step, spent))
            advance(batch)
            step += 1
            if training.on_gpu and step % STEPS_BETWEEN_WAITS == 0:
                torch.cuda.synchronize()
        is_due = time.monotonic() - last_report > SECONDS_BETWEEN_REPORTS
        if step > first_step and is_due:
            last_report = time.monotonic()
            mean_loss = float(training.total_loss) / (step - first_step)
            print(
                f"{name}: epoch {epoch}, step {step}, {spent:.0f} s, "
                f"training {mean_loss:.4f}, validation {average.judge():.4f}",
                flush=True,
            )
    average.judge()
    average.take_best()
    print(
        f"{name}: {epoch} epochs, {step} steps, "
        f"best validation {average.best_loss:.4f}",
        flush=True,
    )


class Training:
    """The steps of a fit, and the running average of the weights."""

    def __init__(
        self,
        model: nn.Module,
        loss_of: Callable[[object], Tensor],
        schedule: Schedule,
    ) -> None:
        self.model = model
        self.loss_of = loss_of
        self.device = next(model.parameters()).device
        self.on_gpu = self.device.type == "cuda"
        rate: float | Tensor = schedule.rate
        if self.on_gpu:  # a recorded step reads it from there
            rate = torch.tensor(rate, device=self.device)
        self.optimiser = torch.optim.AdamW(
            parameter_groups(model, schedule.decay),
            lr=rate,
            betas=(0.9, 0.98),
            fused=self.on_gpu,
            capturable=self.on_gpu,
        )
        self.average = copies_of_weights(model)
        self.total_loss = torch.zeros((), device=self.device)

    def advance(self, batch: object) -> None:
        """Take one step, the gradients being none."""
        with torch.autocast(
            self.device.type, torch.bfloat16, enabled=self.on_gpu, cache_enabled=False
        ):
            loss = self.loss_of(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        weights = [values.detach() for values in self.model.parameters()]
        torch._foreach_lerp_(self.average, weights, AVERAGE_STEP)
        self.total_loss.add_(loss.detach())

    def advance_anew(self, batch: object) -> None:
        """Forget the gradients and take one step."""
        self.optimiser.zero_grad(set_to_none=True)
        self.advance(batch)

    def set_rate(self, rate: float) -> None:
        """Set the learning rate of the next step."""
        for group in self.optimiser.param_groups:
            if self.on_gpu:
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate


def parameter_groups(model: nn.Module, decay: float) -> list[dict[str, object]]:
    """Parameters whose values decay, and those that are marked as undecayed."""
    decayed = []
    undecayed = []
    for values in model.parameters():
        group = undecayed if getattr(values, "undecayed", False) else decayed
        group.append(values)
    return [
        {"params": decayed, "weight_decay": decay},
        {"params": undecayed, "weight_decay": 0.0},
    ]


class BestAverage:
    """The averaged weights, and the best that they have been."""

    def __init__(
        self, model: nn.Module, average: list[Tensor], validate: Callable[[], float]
    ) -> None:
        self.model = model
        self.average = average
        self.validate = validate
        self.best_loss = math.inf
        self.best_weights = average

    def judge(self) -> float:
        """The loss of the model with the averaged weights; the best are kept."""
        with torch.no_grad():
            own_weights = copies_of_weights(self.model)
            put_weights(self.model, self.average)
            loss = self.validate()
            put_weights(self.model, own_weights)
        self.model.train()
        if loss < self.best_loss:
            self.best_loss = loss
            self.best_weights = [values.clone() for values in self.average]
        return loss

    def take_best(self) -> None:
        """Give the model the best averaged weights."""
        put_weights(self.model, self.best_weights)


def copies_of_weights(model: nn.Module) -> list[Tensor]:
    """Copies of all parameters."""
    return [values.detach().clone() for values in model.parameters()]


def put_weights(model: nn.Module, weights: list[Tensor]) -> None:
    """Give the model these weights."""
    with torch.no_grad():
        for own_values, values in zip(model.parameters(), weights, strict=True):
            own_values.copy_(values)


def eight_bits(value: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers from −127 to 127, and what each row of them is multiplied by."""
    largest = value.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12)
    scale = largest / 127
    return (value / scale).round(), scale


@torch.no_grad()
def round_weights(module: nn.Module) -> None:
    """Round the matrices as the file will, so that what is judged is what ships."""
    for value in module.parameters():
        if getattr(value, "sixteen_bits", False):
            value.copy_(value.half())
        elif value.dim() > 1:
            integers, scale = eight_bits(value.float())
            value.copy_(integers * scale)


def parameters_of(module: nn.Module, prefix: str = "") -> dict[str, np.ndarray]:
    """The parameters by name, as the file holds them.

    Matrices are 8-bit numbers with a scale for each row, or 16-bit numbers where
    marked; all else are 32-bit numbers.
    """
    arrays: dict[str, np.ndarray] = {}
    sixteen_bits = {
        key
        for key, value in module.named_parameters()
        if getattr(value, "sixteen_bits", False)
    }
    for key, tensor in module.state_dict().items():
        name = prefix + key.replace(".", "_")
        value = tensor.detach().float().cpu()
        if key in sixteen_bits:
            arrays[name] = value.numpy().astype(np.float16)
        elif value.dim() > 1:
            integers, scale = eight_bits(value)
            arrays[name] = integers.numpy().astype(np.int8)
            arrays[f"{name}:scale"] = scale.numpy()
        else:
            arrays[name] = value.numpy()
    return arrays


def save(path: Path, module: nn.Module, facts: dict[str, object]) -> None:
    """The file that ships: parameters, and how they were made."""
    np.savez_compressed(path, **parameters_of(module), facts=np.array(str(facts)))
