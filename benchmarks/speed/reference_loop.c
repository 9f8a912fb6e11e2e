/* Kododo, written by hand for speed: one game after the other, without libraries.
 *
 * A reference for the speed of the batch core, not for its rules: the default rules for PLAYERS
 * players, standard variant only. Observations are those of docs/games/kododo.md, as rows (N, P, F)
 * of bytes.
 */
#include <stdint.h>
#include <string.h>

#ifndef PLAYERS
#define PLAYERS 4
#endif

enum {
    COLOURS = 5, VALUES = 6, TYPES = COLOURS * VALUES, CARDS = 100, HAND = 5, TURNS = 3,
    ROUND_CARDS = 4, SINGLES = HAND, ACTIONS = SINGLES + HAND * (HAND - 1) / 2, NO_CARD = 255,
    REMOVED = PLAYERS == 2 ? 10 : PLAYERS == 3 ? 13 : PLAYERS == 4 ? 0 : 15,
    KODODO_NUMBER = PLAYERS + 2, LIMIT = PLAYERS + 3,
    DRAW_PILE = CARDS - REMOVED - PLAYERS * HAND,
    ROUNDS = DRAW_PILE / (PLAYERS * ROUND_CARDS) + 1, STEPS = ROUNDS * TURNS,
    SIZE = TYPES + 2 * PLAYERS * COLOURS + PLAYERS + 2 * COLOURS + 2 + 2 * PLAYERS + TURNS + 3
        + TYPES
};

static const uint8_t COPIES[VALUES] = {5, 6, 5, 2, 1, 1};
static const uint8_t PLAYS[TURNS] = {2, 1, 1};
/* The slots of the cards that an action lays; the second is used for pairs only. */
static const uint8_t FIRST[ACTIONS] = {0, 1, 2, 3, 4, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
static const uint8_t SECOND[ACTIONS] = {0, 0, 0, 0, 0, 1, 2, 3, 4, 2, 3, 4, 3, 4, 4};

typedef struct {
    uint8_t deck[CARDS];
    uint8_t hand[PLAYERS][HAND];       /* sorted, NO_CARD last */
    uint8_t held[PLAYERS][TYPES];      /* the hands, counted by type */
    uint8_t cards[PLAYERS][COLOURS];   /* laid in this round */
    uint8_t points[PLAYERS][COLOURS];
    uint8_t kododos[PLAYERS];
    uint8_t seen[TYPES];               /* laid in this deal */
    uint8_t scores[PLAYERS];
    uint8_t piles[PLAYERS];
    uint8_t drawn, turn, round;
} Game;

int game_bytes(void) { return sizeof(Game); }
int steps_of_a_game(void) { return STEPS; }
int observation_size(void) { return SIZE; }

/* --- dealing ------------------------------------------------------------------------------ */

static uint32_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static void shuffle(uint8_t *deck, uint64_t *state) {
    int card = 0;
    for (int type = 0; type < TYPES; type++)
        for (int copy = 0; copy < COPIES[type % VALUES]; copy++) deck[card++] = type;
    for (int last = CARDS - 1; last > 0; last--) {
        int other = (uint64_t)next_random(state) * (last + 1) >> 32;
        uint8_t swapped = deck[last];
        deck[last] = deck[other];
        deck[other] = swapped;
    }
}

#define IN_ORDER(a, b) do { \
    uint8_t low = (a) < (b) ? (a) : (b); \
    (b) = (a) < (b) ? (b) : (a); \
    (a) = low; \
} while (0)

/* A sorting network without branches; NO_CARD is the highest. */
static void sort_hand(uint8_t *hand) {
    uint8_t a = hand[0], b = hand[1], c = hand[2], d = hand[3], e = hand[4];
    IN_ORDER(a, b); IN_ORDER(d, e); IN_ORDER(c, e); IN_ORDER(c, d); IN_ORDER(a, d);
    IN_ORDER(a, c); IN_ORDER(b, e); IN_ORDER(b, d); IN_ORDER(b, c);
    hand[0] = a, hand[1] = b, hand[2] = c, hand[3] = d, hand[4] = e;
}

/* Set everything except the deck. */
static void deal(Game *game) {
    memset((uint8_t *)game + CARDS, 0, sizeof *game - CARDS);
    for (int player = 0; player < PLAYERS; player++) {
        memcpy(game->hand[player], game->deck + player * HAND, HAND);
        for (int slot = 0; slot < HAND; slot++) game->held[player][game->hand[player][slot]]++;
        sort_hand(game->hand[player]);
    }
    game->drawn = PLAYERS * HAND;
}

/* --- a turn ------------------------------------------------------------------------------- */

static int last_round(const Game *game) { return game->round == ROUNDS - 1; }

static void lay(Game *game, int player, int slot) {
    int card = game->hand[player][slot], colour = card / VALUES, value = card % VALUES + 1;
    game->cards[player][colour]++;
    game->points[player][colour] += value;
    game->kododos[player] += value == 1;
    game->seen[card]++;
    game->held[player][card]--;
    game->hand[player][slot] = NO_CARD;
    if (!last_round(game)) {
        game->hand[player][slot] = game->deck[game->drawn++];
        game->held[player][game->hand[player][slot]]++;
    }
}

/* The colour with the highest unique count below the limit; -1 if there is none. */
static int scoring_colour(const uint8_t *totals) {
    for (int count = LIMIT - 1; count > 0; count--) {
        int found = -1, times = 0;
        for (int colour = 0; colour < COLOURS; colour++)
            if (totals[colour] == count) found = colour, times++;
        if (times == 1) return found;
    }
    return -1;
}

static void count_table(const Game *game, uint8_t *totals, int *kododos) {
    memset(totals, 0, COLOURS);
    *kododos = 0;
    for (int player = 0; player < PLAYERS; player++) {
        for (int colour = 0; colour < COLOURS; colour++)
            totals[colour] += game->cards[player][colour];
        *kododos += game->kododos[player];
    }
}

static void end_round(Game *game, float *rewards) {
    uint8_t totals[COLOURS];
    int kododos;
    count_table(game, totals, &kododos);
    int colour = scoring_colour(totals);
    for (int player = 0; player < PLAYERS; player++) {
        int points = 0, cards = 0;
        if (kododos == KODODO_NUMBER) {
            points = cards = game->kododos[player];
        } else if (colour >= 0) {
            points = game->points[player][colour];
            cards = game->cards[player][colour];
        }
        rewards[player] = points;
        game->scores[player] += points;
        game->piles[player] += cards;
    }
    if (last_round(game)) { /* the remaining cards are discarded */
        memset(game->hand, NO_CARD, sizeof game->hand);
        memset(game->held, 0, sizeof game->held);
    }
    memset(game->cards, 0, sizeof game->cards);
    memset(game->points, 0, sizeof game->points);
    memset(game->kododos, 0, sizeof game->kododos);
    game->turn = 0;
    game->round++;
}

static void step(Game *game, const int64_t *actions, float *rewards) {
    for (int player = 0; player < PLAYERS; player++) {
        int action = actions[player];
        lay(game, player, FIRST[action]);
        if (action >= SINGLES) lay(game, player, SECOND[action]);
        sort_hand(game->hand[player]);
        rewards[player] = 0;
    }
    if (++game->turn == TURNS) end_round(game, rewards);
}

/* --- masks and observations ----------------------------------------------------------------- */

/* Legality depends only on the schedule, so all players of all games have the same mask. */
static void legal_actions(const Game *game, uint8_t *legal) {
    int held = HAND;
    if (last_round(game))
        for (int turn = 0; turn < game->turn; turn++) held -= PLAYS[turn];
    for (int action = 0; action < ACTIONS; action++) {
        int plays = action < SINGLES ? 1 : 2, slot = plays == 1 ? FIRST[action] : SECOND[action];
        legal[action] = plays == PLAYS[game->turn] && slot < held;
    }
    if (game->round == ROUNDS) { /* the no-op */
        memset(legal, 0, ACTIONS);
        legal[0] = 1;
    }
}

/* Write the observations of all players. Common parts are computed once. Parts by seat are stored
 * twice in a row, so that each player's copy can begin with the player's own seat. */
static void observe(const Game *game, uint8_t *restrict row) {
    uint8_t cards[2][PLAYERS * COLOURS], points[2][PLAYERS * COLOURS], kododos[2][PLAYERS];
    uint8_t scores[2][PLAYERS], piles[2][PLAYERS], table[2 * COLOURS + 2], rest[TURNS + 3 + TYPES];
    for (int twice = 0; twice < 2; twice++) {
        memcpy(cards[twice], game->cards, sizeof game->cards);
        memcpy(points[twice], game->points, sizeof game->points);
        memcpy(kododos[twice], game->kododos, PLAYERS);
        memcpy(scores[twice], game->scores, PLAYERS);
        memcpy(piles[twice], game->piles, PLAYERS);
    }
    int laid;
    count_table(game, table, &laid);
    for (int colour = 0; colour < COLOURS; colour++)
        table[COLOURS + colour] = table[colour] < LIMIT ? LIMIT - table[colour] : 0;
    table[2 * COLOURS] = laid;
    table[2 * COLOURS + 1] = laid < KODODO_NUMBER ? KODODO_NUMBER - laid : 0;
    for (int turn = 0; turn < TURNS; turn++) rest[turn] = turn == game->turn;
    rest[TURNS] = ROUNDS - game->round;
    rest[TURNS + 1] = PLAYERS * HAND + DRAW_PILE - game->drawn;
    rest[TURNS + 2] = 0; /* a later deal of the long variant */
    memcpy(rest + TURNS + 3, game->seen, TYPES);
    for (int player = 0; player < PLAYERS; player++) {
        row = (uint8_t *)memcpy(row, game->held[player], TYPES) + TYPES;
        row = (uint8_t *)memcpy(row, cards[0] + player * COLOURS, sizeof cards[0]) + sizeof cards[0];
        row = (uint8_t *)memcpy(row, points[0] + player * COLOURS, sizeof points[0]) + sizeof points[0];
        row = (uint8_t *)memcpy(row, kododos[0] + player, PLAYERS) + PLAYERS;
        row = (uint8_t *)memcpy(row, table, sizeof table) + sizeof table;
        row = (uint8_t *)memcpy(row, scores[0] + player, PLAYERS) + PLAYERS;
        row = (uint8_t *)memcpy(row, piles[0] + player, PLAYERS) + PLAYERS;
        row = (uint8_t *)memcpy(row, rest, sizeof rest) + sizeof rest;
    }
}

/* --- whole games -------------------------------------------------------------------------- */

/* Play num games from the deal to the end, all of them a turn at a time.
 *
 * games: memory for num games. decks: (num, CARDS), or NULL to shuffle. actions: (STEPS, num,
 * PLAYERS). rewards (num, PLAYERS), legal (num, PLAYERS, ACTIONS) and rows (num, PLAYERS, SIZE) are
 * written after every step: to consecutive arrays if keep is 1, to the same arrays if it is 0.
 */
void play(int num, Game *games, const uint8_t *decks, uint64_t seed, const int64_t *actions,
          float *rewards, uint8_t *legal, uint8_t *rows, int keep) {
    for (int index = 0; index < num; index++) {
        if (decks) memcpy(games[index].deck, decks + index * CARDS, CARDS);
        else shuffle(games[index].deck, &seed);
        deal(&games[index]);
    }
    uint8_t now[ACTIONS];
    for (int turn = 0; turn < STEPS; turn++) {
        for (int index = 0; index < num; index++) {
            Game *game = &games[index];
            step(game, actions + index * PLAYERS, rewards + index * PLAYERS);
            if (index == 0) legal_actions(game, now);
            for (int player = 0; player < PLAYERS; player++)
                memcpy(legal + (index * PLAYERS + player) * ACTIONS, now, ACTIONS);
            observe(game, rows + (int64_t)index * PLAYERS * SIZE);
        }
        actions += num * PLAYERS;
        if (keep) {
            rewards += num * PLAYERS;
            legal += num * PLAYERS * ACTIONS;
            rows += (int64_t)num * PLAYERS * SIZE;
        }
    }
}
