// Python with numpy and the package, from the files of this folder. Runs in a worker and in node.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const ROOMS = "/packages";

// `read(name)` gives the bytes of a file of this folder; `site` is what its site.json says.
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

// Pyodide only says so, in lines of a traceback, where a package cannot be had or is another one by its hash.
async function addNumpy(python) {
  await python.loadPackage("numpy", { messageCallback() {}, errorCallback() {} });
  if (python.loadedPackages.numpy) return;
  throw new Error("numpy could not be loaded, or is not the file that was meant. See whether you are online, and load the page again");
}

// A file of the package that a page fetches by itself.
function add(python, room, name, content) {
  python.FS.mkdirTree(`${ROOMS}/kododo_env/${room}`);
  python.FS.writeFile(`${ROOMS}/kododo_env/${room}/${name}`, content);
}

// A policy is a file of its own, so that a page fetches only that of its table.
export const addPolicy = (python, policy, content) => add(python, "policy/shipped", `${policy}.onnx`, content);

// The texts of a language that is asked for are those of the page, which lie beside it.
async function addTexts(python, read, language) {
  const [room, name] = ["rendering/texts", `${language}.json`];
  if (language === "en" || python.FS.analyzePath(`${ROOMS}/kododo_env/${room}/${name}`).exists) return;
  add(python, room, name, await read(name));
}

// Somebody's own policy file, which lies beside those that ship.
async function addFile(python, read, name) {
  if (name.includes("/")) throw new Error(`${name} has to lie in policies/, and is named without a folder`);
  python.FS.writeFile(name, await read(`policies/${name}`));
}

const inPython = (python, more) => Object.fromEntries(Object.entries(more).map(([name, value]) => [name, python.toPy(value)]));

// A table for `{ game, players, opponents, kept, more }`, the last for `WorkerTable`'s other arguments:
// `hear(message, say)` tells `say` all that is said to a message, step by step as it is played; `kept()`
// is what goes on with the game.
export async function openTable(read, site, { game, players, opponents, kept, more }) {
  const policy = site.policies[game]?.[players]; // of a table that there is; else the table says so
  const [python, content] = await Promise.all([startPython(read, site), policy && read(`policies/${policy}.onnx`)]);
  if (policy) addPolicy(python, policy, content);
  const { WorkerTable } = python.pyimport("kododo_env.play.worker");
  const files = opponents.filter((name) => name.endsWith(".onnx"));
  await Promise.all(files.map((name) => addFile(python, read, name)));
  const table = WorkerTable.callKwargs(...[game, players, opponents, kept].map((each) => python.toPy(each)), inPython(python, more));
  const each = (lines, say) => {
    const found = lines.toJs();
    lines.destroy();
    for (const line of found) say(JSON.parse(line));
    return found.length;
  };
  return {
    // Between steps the worker takes other messages.
    async hear(message, say) {
      if (message.type === "speak") await addTexts(python, read, message.language);
      each(table.hear(JSON.stringify(message)), say);
      while (each(table.play_on(), say)) await new Promise((done) => setTimeout(done));
    },
    kept: () => table.saved_game(),
  };
}

// What went wrong, in a line: the last one of a Python traceback is it.
export function reason(error) {
  const [last] = String(error.message ?? error).trim().split("\n").slice(-1);
  return last.replace(/^ValueError: /, "");
}
