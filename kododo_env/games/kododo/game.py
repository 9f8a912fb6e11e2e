"""Kododo as a batch game: the state, and one turn of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import SlotPiece
from kododo_env.core.batch_game import BatchGame, Past, from_own_seat
from kododo_env.core.deck import shuffled_counts, shuffled_decks, shuffled_rows
from kododo_env.core.numbers import whole_number
from kododo_env.core.state import Invariant
from kododo_env.core.view import View
from kododo_env.games.kododo.invariants import invariants
from kododo_env.games.kododo.observation import action_layout, observation_layout
from kododo_env.games.kododo.rewinding import take_back
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import score_round

Array = npt.NDArray[Any]
EMPTY = 255  # no card; shown as -1, sorts behind every card
FEW = 64  # below so many games the number of numpy calls counts, above it the bytes
LONG_DEALS = 12  # deals that sample_decks prepares for the long variant


class KododoView(View):
    """A player's view of Kododo: besides the observation, his hand slot by slot."""

    _game: KododoGame

    @property
    def hand(self) -> npt.NDArray[np.int8]:
        """Own card ids sorted by slot, -1 where empty; shape (N, hand_size)."""
        return self._kept("hand", lambda: self._game.hands[:, self.player])

    @property
    def turn(self) -> int:
        """Which turn of the round it is, from 0."""
        self._current()
        return self._game.turn


class KododoGame(BatchGame):
    """A batch of Kododo games.

    Dealing from a given deck: player i gets ``deck[5i : 5i + 5]``; then in each turn the
    players draw in seat order from the front, each as many cards as he laid; the cards
    removed unseen are the last ones of the deck.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for four players.
        seed: Seed of the batch's generator.

    Attributes:
        turn: 0 to 2, the turn of the round, the same in all games.
        round_index: 0, 1, ..., the round of the deal, the same in all games.
    """

    name = "kododo"
    version = 0
    no_op = 0
    rules: Rules
    turn: int
    round_index: int
    _drawn: int
    _arrays: ClassVar[tuple[str, ...]] = (
        "_deck", "_given", "_next_given", "_deals", "_hands", "_held_types", "_table",
        "_last_table", "_laid", "_seen", "_pile_sizes",
    )  # fmt: skip
    _schedule: ClassVar[tuple[str, ...]] = ("turn", "round_index", "_drawn")
    _any_length: ClassVar[tuple[str, ...]] = ("_given",)

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        layout, actions = observation_layout(rules), action_layout(rules)
        slots = [
            choice
            for piece in actions.pieces
            if isinstance(piece, SlotPiece)
            for choice in piece.choices
        ]
        self._slots_of_action = slots
        self._slot_of_action = np.array([(each[0], each[-1]) for each in slots], np.uint8).T
        held = np.arange(rules.hand_size + 1)
        # [plays, held, action]: it lays that many cards, all from slots that hold one.
        legal = [
            [[len(each) == plays and max(each) < cards for each in slots] for cards in held]
            for plays in range(3)
        ]
        self._legal_padded = [[np.pad(np.array(row), 1) for row in rows] for rows in legal]
        self._masks: dict[tuple[int, int, int], npt.NDArray[np.bool_]] = {}
        self._seats = from_own_seat(rules.num_players)
        self._nothing = np.full((2, 1, 1), EMPTY, np.uint8)
        self._turn_rows = np.eye(rules.num_turns, dtype=np.uint8)[:, :, None]
        # Arrays of one number: numpy mixes them with arrays faster than Python's own numbers.
        self._one, self._num_values, self._kododo_value = (
            np.array([number], np.uint8) for number in (1, rules.num_values, KODODO_VALUE)
        )
        most = [rules.limit] * rules.num_colours + [rules.kododo_number]
        self._most = np.array(most, np.uint8)[:, None]
        self._players = np.arange(rules.num_players)[:, None]
        self._rows_of_card = _rows_of_card(rules)
        self._each_slot = np.arange(rules.hand_size, dtype=np.uint8)[:, None]
        self._each_colour = np.arange(rules.num_colours, dtype=np.uint8)[:, None]
        self._each_type = np.arange(rules.num_card_types, dtype=np.uint8)[:, None]
        self._most_deals = rules.max_deals
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

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

    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        num = self.num_envs
        self._given = decks[1:]
        self._next_given = np.zeros(num, np.int16)
        self._deals = np.zeros(num, np.int16)
        self._clear_table()
        self._last_table = self._table.copy()
        self._pile_sizes = np.zeros((self.num_players, num), np.int16)
        self._deal(decks[0])

    def _deal(self, deck: npt.NDArray[np.uint8]) -> None:
        """Start a deal from shuffled decks (D, N): the whole batch stands at its first turn."""
        rules = self.rules
        self._deck = deck
        self._drawn = self.num_players * rules.hand_size
        shape = (self.num_players, rules.hand_size, self.num_envs)
        self._hands = deck[: self._drawn].reshape(shape).copy()
        self._sort_hands()
        self._count_hands()
        self._seen = np.zeros((rules.num_card_types, self.num_envs), np.uint8)
        self.turn = self.round_index = 0

    def restart_finished(self) -> npt.NDArray[np.bool_]:
        """Deal finished games anew: all of them at the end, in the long variant between deals."""
        finished = self._terminated.copy()
        if finished.all() or not (self.turn == 0 and self.round_index == 0):
            return super().restart_finished()
        if finished.any():
            games = np.flatnonzero(finished)
            fresh = self.fresh(len(games), int(self.rng.integers(1 << 63)))
            fresh._given = self._given[..., games]
            fresh._next_given[:] = len(self._given)  # they were for the old games
            for name in self._arrays + self._shared_state:
                getattr(self, name)[..., games] = getattr(fresh, name)
            self._clock += 1
        return finished

    # --- playing ----------------------------------------------------------------------

    @property
    def round_steps(self) -> int:
        """Steps until the round that is being played is scored."""
        return self.rules.num_turns - self.turn

    @property
    def _drawing(self) -> bool:
        """Whether the players draw in this round: in all but the last of a deal."""
        return self.round_index < self.rules.num_rounds - 1

    @property
    def _held(self) -> int:
        """Cards in each hand of a running game."""
        laid = 0 if self._drawing else sum(self.rules.plays[: self.turn])
        return self.rules.hand_size - laid

    def _legal_now(self) -> npt.NDArray[np.bool_]:
        """What is legal in every running game, (A,): the schedule alone decides it."""
        return self._legal_padded[self.rules.plays[self.turn]][self._held][1:-1]

    def _mask(self) -> npt.NDArray[np.bool_]:
        key = (self.rules.plays[self.turn], self._held, self.num_envs)
        if key not in self._masks:
            shape = (self.num_players, self.num_actions, self.num_envs)
            self._masks[key] = np.broadcast_to(self._legal_now()[:, None], shape)
        return self._masks[key]

    def _legal(self, chosen: Array) -> npt.NDArray[np.bool_]:
        # A row begins and ends with False, so that clipping catches what is no action at all.
        padded = self._legal_padded[self.rules.plays[self.turn]][self._held]
        legal: npt.NDArray[np.bool_] = padded.take(chosen + 1, mode="clip")
        if np.count_nonzero(self._terminated):
            legal = np.where(self._terminated, chosen == self.no_op, legal)
        return legal

    def _advance(self, chosen: Array) -> None:
        plays = self.rules.plays[self.turn]
        place = sum(self.rules.plays[: self.turn])
        slots, drawn = self._slot_of_action[:plays].take(chosen, axis=1), self._draw(plays)
        if self.num_envs < FEW:
            cards = self._exchange_few(slots, drawn)
        else:
            cards = self._exchange(slots, drawn)
        for play in range(plays):
            self._table[:, place + play] = cards[play]
        self._sort_hands()
        self.turn += 1
        if self.turn == self.rules.num_turns:
            self._end_round()

    def _draw(self, plays: int) -> npt.NDArray[np.uint8]:
        """The next cards of the draw pile: (plays, P, N), EMPTY in the last round."""
        if not self._drawing:
            return self._nothing[:plays]
        start, self._drawn = self._drawn, self._drawn + self.num_players * plays
        drawn = self._deck[start : self._drawn]
        return drawn.reshape(self.num_players, plays, self.num_envs).swapaxes(0, 1)

    def _exchange(self, slots: Array, drawn: Array) -> npt.NDArray[np.uint8]:
        """Lay the cards in the slots (plays, P, N), take the drawn ones there; count the cards."""
        hands = self._hands
        # 255 where it is this slot: and, xor pick and swap bytes without branching.
        here = np.negative((slots[:, :, None] == self._each_slot).view(np.uint8))
        cards: npt.NDArray[np.uint8] = np.bitwise_or.reduce(hands & here, axis=2)
        for play in range(len(cards)):
            hands ^= (hands ^ drawn[play, :, None]) & here[play]
            self._held_types += drawn[play, :, None] == self._each_type
            self._count_laid(cards[play])
        return cards

    def _count_laid(self, card: npt.NDArray[np.uint8]) -> None:
        """Add a card of everybody (P, N) to all that is counted."""
        colours = self.rules.num_colours
        colour = card // self._num_values
        value = card - colour * self._num_values + self._one
        laid = (colour[:, None] == self._each_colour).view(np.uint8)
        self._laid[:, :colours] += laid
        self._laid[:, colours] += value == self._kododo_value
        self._laid[:, colours + 1 :] += laid * value[:, None]
        revealed = (card[:, None] == self._each_type).view(np.uint8)
        self._held_types -= revealed
        self._seen += np.add.reduce(revealed, axis=0, dtype=np.uint8)

    def _exchange_few(self, slots: Array, drawn: Array) -> npt.NDArray[np.uint8]:
        """The same with fewer calls, each of which costs more for each card: by tables."""
        players, games = self._players, np.arange(self.num_envs)
        cards: npt.NDArray[np.uint8] = self._hands[players, slots, games]
        self._hands[players, slots, games] = drawn
        counted, types = self._laid.shape[1], self._rows_of_card.shape[1]
        laid, taken = self._rows_of(cards), self._rows_of(drawn)
        self._laid += laid[:, :, :counted].swapaxes(1, 2)
        revealed = laid[:, :, counted:types]
        held = self._held_types.swapaxes(1, 2)
        held += taken[:, :, counted:]  # first, so that no number is below 0 on the way
        held -= revealed
        self._seen += np.add.reduce(revealed, axis=0, dtype=np.uint8).T
        return cards

    def _rows_of(self, cards: Array) -> npt.NDArray[np.uint8]:
        """What cards (plays, P, N) add to all counts together, (P, N, counts)."""
        rows: npt.NDArray[np.uint8] = self._rows_of_card.take(cards, axis=0)
        total: npt.NDArray[np.uint8] = rows[0] if len(rows) == 1 else rows[0] + rows[1]
        return total

    def _sort_hands(self) -> None:
        """Sort each hand by card id, empty slots last."""
        hands = self._hands
        if self.num_envs < FEW:
            hands.sort(axis=1)
            return
        # Exchanges of neighbours, all hands at once: far faster than sorting hand by hand.
        for last in range(self.rules.hand_size - 1, 0, -1):
            for index in range(last):
                low = np.minimum(hands[:, index], hands[:, index + 1])
                np.maximum(hands[:, index], hands[:, index + 1], out=hands[:, index + 1])
                hands[:, index] = low

    def _count_hands(self) -> None:
        """Count each hand's cards by type, (P, C * V, N); kept up to date as cards are laid."""
        shape = (self.num_players, self.rules.num_card_types, self.num_envs)
        self._held_types = np.zeros(shape, np.uint8)
        for slot in range(self.rules.hand_size):
            self._held_types += self._hands[:, slot : slot + 1] == self._each_type

    # --- the end of a round, of a deal, of the game -----------------------------------

    def _end_round(self) -> None:
        rules = self.rules
        last_round = not self._drawing
        if last_round:
            self._hands[:] = EMPTY  # what is left is discarded before the evaluation
            self._held_types[:] = 0
        colours = rules.num_colours
        points, cards = score_round(
            self._laid[:, :colours],
            self._laid[:, colours + 1 :],
            self._laid[:, colours],
            self._most[colours:],
            self._most[:1],
        )
        self._rewards[:] = points
        self._scores += points
        self._pile_sizes += cards
        self._last_table = self._table
        self._clear_table()
        self.turn = 0
        self.round_index += 1
        self._end_game(last_round)

    def _clear_table(self) -> None:
        players, rules, num = self.num_players, self.rules, self.num_envs
        # For each player: cards by colour, Kododo cards, points by colour.
        self._laid = np.zeros((players, 2 * rules.num_colours + 1, num), np.uint8)
        self._table = np.empty((players, rules.round_cards, num), np.uint8)
        self._table.fill(EMPTY)

    def _end_game(self, last_round: bool) -> None:
        """See which games are over; deal again, in the long variant, if some are not."""
        reached = self._scores.max(axis=0) >= self.rules.target_score
        # The target counts at the end of every deal, and of every round of the later ones.
        self._terminated = reached & (last_round | (self._deals > 0))
        if last_round:
            self._terminated |= self._deals + 1 >= self.rules.max_deals
        if last_round and not self._terminated.all():
            with self._unchanged(self._terminated):
                self._deals += 1
                self._pile_sizes = np.zeros_like(self._pile_sizes)
                self._deal(self._next_deck())

    def _next_deck(self) -> npt.NDArray[np.uint8]:
        """The decks of the next deal, (D, N): given ones while there are any, else shuffled."""
        deck = np.ascontiguousarray(shuffled_decks(self.cards, self.num_envs, self.rng).T)
        games = np.flatnonzero(self._next_given < len(self._given))
        deck[:, games] = self._given[self._next_given[games], :, games].T
        self._next_given += 1
        return deck

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self)

    def _standing(self) -> tuple[Array, ...]:
        return self._scores, self._pile_sizes

    # --- what there is to see ---------------------------------------------------------

    @property
    def hands(self) -> npt.NDArray[np.int8]:
        """Card ids sorted by slot, -1 where empty; shape (N, P, hand_size)."""
        return self._shown(self._hands.view(np.int8))

    @property
    def table(self) -> npt.NDArray[np.int8]:
        """Card ids each player laid this round in order, -1 where none yet; (N, P, 4)."""
        return self._shown(self._table.view(np.int8))

    @property
    def last_table(self) -> npt.NDArray[np.int8]:
        """The table of the round before, as it was scored; -1 in the first round."""
        return self._shown(self._last_table.view(np.int8))

    @property
    def pile_sizes(self) -> npt.NDArray[np.int16]:
        """Cards in the score piles, since the last shuffle; shape (N, P)."""
        return self._shown(self._pile_sizes)

    @property
    def draw_pile_size(self) -> int:
        """Cards left to draw, the same in all running games."""
        return self.num_players * self.rules.hand_size + self.rules.draw_pile - self._drawn

    def _view(self, player: int) -> KododoView:
        return KododoView(self, player)

    def _write_observation(self, into: dict[str, Array]) -> None:
        rules, seats = self.rules, self._seats
        into["hand"][:] = self._held_types.reshape(into["hand"].shape)
        colours = rules.num_colours
        total = np.add.reduce(self._laid[:, : colours + 1], axis=0, dtype=np.uint8)
        missing = self._most - np.minimum(total, self._most)
        by_seat = self._laid.take(seats, axis=0)
        into["table_cards"][:] = by_seat[:, :, :colours]
        into["table_points"][:] = by_seat[:, :, colours + 1 :]
        into["table_kododos"][:] = by_seat[:, :, colours]
        into["scores"][:] = self._scores.take(seats, axis=0)
        into["pile_sizes"][:] = self._pile_sizes.take(seats, axis=0)
        into["colour_totals"][:] = total[:colours]
        into["to_limit"][:] = missing[:colours]
        into["kododo_total"][:] = total[colours]
        into["to_kododo_number"][:] = missing[colours]
        into["turn"][:] = self._turn_rows[self.turn]
        into["rounds_left"][:] = rules.num_rounds - self.round_index
        into["draw_pile"][:] = self.draw_pile_size
        if rules.variant == "long":  # else it is 0 from the start
            into["later_deal"][:] = self._deals > 0
        into["seen"][:] = self._seen.reshape(rules.num_colours, rules.num_values, -1)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        self._given = np.zeros((0, *self._deck.shape), np.uint8)  # nobody knows the later deals
        self._next_given[:] = 0
        others = [seat for seat in range(self.num_players) if seat != player]
        if not self._terminated.all():
            with self._unchanged(self._terminated):
                self._deal_running(others, rng)
        if self._terminated.any():
            self._deal_finished(player, others, rng)
        self._sort_hands()
        self._count_hands()

    def _deal_running(self, others: list[int], rng: np.random.Generator) -> None:
        """Deal the other hands and the draw pile again; in which order it came here, is gone."""
        held = self._held
        shape = (len(others), held, self.num_envs)
        hands = self._hands[others, :held].reshape(-1, self.num_envs)
        hidden = np.concatenate([hands, self._deck[self._drawn :]])
        # Sorted first, so that what is dealt follows from the knowledge and the rng alone.
        dealt = np.ascontiguousarray(shuffled_rows(np.sort(hidden.T, axis=1), rng).T)
        self._hands[others, :held] = dealt[: len(hands)].reshape(shape)
        self._deck[self._drawn :] = dealt[len(hands) :]
        self._deck[: self._drawn] = EMPTY

    def _deal_finished(self, player: int, others: list[int], rng: np.random.Generator) -> None:
        """In games that are over nobody draws any more, but some have cards left in hand."""
        games = np.flatnonzero(self._terminated)
        self._deck[:, games] = EMPTY
        revealed = self._seen[:, games] + self._held_types[player][:, games]
        copies = np.bincount(self.cards, minlength=len(revealed))[:, None]
        dealt = shuffled_counts(copies - revealed, len(self.cards), rng)
        places = np.ix_(np.array(others), np.arange(self.rules.hand_size), games)
        hands = self._hands[places]
        dealt = dealt[: hands.shape[0] * hands.shape[1]].reshape(hands.shape)
        self._hands[places] = np.where(hands == EMPTY, EMPTY, dealt)

    @property
    def known_past(self) -> int:
        """The turns of this round that have been played."""
        return self.turn

    def before_last_step(self, rng: np.random.Generator) -> Past:
        """The position before the last turn of this round."""
        return take_back(self, rng) if self.turn else super().before_last_step(rng)

    # --- in words and pictures ----------------------------------------------------------

    def _describe(self, action: int) -> str:
        slots = self._slots_of_action[action]
        if len(slots) == 1:
            return f"lay the card in slot {slots[0]}"
        return f"lay the cards in slots {slots[0]} and {slots[1]}"

    def _text(self, index: int, player: int | None) -> str:
        from kododo_env.games.kododo import render

        return render.text(self, index, player)

    def _svg(self, index: int, player: int | None) -> str:
        from kododo_env.games.kododo import render

        return render.svg(self, index, player)


def _rows_of_card(rules: Rules) -> npt.NDArray[np.uint8]:
    """What a card adds: to cards by colour, Kododo cards, points by colour, cards by type.

    Returns:
        Shape (256, 2 * C + 1 + C * V), by card id; nothing for EMPTY.
    """
    colour, value = np.divmod(np.arange(rules.num_card_types), rules.num_values)
    laid = np.eye(rules.num_colours, dtype=np.uint8)[colour]
    rows = np.zeros((256, 2 * rules.num_colours + 1 + rules.num_card_types), np.uint8)
    rows[: rules.num_card_types] = np.hstack(
        [
            laid,
            (value + 1 == KODODO_VALUE)[:, None],
            laid * (value + 1)[:, None],
            np.eye(rules.num_card_types, dtype=np.uint8),
        ]
    )
    return rows
