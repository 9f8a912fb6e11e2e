"""The options of train.py and evaluate.py that go with --engine ray."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.command_line import assert_refused, cli, train_py
from tests.ray_engine.clusters import free_port

HAS_RAY = find_spec("ray") is not None
AGENTS = ("--agents", "random", "greedy", "--games", "60")


@pytest.mark.parametrize("option", [("--workers", "2"), ("--learners", "2"), ("--address", "auto")])
def test_rays_options_need_the_engine(
    option: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = train_py(capsys, ["--run-dir", str(tmp_path / "run"), *option])
    assert_refused(done, f"{option[0]} goes with --engine ray only", tmp_path)


def test_evaluates_address_needs_the_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = cli(capsys, *AGENTS, "--address", "auto")
    assert_refused(done, "--address goes with --engine ray only", tmp_path)
    done = cli(capsys, "--best-response", "kododo-4p", "--engine", "ray")
    assert_refused(done, "--engine does not go with --best-response", tmp_path)


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed: this asks what is said where it is not")
def test_a_missing_ray_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for done in (
        train_py(capsys, ["--run-dir", str(tmp_path / "run"), "--engine", "ray"]),
        cli(capsys, *AGENTS, "--engine", "ray", "--json", str(tmp_path / "out.json")),
    ):
        assert_refused(done, "pip install 'kododo-env[ray]'", tmp_path)


@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: make test-ray has it")
@pytest.mark.parametrize("address", ["127.0.0.1:{}", "auto", "nowhere"])
def test_no_cluster_is_a_line_and_leaves_nothing(
    address: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = ("--engine", "ray", "--address", address.format(free_port()))
    for done in (
        train_py(capsys, ["--run-dir", str(tmp_path / "run"), *given]),
        cli(capsys, *AGENTS, "--json", str(tmp_path / "out.json"), *given),
    ):
        assert_refused(done, "no Ray cluster answers at", tmp_path)
