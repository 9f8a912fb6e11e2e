"""Profile by sampling: shares of the CPU time, sampled a thousand times per second.

Each sample counts for the innermost of the listed functions that is running; samples outside all of
them do not count. Sampling hardly slows down the program, so calls of Python functions are not
overstated. It needs a timer that Windows lacks.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pkgutil import resolve_name
from time import process_time
from types import CodeType, FrameType

from benchmarks.speed.decision import GAME, MANY_GAMES, POLICY, WORLDS, DecisionBench
from benchmarks.speed.figures import PLAYERS, Bench, Sample, SkippedBench
from benchmarks.speed.tournament import FIELDS, played

EVERY = 0.001  # seconds
SECONDS = 5.0
"""Minimum time of each profile, in seconds."""
ELSEWHERE = "other"
OUTSIDE = ""
BY_AGENT = "agents"
"""A placeholder for a function: count by the agent that chooses."""
DECIDING = {
    "the network": "kododo_env.policy.onnx_validation:answers_of",
    "the observation": "kododo_env.core.batch_game:BatchGame._observation_of",
    "the mask": "kododo_env.core.batch_game:BatchGame.legal_action_mask",
    ELSEWHERE: "kododo_env.policy.onnx_agent:OnnxAgent.act",
}
SEARCHING = {
    "rollouts": "kododo_env.search.search:_Search._play_out",
    "outcome model": "kododo_env.search.outcome_model:OutcomeModel.expected",
    "sampling worlds": "kododo_env.search.beliefs:likely_worlds",
    "first actions": "kododo_env.search.search:_Search._try_worlds",
    ELSEWHERE: "kododo_env.search.search:SearchAgent.act",
}
PLAYING = {
    "the games' steps": "kododo_env.core.batch_game:BatchGame.step",
    ELSEWHERE: "kododo_env.arena.match:play_chunk",
    BY_AGENT: "",
}


def benches() -> Iterator[Bench]:
    """Yield profiles of decisions of a policy and of a search, and of a tournament."""
    decide = partial(DecisionBench, game=GAME, players=PLAYERS)
    for name, places, make in (
        (f"{POLICY}, one position", DECIDING, partial(decide, POLICY, num=1)),
        (f"{POLICY}, {MANY_GAMES:,} positions", DECIDING, partial(decide, POLICY, num=MANY_GAMES)),
        (
            f"search:{POLICY}:{WORLDS}",
            SEARCHING,
            partial(decide, f"search:{POLICY}:{WORLDS}", num=1),
        ),
    ):
        sample = partial(profiled, places, partial(decisions, make))
        yield Bench(f"profile/{name}", sample, max_rounds=1)
    games = partial(played, "scripted", 2_000, 1)
    field = f"tournament of {', '.join(FIELDS['scripted'])}"
    yield Bench(f"profile/{field}", partial(profiled, PLAYING, games), max_rounds=1)


def decisions(make: Callable[[], DecisionBench]) -> Callable[[], object]:
    """Return a function that makes the decisions of some games."""
    return make().seconds


def profiled(places: dict[str, str], make: Callable[[], Callable[[], object]]) -> Sample:
    """Return a sampler of the percentage of CPU time by place, in descending order."""
    if not hasattr(signal, "setitimer"):
        raise SkippedBench("this system has no timer of CPU time")
    work = make()
    work()  # models that are fitted or loaded once are not sampled
    place_by_code = {
        resolve_name(where).__code__: place for place, where in places.items() if where
    }

    def sample() -> dict[str, float]:
        with sampling(partial(place_of, place_by_code, BY_AGENT in places)) as counts:
            start = process_time()
            while process_time() - start < SECONDS:
                work()
        counts.pop(OUTSIDE, None)
        elsewhere = counts.pop(ELSEWHERE, 0)
        total = counts.total() + elsewhere
        ranking = [*counts.most_common(), (ELSEWHERE, elsewhere)]
        return {place: 100 * count / total for place, count in ranking}

    return sample


@contextmanager
def sampling(place: Callable[[FrameType | None], str]) -> Iterator[Counter[str]]:
    """Count, within the context, at which place the program is at each sample."""
    counts: Counter[str] = Counter()
    former = signal.signal(signal.SIGPROF, lambda number, frame: counts.update([place(frame)]))
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield counts
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def place_of(place_by_code: dict[CodeType, str], by_agent: bool, frame: FrameType | None) -> str:
    """Return the innermost place that contains a frame; OUTSIDE if there is none."""
    while frame is not None:
        if frame.f_code in place_by_code:
            return place_by_code[frame.f_code]
        if by_agent and frame.f_code.co_name == "act":
            name: str = frame.f_locals["self"].name
            return name
        frame = frame.f_back
    return OUTSIDE
