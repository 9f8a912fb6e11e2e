// Several people at one device: one who has chosen hands it to the next, who alone then sees their cards.

import { at } from "./dom.js";
import { say } from "./say.js";
import { change, state } from "./state.js";

let covered = null; // the position that is covered until the next person's comes

// What the host says of it, and what the button and the dialog do; `sit` tells the host who is there.
export function showHandover({ handover, position }) {
  const dialog = at("handover-dialog");
  if (covered && position !== covered.position) {
    covered = null;
    document.body.classList.remove("covered");
  }
  // A person who loads the page must not see the cards of the person before.
  if (handover && !position && !dialog.open) cover();
  const now = handover && handover.step === position?.step && !position.actions.length;
  at("handover").hidden = !now;
  at("handover").textContent = handover ? say("Hand over to {name}", { name: handover.called }) : "";
}

function cover() {
  at("handover-words").textContent = say("Hand over to {name}. Nobody else should look.", { name: state.handover.called });
  at("handover-here").textContent = say("I am {name}", { name: state.handover.called });
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
  // By Escape it is closed while the next person is not there.
  at("handover-dialog").addEventListener("close", ({ target }) => state.handover && target.showModal());
}
