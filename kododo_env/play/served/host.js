// Speaks to the host that has the table: here a server, over a WebSocket.
//
// Another host, such as a worker of this page, is another module with the same `connect`:
//   connect({ hear(message), online(), offline(why, final) }) -> { send(message) }
// and `addressOf(seed, seat)`, the address at which anybody can play the same deal, or null.
// Messages are the objects of docs/playing.md.

import { say } from "./say.js";

// The server's codes for a connection that is not tried again, and what to say.
const FINAL = {
  4403: () => say("This address has no seat at this table. Use the whole link that the host printed."),
  4409: () => say("This seat is open in too many other tabs. Go on in one of those, or load this page again."),
};
export const addressOf = () => null; // each person's address is their own: they are told the command
const LONGEST_WAIT = 8000; // milliseconds between two attempts

export function connect({ hear, online, offline }) {
  let socket;
  let wait = 500;
  const unsent = new Set(); // what was said while the connection was lost

  function open() {
    socket = new WebSocket(address());
    socket.onopen = () => {
      wait = 500;
      online();
      for (const each of unsent) socket.send(each);
      unsent.clear();
    };
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code in FINAL) {
        offline(FINAL[event.code](), true);
        return;
      }
      offline(say("The connection was lost. Trying again; the game waits."), false);
      setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  }

  open();
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
      else unsent.add(text);
    },
  };
}

function address() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const seat = encodeURIComponent(location.hash.slice(1));
  return `${scheme}//${location.host}/play?seat=${seat}`;
}
