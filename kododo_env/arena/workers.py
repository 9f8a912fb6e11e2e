"""Worker processes that play chunks of games; the number of processes does not affect results."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from traceback import format_exception
from typing import Any

from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.tournament import Contest
from kododo_env.checks.numbers import whole_number
from kododo_env.core.agent import Agent
from kododo_env.system.signals import STOPS, TerminationSignal, end_with_threads, interrupt

PATIENCE = 60.0  # seconds to wait for a worker to exit after a signal


def run(played: Contest, chunks: Sequence[Chunk], workers: int = 1) -> Iterator[ChunkResult]:
    """Play chunks of a tournament or a match.

    Args:
        played: The tournament or match.
        chunks: The chunks to play.
        workers: The number of processes; 1 plays in this process. It does not affect the results.

    Yields:
        The results, in the order of the chunks.

    Raises:
        ValueError: ``workers`` is not a positive integer, or an agent cannot be loaded or plays an
            illegal action.
        ChildProcessError: A worker process was killed.
    """
    whole_number(workers, "workers", 1)
    if workers == 1 or len(chunks) < 2:
        agents = played.load_agents()
        for chunk in chunks:
            yield played.play_chunk(chunk, agents)
        return
    with worker_pool(min(workers, len(chunks))) as pool:
        yield from pool.map(play_in_worker, [played] * len(chunks), chunks)


_agents: list[
    Sequence[Agent]
] = []  # the agents of a worker process, which plays one tournament or match


def play_in_worker(played: Contest, chunk: Chunk) -> ChunkResult:
    """Play a chunk in a worker process, which loads the agents before its first chunk."""
    if not _agents:
        _agents.append(played.load_agents())
    return played.play_chunk(chunk, _agents[0])


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Limit numerical libraries to one thread in processes that are started in the block."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ[name] for name in names if name in os.environ}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]
        os.environ.update(before)


# --- processes ------------------------------------------------------------------------------


@contextmanager
def worker_pool(processes: int) -> Iterator[ThreadPoolExecutor]:
    """Start a pool of single-threaded processes, and stop them at the end of the block.

    The processes exit whenever this process exits, even if it is killed, and ignore Ctrl-C. A
    submitted call raises ChildProcessError if its process was killed.

    The pool does not use loky: with loky 3.7 a stopped or killed evaluation never exits
    (``test_an_evaluation_keeps_what_it_has_played`` and
    ``test_workers_end_with_an_evaluation_that_is_killed`` in ``tests/system/test_signals.py``).
    """
    with closing(_Pool(processes)) as pool:
        pool.start(processes)
        yield pool


class _Pool(ThreadPoolExecutor):
    """A pool of threads, each of which sends calls to one process over a private pipe.

    A process can be stopped at any time without a deadlock, even while it sends its result.
    """

    def __init__(self, processes: int) -> None:
        super().__init__(processes)
        self._workers: list[BaseProcess] = []
        self._killed: set[BaseProcess] = set()  # workers that were killed
        self._idle: SimpleQueue[tuple[BaseProcess, Any]] = SimpleQueue()  # with their Connection

    def start(self, processes: int) -> None:
        """Start the processes."""
        context = get_context("spawn")
        with one_thread_each(), _stops_blocked():
            for _ in range(processes):
                parent_end, child_end = context.Pipe()
                worker = context.Process(target=_serve, args=(child_end,))
                worker.start()
                child_end.close()
                self._workers.append(worker)
                self._idle.put((worker, parent_end))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call, which a worker process executes."""
        return super().submit(self._ask, function, args, kwargs)

    def _ask(self, *call: Any) -> Any:
        worker, connection = self._idle.get()
        try:
            connection.send(call)
            # On Windows the pipe stays open if a worker exits before it has received the pipe.
            if connection not in wait([connection, worker.sentinel]):
                raise EOFError
            result, error = connection.recv()
        except (EOFError, OSError) as gone:
            self._killed.add(worker)
            raise ChildProcessError(
                "a worker process was killed; use fewer workers (in a script, start them under "
                "if __name__ == '__main__')"
            ) from gone
        finally:  # killed workers are not used again, unless all were killed
            if worker not in self._killed or len(self._killed) == len(self._workers):
                self._idle.put((worker, connection))
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """Stop all workers; unfinished calls are discarded."""
        self.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join(PATIENCE)
            worker.kill()
            worker.join()
        self.shutdown()


@contextmanager
def _stops_blocked() -> Iterator[None]:
    """Block the stop signals in the block, also in the processes that are started there.

    A terminal sends Ctrl-C to all processes, and a process that is importing libraries, or whose
    parent has exited, would print a traceback.
    """
    if sys.platform == "win32":  # has no signal masks
        yield
    else:
        resource_tracker.ensure_running()  # starting it would unblock the signals
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection) -> None:
    """Execute the calls of the parent in a worker, until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, interrupt)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(TerminationSignal, EOFError, OSError):
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        while True:
            function, args, kwargs = connection.recv()
            response: tuple[Any, Exception | None]
            try:
                response = (function(*args, **kwargs), None)
            except TerminationSignal:
                raise
            except BaseException as error:  # an agent's code may raise any
                response = (None, _sendable(error))
            connection.send(response)
    end_with_threads(0)


def _sendable(error: BaseException) -> Exception:
    """Return the error with its traceback as a note; a RuntimeError if it cannot be pickled."""
    words = type(error).__name__
    with suppress(Exception):  # its class may raise anything
        words = f"{words}: {error}"
    sendable: Exception = RuntimeError(words)
    if isinstance(error, Exception):
        with suppress(Exception):
            pickle.loads(pickle.dumps(error))
            sendable = error
    sendable.add_note("".join(format_exception(error)))
    return sendable


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
