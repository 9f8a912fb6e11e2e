"""Damaged and malicious files: each is refused in one line, or has the effect of a valid one.

``make fuzz`` tries more examples than the tests, and different ones each time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from agents.export.policy_weights import game_of
from agents.recipes.recipe import Recipe
from agents.training.checkpoint import Progress, read_checkpoint, save_checkpoint
from agents.training.run_folder import CHECKPOINT, read_run
from agents.training.training_config import Task
from kododo_env import registry
from kododo_env.agent_registry import POLICIES
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.match import play
from kododo_env.arena.workers import run
from kododo_env.policy.metadata import KEY
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.onnx_file import ALLOWED_OPERATORS
from kododo_env.policy.policy_file import sealed
from kododo_env.records import read_record, replay
from kododo_env.system.files import write_json
from tests.arena.players import tournament
from tests.fuzz.damage import BYTE_EDITS, JSON_EDITS, SHARE, edited_bytes, edited_json
from tests.game_tables import TABLES
from tests.helpers import hypothesis_settings
from tests.policy.policy_files import tiny_model
from tests.records.games import recorded, resealed
from tests.refusals import refuses
from tests.training.test_checkpoint import learner

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
SEAL = len(sealed(b""))  # bytes of a digest
NODE_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["operator", "input", "drop", "numbers", "dims", "attribute"]), SHARE, SHARE
    ),
    min_size=1,
    max_size=3,
)


def fuzzed(**strategies: Any) -> Callable[[Any], Any]:
    """Run a test with examples of these strategies."""
    of_tests = hypothesis_settings(30)
    of_fuzzing = settings(
        max_examples=EXAMPLES or 1,
        deadline=None,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    return lambda test: given(**strategies)(settings(of_fuzzing if EXAMPLES else of_tests)(test))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


# --- policies -------------------------------------------------------------------------------


def edit_nodes(graph: onnx.GraphProto, edits: list[tuple[str, float, float]]) -> None:
    """Change the nodes and constants of a graph."""
    for kind, place, share in edits:
        node = graph.node[int(place * len(graph.node))]
        tensor = graph.initializer[int(place * len(graph.initializer))]
        if kind == "operator":
            node.op_type = sorted(ALLOWED_OPERATORS)[int(share * len(ALLOWED_OPERATORS))]
        elif kind == "input" and node.input:
            names = [name for any_node in graph.node for name in any_node.output]
            node.input[int(share * len(node.input))] = names[int((share * 97) % 1 * len(names))]
        elif kind == "attribute" and node.attribute:
            attribute = node.attribute[0]
            attribute.i, attribute.f = ((0, 0.0), (-1, 1e30), (2**40, -1.0))[int(share * 3)]
        elif kind == "dims":
            tensor.dims[:] = ([], [1], [*tensor.dims][::-1], [0], [1 << 40], [-1])[int(share * 6)]
        elif kind == "numbers":
            with np.errstate(all="ignore"), suppress(ValueError):
                numbers = numpy_helper.to_array(tensor)
                numbers = (numbers * (0, -1, 1e9, 1e30)[int(share * 4)]).astype(numbers.dtype)
                tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))
        elif kind == "drop":
            graph.node.remove(node)


def check_policy(path: Path, content: bytes) -> bool:
    """Check that a policy file is refused, which is returned, or plays whole games."""
    path.write_bytes(content)
    agents: list[OnnxAgent] = []
    if refuses(lambda: agents.append(OnnxAgent(path))):
        return True
    agent = agents[0]
    with suppress(ValueError):
        game = game_of(agent.metadata).fresh(3, 0)
        agent.check(game)
        rng = np.random.default_rng(0)
        refuses(lambda: play([agent] * game.num_players, game, game.sample_decks(3, rng), rng))
    return False


@fuzzed(table=st.sampled_from(TABLES), edits=BYTE_EDITS, is_sealed=st.booleans())
def test_bytes_of_a_policy(
    table: tuple[str, int], edits: Any, is_sealed: bool, folder: Path
) -> None:
    path = folder / "bytes.onnx"
    content = tiny_model(*table).SerializeToString()
    if is_sealed:
        check_policy(path, sealed(edited_bytes(content, edits)))
        return
    damaged = edited_bytes(sealed(content), edits)
    assert check_policy(path, damaged) == (damaged != sealed(content))


@fuzzed(table=st.sampled_from(TABLES), edits=JSON_EDITS)
def test_metadata_of_a_policy(table: tuple[str, int], edits: Any, folder: Path) -> None:
    model = tiny_model(*table)
    text = edited_json(model.metadata_props[0].value, edits)
    helper.set_model_props(model, {KEY: text})
    path = folder / "metadata.onnx"
    check_policy(path, sealed(model.SerializeToString()))


@fuzzed(name=st.sampled_from(["kododo-2p", "combi_combo-4p", "kado-2p"]), edits=NODE_EDITS)
def test_graph_of_a_policy(name: str, edits: Any, folder: Path) -> None:
    model = onnx.load(POLICIES / f"{name}.onnx")
    edit_nodes(model.graph, edits)
    del model.metadata_props[1:]
    path = folder / "graph.onnx"
    check_policy(path, sealed(model.SerializeToString()))


# --- runs -----------------------------------------------------------------------------------


TASK = Task("kado", {"num_players": 2}, Recipe(width=16, depth=1), 0)


@fuzzed(edits=BYTE_EDITS)
def test_bytes_of_a_checkpoint(edits: Any, folder: Path) -> None:
    path = folder / "fuzzed.zip"
    if not path.exists():
        save_checkpoint(path, TASK, learner(TASK), Progress())
    content = path.read_bytes()
    saved = read_checkpoint(path)
    damaged = path.with_name("damaged.zip")
    damaged.write_bytes(edited_bytes(content, edits))
    assert refuses(lambda: read_checkpoint(damaged)) or read_checkpoint(damaged) == saved


@fuzzed(edits=JSON_EDITS)
def test_the_configuration_of_a_run_without_a_checkpoint(edits: Any, folder: Path) -> None:
    write_json(folder / "config.json", {"task": asdict(TASK)})
    text = edited_json((folder / "config.json").read_text(), edits)
    (folder / "config.json").write_text(text)
    if not refuses(lambda: read_run(folder)):
        assert read_run(folder).task.batch_game(2).num_envs == 2
    assert not (folder / CHECKPOINT).exists()


# --- records and logs -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def texts() -> dict[tuple[str, int], str]:
    """Records of played games."""
    return {
        table: recorded(registry.batch_game(table[0], 1, 0, num_players=table[1]))[0].text()
        for table in TABLES
    }


@fuzzed(table=st.sampled_from(TABLES), line=SHARE, edits=st.one_of(BYTE_EDITS, JSON_EDITS))
def test_a_record(
    table: tuple[str, int], line: float, edits: Any, texts: Any, folder: Path
) -> None:
    text = texts[table]
    lines = text.splitlines(keepends=True)
    if isinstance(edits[0][1], float):
        content = edited_bytes(text.encode(), edits)
    else:
        place = int(line * len(lines))
        lines[place] = edited_json(lines[place], edits) + "\n"
        damaged = "".join(lines)
        with suppress(ValueError, AttributeError, RecursionError):  # no JSON object
            damaged = resealed(damaged)
        content = damaged.encode(errors="surrogatepass")
    path = folder / "game.jsonl"
    path.write_bytes(content)
    if not refuses(lambda: list(replay(read_record(path)))):
        steps = [json.loads(step) | {"digest": ""} for step in path.read_text().splitlines()[1:]]
        assert steps == [json.loads(step) | {"digest": ""} for step in text.splitlines()[1:]]


@fuzzed(line=SHARE, edits=JSON_EDITS)
def test_a_log(line: float, edits: Any, folder: Path) -> None:
    path = folder / "log"
    played = tournament()
    chunks = played.chunks()
    if not path.exists():
        with ChunkLog(path, {"seed": 0}, chunks, resume=False) as log:
            for result in run(played, chunks[:3]):
                log.append(result)
    whole = ChunkLog(path, {"seed": 0}, chunks, resume=True)
    whole._file.close()
    damaged = folder / "damaged.log"
    lines = path.read_text().splitlines(keepends=True)
    place = int(line * len(lines))
    text, _, digest = lines[place].rpartition(" ")
    lines[place] = f"{edited_json(text, edits)} {digest}"
    damaged.write_text("".join(lines))
    logs: list[ChunkLog] = []
    if not refuses(lambda: logs.append(ChunkLog(damaged, {"seed": 0}, chunks, resume=True))):
        with logs[0] as log:
            assert list(log.results) == list(whole.results)[: len(log.results)]
            for index, result in log.results.items():
                assert np.array_equal(result.shares, whole.results[index].shares)
