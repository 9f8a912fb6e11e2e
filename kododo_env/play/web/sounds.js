// Short synthesised sounds for events, off by default, and never before a user gesture.

import { settings } from "./settings.js";

// The notes of each sound: frequency in hertz, start and duration in seconds.
const LAID = [[240, 0, 0.07]];
const TURNED = [[420, 0, 0.05], [520, 0.07, 0.05], [620, 0.14, 0.05]];
const POINTS = [[660, 0, 0.12], [880, 0.1, 0.2]];
const TURN = [[520, 0, 0.15]];
const OVER = [[392, 0, 0.2], [523, 0.18, 0.2], [659, 0.36, 0.5]];
const LOUD = 0.12;

let context = null; // created with the first sound
let current = null;
let down = null; // the face-down choice
let turned = false; // whether cards are turning over

function play(notes, later = 0) {
  if (settings.sounds !== "on" || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  for (const [pitch, begin, length] of notes) {
    const note = context.createOscillator();
    const volume = context.createGain();
    const at = context.currentTime + later + begin;
    note.type = "triangle";
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(LOUD, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    note.connect(volume).connect(context.destination);
    note.start(at);
    note.stop(at + length);
  }
}

export function sound({ position, pending, revealing }) {
  if (pending && !down) play(LAID);
  if (revealing && !turned) play(TURNED);
  down = pending;
  turned = revealing;
  if (!position || position === current) return;
  const before = current;
  current = position;
  if (!before || position.step === before.step || !position.log.length) return;
  if (position.players.some(({ gained }) => gained)) play(POINTS);
  if (position.over) play(OVER, 0.4);
  else if (position.actions.length) play(TURN, 0.4);
}

// Play a sample when sounds are switched on.
document.getElementById("setting-sounds").addEventListener("change", () => play(TURN));
