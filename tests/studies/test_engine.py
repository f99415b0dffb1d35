"""The engine: every deal once, the same integers whatever the workers, errors and progress passed on."""

import numpy as np
import pytest

from bayesbridge.capture.halves import draw_tricks
from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies import engine


def tally(chunk, size):
    """A cheap study: how many deals, and a checksum of the stream that the chunk would use."""
    return np.array([size, 1, int(chunk.generate_state(1)[0])], dtype=np.int64)


def test_the_same_integers_for_any_number_of_workers():
    deals = 3 * engine.CHUNK + 17
    runs = [engine.run(lambda chunk, size: draw_tricks(size, chunk), deals, 5, workers) for workers in (1, 2, 5, None)]
    assert all(np.array_equal(run.counts, runs[0].counts) for run in runs)
    assert runs[0].counts.sum() == runs[0].deals == deals


def test_another_seed_gives_other_integers():
    one, two = (engine.run(lambda chunk, size: draw_tricks(size, chunk), 10_000, seed, 1).counts for seed in (1, 2))
    assert not np.array_equal(one, two)


@pytest.mark.parametrize("deals", [1, engine.CHUNK - 1, engine.CHUNK, engine.CHUNK + 1, 100 * engine.CHUNK])
def test_chunks_cover_the_deals_with_the_seeds_that_spawn_gives(deals):
    chunks = -(-deals // engine.CHUNK)
    children = np.random.SeedSequence(9).spawn(chunks)
    checksum = sum(int(child.generate_state(1)[0]) for child in children)
    assert engine.run(tally, deals, 9, 3).counts.tolist() == [deals, chunks, checksum]


def test_progress_rises_to_the_end():
    seen = []
    deals = 7 * engine.CHUNK + 1
    engine.run(tally, deals, 1, 2, lambda done, wanted: seen.append((done, wanted)))
    assert seen == sorted(seen)
    assert seen[-1] == (deals, deals)
    assert {wanted for _, wanted in seen} == {deals}


def test_an_error_in_a_chunk_comes_out_and_stops_the_run():
    sizes = []

    def failing(chunk, size):
        sizes.append(size)
        if size > 1:  # the engine's own call, before the clock starts, is for one deal
            raise RuntimeError("in a chunk")
        return np.zeros(1, dtype=np.int64)

    with pytest.raises(RuntimeError, match="in a chunk"):
        engine.run(failing, 1000 * engine.CHUNK, 1, 2)
    assert len(sizes) <= 1 + 2 * 2


@pytest.mark.parametrize(("deals", "workers", "what"), [(0, 1, "0 deals"), (-5, 1, "-5 deals"), (1, 0, "0 workers")])
def test_nothing_to_do_is_an_error(deals, workers, what):
    with pytest.raises(BayesBridgeError, match=what):
        engine.run(tally, deals, 1, workers)
