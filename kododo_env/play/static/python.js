// Loads Python with numpy and the package from the files of this folder. Runs in a worker and in node.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const ROOMS = "/packages";

// `read(name)` returns the bytes of a file of this folder; `site` is the content of its site.json.
export async function startPython(read, site) {
  const [python, archive] = await Promise.all([loadPyodide(), read(site.package)]);
  await addNumpy(python);
  python.unpackArchive(archive, "zip", { extractDir: ROOMS });
  python.runPython(`import sys; sys.path.insert(0, "${ROOMS}")`);
  return python;
}

export async function readSite(read) {
  return JSON.parse(new TextDecoder().decode(await read("site.json")));
}

// Pyodide reports a missing package, or one with a wrong hash, only in a traceback.
async function addNumpy(python) {
  await python.loadPackage("numpy", { messageCallback() {}, errorCallback() {} });
  if (python.loadedPackages.numpy) return;
  throw new Error("cannot load numpy: its file is missing or damaged; check your connection and reload the page");
}

// Add a file of the package that the page has fetched.
function add(python, room, name, content) {
  python.FS.mkdirTree(`${ROOMS}/kododo_env/${room}`);
  python.FS.writeFile(`${ROOMS}/kododo_env/${room}/${name}`, content);
}

// Policies are separate files, so that a page fetches only that of its table.
export const addPolicy = (python, policy, content) => add(python, "policy/shipped", `${policy}.onnx`, content);

// Translations are shared with the page.
async function addTexts(python, read, language) {
  const room = "rendering/texts";
  const name = `${language}.json`;
  if (language === "en" || python.FS.analyzePath(`${ROOMS}/kododo_env/${room}/${name}`).exists) return;
  add(python, room, name, await read(name));
}

// A custom policy file beside the shipped ones.
async function addFile(python, read, name) {
  if (name.includes("/")) throw new Error(`opponents must be names of files in policies/, without folders, got ${name}`);
  python.FS.writeFile(name, await read(`policies/${name}`));
}

const inPython = (python, options) => Object.fromEntries(Object.entries(options).map(([name, value]) => [name, python.toPy(value)]));

// Open a table for `{ game, players, opponents, saved, options }`, with `SharedDevice`'s other arguments in `options`:
// `hear(message, say)` calls `say` with each response, step by step as it is played; `saved()`
// returns the saved game.
export async function openTable(read, site, { game, players, opponents, saved, options }) {
  const policy = site.policies[game]?.[players]; // undefined for an invalid table, which the table itself rejects
  const [python, content] = await Promise.all([startPython(read, site), policy && read(`policies/${policy}.onnx`)]);
  if (policy) addPolicy(python, policy, content);
  const { SharedDevice } = python.pyimport("kododo_env.play.worker");
  const files = opponents.filter((name) => name.endsWith(".onnx"));
  await Promise.all(files.map((name) => addFile(python, read, name)));
  const device = SharedDevice.callKwargs(...[game, players, opponents, saved].map((value) => python.toPy(value)), inPython(python, options));
  const deliver = (lines, say) => {
    if (!lines) return false;
    const messages = lines.toJs();
    lines.destroy();
    for (const line of messages) say(JSON.parse(line));
    return true;
  };
  return {
    // The worker handles other messages between steps.
    async hear(message, say) {
      if (message.type === "speak") await addTexts(python, read, message.language);
      deliver(device.receive(JSON.stringify(message)), say);
      while (deliver(device.advance(), say)) await new Promise((done) => setTimeout(done));
    },
    saved: () => device.saved_game(),
  };
}

// An error as one line: the last line of a Python traceback.
export function reason(error) {
  const [last] = String(error.message ?? error).trim().split("\n").slice(-1);
  return last.replace(/^ValueError: /, "");
}
