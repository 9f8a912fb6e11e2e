// Run compiler.py in Pyodide: node compiled.mjs PYODIDE LIBRARY PACKAGE [NUMPY]
// PYODIDE is the folder of Pyodide; the other arguments are archives, which are replaced.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, ...paths] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(pyodide, "pyodide.mjs")));
const python = await loadPyodide();
const namespace = python.toPy({});
python.runPython(readFileSync(new URL("compiler.py", import.meta.url), "utf8"), { globals: namespace });
const given = paths.map((path) => python.toPy(new Uint8Array(readFileSync(path))).tobytes());
const found = namespace.get("compiled")(...given);
paths.forEach((path, index) => writeFileSync(path, found.get(index).toJs()));
