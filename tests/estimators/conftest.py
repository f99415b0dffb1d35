"""Plugins that are really installed, as far as Python can tell."""

import sys

import pytest


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with one module and its entry point on the path, as pip would."""
    before = set(sys.modules)

    def put(name, source, version="1.2"):
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[bayesbridge]\n{name} = {module}\n")
        monkeypatch.syspath_prepend(tmp_path)

    yield put
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
