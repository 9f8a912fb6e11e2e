// The start page, where a table is chosen: adapts each form to the number of players, and describes the levels.

import { at } from "./dom.js";
import { language, say } from "./say.js";
import { set, settings } from "./settings.js";

const LEVELS = /^level-/;
const EASY = "level-1"; // the opponents after the lesson
const KEPT = "table-names"; // the people who play at this device

for (const form of document.forms) {
  const [description, all, names] = [".told", ".all", ".names"].map((name) => form.querySelector(name));
  const single = form.elements.opponents;
  const separate = form.querySelector(".each");
  const number = (name) => Number(form.elements[name].value);
  const choices = () => all.querySelectorAll("select");

  // Adapt the form: seats for people, a select for each opponent, and name fields.
  function fit() {
    const players = number("players");
    for (const name of ["seat", "people"]) limit(form.elements[name], name === "seat" ? players - 1 : players);
    const opponents = players - number("people");
    single.disabled = separate.checked || !opponents;
    fill(all, separate.checked ? opponents : 0, (place) => labelled(say("start.opponent", { n: place + 1 }), copyOf(single)));
    fill(names, number("people"), (place) => labelled(number("people") > 1 ? say("start.name", { n: place + 1 }) : say("start.your_name"), field(place)));
    // Levels are made of the shipped policy, which is for the default rules. Scripted players are choices for
    // single seats only, and where there are no levels.
    const usual = [...form.querySelectorAll("[name=rules]")].every(({ value }) => !value);
    keepTo(single, (value) => LEVELS.test(value) === usual);
    for (const select of choices()) keepTo(select, (value) => usual || !LEVELS.test(value));
    form.querySelector(".lesson").disabled = number("people") > 1; // only for one person
    description.textContent = single.disabled ? "" : say(...(JSON.parse(form.dataset.told)[players][single.value] ?? [""]));
  }

  const copyOf = (select) => {
    const copy = select.cloneNode(true);
    copy.disabled = false;
    copy.value = select.value;
    return copy;
  };
  form.addEventListener("change", fit);
  form.querySelector(".lesson").addEventListener("click", () => {
    if (!separate.checked) single.value = EASY;
  });
  form.addEventListener("submit", () => {
    set("visited", true);
    keep([...names.querySelectorAll("input")].map(({ value }) => value));
  });
  fit();
}

function limit(select, maximum) {
  keepTo(select, (value) => !/^\d+$/.test(value) || Number(value) <= maximum);
}

// Enable only some options; a disabled choice is replaced by the first enabled one.
function keepTo(select, can) {
  for (const option of select.options) option.hidden = option.disabled = !can(option.value);
  if (select.selectedOptions[0]?.disabled) select.value = [...select.options].find(({ disabled }) => !disabled).value;
}

// Set the number of children, keeping existing ones.
function fill(element, count, make) {
  while (element.children.length > count) element.lastElementChild.remove();
  while (element.children.length < count) element.append(make(element.children.length));
}

function labelled(words, input) {
  const label = document.createElement("label");
  label.append(`${words} `, input);
  return label;
}

function field(place) {
  const input = document.createElement("input");
  Object.assign(input, { name: "name", maxLength: 20, value: storedNames()[place] ?? "", autocomplete: "off" });
  return input;
}

function storedNames() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? [];
  } catch {
    return []; // storage is unavailable or damaged
  }
}

function keep(names) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(names));
  } catch {
    // then they must be typed again
  }
}

// The deal of the day: its seed is the UTC date, so that it is the same for everybody.
function deal() {
  const date = new Date();
  const day = date.toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" });
  for (const link of document.querySelectorAll("a.daily")) {
    const address = new URL(link.href);
    address.searchParams.set("seed", date.toISOString().slice(0, 10).replaceAll("-", ""));
    link.href = address.href;
    link.title = say("start.day", { day });
  }
}

// Offer the lesson until a table has been visited, or the offer was closed.
at("welcome").hidden = settings.visited;
at("welcome-close").addEventListener("click", () => {
  set("visited", true);
  at("welcome").hidden = true;
});

// Reload in another language, since generated elements must be rebuilt.
at("setting-language").addEventListener("change", () => location.reload());
for (const link of document.querySelectorAll("a.rules")) if (language !== "en") link.href = link.href.replace(".html", `-${language}.html`);

deal();
// The page may have been open since yesterday.
for (const event of ["pointerdown", "keydown", "visibilitychange"]) document.addEventListener(event, deal);
