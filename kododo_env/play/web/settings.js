// The person's settings, stored by the browser.

import { at } from "./dom.js";
import { change } from "./state.js";

const KEPT = "table-settings";
const DEFAULTS = { speed: "normal", theme: "auto", keys: "on", typing: "auto", memory: "off", sounds: "off" };

// Besides these, `visited`: whether a table was opened, or the offer of a lesson was closed.
export const settings = { visited: false, ...DEFAULTS, ...load() };

function load() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {}; // storage is unavailable or damaged
  }
}

function apply() {
  document.documentElement.dataset.theme = settings.theme;
  document.documentElement.dataset.speed = settings.speed;
  document.documentElement.dataset.typing = settings.typing;
  try {
    localStorage.setItem(KEPT, JSON.stringify(settings));
  } catch {
    // then they last for this page only
  }
}

export function set(name, value) {
  Object.assign(settings, load(), { [name]: value }); // another tab may have changed other settings
  apply();
}

for (const name of Object.keys(DEFAULTS)) {
  const choice = at(`setting-${name}`);
  if (!choice) continue; // not on the table's page
  choice.value = settings[name];
  if (!choice.value) choice.value = settings[name] = DEFAULTS[name];
  choice.addEventListener("change", () => {
    set(name, choice.value);
    change({}); // the display may depend on it
  });
}
apply();
