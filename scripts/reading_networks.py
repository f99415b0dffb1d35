"""What the fits of the learned models share: a reader of sequences, a head that adds hand and context, the training.

The reader (a causal transformer) reads what everybody at the table knows and never sees a hidden hand; the head adds
what a hand says to it in one hidden layer. So a thousand candidate hands cost a thousand short products, and the
sequence is read once. :mod:`bayesbridge.bidders.learned` and :mod:`bayesbridge.bidders.learned` do the same in NumPy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

SUIT_WIDTH = 47
"""Features of a holding, as :func:`bayesbridge.bidders.learned.suit_features` defines them."""


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
        return self.distance[:, after.clamp(min=0)].masked_fill(after < 0, -math.inf)

    def forward(self, x: Tensor, after: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = self.ask(self.norm_1(x)).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        bias = self.bias(after).to(q.dtype).expand(b, -1, -1, -1)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + F.dropout(self.answer(seen.transpose(1, 2).reshape(b, n, d)), self.dropout, self.training)
        hidden = F.relu(self.up(self.norm_2(x)))
        return x + F.dropout(self.down(hidden), self.dropout, self.training)


class Reader(nn.Module):
    """A causal transformer over tokens that are sums of rows of one table."""

    def __init__(self, rows: int, width: int, layers: int, heads: int, reach: int, dropout: float) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, width)
        nn.init.normal_(self.table.weight, std=0.05)
        self.layers = nn.ModuleList(Layer(width, heads, reach, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.reach = reach

    def distances(self, n: int, device: torch.device) -> Tensor:
        """(n, n) how far back each token lies, −1 for those that come later."""
        place = torch.arange(n, device=device)
        return (place[:, None] - place).clamp(-1, self.reach - 1)

    def forward(self, tokens: Tensor, extra: Tensor | None = None) -> Tensor:
        """(b, n, k) rows of the table, added up → (b, n, width)."""
        x = self.table(tokens).sum(dim=2)
        if extra is not None:
            x = x + extra
        after = self.distances(x.shape[1], x.device)
        for layer in self.layers:
            x = layer(x, after)
        return self.norm(x)


class Holdings(nn.Module):
    """A hand as the sum over its suits of a vector looked up by the holding: (n, 4) holdings → (n, units)."""

    def __init__(self, units: int, hidden: int, features: Tensor) -> None:
        super().__init__()
        self.register_buffer("features", features, persistent=False)
        self.suit_in = nn.Parameter(torch.randn(4, SUIT_WIDTH, hidden) / math.sqrt(8))
        self.suit_in_bias = nn.Parameter(torch.zeros(4, hidden))
        self.suit_out = nn.Parameter(torch.randn(4, hidden, units) / math.sqrt(2 * hidden))
        self.suit_skip = nn.Parameter(torch.randn(4, SUIT_WIDTH, units) / math.sqrt(32))
        self.hand_bias = nn.Parameter(torch.zeros(units))

    def forward(self, holdings: Tensor) -> Tensor:
        # Every holding is worked out, then looked up: there are fewer of them than hands in a batch.
        hidden = F.relu(torch.einsum("hf,sfu->shu", self.features, self.suit_in) + self.suit_in_bias[:, None])
        tables = torch.einsum("shu,suv->shv", hidden, self.suit_out)
        tables = tables + torch.einsum("hf,sfv->shv", self.features, self.suit_skip)
        rows = holdings + torch.arange(4, device=holdings.device) * len(self.features)
        return F.embedding_bag(rows, tables.flatten(0, 1), mode="sum") + self.hand_bias


class Head(nn.Module):
    """Hand and context, added in one hidden layer whose units the context also scales; then the choices."""

    def __init__(self, context: int, hand: int, mixed: int, choices: int, features: Tensor, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.holdings = Holdings(hand, 64, features)
        self.deepen = nn.Linear(hand, hand)
        self.hand_mix = nn.Linear(hand, mixed, bias=False)
        self.shift, self.scale = nn.Linear(context, mixed), nn.Linear(context, mixed)
        self.out, self.context_out = nn.Linear(mixed, choices), nn.Linear(context, choices, bias=False)
        nn.init.zeros_(self.scale.weight)
        nn.init.ones_(self.scale.bias)

    def forward(self, context: Tensor, holdings: Tensor, which: Tensor | None = None) -> Tensor:
        """(n, context), (m, 4) holdings and (n,) whose → (n, choices) scores."""
        hand = F.relu(self.holdings(holdings))
        hand = F.relu(self.deepen(F.dropout(hand, self.dropout, self.training)))
        hand = self.hand_mix(F.dropout(hand, self.dropout, self.training))
        if which is not None:
            hand = hand[which]
        mixed = F.relu(hand * self.scale(context) + self.shift(context))
        return self.out(F.dropout(mixed, self.dropout, self.training)) + self.context_out(context)


def suit_features() -> Tensor:
    """(8192, 47) features of every holding, from the package's own definition."""
    cards = (np.arange(1 << 13)[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    numbers = [
        cards[:, 9:] @ np.arange(1.0, 5.0) / 4,
        length / 4,
        2 * cards[:, 12] + cards[:, 11],
        cards[:, 8:].sum(axis=1) * length / 10,
    ]
    lengths, honours = np.eye(14)[length.astype(int)], np.eye(16)[np.arange(1 << 13) >> 9]
    return torch.tensor(
        np.concatenate([cards, lengths, honours, np.stack(numbers, axis=1)], axis=1), dtype=torch.float32
    )


def grouped(length: np.ndarray, chosen: np.ndarray, tokens: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """All chosen tables in random order, those of like length together, about ``tokens`` tokens at a time."""
    noisy = length[chosen] + rng.random(len(chosen))
    ordered = chosen[np.argsort(noisy, kind="stable")]
    ends = np.cumsum(length[ordered]) // tokens
    groups = np.split(ordered, np.flatnonzero(np.diff(ends)) + 1)
    for i in rng.permutation(len(groups)):
        yield groups[i]


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
) -> float:
    """Fit for a stated time: the rate warms up, then falls along a half cosine.

    An average of the weights is what is judged; from time to time it is, and the best one is kept, so that few tables
    and much time do not end in a model that knows its tables by heart.
    """
    device = next(model.parameters()).device
    plain = [p for p in model.parameters() if getattr(p, "undecayed", False)]
    decayed = [p for p in model.parameters() if not getattr(p, "undecayed", False)]
    groups = [{"params": decayed, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))
    average = [p.detach().clone() for p in model.parameters()]
    start, step, epoch, shown = time.monotonic(), 0, 0, 0.0
    spent = 0.0
    best, kept = math.inf, average

    def judged() -> float:
        """Validation of the averaged weights, which are kept if they are the best."""
        nonlocal best, kept
        with torch.no_grad():
            own = [p.detach().clone() for p in model.parameters()]
            _put(model, average)
            found = validate()
            _put(model, own)
        if found < best:
            best, kept = found, [p.clone() for p in average]
        return found

    while spent < seconds:
        epoch += 1
        losses = []
        for batch in batches(rng):
            spent = time.monotonic() - start
            if spent >= seconds:
                break
            now = rate * min(1.0, (step + 1) / 300) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * spent / seconds)))
            for group in optimiser.param_groups:
                group["lr"] = now
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                loss = loss_of(batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step += 1
            keep = min(0.999, step / (step + 100))
            torch._foreach_lerp_(average, [p.detach() for p in model.parameters()], 1 - keep)
            losses.append(loss.detach())
        if losses and time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(
                f"{name}: epoch {epoch}, step {step}, {spent:.0f} s, training {torch.stack(losses).mean():.4f}, "
                f"validation {judged():.4f}",
                flush=True,
            )
    judged()
    _put(model, kept)
    print(f"{name}: {epoch} epochs, {step} steps, best validation {best:.4f}", flush=True)
    return best


def _put(model: nn.Module, values: list[Tensor]) -> None:
    """Give the model these weights."""
    with torch.no_grad():
        for p, value in zip(model.parameters(), values, strict=True):
            p.copy_(value)


def parameters_of(module: nn.Module, prefix: str = "") -> dict[str, np.ndarray]:
    """The parameters by name, as 16-bit numbers."""
    return {
        prefix + name.replace(".", "_"): value.detach().float().cpu().numpy().astype(np.float16)
        for name, value in module.state_dict().items()
    }


def save(path: Path, module: nn.Module, facts: dict[str, object]) -> None:
    """The file that ships: parameters, and how they were made."""
    np.savez_compressed(path, **parameters_of(module), facts=np.array(str(facts)))
