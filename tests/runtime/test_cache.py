"""The cache gives back what was built, whatever happens to its files."""

from unittest.mock import Mock

import numpy as np
import pytest

from bayesbridge.runtime import cache
from bayesbridge.runtime.cache import cached_arrays

ARRAYS = {
    "masks": np.arange(1000, dtype=np.uint64) << np.uint64(40),
    "fortran": np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4)),
    "odd bytes": np.array([1, 2, 3], dtype=np.uint8),
    "empty": np.zeros((0, 4)),
    "scalar": np.array(2.5),
    "flags": np.array([True, False]),
}


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """An empty cache directory, not yet made."""
    monkeypatch.setenv("BAYESBRIDGE_CACHE", str(tmp_path / "cache"))
    cache.say_unwritable.cache_clear()
    return tmp_path / "cache"


def same(arrays, expected):
    return contents(arrays) == contents(expected)


def contents(arrays):
    """Type, shape and bytes of each array, by name."""
    return {
        name: (array.dtype, array.shape, array.tobytes())
        for name, array in arrays.items()
    }


def test_arrays_are_built_once_and_come_back_alike_read_only_and_aligned(directory):
    build = Mock(return_value=ARRAYS)
    for _ in range(3):
        arrays = cached_arrays("things", build)
        assert same(arrays, ARRAYS)
        for array in arrays.values():
            assert array.flags.c_contiguous
            assert array.flags.aligned
            assert not array.flags.writeable
    assert build.call_count == 1


def test_a_damaged_file_is_rebuilt(directory):
    build = Mock(return_value=ARRAYS)
    cached_arrays("things", build)
    (path,) = directory.glob("*/*")
    sound = path.read_bytes()
    for calls, damaged in enumerate(
        (sound[: len(sound) // 2], bytes(len(sound)), b""), 2
    ):
        path.write_bytes(damaged)
        for _ in range(2):
            assert same(cached_arrays("things", build), ARRAYS)
        assert build.call_count == calls


@pytest.mark.parametrize(
    ("name", "value"), [("BAYESBRIDGE_CACHE", f"{__file__}/cache"), ("HOME", "no/path")]
)
def test_without_a_writable_directory_it_builds_in_memory_and_says_so_once(
    directory, monkeypatch, capsys, name, value
):
    # The user is one that the system does not know.
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    for unset in ("BAYESBRIDGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(unset, raising=False)
    monkeypatch.setenv(name, value)
    for _ in range(2):
        assert same(cached_arrays("things", lambda: ARRAYS), ARRAYS)
        assert same(cached_arrays("others", dict), {})
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), "BAYESBRIDGE_CACHE" in err) == ("", 1, True)
    assert str(cache.cache_directory()) in err
