"""Progress bars on a terminal; without a terminal, lines or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from kododo_env.arena.match import ChunkResult


def games_bar(
    results: Iterable[ChunkResult], games: int, done: int = 0, title: str | None = None
) -> Iterator[ChunkResult]:
    """Yield ``results`` unchanged, while a bar on the terminal counts their games.

    Args:
        results: The results of chunks.
        games: The total number of games.
        done: The number of games that were played before, as in a resumed tournament.
        title: The title of the bar; None for no title.
    """
    from tqdm import tqdm

    with tqdm(desc=title, total=games, initial=done, unit=" games", disable=None) as bar:
        for result in results:
            bar.update(result.shares.size)  # one game per deal and rotation
            yield result


@contextmanager
def budget_bar(
    remaining: float = 1.0, title: str | None = None
) -> Iterator[Callable[[float, str, object], None]]:
    """Show a bar of the part of a budget that is used; a context manager.

    Args:
        remaining: The remaining fraction of the budget at the start, from 1 to 0.
        title: The title of the bar.

    Yields:
        A function that updates the bar. Its arguments are the remaining fraction, the text after
        the bar, and an object. Without a terminal it prints a line when this object changes.
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
                with suppress(OSError):  # a closed pipe or a full disk does not stop the work
                    print(f"{100 * (1 - share_left):5.1f} %  {text}", flush=True)
            latest = news

        yield show
