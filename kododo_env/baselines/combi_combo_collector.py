"""A held-out player of Combi-Combo that gives credit for what it has begun."""

from __future__ import annotations

import numpy as np

from kododo_env.baselines.combi_combo_passing import CombiComboAgent, games_last
from kododo_env.core.arrays import Array, Floating
from kododo_env.core.view import View
from kododo_env.games.combi_combo import Rules
from kododo_env.games.combi_combo.scoring import (
    FOUR,
    ONE,
    TWO,
    fours_points,
    held,
    own_points,
)

FOURS, ONES = 0.5, 0.4  # what 4s of different colours, and each 1, have of their points at best
LEFT = 0.15  # what the left neighbour's gain costs


class CollectorAgent(CombiComboAgent):
    """Counts the points it has, and gives credit for what is begun, which melts as turns go by.

    Of a colour the rare cards count most, and nothing does if a missing one cannot come. It passes
    the card whose loss costs least, with a part of what such a card and colour give to the left.
    """

    name = "collector"

    def action_values(self, view: View) -> Floating:
        """The worth of the hand without each card, less what is given away; shape (A, N)."""
        rules: Rules = view.rules
        hand, passed = (games_last(view.pieces[name]) for name in ("hand", "passed"))
        hidden = np.array(rules.copies, np.int16)[:, None] - hand
        if "face_up" in view.pieces:
            hidden -= games_last(view.pieces["face_up"])
        turns = int(view.pieces["draw_pile"].flat[0]) / max(1, rules.num_turns - 1)
        each = np.eye(view.num_actions, dtype=np.int16)
        each = each.reshape(view.num_actions, *hand.shape[:2]).transpose(1, 2, 0)[..., None]
        kept = np.maximum(hand[:, :, None] - each, 0)  # (C, 4, A, N)
        can_come = (hidden - passed > 0)[:, :, None]
        own = own_points(kept, rules) + np.sqrt(turns) * _credit(kept, can_come, rules)
        own += ONES * rules.ones_points * np.minimum(held(kept, ONE), 4)
        given = _given(passed[:, :, None], each, rules)
        return np.asarray(own - LEFT * given)


def _credit(hand: Array, can_come: Array, rules: Rules) -> Floating:
    """The points that may come of all that a hand has begun: (...) from (C, 4, ...)."""
    far = _far(hand, rules) * ((hand > 0) | can_come).all(axis=1)
    sequences = rules.sequence_points * (far * (hand == 0).any(axis=1)).sum(axis=0)
    series = held(hand, TWO) % rules.twos_in_series * (rules.twos_points / rules.twos_in_series)
    colours = (hand[:, FOUR] > 0).sum(axis=0)
    fours = colours * (max(rules.fours_points) / rules.num_colours) - fours_points(hand, rules)
    return np.asarray(sequences + series + FOURS * fours)


def _far(hand: Array, rules: Rules) -> Floating:
    """How far each colour's sequence has come, 0 to 1; the rarer a card, the more: (C, ...)."""
    rare = 1 / np.maximum(np.array(rules.copies), 1)
    parts = (rare / rare.sum()).astype(np.float32)
    return np.asarray(sum((hand[:, v] > 0) * part for v, part in enumerate(parts)))


def _given(passed: Array, card: Array, rules: Rules) -> Floating:
    """The left neighbour's gain by a card, given all that was passed to them: (A, N)."""
    points = own_points(passed + card, rules) - own_points(passed, rules)
    far = (_far(passed + card, rules) - _far(passed, rules)).sum(axis=0)
    return np.asarray(
        points + rules.sequence_points * far + rules.ones_points * held(card, ONE) / 2
    )
