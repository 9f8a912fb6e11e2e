"""Bars on a terminal for long work; in a pipe nothing is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kododo_env.arena.match import ChunkResult


def games_bar(
    results: Iterable[ChunkResult],
    games: int,
    done: Iterable[ChunkResult] = (),
    title: str | None = None,
) -> Iterator[ChunkResult]:
    """The same results, while a bar on the terminal counts their games.

    Args:
        results: What is being played.
        games: How many there will be in all.
        done: What was played before.
        title: What stands before the bar.
    """
    from tqdm import tqdm

    def size(result: ChunkResult) -> int:
        return result.shares.size  # a game for each deal and rotation

    initial = sum(map(size, done))
    with tqdm(desc=title, total=games, initial=initial, unit=" games", disable=None) as bar:
        for result in results:
            bar.update(size(result))
            yield result
