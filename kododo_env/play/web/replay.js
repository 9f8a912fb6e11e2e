// Stepping through a record.

import { at, make } from "./dom.js";
import { storyLines } from "./log.js";
import { pace } from "./pace.js";
import { say } from "./say.js";
import { change, state } from "./state.js";
import { drawScene } from "./table.js";

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
  // Only the table's own game has rules to open.
  const hasRules = current.game === state.position?.game;
  const news = events.length ? events : [{ parts: [say("replay.deal")] }];
  at("replay-story").replaceChildren(...storyLines(hasRules ? news : news.map((event) => ({ ...event, rule: null }))));
  at("replay-back").disabled = step === 0;
  at("replay-next").disabled = step === last;
  if (step === last) stop();
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
  goOn();
}

// Go to the next step once the last line has been shown long enough.
function goOn() {
  const [pause, line] = pace();
  timer = setTimeout(() => {
    go(step + 1);
    if (timer !== null) goOn();
  }, 2 * pause + 300 + line * current.steps[step].events.length);
}

at("replay-slider").addEventListener("input", (event) => go(Number(event.target.value)));
at("replay-back").addEventListener("click", () => go(step - 1));
at("replay-next").addEventListener("click", () => go(step + 1));
at("replay-play").addEventListener("click", play);
at("replay-close").addEventListener("click", () => change({ replay: null }));
