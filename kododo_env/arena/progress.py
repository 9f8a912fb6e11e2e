"""Progress of long work: bars on a terminal; in a pipe lines, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from kododo_env.arena.duplicates import ChunkResult


def games_bar(
    results: Iterable[ChunkResult], games: int, done: int = 0, title: str | None = None
) -> Iterator[ChunkResult]:
    """The same results, while a bar on the terminal counts their games.

    Args:
        results: What is being played.
        games: How many there will be in all.
        done: How many of them were played before.
        title: What stands before the bar.
    """
    from tqdm import tqdm

    with tqdm(desc=title, total=games, initial=done, unit=" games", disable=None) as bar:
        for result in results:
            bar.update(result.shares.size)  # a game for each deal and rotation
            yield result


@contextmanager
def budget_bar(
    remaining: float = 1.0, title: str | None = None
) -> Iterator[Callable[[float, str, object], None]]:
    """A bar that tells how much of a budget is spent.

    Args:
        remaining: The share that is left at the start, 1 to 0.
        title: What stands before the bar.

    Yields:
        A function that brings the bar up to date: of the share that is left, the text behind
        the bar, and any news: where there is no terminal, a line is printed when it changes.
    """
    from tqdm import tqdm

    latest: object = None
    form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    spent = round(100 * (1 - remaining))
    with tqdm(desc=title, total=100, initial=spent, bar_format=form, disable=None) as bar:

        def show(share_left: float, text: str, news: object = None) -> None:
            nonlocal latest
            bar.n = round(100 * (1 - share_left))
            bar.set_postfix_str(text)
            if bar.disable and news != latest:
                with suppress(OSError):  # the work goes on if nobody reads, or nothing has room
                    print(f"{100 * (1 - share_left):5.1f} %  {text}", flush=True)
            latest = news

        yield show
