// All that the page knows, in one place. Parts of the page read it, and are told when it changes.

export const state = {
  position: null, // the position that is shown
  online: false,
  notice: "", // what went wrong, in a line
  choice: null, // the legal action that is to be played, before it is
  pending: null, // the action that has been played, until everybody has
  hint: null, // what an agent thinks of this position
  asked: false, // whether a hint, or what a bot makes of the deal, has been asked for and has not come
  par: null, // what a bot makes of the deal that is over, in one's own seat
  handover: null, // the person at this device whose turn is next
  replay: null, // a record that is being paged through
};

const listeners = [];

export function listen(listener) {
  listeners.push(listener);
}

export function change(what) {
  Object.assign(state, what);
  for (const listener of listeners) listener(state);
}

// Choose a legal action, which is not yet to play it.
export function choose(action) {
  if (choosing()) change({ choice: action, notice: "" });
}

// Whether there is something to choose.
export function choosing() {
  const { position, pending, online } = state;
  return online && Boolean(position?.actions.length) && pending === null;
}
