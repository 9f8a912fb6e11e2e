"""Scripted players of KADO."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.baselines.kado_tableaus import NEVER, Floats, Look, Outlook, points_now
from kododo_env.core.agent import ActionValueAgent, Agent, Values, best_legal
from kododo_env.core.view import View
from kododo_env.games.kado import Phase

Array = npt.NDArray[Any]


class _KadoAgent(ActionValueAgent):
    """Decides in each phase by the worth of its actions, more is better."""

    @abstractmethod
    def deal(self, look: Look) -> Floats:
        """Worth of giving the card to each seat, and of putting it aside: (P + 1, N)."""

    @abstractmethod
    def challenge(self, look: Look) -> Floats:
        """Worth of passing, and of each guess: (1 + G * B, N)."""

    @abstractmethod
    def place(self, look: Look) -> Floats:
        """Worth of each cell: (rows, columns, N)."""

    def action_values(self, view: View) -> Values:
        """The worth of the phase's actions, 0 for the others; shape (A, N)."""
        look = Look(view)
        every = np.zeros((view.num_actions, look.num_envs), np.float32)
        if look.legal[look.moves.no_op].all():
            return every
        if look.phase == Phase.DEALING:
            first, worth = look.moves.give, self.deal(look)
        elif look.phase == Phase.CHALLENGE:
            first, worth = look.moves.pass_, self.challenge(look)
        else:
            first, worth = look.moves.place, self.place(look)
        worth = worth.reshape(-1, look.num_envs)
        every[first : first + len(worth)] = worth
        return every

    def choose(self, values: Values, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The legal action of the highest value, among equals one at random; shape (N,)."""
        return best_legal(
            values + np.float32(1e-3) * rng.random(values.shape, dtype=np.float32), view
        )


def guess_worth(look: Look, worth: Floats, perfect: Floats) -> Floats:
    """What each guess is worth, if every card that it is right about has a worth.

    Args:
        look: The view.
        worth: What it brings to be right about gift or ribbon of a card, (K, N).
        perfect: What it brings besides to be right about both, (K, N).

    Returns:
        Shape (G, B, N).
    """
    worth = look.by_pair(worth)
    either = worth.sum(axis=1, keepdims=True) + worth.sum(axis=0, keepdims=True) - worth
    return np.asarray(either + look.by_pair(perfect), np.float32)


def _with_pass(guesses: Floats) -> Floats:
    """Passing is worth nothing: (1 + G * B, N) from (G, B, N)."""
    flat = guesses.reshape(-1, guesses.shape[-1])
    return np.concatenate([np.zeros_like(flat[:1]), flat])


class GreedyAgent(_KadoAgent):
    """Thinks of the points that a card scores at once, and of nothing later.

    As dealer it keeps a card that scores at least the average value, and gives others to whom
    they score least. It guesses what most of the unseen cards have, and places where the card
    scores most.
    """

    name = "greedy"

    def deal(self, look: Look) -> Floats:
        """Keep it, give it to whom it scores least, or else put it aside."""
        seats = range(look.rules.num_players)
        own, *others = (points_now(look, seat).by_cell(look.offered).max((0, 1)) for seat in seats)
        average = np.mean(look.rules.cards % look.rules.num_values + 1)
        keep = np.where(own >= average, -NEVER, NEVER / 2)
        return np.stack([keep, *(-other for other in others), np.full_like(own, NEVER)])

    def challenge(self, look: Look) -> Floats:
        """Name what most unseen cards have that are not ruled out."""
        return _with_pass(guess_worth(look, look.possible, np.zeros_like(look.possible)))

    def place(self, look: Look) -> Floats:
        """Put it where it scores most."""
        return points_now(look, 0).by_cell(look.own_card)


@dataclass(frozen=True)
class Habits:
    """How the heuristic takes others to play; found by play against itself.

    Attributes:
        doubt: How far players are from always doing what is best, in points.
        luck: Chance that a challenger is right about the dealer's card.
        sure: How far players are from always naming the guess that is best, in points.
    """

    doubt: float = 1.0
    luck: float = 0.4
    sure: float = 0.3


class Plan:
    """A dealer's thoughts: what each kind of card is worth before each player.

    Worth is counted in points of margin, own ones less the mean of what the others gain, all
    against a card at random. Seats are counted from the dealer, 0 being himself.

    Attributes:
        share: How likely each kind is the next card, (K, N).
        gain: What each kind gains whoever places it, (P, K, N).
        worth: What it is worth to the dealer to give it there, (P, K, N).
    """

    def __init__(self, look: Look, dealer: int, outlook: Outlook, habits: Habits) -> None:
        num = look.rules.num_players
        self._look, self._habits = look, habits
        self.share = look.unseen / look.unseen.sum(axis=0)
        seats = [(dealer + step) % num for step in range(num)]
        gain = np.stack([outlook.gains(look, seat).best(look.parts) for seat in seats])
        self.gain = gain - (gain * self.share).sum(axis=1, keepdims=True)
        self._weigh(np.full_like(self.share, habits.luck))
        self._weigh(self._luck())

    def _weigh(self, luck: Floats) -> None:
        """Set all worths, if one challenger is right about a kept card so often, (K, N)."""
        rivals = len(self.gain) - 1
        lost = 1 - (1 - luck) ** rivals
        own, others = self.gain[0], self.gain[1:] / rivals
        keep = (1 - lost) * own - lost / rivals * others.sum(axis=0)
        # A card given away comes back if just its receiver takes the dealer's.
        back = (lost * self.share).sum(axis=0) / rivals
        give = back * own - (1 - back) * others
        self.worth = np.concatenate([keep[None], give])
        self._expect()

    def _expect(self) -> None:
        """What the next cards bring a dealer without one; by who else lacks one, and discards."""
        keep, give = self.worth[0], self.worth[1:].max(axis=0)
        self._coming: dict[tuple[int, int], Floats] = {}
        sizes = range(1, len(self.worth) + 1), range(self._look.rules.max_discards + 1)
        for lacking, spare in product(*sizes):
            best = keep
            if lacking > 1:
                best = np.maximum(best, give + self._coming[lacking - 1, spare])
            if spare > 0:
                best = np.maximum(best, self._coming[lacking, spare - 1])
            self._coming[lacking, spare] = (best * self.share).sum(axis=0)

    def _after(self, lacking: Array, spare: Array) -> Floats:
        """What the next cards bring a dealer without one, as the numbers are in each game: (N,)."""
        found = np.full(lacking.shape, NEVER)
        for (number, discards), worth in self._coming.items():
            found = np.where((lacking == number) & (spare == discards), worth, found)
        return found

    def options(self, lacking: npt.NDArray[np.bool_], spare: Array) -> Floats:
        """Worth of giving each kind to each seat, and of putting it aside: (P + 1, K, N).

        Args:
            lacking: Who has no card, (P, N), the seats counted from the dealer.
            spare: How many cards may still be put aside, (N,).
        """
        number, own = lacking.sum(axis=0), lacking[0]
        worth = self.worth.copy()
        worth[1:] += np.where(own, self._after(number - 1, spare), 0)
        worth = np.where(lacking[:, None], worth, NEVER)
        aside = np.where(own, self._after(number, spare - 1), np.where(spare > 0, 0, NEVER))
        return np.concatenate([worth, np.broadcast_to(aside, (1, *self.share.shape))])

    def given(self, seat: int, lacking: npt.NDArray[np.bool_], spare: Array) -> Floats:
        """How likely the dealer gives each kind to that seat, against others: (K, N)."""
        options = self.options(lacking, spare)
        better = np.delete(options, seat, axis=0).max(axis=0)
        edge = np.clip((options[seat] - better) / self._habits.doubt, -30, 30)
        return np.asarray(1 / (1 + np.exp(-edge)), np.float32)

    def guesses(self, seat: int, kept: Floats, own: Floats) -> Floats:
        """What each guess is worth to a challenger: (G, B, N).

        Args:
            seat: His, from the dealer.
            kept: How likely each kind is the dealer's card, (K, N), the sum not 0.
            own: The same for his own card.
        """
        kept, own = (each / np.maximum(each.sum(axis=0), np.float32(1e-9)) for each in (kept, own))
        gain = self.gain[seat] + self.gain[0] / (len(self.gain) - 1)
        gain = gain - (own * gain).sum(axis=0)
        return guess_worth(self._look, kept * gain, self._look.rules.perfect_points * kept)

    def _luck(self) -> Floats:
        """How often one challenger will be right about each kind of card, if it is kept."""
        lacking = np.ones((len(self.gain), self.share.shape[1]), np.bool_)
        spare = np.full(self.share.shape[1], self._look.rules.max_discards)
        kept = self.share * self.given(0, lacking, spare)
        right = np.zeros((), np.float32)
        for seat in range(1, len(self.gain)):
            worth = self.guesses(seat, kept, self.share * self.given(seat, lacking, spare))
            named = np.exp((worth - worth.max(axis=(0, 1))) / np.float32(self._habits.sure))
            named /= named.sum(axis=(0, 1))
            by_gift, by_ribbon = named.sum(axis=1, keepdims=True), named.sum(axis=0, keepdims=True)
            right = right + (by_gift + by_ribbon - named) / (len(self.gain) - 1)
        gift, ribbon, _ = self._look.parts
        right = right[gift, ribbon]
        mean = (kept * right).sum(axis=0) / kept.sum(axis=0)
        return np.asarray(np.clip(self._habits.luck + right - mean, 0.02, 0.95), np.float32)


class HeuristicAgent(_KadoAgent):
    """Goes by the points that tableaus can be expected to have in the end.

    As dealer it gives each card to where it is worth most to itself, the cards to come and
    the guesses to be feared considered. As challenger it weighs what the dealer may have kept
    by how likely he would have, and what a swap gains; a guess that gains nothing it leaves.
    """

    name = "heuristic"

    def __init__(self, outlook: Outlook | None = None, habits: Habits | None = None) -> None:
        self.outlook = outlook or Outlook()
        self.habits = habits or Habits()

    def deal(self, look: Look) -> Floats:
        """Give it to where it is worth most."""
        plan = Plan(look, 0, self.outlook, self.habits)
        spare = look.rules.max_discards - (look["put_aside"] > 0)
        options = plan.options(look["dealt_as"] == 0, spare)
        kind = np.searchsorted(look.kinds, look.offered)
        return np.asarray(options[:, kind, np.arange(look.num_envs)], np.float32)

    def challenge(self, look: Look) -> Floats:
        """Name what gains most, if anything does."""
        plan = Plan(look, look.dealer, self.outlook, self.habits)
        kept, own = self.suspected(look, plan)
        return _with_pass(plan.guesses(len(plan.gain) - look.dealer, kept, own))

    def suspected(self, look: Look, plan: Plan) -> tuple[Floats, Floats]:
        """How likely each kind is the dealer's card, and the own one: two arrays (K, N).

        Both were dealt by somebody who had a choice, or none if nobody else lacked a card.
        """
        order = np.roll(look["dealt_as"], -look.dealer, axis=0)  # from the dealer on
        chances = []
        for seat, cards in ((0, look.possible), (len(order) - look.dealer, look.unseen)):
            # How things stood when this seat was given its card.
            before = (look["put_aside"] > 0) & (look["put_aside"] < order[seat])
            spare = look.rules.max_discards - before
            chances.append(cards * plan.given(seat, order >= order[seat], spare))
        return chances[0], chances[1]

    def place(self, look: Look) -> Floats:
        """Put it where it raises the points to be expected most."""
        return self.outlook.gains(look, 0).by_cell(look.own_card)


BASELINES: dict[str, Callable[[], Agent]] = {"greedy": GreedyAgent, "heuristic": HeuristicAgent}
