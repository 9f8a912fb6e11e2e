// The state of the page. Parts of the page read it and are notified of changes.

export const state = {
  position: null, // the position on display
  online: false,
  notice: "", // an error message of one line
  choice: null, // the legal action that is chosen but not played yet
  pending: null, // the action that was played, until everybody has chosen
  hint: null, // the hint for this position
  asked: false, // whether a hint or a bot's result has been requested
  par: null, // the bot's result in one's own seat, after the game
  handover: null, // the next person at this device
  replay: null, // the record that is replayed
  revealing: false, // whether the step after this position is being revealed
};

const listeners = [];

export function listen(listener) {
  listeners.push(listener);
}

export function change(changes) {
  Object.assign(state, changes);
  for (const listener of listeners) listener(state);
}

// Choose a legal action without playing it yet.
export function choose(action) {
  if (choosing()) change({ choice: action, notice: "" });
}

// Choose an action, or play it if it is chosen already.
export function press(action) {
  if (state.choice?.action === action.action) document.getElementById("play").click();
  else choose(action);
}

// Whether there is something to choose.
export function choosing() {
  const { position, pending, online, revealing } = state;
  return online && Boolean(position?.actions.length) && pending === null && !revealing;
}
