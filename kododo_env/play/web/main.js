// The page of a table: what it hears from its host, and what a person does.

import { onAgain, showAgain } from "./again.js";
import { showChoice } from "./choice.js";
import { at } from "./dom.js";
import { byCards, showHand } from "./hand.js";
import { onSit, showHandover } from "./handover.js";
import { showHint } from "./hint.js";
import { connect } from "./host.js";
import { tabbing } from "./keys.js";
import { foldFor, unfold } from "./layout.js";
import { showLesson, tell } from "./lesson.js";
import { showLog } from "./log.js";
import { onLookBack, saysOfGame, showLookBack } from "./look_back.js";
import { showMemory } from "./memory.js";
import { withNames } from "./names.js";
import { showOptions } from "./options.js";
import { enqueue, lasting } from "./pace.js";
import { reveal, showPicture } from "./picture.js";
import { onOpen, save } from "./records.js";
import { showReplay } from "./replay.js";
import { heardRules, showRules } from "./rules.js";
import { language, say } from "./say.js";
import { showScores } from "./scores.js";
import { showShare } from "./share.js";
import { sound } from "./sounds.js";
import { change, choosing, listen, state } from "./state.js";
import { count } from "./statistics.js";
import { lay, lying, onTakeBack } from "./take_back.js";
import { showTitle } from "./title.js";

const LONGEST = 1_000_000; // bytes that a host takes at once

let forReplay = false; // whether the record that was asked for is to be replayed, not saved
let record = ""; // the one that is replayed
let spoken = language; // what the page is shown in
let focus = false; // whether the keyboard was among the choices when the last one was played

const host = connect({
  hear: (message) => HEARD[message.type]?.(message),
  online: () => {
    change({ online: true, notice: "" });
    speak();
  },
  offline: (why) => {
    forReplay = false;
    change({ online: false, notice: why, asked: false, pending: answered(!lying()) });
  },
});

// --- what the host says -----------------------------------------------------------------

const HEARD = {
  ...saysOfGame,
  analysis: (message) => saysOfGame.analysis(withNames(message, state.position.players)),
  position: (message) => enqueue(withNames(message), show),
  handover: (message) => change({ handover: message }),
  hint: (message) => message.step === state.position?.step && change({ hint: withNames(message, state.position.players), asked: false }),
  par: (message) => change({ par: { ...message, step: state.position.step }, asked: false }),
  rules: heardRules,
  replay: (message) => change({ replay: message, notice: "" }),
  record: (message) => {
    if (forReplay) replay(message.record);
    else save(message.record, state.position.game);
    forReplay = false;
  },
  error: ({ error }) => {
    forReplay = false;
    const words = `${error.charAt(0).toUpperCase()}${error.slice(1)}.`;
    const { position } = state;
    change({ asked: false, pending: null });
    if (position?.lesson) tell(words);
    else note(words);
  },
};

// Show a position; whether it is of another step than the one before.
function show(position) {
  const other = position.step !== state.position?.step || position.you !== state.position?.you;
  if (other && state.position) reveal();
  const same = position.actions.find(({ action }) => action === state.choice?.action);
  const lost = other || (position.chosen === null && !same);
  const pending = answered(position.chosen !== null);
  change({
    position,
    ...(lost ? { choice: null } : same ? { choice: { ...same, cards: state.choice.cards } } : {}), // maybe in other words
    ...(other ? { hint: null, notice: "" } : {}),
    pending: other || (pending?.answered && position.chosen === null) ? null : pending,
  });
  // The keyboard stays where it is.
  if (other && position.log.length && !tabbing) foldFor(lasting(position));
  if (other && focus && position.actions.length) at("game").querySelector("#choose [data-key], #options button, .spot[data-key]")?.focus();
  return other;
}

// The action that has been played. What a position says of it counts only after the answer to it: others may have
// chosen before the host heard of it.
function answered(now) {
  return state.pending && { ...state.pending, answered: state.pending.answered || now };
}

function note(words) {
  at("notice-words").textContent = words;
  at("notice").hidden = false;
}

// Show all in the language that has been chosen, and ask the table to say in it what it has said.
function inLanguage({ position, replay: replayed }) {
  if (spoken === language) return;
  spoken = language;
  change({ position: position && { ...position }, hint: null, asked: false });
  speak();
  if (replayed) replay(record);
}

const speak = () => state.online && host.send({ type: "speak", language });

for (const part of [inLanguage, showReplay, showPicture, showHand, showOptions, showChoice, showScores, showLog, showHint, showTitle, showShare, count, showMemory, showHandover, showLesson, unfold, showAgain, showLookBack, sound]) listen(part);

// --- what a person does -----------------------------------------------------------------

function play() {
  const { choice, position } = state;
  if (!choice || !choosing()) return;
  focus = Boolean(document.activeElement.closest("#choose, #picture"));
  change({ pending: { ...choice, byCards: byCards(position) }, choice: null, hint: null, notice: "" });
  at("notice").hidden = true;
  lay(() => {
    if (state.online) host.send({ type: "act", step: position.step, action: choice.action });
    else change({ choice: state.pending, pending: null }); // to be played when the table is there again
  });
  change({});
}

function startNew(deck) {
  host.send({ type: "new", step: state.position.step, deck });
}

function replay(text) {
  record = text;
  host.send({ type: "replay", record });
}

showRules(() => host.send({ type: "rules" }));
onSit((person) => {
  host.send({ type: "sit", person });
  speak();
});
at("play").addEventListener("click", play);
listen(onTakeBack(() => host.send({ type: "take_back", step: state.position.step })));
onAgain((to) => host.send({ type: "again", step: state.position.step, to }));
onLookBack(() => host.send({ type: "analyse" }));
at("hint").addEventListener("click", () => {
  if (state.hint) return change({ hint: null });
  if (!choosing() || state.asked) return;
  change({ asked: true });
  host.send({ type: "hint", step: state.position.step });
});
for (const [button, type] of [["lesson", "lesson"], ["lesson-again", "lesson"], ["lesson-leave", "leave"]]) {
  at(button).addEventListener("click", () => host.send({ type, step: state.position.step }));
}
at("hint-close").addEventListener("click", () => change({ hint: null }));
at("notice-close").addEventListener("click", () => (at("notice").hidden = true));
at("record").addEventListener("click", () => host.send({ type: "record" }));
at("share-par").addEventListener("click", () => {
  if (!state.asked) host.send({ type: "par" });
  change({ asked: true });
});
at("replay-this").addEventListener("click", () => {
  forReplay = true;
  host.send({ type: "record" });
});
onOpen((text) => {
  if (new Blob([JSON.stringify(text)]).size > LONGEST) note(say("This file is too long for a record."));
  else replay(text);
});

// What stands behind the # tells one's seat, or what somebody sent: it stays, and with another one the page begins again.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("choose").focus();
});
window.addEventListener("hashchange", () => location.reload());

// The game that a new one would end is to be seen.
at("new").addEventListener("click", () => change({ replay: null }));
for (const name of ["new", "settings", "help"]) {
  at(name).addEventListener("click", () => at(`${name}-dialog`).showModal());
}
// A game that is played is not thrown away by Enter; when it is over, Enter deals another one.
at("new").addEventListener("click", () => {
  if (state.position.over) at("new-dialog").querySelector(".deck-other").focus();
});
for (const deck of ["same", "other"]) {
  for (const button of document.querySelectorAll(`.deck-${deck}`)) button.addEventListener("click", () => startNew(deck));
}
