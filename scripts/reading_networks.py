"""What the fits of the learned models share: a reader of sequences, hands as vectors,
the training.

The reader (a causal transformer) reads what everybody at the table knows and never sees
a hidden hand; what a hand says is added to it in one hidden layer. So a thousand
candidate hands cost a thousand short products, and the sequence is read once.
:mod:`bayesbridge.bidders.networks` does the same in NumPy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

SUIT_WIDTH = 47
"""Features of a holding, as :func:`bayesbridge.bidders.learned.suit_features` defines
them.
"""


class Layer(nn.Module):
    """Attention to the past and a hidden layer, each added to what went in."""

    def __init__(self, width: int, heads: int, reach: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.answer = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.distance = nn.Parameter(torch.zeros(heads, reach))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def bias(self, after: Tensor) -> Tensor:
        """(heads, n, n) what distance adds to the attention; −∞ for what comes later."""
        chosen = self.distance.index_select(1, after.clamp(min=0).flatten()).view(
            -1, *after.shape
        )
        return chosen.masked_fill(after < 0, -math.inf)

    def forward(self, x: Tensor, after: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = (
            self.ask(self.norm_1(x))
            .view(b, n, 3, self.heads, d // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        bias = self.bias(after).to(q.dtype).expand(b, -1, -1, -1)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + F.dropout(
            self.answer(seen.transpose(1, 2).reshape(b, n, d)),
            self.dropout,
            self.training,
        )
        hidden = F.relu(self.up(self.norm_2(x)))
        return x + F.dropout(self.down(hidden), self.dropout, self.training)


class Reader(nn.Module):
    """A causal transformer over tokens that are sums of rows of one table."""

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
        """(b, n, k) rows of the table, all different, added up → (b, n, width)."""
        # A product with zeros and ones: the gradient of a look-up in so few rows takes longer than all the rest.
        rows = self.table.num_embeddings
        chosen = torch.zeros(*tokens.shape[:2], rows, device=tokens.device).scatter_(
            2, tokens, 1.0
        )
        x = (chosen @ self.table.weight).float()
        if extra is not None:
            x = x + extra
        after = self.distances(x.shape[1], x.device)
        for layer in self.layers:
            x = layer(x, after)
        return self.norm(x)


class Holdings(nn.Module):
    """A hand as the sum over its suits of a vector looked up by the holding: (n, 4)
    holdings → (n, units).
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
        features = self.features[holdings].transpose(0, 1)  # (4, n, 47)
        hidden = F.relu(
            torch.baddbmm(self.suit_in_bias[:, None], features, self.suit_in)
        )
        both = (
            torch.cat([hidden, features.to(hidden.dtype)], dim=2)
            .transpose(0, 1)
            .flatten(1)
        )
        return (
            both @ torch.cat([self.suit_out, self.suit_skip], dim=1).flatten(0, 1)
            + self.hand_bias
        )


SHAPES = [shape for shape in product(range(14), repeat=4) if sum(shape) == 13]
"""The 560 lengths C D H S, in the order in which their vectors are stored."""

TOPS = 5 + 4 * 6
"""Features of a set of aces and kings: how many aces (0 … 4), and key cards for each
suit (0 … 5).
"""


def tops_features() -> Tensor:
    """(256, 29) of aces and kings, clubs' king at bit 0, ace at bit 1, then diamonds':
    one 1 for each count.
    """
    held_ = np.arange(256)[:, None] >> np.arange(8) & 1
    kings, aces = held_[:, ::2], held_[:, 1::2].sum(axis=1)
    counts = [np.eye(5)[aces], *(np.eye(6)[aces + kings[:, suit]] for suit in range(4))]
    return torch.tensor(np.concatenate(counts, axis=1), dtype=torch.float32)


class Hands(nn.Module):
    """(n, 4) holdings → (n, units): suit by suit; with ``whole`` also points, shape,
    aces and key cards.
    """

    def __init__(
        self, units: int, features: Tensor, dropout: float, whole: bool = False
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.holdings = Holdings(units, 64, features)
        self.deepen = nn.Linear(units, units)
        self.whole = whole
        if not whole:
            return
        self.points = nn.Parameter(torch.zeros(38, units))
        self.shapes = nn.Parameter(torch.zeros(len(SHAPES), units))
        self.tops = nn.Parameter(torch.randn(TOPS, units) * 0.1)
        ranks = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
        shape = np.zeros((14, 14, 14), np.int64)
        for place, (c, d, h, _) in enumerate(SHAPES):
            shape[c, d, h] = place
        for name, value in {
            "length_of": torch.tensor(ranks.sum(axis=1)),
            "points_of": torch.tensor(ranks[:, 9:] @ np.arange(1, 5)),
            "shape_of": torch.tensor(shape),
            "tops_of": tops_features(),
        }.items():
            self.register_buffer(name, value, persistent=False)

    def top_cards(self, holdings: Tensor) -> Tensor:
        """(n, 29) features of the aces and kings of each hand."""
        return self.tops_of[
            ((holdings >> 11) << (2 * torch.arange(4, device=holdings.device))).sum(
                dim=1
            )
        ]

    def forward(self, holdings: Tensor) -> Tensor:
        hand = self.holdings(holdings)
        if self.whole:
            points = self.points_of[holdings].sum(dim=1)
            length = self.length_of[holdings]
            shape = self.shape_of[length[:, 0], length[:, 1], length[:, 2]]
            hand = (
                hand
                + one_of(points, 38) @ self.points
                + one_of(shape, len(SHAPES)) @ self.shapes
            )
            hand = hand + self.top_cards(holdings) @ self.tops
        hand = F.dropout(F.relu(hand), self.dropout, self.training)
        return F.dropout(F.relu(self.deepen(hand)), self.dropout, self.training)


def one_of(place: Tensor, n: int) -> Tensor:
    """(…, n) a 1 at each place; a product with it is quicker than a look-up, whose
    gradient takes long.
    """
    return torch.zeros(*place.shape, n, device=place.device).scatter_(
        -1, place[..., None], 1.0
    )


def suit_features() -> Tensor:
    """(8192, 47) features of every holding, as ``bayesbridge.bidders.networks`` has
    them; a fit needs no package.
    """
    cards = (np.arange(1 << 13)[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    numbers = [
        cards[:, 9:] @ np.arange(1.0, 5.0) / 4,
        length / 4,
        2 * cards[:, 12] + cards[:, 11],
        cards[:, 8:].sum(axis=1) * length / 10,
    ]
    lengths = np.eye(14)[length.astype(int)]
    honours = np.eye(16)[np.arange(1 << 13) >> 9]
    return torch.tensor(
        np.concatenate([cards, lengths, honours, np.stack(numbers, axis=1)], axis=1),
        dtype=torch.float32,
    )


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


class Recorded:
    """A step that a GPU recorded once and replays: launching its kernels one by one
    takes longer than running them.
    """

    def __init__(
        self, advance: Callable[[object], None], optimiser: torch.optim.Optimizer
    ) -> None:
        self.advance, self.optimiser = advance, optimiser
        self.graph: torch.cuda.CUDAGraph | None = None
        self.batch: tuple[Tensor, ...] = ()

    def __call__(self, batch: tuple[Tensor, ...]) -> None:
        if self.graph is None:
            self._record(batch)
        for kept, new in zip(self.batch, batch, strict=True):
            kept.copy_(new, non_blocking=True)
        assert self.graph is not None
        self.graph.replay()

    def _record(self, batch: tuple[Tensor, ...]) -> None:
        """A few steps first, which choose kernels and allocate."""
        self.batch = tuple(one.cuda() for one in batch)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.optimiser.zero_grad(set_to_none=True)
                self.advance(self.batch)
        torch.cuda.current_stream().wait_stream(side)
        self.optimiser.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.advance(self.batch)


WARM_UP_STEPS = 300
SECONDS_BETWEEN_REPORTS = 20


def train(
    model: nn.Module,
    batches: Callable[[np.random.Generator], Iterator[object]],
    loss_of: Callable[[object], Tensor],
    validate: Callable[[], float],
    seconds: float,
    rate: float,
    decay: float,
    rng: np.random.Generator,
    name: str,
    recorded: bool = False,
) -> float:
    """Fit for a stated time: the rate warms up, then falls along a half cosine.

    An average of the weights is what is judged; from time to time it is, and the best
    one is kept, so that few tables and much time do not end in a model that knows its
    tables by heart. ``recorded``: the batches are tuples of tensors of the same shapes
    throughout, so that a GPU may record one step and replay it.
    """
    device = next(model.parameters()).device
    plain = [p for p in model.parameters() if getattr(p, "undecayed", False)]
    decayed = [p for p in model.parameters() if not getattr(p, "undecayed", False)]
    groups = [
        {"params": decayed, "weight_decay": decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    on_gpu = device.type == "cuda"
    first_rate = torch.tensor(rate, device=device) if on_gpu else rate
    optimiser = torch.optim.AdamW(
        groups, lr=first_rate, betas=(0.9, 0.98), fused=on_gpu, capturable=on_gpu
    )
    average = [p.detach().clone() for p in model.parameters()]
    total = torch.zeros((), device=device)

    def advance(batch: object) -> None:
        """One step."""
        with torch.autocast(
            device.type, torch.bfloat16, enabled=on_gpu, cache_enabled=False
        ):
            loss = loss_of(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        torch._foreach_lerp_(average, [p.detach() for p in model.parameters()], 0.002)
        total.add_(loss.detach())

    step_by = Recorded(advance, optimiser) if recorded and on_gpu else None
    start = time.monotonic()
    last_report = 0.0
    spent = 0.0
    step = 0
    epoch = 0
    best_loss = math.inf
    best_weights = average

    def judge_average() -> float:
        """Validation of the averaged weights, which are kept if they are the best."""
        nonlocal best_loss, best_weights
        with torch.no_grad():
            own_weights = [p.detach().clone() for p in model.parameters()]
            _put(model, average)
            loss = validate()
            _put(model, own_weights)
        model.train()
        if loss < best_loss:
            best_loss = loss
            best_weights = [p.clone() for p in average]
        return loss

    while spent < seconds:
        epoch += 1
        first_step = step
        total.zero_()
        for batch in batches(rng):
            spent = time.monotonic() - start
            if spent >= seconds:
                break
            warm_up = min(1.0, (step + 1) / WARM_UP_STEPS)
            cosine = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * spent / seconds))
            rate_now = rate * warm_up * cosine
            for group in optimiser.param_groups:
                if on_gpu:
                    group["lr"].fill_(rate_now)
                else:
                    group["lr"] = rate_now
            if step_by is not None:
                step_by(batch)
            else:
                optimiser.zero_grad(set_to_none=True)
                advance(batch)
            step += 1
            if on_gpu and step % 50 == 0:
                torch.cuda.synchronize()  # the clock is the host's
        is_due = time.monotonic() - last_report > SECONDS_BETWEEN_REPORTS
        if step > first_step and is_due:
            last_report = time.monotonic()
            training = float(total) / (step - first_step)
            print(
                f"{name}: epoch {epoch}, step {step}, {spent:.0f} s, "
                f"training {training:.4f}, validation {judge_average():.4f}",
                flush=True,
            )
    judge_average()
    _put(model, best_weights)
    print(
        f"{name}: {epoch} epochs, {step} steps, best validation {best_loss:.4f}",
        flush=True,
    )
    return best_loss


def _put(model: nn.Module, values: list[Tensor]) -> None:
    """Give the model these weights."""
    with torch.no_grad():
        for p, value in zip(model.parameters(), values, strict=True):
            p.copy_(value)


def eight_bits(value: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers from −127 to 127, and what each row of them is to be multiplied by."""
    scale = value.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12) / 127
    return (value / scale).round(), scale


@torch.no_grad()
def round_weights(module: nn.Module) -> None:
    """Round the matrices as the file will, so that what is judged is what ships."""
    for value in module.parameters():
        if getattr(value, "sixteen_bits", False):
            value.copy_(value.half())
        elif value.dim() > 1:
            whole, scale = eight_bits(value.float())
            value.copy_(whole * scale)


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
            whole, scale = eight_bits(value)
            arrays[name] = whole.numpy().astype(np.int8)
            arrays[f"{name}:scale"] = scale.numpy()
        else:
            arrays[name] = value.numpy()
    return arrays


def save(path: Path, module: nn.Module, facts: dict[str, object]) -> None:
    """The file that ships: parameters, and how they were made."""
    np.savez_compressed(path, **parameters_of(module), facts=np.array(str(facts)))
