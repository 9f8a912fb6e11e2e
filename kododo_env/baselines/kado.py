"""Scripted players of KADO."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Float32
from kododo_env.baselines.kado_builder import BuilderAgent, BuilderWeights
from kododo_env.baselines.kado_phases import KadoAgent, guess_values
from kododo_env.baselines.kado_tableaus import NEVER, TableauView, points_expected, points_now
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import Agent

# The heuristic's model of the other players; the numbers were found by self-play.
DOUBT = 1.0  # temperature of dealers' choices, in points
LUCK = 0.4  # the probability that a challenger is right about the dealer's card
SURE = 0.3  # temperature of challengers' guesses, in points


class GreedyAgent(KadoAgent):
    """A player that counts only the points that a card scores immediately.

    As dealer it keeps a card that scores at least the average value, and gives any other card to
    the player for whom it scores least. It guesses the most frequent gift and ribbon of the unseen
    cards, and places a card where it scores most.
    """

    name = "greedy"

    def deal(self, situation: TableauView) -> Float32:
        """Return values by which it keeps a good card, and else gives it where it scores least."""
        rules = situation.rules
        card = situation.card
        own_points, *opponent_points = (
            points_now(situation, seat).by_cell(card).max((0, 1))
            for seat in range(rules.num_players)
        )
        average = np.mean(rules.cards % rules.num_values + 1)
        keep = np.where(own_points >= average, -NEVER, NEVER / 2)
        return np.stack(
            [keep, *(-points for points in opponent_points), np.full_like(own_points, NEVER)]
        )

    def challenge(self, situation: TableauView) -> Float32:
        """Value each guess by the number of possible cards that it fits."""
        return guess_values(situation, situation.possible, np.zeros_like(situation.possible))

    def place(self, situation: TableauView) -> Float32:
        """Value each cell by the points that the card scores there."""
        return points_now(situation, 0).by_cell(situation.card)


class Plan:
    """The value for a dealer of giving each of the K kinds of cards to each player.

    Values are expected margins in points (the dealer's minus the mean of the others'), relative to
    giving a random card. Seats are counted from the dealer, who has seat 0.

    Attributes:
        share: The probability that each kind is the next card, (K, N).
        gain: The points that a card of each kind adds to each tableau, minus their mean,
            (P, K, N).
        values: The value for the dealer of giving a card of each kind to each seat, (P, K, N).
    """

    def __init__(self, situation: TableauView, dealer: int) -> None:
        num = situation.rules.num_players
        self._situation = situation
        self.share = situation.unseen / situation.unseen.sum(axis=0)
        seats = [(dealer + step) % num for step in range(num)]
        gain = np.stack([points_expected(situation, seat).best(situation.parts) for seat in seats])
        self.gain = gain - (gain * self.share).sum(axis=1, keepdims=True)
        self._set_values(np.full_like(self.share, LUCK))
        # Guesses depend on the cards that the dealer would keep, and these depend on the guesses.
        # One iteration is enough.
        self._set_values(self._luck())

    def _set_values(self, luck: Float32) -> None:
        """Set the values, given the probability that a challenger is right, (K, N)."""
        rivals = len(self.gain) - 1
        lost = 1 - (1 - luck) ** rivals
        dealer_gain = self.gain[0]
        rival_gains = self.gain[1:] / rivals
        keep = (1 - lost) * dealer_gain - lost / rivals * rival_gains.sum(axis=0)
        # The dealer gets a given card back if its receiver wins the challenge.
        back = (lost * self.share).sum(axis=0) / rivals
        give = back * dealer_gain - (1 - back) * rival_gains
        self.values = np.concatenate([keep[None], give])
        self._later = self._values_of_dealing_on(keep, give.max(axis=0))

    def _values_of_dealing_on(self, keep: Float32, give: Float32) -> Float32:
        """Return the expected value of the next cards to a dealer who has none yet.

        Args:
            keep: The value of keeping each kind, (K, N).
            give: The value of giving each kind to the best receiver, (K, N).

        Returns:
            Shape (P + 1, discards + 2, N): by the number of players without a card, and by the
            number of cards that may still be put aside, where -1 is one too many.
        """
        spares = self._situation.rules.max_discards + 1
        later = np.full((len(self.gain) + 1, spares + 1, keep.shape[1]), NEVER)
        for receivers in range(1, len(self.gain) + 1):
            for spare in range(spares):
                best = keep
                if receivers > 1:
                    best = np.maximum(best, give + later[receivers - 1, spare])
                if spare > 0:
                    best = np.maximum(best, later[receivers, spare - 1])
                later[receivers, spare] = (best * self.share).sum(axis=0)
        return later

    def options(self, receivers: Bool, spare: Array) -> Float32:
        """Return the values of giving a card of each kind to each seat, or of putting it aside.

        Args:
            receivers: The players without a card, (P, N), seats counted from the dealer.
            spare: The number of cards that may still be put aside, (N,).

        Returns:
            Shape (P + 1, K, N).
        """
        number = receivers.sum(axis=0)
        dealer_receives = receivers[0]
        games = np.arange(len(spare))
        values = self.values.copy()
        values[1:] += np.where(dealer_receives, self._later[number - 1, spare, games], 0)
        values = np.where(receivers[:, None], values, NEVER)
        later = self._later[number, spare - 1, games]
        aside = np.where(dealer_receives, later, np.where(spare > 0, 0, NEVER))
        return np.concatenate([values, np.broadcast_to(aside, (1, *self.share.shape))])

    def deal_probability(self, seat: int, receivers: Bool, spare: Array) -> Float32:
        """Return the probability that the dealer gives a card of each kind to a seat, (K, N)."""
        options = self.options(receivers, spare)
        better = np.delete(options, seat, axis=0).max(axis=0)
        edge = np.clip((options[seat] - better) / DOUBT, -30, 30)
        return np.asarray(1 / (1 + np.exp(-edge)), np.float32)

    def guesses(
        self, seat: int, dealer_probabilities: Float32, own_probabilities: Float32
    ) -> Float32:
        """Return the value of each guess for a challenger, (G, B, N).

        Args:
            seat: The challenger's seat, counted from the dealer.
            dealer_probabilities: The weight of each kind as the dealer's card, (K, N).
            own_probabilities: The weight of each kind as the challenger's card, (K, N).
        """
        dealer_probabilities, own_probabilities = (
            probabilities / np.maximum(probabilities.sum(axis=0), np.float32(1e-9))
            for probabilities in (dealer_probabilities, own_probabilities)
        )
        gain = self.gain[seat] + self.gain[0] / (len(self.gain) - 1)
        gain = gain - (own_probabilities * gain).sum(axis=0)
        return guess_values(
            self._situation,
            dealer_probabilities * gain,
            self._situation.rules.perfect_points * dealer_probabilities,
        )

    def _luck(self) -> Float32:
        """Return the probability that a challenger is right about each kind, if kept: (K, N)."""
        receivers = np.ones((len(self.gain), self.share.shape[1]), np.bool_)
        spare = np.full(self.share.shape[1], self._situation.rules.max_discards)
        dealer_probabilities = self.share * self.deal_probability(0, receivers, spare)
        right = np.zeros((), np.float32)
        for seat in range(1, len(self.gain)):
            values = self.guesses(
                seat,
                dealer_probabilities,
                self.share * self.deal_probability(seat, receivers, spare),
            )
            named = np.exp((values - values.max(axis=(0, 1))) / np.float32(SURE))
            named /= named.sum(axis=(0, 1))
            by_gift = named.sum(axis=1, keepdims=True)
            by_ribbon = named.sum(axis=0, keepdims=True)
            right = right + (by_gift + by_ribbon - named) / (len(self.gain) - 1)
        gift, ribbon, _ = self._situation.parts
        right = right[gift, ribbon]
        mean = (dealer_probabilities * right).sum(axis=0) / dealer_probabilities.sum(axis=0)
        return np.asarray(np.clip(LUCK + right - mean, 0.02, 0.95), np.float32)


class HeuristicAgent(KadoAgent):
    """A player that maximises the expected final points of its tableau.

    As dealer it gives each card to the seat with the highest value for the dealer, considering the
    cards to come and the guesses of the challengers. As challenger it estimates the probability
    that the dealer would have kept each card, and the gain of a swap; it passes if no guess has a
    positive value.
    """

    name = "heuristic"

    def deal(self, situation: TableauView) -> Float32:
        """Value each seat by the dealer's ``Plan``."""
        plan = Plan(situation, 0)
        spare = situation.rules.max_discards - (situation["put_aside"] > 0)
        options = plan.options(situation["dealt_as"] == 0, spare)
        kind = np.searchsorted(situation.kinds, situation.card)
        return np.asarray(options[:, kind, np.arange(situation.num_envs)], np.float32)

    def challenge(self, situation: TableauView) -> Float32:
        """Value each guess by its expected gain."""
        plan = Plan(situation, situation.dealer)
        dealer_probabilities, own_probabilities = self.suspected(situation, plan)
        return plan.guesses(
            situation.rules.num_players - situation.dealer, dealer_probabilities, own_probabilities
        )

    def suspected(self, situation: TableauView, plan: Plan) -> tuple[Float32, Float32]:
        """Return the weights of each kind as the dealer's and as the player's card, (K, N) each.

        The dealer chose who got these cards, unless only one player had no card yet.
        """
        order = np.roll(situation["dealt_as"], -situation.dealer, axis=0)  # from the dealer
        probabilities = []
        for seat, cards in (
            (0, situation.possible),
            (len(order) - situation.dealer, situation.unseen),
        ):
            # The cards that could be put aside when this seat was given its card.
            before = (situation["put_aside"] > 0) & (situation["put_aside"] < order[seat])
            spare = situation.rules.max_discards - before
            probabilities.append(cards * plan.deal_probability(seat, order >= order[seat], spare))
        return probabilities[0], probabilities[1]

    def place(self, situation: TableauView) -> Float32:
        """Value each cell by the expected points that the card adds there."""
        return points_expected(situation, 0).by_cell(situation.card)


BASELINES: dict[str, Callable[[], Agent]] = {"greedy": GreedyAgent, "heuristic": HeuristicAgent}
"""Constructors of the scripted agents by name, weakest first."""

HELD_OUT: dict[str, Callable[[], Agent]] = {"builder": BuilderAgent}
"""Constructors of the agents that are never used in training, by name; the main one first."""


def drawn(seed: int) -> Agent:
    """Create a held-out opponent with random weights, reproducibly by seed."""
    return BuilderAgent(drawn_weights(BuilderWeights, seed))


HELD_OUT_SEARCHES = ("flat:random:64",)
"""The names of the searches that are never used in training."""
