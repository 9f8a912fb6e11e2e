// Texts by keys, in a file for each language; the page's HTML has the English ones too.

import { at, make } from "./dom.js";
import { set, settings } from "./settings.js";
import { change } from "./state.js";

const ATTRIBUTES = { label: "aria-label", placeholder: "placeholder" };

let texts = {}; // in the current language, by key
let requested = null; // the language requested last
export let language = "en";

// A text with its {parts}, which are already translated. What is not a key is shown as it is.
export function say(key, parts = {}, otherwise = key) {
  return (texts[key] ?? otherwise).replace(/\{(\w+)\}/g, (name, part) => parts[part] ?? name);
}

// The singular or plural text, with the number as `n`.
export const plural = (n, key) => say(`${key}.${n === 1 ? "one" : "many"}`, { n });

// A number with fixed decimals, and a share as a percentage, formatted for the language.
export const number = (value, digits = 0) => value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
export const percent = (share) => share.toLocaleString(language, { style: "percent", maximumFractionDigits: 0 });

async function read(name, otherwise) {
  try {
    return await (await fetch(new URL(name, import.meta.url))).json();
  } catch {
    return otherwise; // the file cannot be loaded now
  }
}

// --- texts of the page's HTML -------------------------------------------------------------

// The keys of the HTML: of an element's own words (`data-text`) and of attributes. The parts of a text are in data attributes too.
function* written() {
  for (const element of document.querySelectorAll("[data-text]")) {
    const node = [...element.childNodes].find((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const [before, after] = [/^\s*/, /\s*$/].map((space) => space.exec(node.data)[0]);
    yield [element.dataset.text, element, node.data.trim(), (words) => (node.data = before + words + after)];
  }
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) {
    for (const element of document.querySelectorAll(`[data-${name}]`)) yield [element.dataset[name], element, element.getAttribute(attribute), (words) => element.setAttribute(attribute, words)];
  }
}

const page = [...written()];

function translate() {
  document.documentElement.lang = language;
  for (const [key, { dataset }, english, write] of page) {
    write(say(key, Object.fromEntries(Object.entries(dataset).map(([name, part]) => [name, say(part)])), english));
  }
}

// --- choosing a language ------------------------------------------------------------------

const languages = await read("languages.json", { en: "English" });
const usual = navigator.languages.map((code) => code.split("-")[0]).find((code) => code in languages) ?? "en";

async function speak(code) {
  requested = code;
  const translations = await read(`${code}.json`, {});
  if (requested !== code) return; // another language has been requested meanwhile
  language = code;
  texts = translations;
  translate();
}

const choice = at("setting-language");
choice?.append(...Object.entries(languages).map(([value, name]) => make("option", { value, lang: value }, name)));
await speak(settings.language in languages ? settings.language : usual);
if (choice) choice.value = language;
choice?.addEventListener("change", async () => {
  set("language", choice.value);
  await speak(choice.value);
  change({ language });
});
