"""The other project called ``bayesbridge`` is noticed, whichever was installed first; folders stand for site-packages.

``make package`` does the same with real installations.
"""

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import bayesbridge
import bayesbridge_hands

PACKAGE = Path(bayesbridge.__file__).parent
OTHER = "bayesbridge-0.2.5.dist-info"
SHARED = f"another project's distribution 'bayesbridge' ({OTHER}) is installed in "


def install_own(site):
    """As far as an import needs it: enough of the package, and the command's module."""
    shutil.copytree(
        PACKAGE, site / "bayesbridge", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "data")
    )
    shutil.copy(bayesbridge_hands.__file__, site)
    (site / "bayesbridge_hands-0.2.0.dist-info").mkdir(exist_ok=True)


def install_other(site):
    (site / "bayesbridge").mkdir(exist_ok=True)
    (site / "bayesbridge" / "__init__.py").write_text("from bayesbridge.regression import BayesBridge\n")
    (site / "bayesbridge" / "regression.py").write_text("class BayesBridge:\n    pass\n")
    (site / OTHER).mkdir()


def python(site, *words, **environment):
    """Status, and the last line on stderr."""
    environment = os.environ | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-P", *words], capture_output=True, text=True, env=environment, cwd=site)
    return done.returncode, done.stderr.rstrip("\n")


def test_alone_it_starts(tmp_path):
    install_own(tmp_path)
    assert python(tmp_path, "-c", "import bayesbridge; bayesbridge.__version__") == (0, "")
    assert python(tmp_path, "-m", "bayesbridge_hands", "--version") == (0, "")


@pytest.mark.parametrize("module", ["bayesbridge_hands", "bayesbridge"])
@pytest.mark.parametrize("order", [(install_own, install_other), (install_other, install_own)])
def test_the_command_says_it_in_one_line_in_both_orders(tmp_path, order, module):
    for install in order:
        install(tmp_path)
    status, said = python(tmp_path, "-m", module, "--version")
    assert status == 1
    if (order[1], module) == (install_own, "bayesbridge"):
        said = said.splitlines()[-1].replace("ImportError: ", "bayesbridge: ")  # Python imports the package first
    assert said.startswith(f"bayesbridge: {SHARED}{tmp_path}")
    assert said.endswith(bayesbridge_hands.REPAIR)


def test_importing_over_the_other_project_is_one_line(tmp_path):
    install_other(tmp_path)
    install_own(tmp_path)
    status, said = python(tmp_path, "-c", "import bayesbridge")
    assert status == 1
    assert said.splitlines()[-1].startswith(f"ImportError: {SHARED}{tmp_path}")


def test_removing_the_other_project_takes_a_file_of_ours(tmp_path):
    install_own(tmp_path)
    (tmp_path / "bayesbridge" / "__init__.py").unlink()
    # Without site-packages, where a checkout may be installed in place.
    status, said = python(tmp_path, "-S", "-m", "bayesbridge_hands", "--version")
    assert status == 1
    assert said.startswith(f"bayesbridge: {tmp_path / 'bayesbridge' / '__init__.py'} is missing")


def test_another_package_first_on_the_path_is_named(tmp_path):
    """As beside a checkout that is installed in place: what pip installs comes before it."""
    own, other = tmp_path / "own", tmp_path / "other"
    for folder, install in ((own, install_own), (other, install_other)):
        folder.mkdir()
        install(folder)
    status, said = python(own, "-m", "bayesbridge_hands", PYTHONPATH=f"{other}{os.pathsep}{own}")
    assert status == 1
    assert said.startswith(f"bayesbridge: 'import bayesbridge' finds {other / 'bayesbridge' / '__init__.py'}, ")


def test_a_folder_that_cannot_be_listed_is_no_conflict(tmp_path):
    assert bayesbridge_hands.other_distribution(str(tmp_path / "package.zip")) is None
    assert bayesbridge_hands.other_distribution(str(tmp_path)) is None


def test_the_command_runs_the_package(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bayesbridge", "--version"])
    assert bayesbridge_hands.main() == 0
    assert capsys.readouterr() == (f"bayesbridge {bayesbridge.__version__}\n", "")
    monkeypatch.setattr(bayesbridge_hands, "conflict", lambda: "in the way")
    assert bayesbridge_hands.main() == 1
    assert capsys.readouterr() == ("", "bayesbridge: in the way\n")


def test_every_way_to_be_in_the_way(tmp_path, monkeypatch):
    """The same lines without another process."""
    install_own(tmp_path)
    monkeypatch.setattr(bayesbridge_hands, "__file__", str(tmp_path / "bayesbridge_hands.py"))
    assert bayesbridge_hands.conflict().startswith(f"'import bayesbridge' finds {PACKAGE / '__init__.py'}, ")
    monkeypatch.setattr(bayesbridge_hands.importlib.util, "find_spec", lambda name: None)
    assert " is missing, " in bayesbridge_hands.conflict()
    (tmp_path / OTHER).mkdir()
    assert bayesbridge_hands.conflict().startswith(SHARED)


def test_it_is_installed_under_its_own_name():
    assert metadata.version(bayesbridge_hands.DISTRIBUTION) == bayesbridge.__version__
