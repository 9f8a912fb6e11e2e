"""The areas of the code that are mutated, and quick, related tests, of which one must fail."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "mutants"
COPIED = ("kododo_env", "agents", "benchmarks", "docs", "tests")
# Tests that are left out: unrelated ones, slow ones, and tests of the tests.
LEFT_OUT = (
    "test_the_games_above_meet",
    "test_the_doors_draw",
    "test_train_export",
    "test_no_shared_file",
    "test_importing_needs",
    "test_maskable_ppo_trains",
)
# The whole kit for one number of players of each game.
KIT = "not keeps_its_promises or promises[kododo-3] or promises[combi_combo-4] or promises[kado-3]"


@dataclass(frozen=True)
class Area:
    """Some files and the tests that must kill their mutants.

    Attributes:
        files: Patterns below ``kododo_env/``.
        tests: Folders and files below ``tests/``.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]

    def settings(self) -> str:
        """Return the section [tool.mutmut] of a pyproject.toml."""
        choice = " and ".join(f"not {name}" for name in LEFT_OUT)
        arguments = ["-p", "no:xdist", "-p", "no:cacheprovider", "-p", "tests.mutation.cold_caches"]
        tests = [f"tests/{name}" for name in self.tests]
        tests += ["-k", f"{choice} and ({KIT})"]
        options = {
            "source_paths": ["kododo_env"],
            "only_mutate": [f"kododo_env/{pattern}" for pattern in self.files],
            "also_copy": ["agents", "benchmarks", "docs"],
            "pytest_add_cli_args": arguments,
            "pytest_add_cli_args_test_selection": tests,
            # A long time limit, so that a busy machine does not look like an endless loop.
            "timeout_constant": 10.0,
            "timeout_multiplier": 3.0,
            "use_git_change_detection": False,
        }
        lines = [f"{name} = {json.dumps(option)}" for name, option in options.items()]
        return "\n".join(["[tool.mutmut]", *lines, ""])


def _game(name: str, *files: str) -> Area:
    """Return the area of a game."""
    patterns = tuple(f"games/{name}/{file}.py" for file in ("scoring", "game", *files))
    tests = (name, "test_transcripts.py", "test_rules.py", "test_states.py", "test_every_game.py")
    word_tests = ("core/test_words.py", "pages/test_docs.py")
    return Area(patterns, (*(f"games/{test}" for test in tests), *word_tests))


AREAS = {
    "core": Area(
        tuple(
            f"{name}.py"
            for name in (
                "arrays/rows", "checks/numbers", "core/agent", "core/deck", "core/rewards",
                "core/state", "layouts/actions", "layouts/observation",
            )
        ),
        ("checks", "core", "layouts", "pages/test_docs.py", "games/test_states.py"),
    ),
    "batch": Area(
        tuple(f"core/{name}.py" for name in ("batch_game", "copies", "legality", "view")),
        (
            "core", "games/combi_combo", "games/kododo", "games/test_every_game.py",
            "games/test_states.py", "games/test_stories.py", "commands/test_rules.py",
            "play/test_memory.py", "toy_game",
        ),
    ),
    "combi_combo": _game("combi_combo", "determinization"),
    "kado": _game("kado", "actions", "cards", "determinization", "tables"),
    "kododo": _game("kododo", "determinization", "one_game", "tables", "turn", "undo"),
    "observations": Area(
        ("games/*/observation.py",),
        (
            "games/test_transcripts.py",
            "games/test_every_game.py::test_observation_and_actions_are_those_of_the_version",
            "games/test_every_game.py::test_knowledge_takes_little_memory",
            "games/test_rules.py::test_whole_games_go_as_with_the_referee",
            "games/kododo/test_properties.py::"
            "test_a_game_that_is_over_is_not_shown_as_the_others_go_on",
            "pages/test_docs.py::test_the_tables_of_the_layout_are_the_codes",
        ),
    ),
    "wrappers": Area(
        ("wrappers/*.py",),
        (
            "wrappers", "core/test_messages.py", "core/test_number_arguments.py",
            "records/test_episodes.py",
        ),
    ),
}  # fmt: skip


def prepare(name: str) -> Path:
    """Copy what an area needs into a folder, whose existing results stay."""
    folder = FOLDER / name
    for tests in (folder / "tests", folder / "mutants" / "tests"):
        shutil.rmtree(tests, ignore_errors=True)
    # mutmut does not update its list of the tests that call each function.
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    for top in COPIED:
        for path in (ROOT / top).rglob("*"):
            target = folder / path.relative_to(ROOT)
            if path.is_file() and "__pycache__" not in path.parts and _differs(path, target):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
    settings = (ROOT / "pyproject.toml").read_text() + "\n" + AREAS[name].settings()
    (folder / "pyproject.toml").write_text(settings)
    return folder


def _differs(path: Path, target: Path) -> bool:
    """Return whether a copy is out of date; mutmut compares the modification times of copies."""
    return not target.exists() or path.read_bytes() != target.read_bytes()
