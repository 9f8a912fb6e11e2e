// Stepping through a record.

import { at } from "./dom.js";
import { tellStory } from "./log.js";
import { factor } from "./pace.js";
import { reveal } from "./reveal.js";
import { say } from "./say.js";
import { change, state } from "./state.js";
import { drawScene } from "./table.js";

const PAUSE = 400; // milliseconds between two steps

let current = null;
let step = 0;
let timer = null;

export function showReplay({ replay }) {
  at("replay").hidden = !replay;
  at("game").hidden = Boolean(replay);
  if (replay === current) return;
  const unchanged = replay?.steps.length === current?.steps.length; // the same record in another language
  current = replay;
  stop();
  if (!replay) return;
  at("replay-title").textContent = say("replay.players", { names: replay.players.join(", ") });
  at("replay-slider").max = replay.steps.length - 1;
  go(unchanged ? step : 0);
  window.scrollTo(0, 0);
  at("replay-slider").focus({ preventScroll: true });
}

function go(to) {
  step = Math.max(0, Math.min(to, current.steps.length - 1));
  const { text, scene, events } = current.steps[step];
  const last = current.steps.length - 1;
  at("replay-slider").value = step;
  const where = say("replay.step", { step, last });
  at("replay-slider").setAttribute("aria-valuetext", where);
  at("replay-step").textContent = where;
  at("replay-text").textContent = text;
  if (scene) drawScene(at("replay-scene"), scene);
  tell(events.length ? events : [{ parts: [say("replay.deal")] }]);
  at("replay-back").disabled = step === 0;
  at("replay-next").disabled = step === last;
  if (step === last) stop();
}

// Only the table's own game has rules to open.
function tell(events, stage) {
  tellStory(at("replay-story"), events, { hasRules: current.game === state.position?.game, stage });
}

function stop() {
  clearTimeout(timer);
  timer = null;
  at("replay-play").textContent = say("replay.play");
}

function play() {
  if (timer !== null) return stop();
  if (step === current.steps.length - 1) go(0);
  at("replay-play").textContent = say("replay.pause");
  timer = setTimeout(goOn, 0);
}

// Reveal the next step, and go on after a pause.
function goOn() {
  const { scene: before } = current.steps[step];
  const { scene: after, events } = current.steps[step + 1];
  const steps = { element: at("replay-scene"), own: null, before, after, events };
  reveal({
    ...steps,
    tell: (stages, index) => tell(stages.slice(0, index + 1).flat(), stages[index]),
    end: () => {
      if (timer === null) return;
      go(step + 1);
      if (timer !== null) timer = setTimeout(goOn, PAUSE + PAUSE * factor());
    },
  });
}

at("replay-slider").addEventListener("input", (event) => go(Number(event.target.value)));
at("replay-back").addEventListener("click", () => go(step - 1));
at("replay-next").addEventListener("click", () => go(step + 1));
at("replay-play").addEventListener("click", play);
at("replay-close").addEventListener("click", () => change({ replay: null }));
