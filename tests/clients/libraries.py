"""The libraries and the examples of docs/examples that use them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Client:
    """A Python library, and the example that a user of it would write.

    Attributes:
        name: As the page calls it.
        example: The script in docs/examples.
        says: What it prints when all went well, a regular expression.
        installs: What pip installs beside the project; the page tells their versions.
        arguments: Of the script.
        torch: Whether torch is installed first, at the project's own version.
        extras: Of the project, such as "[play,export]".
        learns: Whether it tells shares before and after, of which the second must be higher.
        leaves: The policy file that it leaves, if it leaves one.
    """

    name: str
    example: str
    says: str
    installs: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    torch: bool = True
    extras: str = ""
    learns: bool = False
    leaves: str = ""


CLIENTS = (
    Client(
        "PettingZoo", "pettingzoo_self_play.py", "mean return .* random players",
        ("pettingzoo",), torch=False,
    ),
    Client(
        "Gymnasium", "gymnasium_vector.py", "one game among heuristics: return",
        ("gymnasium",), torch=False,
    ),
    Client(
        "CleanRL style", "ppo_single_file.py", "share among three random", ("gymnasium", "torch"),
        ("--steps", "200000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="ppo.onnx",
    ),
    Client(
        "stable-baselines3", "sb3_maskable_ppo.py", "share among random",
        ("stable-baselines3", "sb3-contrib"), ("--steps", "200000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="sb3.onnx",
    ),
    Client(
        "A league", "league.py", "share among three random",
        ("stable-baselines3", "sb3-contrib"), ("--steps", "100000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="league.onnx",
    ),
    Client(
        "TorchRL", "torchrl_ppo.py", "share among three random", ("torchrl",),
        ("--steps", "100000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="torchrl.onnx",
    ),
    Client(
        "BenchMARL", "benchmarl_mappo.py", "share among three random", ("benchmarl", "torchrl"),
        ("--steps", "80000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="benchmarl.onnx",
    ),
    Client(
        "Tianshou", "tianshou_dqn.py", "share among three random", ("tianshou", "gymnasium"),
        ("--steps", "300000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="tianshou.onnx",
    ),
    # agilerl imports peft, but does not require it.
    Client(
        "AgileRL", "agilerl_ppo.py", "share among three random", ("agilerl", "peft"),
        ("--steps", "200000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="agilerl.onnx",
    ),
    Client(
        "RLlib", "rllib_ppo.py", "share among three random", ("ray", "gymnasium"),
        ("--steps", "200000", "--games", "1000"),
        extras="[ray]", learns=True, leaves="rllib.onnx",
    ),
    Client(
        "JAX", "jax_ppo.py", "share among three random", ("jax", "flax", "optax", "jax2onnx"),
        ("--steps", "200000", "--games", "1000"),
        extras="[play,export]", learns=True, leaves="jax.onnx",
    ),
    Client(
        "Data sets", "read_dataset.py", "episodes: 400",
        ("pyarrow", "pandas", "polars", "duckdb", "datasets", "minari", "pillow"), torch=False,
    ),
    Client(
        "Offline learning", "offline_clone.py", r"(8|9|10)\d% of heuristic's",
        ("pyarrow", "torch"), extras="[play,export,dataset]", learns=True, leaves="clone.onnx",
    ),
)  # fmt: skip
