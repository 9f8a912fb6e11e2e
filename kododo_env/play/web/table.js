// A plain page for a table: the drawing, the legal actions as buttons, the scores and the log.

const at = (id) => document.getElementById(id);
let socket;
let step = 0;

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const seat = encodeURIComponent(location.hash.slice(1));
  socket = new WebSocket(`${scheme}//${location.host}/play?seat=${seat}`);
  socket.onmessage = (event) => show(JSON.parse(event.data));
  socket.onclose = (event) => {
    const stranger = event.code === 4403;
    at("status").textContent = stranger ? event.reason : "connecting again";
    if (!stranger) setTimeout(connect, 1000);
  };
}

const say = (message) => socket.send(JSON.stringify(message));

function show(message) {
  if (message.type === "position") showPosition(message);
  else if (message.type === "hint") fill("answer", "li", message.actions.map(rated));
  else if (message.type === "record") download(message.record);
  else if (message.type === "error") at("status").textContent = message.error;
}

function rated(each) {
  const chance = each.probability;
  return `${each.words}: ${chance === undefined ? each.value : `${Math.round(100 * chance)} %`}`;
}

function showPosition(position) {
  step = position.step;
  at("picture").innerHTML = position.picture;
  const turn = position.actions.length ? "your turn" : "the others are choosing";
  at("status").textContent = position.over ? position.result : turn;
  at("actions").replaceChildren(...position.actions.map(button));
  fill("answer", "li", []);
  fill("log", "li", position.log.flatMap((each) => each.lines).reverse());
  fill("scores", "tr", position.players.map((each) => `${each.player} (${each.name}): ${each.score}`));
  at("record").disabled = !position.over;
}

function button(action) {
  const made = document.createElement("button");
  made.textContent = action.words;
  made.onclick = () => say({ type: "act", step, action: action.action });
  return made;
}

function fill(id, tag, texts) {
  const lines = texts.map((text) => {
    const line = document.createElement(tag);
    line.textContent = text;
    return line;
  });
  at(id).replaceChildren(...lines);
}

function download(record) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "application/x-ndjson" }));
  link.download = "game.jsonl";
  link.click();
  URL.revokeObjectURL(link.href);
}

at("hint").onclick = () => say({ type: "hint", step });
at("new").onclick = () => say({ type: "new", step, deck: "other" });
at("same").onclick = () => say({ type: "new", step, deck: "same" });
at("record").onclick = () => say({ type: "record" });
connect();
