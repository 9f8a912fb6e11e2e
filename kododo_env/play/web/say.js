// Translations: English texts are in the code and the page, other languages in a file each.

import { at, make } from "./dom.js";
import { set, settings } from "./settings.js";
import { change } from "./state.js";

const ATTRIBUTES = ["aria-label", "title", "placeholder", "alt"];

let texts = {}; // in the current language, by English text
let wanted = null; // the language requested last
export let language = "en";

// A text with its {parts}, which are already translated.
export function say(text, parts = {}) {
  return (texts[text] ?? text).replace(/\{(\w+)\}/g, (name, part) => parts[part] ?? name);
}

// The singular or plural text, with the number as `n`.
export const plural = (n, one, many) => say(n === 1 ? one : many, { n });

// A number with fixed decimals, and a share as a percentage, formatted for the language.
export const number = (value, digits = 0) => value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
export const percent = (share) => share.toLocaleString(language, { style: "percent", maximumFractionDigits: 0 });

async function read(name, otherwise) {
  try {
    return await (await fetch(new URL(name, import.meta.url))).json();
  } catch {
    return otherwise; // missing texts are shown in English
  }
}

// --- texts of the page's HTML -------------------------------------------------------------

// A text without surrounding white space, and its replacement. Its parts are in the element's data attributes.
function* written() {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("script, style, pre, kbd, svg")) continue;
    const [before, after] = [/^\s*/, /\s*$/].map((space) => space.exec(node.data)[0]);
    yield [node.data, node.parentElement, (said) => (node.data = before + said + after)];
  }
  for (const name of ATTRIBUTES) {
    for (const each of document.querySelectorAll(`[${name}]`)) yield [each.getAttribute(name), each, (said) => each.setAttribute(name, said)];
  }
}

const found = [...written()].map(([text, element, put]) => [text.replace(/\s+/g, " ").trim(), { ...element.dataset }, put]).filter(([text]) => /\p{L}/u.test(text));

function translate() {
  document.documentElement.lang = language;
  for (const [text, parts, put] of found) {
    put(say(text, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, say(part)]))));
  }
}

// --- choosing a language ------------------------------------------------------------------

const languages = await read("languages.json", { en: "English" });
const usual = navigator.languages.map((each) => each.split("-")[0]).find((each) => each in languages) ?? "en";

async function speak(code) {
  wanted = code;
  const known = code === "en" ? {} : await read(`${code}.json`, {});
  if (wanted !== code) return; // another language has been requested meanwhile
  [language, texts] = [code, known];
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
