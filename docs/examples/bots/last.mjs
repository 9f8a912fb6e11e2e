// A bot in JavaScript: kododo evaluate --agents "exec:node docs/examples/bots/last.mjs" random
// It reads one position per line, and answers with the last legal action.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const position = JSON.parse(line);
  if (position.error) {
    console.error(position.error);
  } else if (position.actions.length > 0) {
    const { action } = position.actions.at(-1);
    console.log(JSON.stringify({ type: "act", step: position.step, action }));
  }
}
