"""Playing chunks of games in one process or several, with the same result."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Protocol

from kododo_env.arena.pairing import Chunk
from kododo_env.arena.play import ChunkResult, play_chunk
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import whole_number
from kododo_env.system.stopping import STOPS, Terminated

PATIENCE = 60.0  # seconds for a worker to send what it has and leave


class Playable(Protocol):
    """What is played in chunks: a tournament, or a match."""

    @property
    def seed(self) -> int:
        """Of the decks, and of the agents' randomness."""
        ...

    def make_game(self, num_envs: int) -> BatchGame:
        """A batch of the games to be played."""
        ...

    def load_agents(self) -> Sequence[Agent]:
        """Who plays; ValueError if one of them cannot."""
        ...


def run(played: Playable, chunks: Sequence[Chunk], workers: int = 1) -> Iterator[ChunkResult]:
    """Play chunks of a tournament or a match.

    Args:
        played: What is played.
        chunks: Those of its chunks that are to be played.
        workers: How many processes; 1 plays in this one. The results do not depend on it.

    Yields:
        The results, in the order of the chunks.

    Raises:
        ValueError: An agent cannot be loaded, or plays what is not legal.
        ChildProcessError: One of the processes was killed.
    """
    whole_number(workers, "workers", 1)
    if workers == 1 or len(chunks) < 2:
        agents = played.load_agents()
        for chunk in chunks:
            yield play_chunk(chunk, agents, played.make_game(chunk.deals), played.seed)
        return
    with worker_pool(min(workers, len(chunks))) as pool:
        yield from pool.map(_work, [played] * len(chunks), chunks)


_agents: list[Sequence[Agent]] = []  # a worker's: those of the one thing that it plays


def _work(played: Playable, chunk: Chunk) -> ChunkResult:
    # Loaded here and not when the process starts, so that an error comes back as one.
    if not _agents:
        _agents.append(played.load_agents())
    return play_chunk(chunk, _agents[0], played.make_game(chunk.deals), played.seed)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def worker_pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes, of one thread each; whatever goes wrong inside ends them at once.

    They end with this process as well, however it ends, and leave Ctrl-C to it.

    Raises:
        ChildProcessError: One of them was killed.
    """
    with one_thread_each():
        pool = _Pool(processes, get_context("spawn"), _work_for_parent)
        try:
            yield pool
        except BaseException as error:
            _end(pool, broken=isinstance(error, BrokenProcessPool))
            if isinstance(error, BrokenProcessPool):
                message = "a worker process was killed; try fewer workers"
                raise ChildProcessError(message) from error
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _end(pool: ProcessPoolExecutor, broken: bool) -> None:
    """Stop all work; if a worker was killed, nobody listens to the others any more."""
    children = active_children()
    for child in children:
        child.kill() if broken else child.terminate()
    patience = threading.Timer(PATIENCE, _kill, [children])
    patience.start()
    pool.shutdown(cancel_futures=True)
    patience.cancel()


def _kill(children: Sequence[BaseProcess]) -> None:
    for child in children:
        child.kill()


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that are started inside have numerical libraries of one thread."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class _Pool(ProcessPoolExecutor):
    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As in the base class, which starts its processes here."""
        with _stops_blocked():
            return super().submit(_interruptible, function, *args, **kwargs)


@contextmanager
def _stops_blocked() -> Iterator[None]:
    """Inside, who asks to stop has to wait; a process that starts meanwhile inherits that.

    A terminal sends Ctrl-C to all processes, and one that imports its libraries, or whose
    parent left while it was being started, answers with a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_working = False  # this process, for another
_stopped = False  # it was told to work no more


def _interruptible(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """In a worker: call a function, which may be stopped in the middle."""
    global _working
    _working = True
    try:
        if _stopped:
            raise Terminated
        return function(*args, **kwargs)
    finally:
        _working = False


def _stop_work(number: int, frame: FrameType | None) -> None:
    """Stop the work, not the sending of its result: half a message is waited for for ever."""
    global _stopped
    if _working and not _stopped:
        _stopped = True
        raise Terminated
    _stopped = True


def _work_for_parent() -> None:
    """In a process that works for another: Ctrl-C is the other's matter, its end ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop_work)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
