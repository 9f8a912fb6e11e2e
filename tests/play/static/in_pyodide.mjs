// Runs a Python file in the Python of the static page: node in_pyodide.mjs FOLDER FILE ASKED
// Prints what the file's all_of(ASKED) gives.

import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file, asked] = process.argv.slice(2);
const { addPolicy, readSite, startPython } = await import(pathToFileURL(resolve(folder, "python.js")));
const read = async (name) => new Uint8Array(readFileSync(resolve(folder, name)));
// Node would print the line where it was raised, which is all of Pyodide.
process.on("uncaughtException", (error) => {
  console.error(String(error.message ?? error).slice(-2000));
  process.exit(1);
});
const python = await startPython(read, await readSite(read));
for (const name of readdirSync(resolve(folder, "policies"))) {
  addPolicy(python, name.replace(".onnx", ""), await read(`policies/${name}`));
}
const namespace = python.toPy({ __name__: "played" });
python.runPython(readFileSync(file, "utf8"), { globals: namespace });
console.log(namespace.get("all_of")(asked));
