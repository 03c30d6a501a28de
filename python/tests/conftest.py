"""What the tests share: the program that the variable KERNELSCAPE names, and a folder for its database."""

from __future__ import annotations

import os
import pathlib

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_program: runs the program")


@pytest.fixture(autouse=True)
def own_data(request: pytest.FixtureRequest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the database and the trusted contents of a test apart from the user's."""
    if request.node.get_closest_marker("needs_program") and "KERNELSCAPE" not in os.environ:
        pytest.skip("KERNELSCAPE names no program")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
