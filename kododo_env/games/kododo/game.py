"""Kododo as a batch game: the deal, and one turn of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import DealsTogether, Past, PlaysRounds, TakesBack
from kododo_env.core.deck import NONE, shuffled_decks
from kododo_env.core.numbers import whole_number
from kododo_env.core.rows import any_true, blocks, column, games_last
from kododo_env.core.state import Invariant
from kododo_env.core.view import View
from kododo_env.games.kododo import words
from kododo_env.games.kododo.hands import in_order, with_card, without_slot
from kododo_env.games.kododo.hidden import deal_again
from kododo_env.games.kododo.invariants import invariants
from kododo_env.games.kododo.observation import (
    action_layout,
    observation,
    observation_layout,
)
from kododo_env.games.kododo.rewinding import take_back
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import score_round
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import FEW, tables
from kododo_env.rendering.words import TellsInWords

Array = npt.NDArray[Any]
LONG_DEALS = 12  # deals that sample_decks prepares for the long variant


class KododoView(View):
    """A player's view of Kododo: besides the observation, hand and table card by card."""

    _game: KododoGame

    @property
    def hand(self) -> npt.NDArray[np.int8]:
        """Own card ids sorted by slot, -1 where empty; shape (N, hand_size)."""
        return self._kept("hand", lambda: self._game.hands[:, self.player])

    @property
    def table(self) -> npt.NDArray[np.int8]:
        """Card ids each player laid this round in order, -1 where none yet; (N, P, 4)."""
        return self._kept("table", lambda: self._game.table)

    @property
    def last_table(self) -> npt.NDArray[np.int8]:
        """The table of the round before, as it was scored; -1 in the first round."""
        return self._kept("last_table", lambda: self._game.last_table)

    @property
    def turn(self) -> int:
        """Which turn of the round it is, from 0."""
        self._current()
        return self._game.turn


class KododoGame(BatchGame, DealsTogether, PlaysRounds, TakesBack, TellsInWords):
    """A batch of Kododo games.

    Dealing from a given deck: player i gets ``deck[5i : 5i + 5]``; then in each turn the
    players draw in seat order from the front, each as many cards as they laid; the cards
    removed unseen are the last ones of the deck.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for four players.
        seed: Seed of the batch's generator.
    """

    name = "kododo"
    version = 0
    no_op = 0
    rules: Rules
    _state_type = KododoState
    _caches = (*BatchGame._caches, "_masks")
    _words = words
    _state: KododoState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._tables = tables(rules)
        self._masks: dict[tuple[int, bool], npt.NDArray[np.bool_]] | None = None
        layout, actions = observation_layout(rules), action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed, rules.max_deals)

    # --- starting ---------------------------------------------------------------------

    def sample_decks(self, num: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
        """Shuffled decks for ``reset``: (num, D), in the long variant (num, K, D).

        K deals are prepared, more than a game takes but for freaks; after them the
        batch's generator shuffles.
        """
        if self.rules.variant == "standard":
            return super().sample_decks(num, rng)
        num = whole_number(num, "num", 1)
        decks = shuffled_decks(self.cards, num * LONG_DEALS, rng)
        return decks.reshape(num, LONG_DEALS, -1)

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """Hands, what a player draws in a turn, and the cards removed; see ``DealsTogether``."""
        rules, players = self.rules, range(self.num_players)
        draws = [n for _ in range(rules.num_rounds - 1) for n in rules.plays for _ in players]
        sizes = [*(rules.hand_size for _ in players), *draws, rules.removed]
        return tuple(group for group, size in enumerate(sizes) for _ in range(size))

    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        self._state.given = decks[1:]
        self._deal(decks[0])

    def _deal(self, deck: npt.NDArray[np.uint8]) -> None:
        """Start a deal from shuffled decks (D, N): the whole batch stands at its first turn."""
        state = self._state
        state.turn = state.round_index = 0
        state.deck = deck
        state.hands = deck[: self._drawn].reshape(state.hands.shape).copy()
        self._sort_hands()
        self._count_hands()
        self._seen[:] = 0

    def restart_finished(self) -> npt.NDArray[np.bool_]:
        """Deal finished games anew: all of them at the end, in the long variant between deals."""
        state = self._state
        finished = state.terminated.copy()
        if finished.all() or not (state.turn == 0 and state.round_index == 0):
            return super().restart_finished()
        if finished.any():
            games = np.flatnonzero(finished)
            fresh = self.fresh(len(games), int(self.rng.integers(1 << 63)))._state
            fresh.given = state.given[..., games]
            fresh.next_given[:] = len(state.given)  # they were for the old games
            state.put(games, fresh.arrays())
            self._clock += 1
        return finished

    # --- playing ----------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """0 to 2, the turn of the round, the same in all games."""
        return self._state.turn

    @property
    def round_index(self) -> int:
        """0, 1, ..., the round of the deal, the same in all games."""
        return self._state.round_index

    @property
    def deal_index(self) -> npt.NDArray[np.int16]:
        """How many deals each game has been through before this one, shape (N,)."""
        return self._shown(self._state.deals)

    @property
    def round_steps(self) -> int:
        """Steps until the round that is being played is scored."""
        return self.rules.num_turns - self._state.turn

    @property
    def _drawing(self) -> bool:
        """Whether the players draw in this round: in all but the last of a deal."""
        return self._state.round_index < self.rules.num_rounds - 1

    @property
    def _held(self) -> int:
        """Cards in each hand of a running game."""
        laid = 0 if self._drawing else self.rules.laid_before[self._state.turn]
        return self.rules.hand_size - laid

    @property
    def _drawn(self) -> int:
        """Cards of the deck that everybody together has drawn by this turn, the deal included."""
        return self.rules.drawn(self._state.round_index, self._state.turn)

    @property
    def _laid(self) -> npt.NDArray[np.uint8]:
        """What each player has laid this round: cards by colour, Kododos, points by colour."""
        return self._state.counts[:-1, : self.rules.num_counts]

    @property
    def _total(self) -> npt.NDArray[np.uint8]:
        """What all together have laid this round: cards by colour and Kododos."""
        return self._state.counts[-1, : self.rules.num_colours + 1]

    @property
    def _held_types(self) -> npt.NDArray[np.uint8]:
        """The hands, counted by type."""
        return self._state.counts[:-1, self.rules.num_counts :]

    @property
    def _seen(self) -> npt.NDArray[np.uint8]:
        """Cards laid in this deal, by type."""
        return self._state.counts[-1, self.rules.num_counts :]

    @property
    def _plays(self) -> int:
        """Cards that each player lays in this turn."""
        return self.rules.plays[self._state.turn]

    def _legal_now(self) -> npt.NDArray[np.bool_]:
        """What is legal in every running game: the schedule alone decides it; see ``Tables``."""
        return self._tables.legal[self._plays][self._held]

    def _mask_shown(self) -> npt.NDArray[np.bool_]:
        # While all games run the schedule decides it: it is made once for each turn of a round.
        if any_true(self._state.terminated):
            return super()._mask_shown()
        when = self._state.turn, self._drawing
        if self._masks is None:
            self._masks = {}
        if when not in self._masks:
            self._masks[when] = super()._mask_shown()
        return self._masks[when]

    def _mask(self) -> npt.NDArray[np.bool_]:
        # The same row for everybody. With np.broadcast_to legal_action_mask takes twice as long.
        shape = (self.num_players, self.num_actions, self.num_envs)
        return np.ndarray(shape, np.bool_, self._legal_now(), 1, (0, 1, 0))

    def _legal(self, chosen: Array, games: slice) -> npt.NDArray[np.bool_]:
        # Without the whole mask: with it a step takes 1.2 to 1.4 times as long.
        legal: npt.NDArray[np.bool_] = self._legal_now().take(chosen + 1, mode="clip")
        over = self._state.terminated[games]
        if any_true(over):
            legal = np.where(over, chosen == self.no_op, legal)
        return legal

    def _advance(self, chosen: Array) -> None:
        state, rules = self._state, self.rules
        if self.num_envs == 1:
            self._exchange_one(chosen[:, 0].tolist())
        else:
            self._exchange_all(chosen)
        state.turn += 1
        if state.turn == rules.num_turns:
            self._end_round()

    def _exchange_all(self, chosen: Array) -> None:
        """Lay the cards of the actions (P, N) on the table, draw as many; count all of them."""
        plays, place = self._plays, self.rules.laid_before[self._state.turn]
        exchange = self._exchange_few if self.num_envs < FEW else self._exchange
        for games in blocks(self.num_envs):
            cards = exchange(chosen[:, games], self._draw(plays, games), games)
            self._state.table[:, place : place + plays, games] = cards.swapaxes(0, 1)

    def _draw(self, plays: int, games: slice) -> npt.NDArray[np.uint8]:
        """The next cards of the draw pile: (plays, P, N), no card of each in the last round."""
        start, each = self._drawn, plays * self._drawing
        drawn = self._state.deck[start : start + self.num_players * each, games]
        return drawn.reshape(self.num_players, each, drawn.shape[-1]).swapaxes(0, 1)

    def _exchange(self, chosen: Array, drawn: Array, games: slice) -> npt.NDArray[np.uint8]:
        """Take the cards of the actions (P, N) from the hands for those drawn; count all of them.

        Returns:
            What has been laid, (plays, P, N).
        """
        state, types, plays = self._state, column(self.rules.num_card_types), self._plays
        hands, held = state.hands[..., games], self._held_types[..., games]
        laid, total, seen = self._laid[..., games], self._total[..., games], self._seen[..., games]
        slots = self._tables.ends[:plays].take(chosen, axis=1)
        cards = np.empty(slots.shape, np.uint8)
        for play in reversed(range(len(slots))):  # the last slot first: it moves no other
            cards[play], hands = without_slot(hands, slots[play])
            revealed = (cards[play][:, None] == types).view(np.uint8)
            held -= revealed
            seen += np.add.reduce(revealed, axis=0, dtype=np.uint8)
            laid += self._counts_laid(cards[play])
        for card in drawn:
            hands = with_card(hands, card)
            held += (card[:, None] == types).view(np.uint8)
        np.add.reduce(laid[:, : len(total)], axis=0, dtype=np.uint8, out=total)
        state.hands[:, : hands.shape[1], games] = hands
        state.hands[:, hands.shape[1] :, games] = NONE
        return cards

    def _counts_laid(self, card: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """What a card of everybody, (P, N), adds to what is counted of laid cards; as ``laid``."""
        colours = self.rules.num_colours
        counts = np.empty((len(card), self.rules.num_counts, card.shape[1]), np.uint8)
        colour = card // self.rules.num_values
        value = card - colour * self.rules.num_values + 1
        counts[:, :colours] = colour[:, None] == column(colours)
        counts[:, colours] = value == KODODO_VALUE
        np.multiply(counts[:, :colours], value[:, None], out=counts[:, colours + 1 :])
        return counts

    def _exchange_few(self, chosen: Array, drawn: Array, games: slice) -> npt.NDArray[np.uint8]:
        """The same with fewer calls, each of which costs more for each card: by tables."""
        state, tables, plays = self._state, self._tables, self._plays
        further, first = tables.places[self.num_envs]
        places = further[:plays].take(chosen, axis=1) + first
        cards: npt.NDArray[np.uint8] = state.hands.take(places)
        state.hands.put(places, drawn if len(drawn) else NONE)
        state.hands.sort(axis=1)
        moved = np.concatenate((cards, drawn)) if len(drawn) else cards
        effects = tables.effects.take(moved + tables.movers[plays][: len(moved)], axis=0)
        effect = np.add.reduce(effects, axis=(0, 1), dtype=np.int16).transpose(1, 2, 0)
        state.counts[...] = state.counts + effect
        return cards

    def _exchange_one(self, chosen: list[int]) -> None:
        """The same for one game, card by card; a step takes .75 of the time. See ``Seat``."""
        state, start, place = self._state, self._drawn, self.rules.laid_before[self._state.turn]
        number = self.num_players * self._plays * self._drawing
        drawn = iter(state.deck[start : start + number].tobytes())
        hands, table = state.hands.data.cast("B"), state.table.data.cast("B")
        counts = int.from_bytes(state.counts.tobytes(), "little")
        for player, action in enumerate(chosen):
            laying, drawing, slots, at = self._tables.seats[player]
            at += place
            for slot in slots[action]:
                card = table[at] = hands[slot]
                fresh = hands[slot] = next(drawn, NONE)
                counts += laying[card] + drawing[fresh]
                at += 1
        state.hands.sort(axis=1)
        state.counts.data.cast("B")[:] = counts.to_bytes(state.counts.size, "little")

    def _sort_hands(self) -> None:
        """Sort each hand by card id, empty slots last."""
        if self.num_envs < FEW:
            self._state.hands.sort(axis=1)
        else:
            self._state.hands = in_order(self._state.hands)

    def _count_hands(self) -> None:
        """Count each hand's cards by type; kept up to date as cards are laid."""
        state, types = self._state, column(self.rules.num_card_types)
        held = self._held_types
        if self.num_envs < FEW:  # a third of the calls
            cards = self._tables.counts.take(state.hands, axis=0)[..., self.rules.num_counts :]
            held[:] = np.add.reduce(cards, axis=1, dtype=np.uint8).swapaxes(1, 2)
            return
        held[:] = 0
        for slot in range(self.rules.hand_size):
            held += state.hands[:, slot : slot + 1] == types

    # --- the end of a round, of a deal, of the game -----------------------------------

    def _end_round(self) -> None:
        state, rules = self._state, self.rules
        last_round = not self._drawing
        if last_round:
            state.hands[:] = NONE  # what is left is discarded before the evaluation
            self._held_types[:] = 0
        points, cards = self._scored()
        state.rewards[:] = points
        state.scores += points
        state.pile_sizes += cards
        state.last_table = state.table.copy()
        state.table.fill(NONE)
        state.counts[:, : rules.num_counts].fill(0)
        state.turn = 0
        state.round_index += 1
        self._end_game(last_round)

    def _scored(self) -> Iterable[Any]:
        """Points and cards of the round, each (P, N), or 0 where nothing scores."""
        rules, outcomes = self.rules, self._tables.outcomes
        if outcomes is None or self.num_envs >= FEW:
            return score_round(self._laid, self._total, rules.kododo_number, rules.limit)
        which = outcomes.weights.dot(np.minimum(self._total, outcomes.most))
        if self.num_envs == 1:
            columns = outcomes.columns[outcomes.scoring.item(which.item())]
            return [self._laid[:, column] for column in columns] or (0, 0)
        gains = outcomes.gains.take(outcomes.scoring.take(which), axis=0)
        won: Array = np.matmul(self._laid.transpose(2, 0, 1), gains)
        return won.transpose(2, 1, 0)

    def _end_game(self, last_round: bool) -> None:
        """See which games are over; deal again, in the long variant, if some are not."""
        state, rules = self._state, self.rules
        if not (last_round or (rules.variant == "long" and np.count_nonzero(state.deals))):
            return
        reached = state.scores.max(axis=0) >= rules.target_score
        # The target counts at the end of every deal, and of every round of the later ones.
        state.terminated = reached & (last_round | (state.deals > 0))
        if last_round:
            state.terminated |= state.deals + 1 >= rules.max_deals
        if last_round and not state.terminated.all():
            with state.unchanged(state.terminated):
                state.deals += 1
                state.pile_sizes[:] = 0
                self._deal(self._next_deck())

    def _next_deck(self) -> npt.NDArray[np.uint8]:
        """The decks of the next deal, (D, N): given ones while there are any, else shuffled."""
        state = self._state
        deck = games_last(shuffled_decks(self.cards, self.num_envs, self.rng))
        games = np.flatnonzero(state.next_given < len(state.given))
        deck[:, games] = state.given[state.next_given[games], :, games].T
        state.next_given += 1
        return deck

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self)

    def _standing(self) -> tuple[Array, ...]:
        return self._state.scores, self._state.pile_sizes

    # --- what there is to see ---------------------------------------------------------

    @property
    def hands(self) -> npt.NDArray[np.int8]:
        """Card ids sorted by slot, -1 where empty; shape (N, P, hand_size)."""
        return self._shown(self._state.hands.view(np.int8))

    @property
    def table(self) -> npt.NDArray[np.int8]:
        """Card ids each player laid this round in order, -1 where none yet; (N, P, 4)."""
        return self._shown(self._state.table.view(np.int8))

    @property
    def last_table(self) -> npt.NDArray[np.int8]:
        """The table of the round before, as it was scored; -1 in the first round."""
        return self._shown(self._state.last_table.view(np.int8))

    @property
    def pile_sizes(self) -> npt.NDArray[np.int16]:
        """Cards in the score piles, since the last shuffle; shape (N, P)."""
        return self._shown(self._state.pile_sizes)

    @property
    def draw_pile_size(self) -> int:
        """Cards left to draw, the same in all running games."""
        return self.rules.drawn(self.rules.num_rounds, 0) - self._drawn

    def _view(self, player: int) -> KododoView:
        return KododoView(self, player)

    def _observation(self, out: Array | None = None) -> Array:
        return observation(self, out)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        deal_again(self, player, rng)

    @property
    def known_past(self) -> int:
        """The turns of this round that have been played."""
        return self._state.turn

    def before_last_step(self, rng: np.random.Generator) -> Past:
        """The position before the last turn of this round; see ``TakesBack``."""
        if self._state.turn == 0:
            raise ValueError("kododo cannot take back the last step here: known_past is 0")
        return take_back(self, rng)

    # --- in words and pictures ----------------------------------------------------------

    def slots_of(self, action: int) -> tuple[int, ...]:
        """The slots of the hand that an action lays."""
        return self._tables.slots[action]

    def _describe(self, action: int) -> str:
        slots = self.slots_of(action)
        if len(slots) == 1:
            return f"lay the card in slot {slots[0]}"
        return f"lay the cards in slots {slots[0]} and {slots[1]}"

    def _describe_here(self, action: int, player: int, index: int) -> str | None:
        from kododo_env.games.kododo import render

        if self.terminated[index]:
            return None
        held = self.hands[index, player]
        cards = [int(held[slot]) for slot in self._tables.slots[action]]
        return f"lay {' and '.join(render.card_name(self, card) for card in cards)}"

    def _text(self, index: int, player: int | None) -> str:
        from kododo_env.games.kododo import render

        return render.text(self, index, player)

    def _svg(self, index: int, player: int | None) -> str:
        from kododo_env.games.kododo import render

        return render.svg(self, index, player)
