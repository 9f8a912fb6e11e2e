"""Numbers that change while a bot learns, by the share of the training that remains."""

from __future__ import annotations

from stable_baselines3.common.utils import LinearSchedule

from agents.ppo.recipes import Recipe

LAST = 0.01  # imitation ends at this share of the rate that it began with


class InTurn:
    """One schedule for the first share of the training, then another; each runs its whole course.

    Args:
        share: Which share is the first one's, 0 to 1.
        first: Called with what remains of its share, 1 to 0.
        second: The same for the rest.
    """

    def __init__(self, share: float, first: LinearSchedule, second: LinearSchedule) -> None:
        self.share, self.first, self.second = share, first, second

    def __call__(self, remaining: float) -> float:
        """The value when so much of the training remains."""
        if remaining > 1 - self.share:
            return self.first(1 - (1 - remaining) / self.share)
        return self.second(remaining / (1 - self.share) if self.share < 1 else 0.0)


def learning_rate_of(recipe: Recipe) -> InTurn:
    """A recipe's learning rate: of imitation, if there is a teacher, then of self-play."""
    start = recipe.teacher_learning_rate
    return InTurn(
        recipe.imitation_share,
        _linear(start, LAST * start),
        _linear(recipe.learning_rate, recipe.final_learning_rate),
    )


def entropy_of(recipe: Recipe) -> InTurn:
    """A recipe's weight of the entropy bonus; imitation has none, so its course is self-play's."""
    start = recipe.entropy
    return InTurn(
        recipe.imitation_share, _linear(start, start), _linear(start, recipe.final_entropy)
    )


def _linear(start: float, end: float) -> LinearSchedule:
    """From one value to another, as what remains falls from 1 to 0."""
    return LinearSchedule(start, end, end_fraction=1.0)
