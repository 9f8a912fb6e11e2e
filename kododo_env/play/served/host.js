// Connects to the host of the table: here a server, over a WebSocket.
//
// Another host, such as a worker of this page, has another module with the same `connect`:
//   connect({ hear(message), online(), offline(why, final) }) -> { send(message) }
// and `addressOf(seed, seat)`, the URL at which anybody can play the same deal, or null.
// Messages are the objects of docs/reference/messages.md.

import { say } from "./say.js";

// Close codes after which the page does not reconnect, and their messages.
const FINAL = {
  4403: () => say("page.no_seat"),
  4409: () => say("page.many_tabs"),
};
export const addressOf = () => null; // each person's URL is private: the command is shown instead
const LONGEST_WAIT = 8000; // milliseconds between two attempts

export function connect({ hear, online, offline }) {
  let socket;
  let wait = 500;
  let timer = null; // of the next attempt; null while connected, connecting, or closed for good
  const unsent = new Set(); // messages from while the connection was lost

  function open() {
    clearTimeout(timer);
    timer = null;
    socket = new WebSocket(address());
    socket.onopen = () => {
      wait = 500;
      online();
      for (const text of unsent) socket.send(text);
      unsent.clear();
    };
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code in FINAL) {
        offline(FINAL[event.code](), true);
        return;
      }
      offline(say("page.connection"), false);
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  }

  // Reconnect at once when the page is visible again or back online.
  function openNow() {
    if (timer !== null && document.visibilityState === "visible") open();
  }

  open();
  document.addEventListener("visibilitychange", openNow);
  for (const event of ["online", "pageshow"]) window.addEventListener(event, openNow);
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
      else unsent.add(text);
    },
  };
}

// Relative to this file, wherever a proxy serves the page.
function address() {
  const url = new URL("play", import.meta.url);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("seat", location.hash.slice(1));
  return url.href;
}
