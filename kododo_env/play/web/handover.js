// Several people at one device: whoever has chosen hands it to the next person, whose cards are hidden until then.

import { at } from "./dom.js";
import { say } from "./say.js";
import { change, state } from "./state.js";

let covered = null; // the position that stays covered until the next person's arrives

// Handle the host's handover messages, the button and the dialog; `sit` tells the host who has the device.
export function showHandover({ handover, position }) {
  const dialog = at("handover-dialog");
  if (covered && position !== covered.position) {
    covered = null;
    document.body.classList.remove("covered");
  }
  // Whoever loads the page must not see the previous person's cards.
  if (handover && !position && !dialog.open) cover();
  const ready = handover && handover.step === position?.step && !position.actions.length;
  at("handover").hidden = !ready;
  at("handover").textContent = handover ? say("handover.button", { name: handover.called }) : "";
}

function cover() {
  at("handover-words").textContent = say("handover.request", { name: state.handover.called });
  at("handover-here").textContent = say("handover.person", { name: state.handover.called });
  document.body.classList.add("covered");
  at("handover-dialog").showModal();
}

export function onSit(sit) {
  at("handover").addEventListener("click", cover);
  at("handover-here").addEventListener("click", () => {
    covered = { position: state.position };
    sit(state.handover.person);
    change({ handover: null });
  });
  // Escape must not close the dialog.
  at("handover-dialog").addEventListener("close", ({ target }) => state.handover && target.showModal());
}
