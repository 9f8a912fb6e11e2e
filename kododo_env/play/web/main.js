// The page of a table: the host's messages and the person's actions.

import { onAgain, showAgain } from "./again.js";
import { showChoice, showTitle } from "./choice.js";
import { at } from "./dom.js";
import { byCards, showHand } from "./hand.js";
import { onSit, showHandover } from "./handover.js";
import { showHint } from "./hint.js";
import { connect } from "./host.js";
import "./keys.js";
import "./layout.js";
import { showLesson, tell } from "./lesson.js";
import { showLog, tellStory } from "./log.js";
import { onLookBack, saysOfGame, showLookBack } from "./look_back.js";
import { showMemory } from "./memory.js";
import { showOptions } from "./options.js";
import { enqueue } from "./pace.js";
import { onOpen, save } from "./records.js";
import { showReplay } from "./replay.js";
import { reveal } from "./reveal.js";
import { heardRules, showRules } from "./rules.js";
import { language, say } from "./say.js";
import { showShare } from "./share.js";
import { showSheet } from "./sheet.js";
import { sound } from "./sounds.js";
import { change, choosing, listen, state } from "./state.js";
import { count } from "./statistics.js";
import { showTable } from "./table.js";
import { lay, lying, onTakeBack } from "./take_back.js";
import { heardTyped, onTyped, showTyped } from "./typed.js";

const LONGEST = 1_000_000; // bytes per message that a host accepts

let forReplay = false; // whether the requested record is to be replayed rather than saved
let record = ""; // the record that is replayed
let spoken = language; // the language on display
let focus = false; // whether a choice had the focus when the last one was played

const host = connect({
  hear: (message) => HEARD[message.type]?.(message),
  online: () => {
    change({ online: true, notice: "" });
    speak();
  },
  offline: (why) => {
    forReplay = false;
    change({ online: false, notice: why, asked: false, pending: withAnswer(!lying()) });
  },
});

// --- messages from the host -------------------------------------------------------------

const HEARD = {
  ...saysOfGame,
  position: (message) => enqueue(message, show),
  handover: (message) => change({ handover: message }),
  hint: (message) => message.step === state.position?.step && change({ hint: message, asked: false }),
  par: (message) => change({ par: { ...message, step: state.position.step }, asked: false }),
  interpretation: (message) => heardTyped(message) && play(),
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

// Reveal the step that leads to a position, and show the position; then call `done`.
function show(position, done) {
  const before = state.position;
  const isNext = before && position.step > before.step && position.you === before.you;
  const events = isNext ? (position.log.at(-1)?.events ?? []) : [];
  const end = () => {
    update(position);
    done();
  };
  if (!events.length) return end();
  change({ revealing: true });
  const tellStages = (stages, index) => tellStory(at("story"), stages.slice(0, index + 1).flat(), { you: position.you, stage: stages[index] });
  reveal({ element: at("scene"), own: at("choose"), before: before.scene, after: position.scene, events, you: position.you, tell: tellStages, end });
}

function update(position) {
  const isNew = position.step !== state.position?.step || position.you !== state.position?.you;
  const equivalent = position.actions.find(({ action }) => action === state.choice?.action);
  const lost = isNew || (position.chosen === null && !equivalent);
  const pending = withAnswer(position.chosen !== null);
  change({
    position,
    revealing: false,
    ...(lost ? { choice: null } : equivalent ? { choice: { ...equivalent, cards: state.choice.cards } } : {}), // perhaps in another language
    ...(isNew ? { hint: null, notice: "" } : {}),
    pending: isNew || (pending?.answered && position.chosen === null) ? null : pending,
  });
  // Keep the focus.
  if (isNew && focus && position.actions.length) at("game").querySelector("#choose [data-key], #options button, .spot[data-key]")?.focus();
}

// The action that was played. Positions sent before the response to it do not count, as others may have
// chosen first.
function withAnswer(received) {
  return state.pending && { ...state.pending, answered: state.pending.answered || received };
}

function note(words) {
  at("notice-words").textContent = words;
  at("notice").hidden = false;
}

// Show everything in the chosen language, and ask the table to repeat its messages in it.
function inLanguage({ position, replay: replayed }) {
  if (spoken === language) return;
  spoken = language;
  change({ position: position && { ...position }, hint: null, asked: false });
  speak();
  if (replayed) replay(record);
}

const speak = () => state.online && host.send({ type: "speak", language });

for (const part of [inLanguage, showReplay, showTable, showHand, showOptions, showTyped, showChoice, showSheet, showLog, showHint, showTitle, showShare, count, showMemory, showHandover, showLesson, showAgain, showLookBack, sound]) listen(part);

// --- actions of the person --------------------------------------------------------------

function play() {
  const { choice, position } = state;
  if (!choice || !choosing()) return;
  focus = Boolean(document.activeElement.closest("#scene"));
  change({ pending: { ...choice, byCards: byCards(position) }, choice: null, hint: null, notice: "" });
  at("notice").hidden = true;
  lay(() => {
    if (state.online) host.send({ type: "act", step: position.step, action: choice.action });
    else change({ choice: state.pending, pending: null }); // keep the choice until the table is connected again
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
onTyped((text) => host.send({ type: "interpret", step: state.position.step, text }));
listen(onTakeBack(() => host.send({ type: "take_back", step: state.position.step })));
onAgain((to) => host.send({ type: "again", step: state.position.step, to }));
onLookBack(() => host.send({ type: "analyse" }));
at("hint").addEventListener("click", () => {
  if (state.hint) return change({ hint: null });
  if (!choosing() || state.asked) return;
  change({ asked: true });
  host.send({ type: "hint", step: state.position.step });
});
for (const [button, type] of [["lesson", "lesson"], ["welcome-lesson", "lesson"], ["lesson-again", "lesson"], ["lesson-leave", "leave"]]) {
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
  if (new Blob([JSON.stringify(text)]).size > LONGEST) note(say("page.long_file"));
  else replay(text);
});

// The part behind # identifies the seat or a shared deal; if it changes, the page reloads.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("choose").focus();
});
window.addEventListener("hashchange", () => location.reload());

// Keep the current game visible when asking whether to end it.
at("new").addEventListener("click", () => change({ replay: null }));
for (const name of ["new", "settings", "help"]) {
  at(name).addEventListener("click", () => at(`${name}-dialog`).showModal());
}
// Enter must not end a running game; when it is over, Enter deals another one.
at("new").addEventListener("click", () => {
  at("new-note").hidden = state.position.players.filter(({ person }) => person).length < 2;
  if (state.position.over) at("new-dialog").querySelector(".deck-other").focus();
});
for (const deck of ["same", "other"]) {
  for (const button of document.querySelectorAll(`.deck-${deck}`)) button.addEventListener("click", () => startNew(deck));
}
