// A policy in node: npm install onnxruntime-node, then
//
//   node onnx_node.mjs kododo-4p.onnx positions.json
//
// The policy needs its kododo-4p.meta.json in the same folder. The file of positions contains
// {"observations": [[…], …], "masks": [[…], …]}. Prints actions, logits and values as JSON.

import { readFile } from "node:fs/promises";
import ort from "onnxruntime-node";
import { loadPolicy } from "./onnx_policy.mjs";

const [model, given] = process.argv.slice(2);
const metadata = JSON.parse(await readFile(model.replace(/\.onnx$/, ".meta.json")));
const { observations, masks } = JSON.parse(await readFile(given));
const policy = await loadPolicy(ort, model, metadata);
const actions = await policy.act(observations, masks);
const answers = await policy.evaluate(observations, masks);
console.error(`${metadata.game}: the first action is to ${metadata.actions[actions[0]]}`);
console.log(JSON.stringify({ actions, ...answers }));
