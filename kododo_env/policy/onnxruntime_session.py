"""Run a policy's graph with onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from threading import Timer
from typing import Any

import onnxruntime

from kododo_env.arrays.dtypes import Array
from kododo_env.policy.onnx_graph import End, Session
from kododo_env.policy.plain_text import plain


class OnnxruntimeSession(Session):
    """An open graph, which onnxruntime runs; ``NumpySession`` has the same methods.

    Args:
        content: The bytes of the policy file; no file is opened.
        threads: The number of threads; a trial run has one.
        memory: The memory limit of a trial run in bytes, shared by all trial runs of this process.
            None means that this is no trial run.

    Raises:
        ValueError: The runtime cannot read the graph.
    """

    def __init__(self, content: bytes, threads: int, memory: int | None) -> None:
        super().__init__(content, threads, memory)
        options = _options(1 if memory else threads)
        if memory:
            # The runtime would optimise the graph without a memory limit.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            _share_limited_memory(memory)
            options.add_session_config_entry("session.use_env_allocators", "1")
        try:
            # From bytes, so that the file cannot make the runtime open other files.
            self._session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # the runtime has no common error class
            version = onnxruntime.__version__
            raise ValueError(
                f"onnxruntime {version} cannot open the graph: {plain(error)}"
            ) from error
        # Otherwise the runtime prints that it tries the same provider again.
        self._session.disable_fallback()
        self.inputs, self.outputs = (
            [End(end.name, end.type, end.shape) for end in side]
            for side in (self._session.get_inputs(), self._session.get_outputs())
        )

    def run(
        self, names: Sequence[str], feed: Mapping[str, Array], seconds: float | None = None
    ) -> list[Array]:
        """Compute outputs of the graph; see ``NumpySession.run``."""
        if seconds is None:
            return self._answers(names, feed)
        options = onnxruntime.RunOptions()
        timer = Timer(seconds, setattr, (options, "terminate", True))
        timer.daemon = True
        timer.start()
        try:
            return self._answers(names, feed, options)
        except Exception as error:
            if timer.is_alive():
                raise
            raise TimeoutError(plain(error)) from error
        finally:
            timer.cancel()

    def _answers(
        self, names: Sequence[str], feed: Mapping[str, Array], options: Any = None
    ) -> list[Array]:
        return self._session.run(names, feed, options)


@cache
def _share_limited_memory(memory: int) -> None:
    """Register an allocator for all trials of this process, which sessions use only on request."""
    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    info = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    config = onnxruntime.OrtArenaCfg(memory, -1, -1, -1)
    with suppress(RuntimeError):  # this process has registered one already
        onnxruntime.create_and_register_allocator(info, config)


def _options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options
