// What a person prefers, kept by their browser.

import { at } from "./dom.js";
import { change } from "./state.js";

const KEPT = "table-settings";
const DEFAULTS = { speed: "normal", theme: "auto", keys: "on", memory: "off", sounds: "off" };

export const settings = { ...DEFAULTS, ...load() };

function load() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {}; // storage is shut, or holds something else
  }
}

function apply() {
  document.documentElement.dataset.theme = settings.theme;
  document.documentElement.dataset.speed = settings.speed;
  try {
    localStorage.setItem(KEPT, JSON.stringify(settings));
  } catch {
    // then they are for this page only
  }
}

export function set(name, value) {
  Object.assign(settings, load(), { [name]: value }); // another tab may have changed others
  apply();
}

for (const name of Object.keys(DEFAULTS)) {
  const choice = at(`setting-${name}`);
  if (!choice) continue; // another page than that of the table
  choice.value = settings[name];
  if (!choice.value) choice.value = settings[name] = DEFAULTS[name];
  choice.addEventListener("change", () => {
    set(name, choice.value);
    change({}); // what is shown may follow from it
  });
}
apply();
