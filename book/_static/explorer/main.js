// Start the explorer: one panel or two, kept in step with the address.

import { Library } from "./data.js";
import { fit, modelNames } from "./fit.js";
import { Panel } from "./panel.js";
import { readPanels, writePanels } from "./state.js";

const place = document.getElementById("explorer");
const library = new Library(place.dataset.root);
let panels = [];

function write(inPlace) { writePanels(panels.map((panel) => panel.state), inPlace); }

async function build(states) {
  panels = states.map((state) => new Panel(library, state, (_, inPlace) => write(inPlace)));
  place.replaceChildren(...panels.map((panel) => panel.node));
  place.classList.toggle("two", panels.length > 1);
  compare.textContent = panels.length > 1 ? "One panel" : "Compare side by side";
  await Promise.all(panels.map((panel) => panel.show()));
}

const compare = document.getElementById("explorer-compare");
compare.addEventListener("click", async () => {
  const states = panels.map((panel) => panel.state);
  await build(states.length > 1 ? states.slice(0, 1)
    : [states[0], { ...states[0], learners: [...states[0].learners] }]);
  write(false);
});
window.addEventListener("popstate", () => build(readPanels()));
document.getElementById("explorer-start").hidden = true;
compare.hidden = false;
build(readPanels());

window.explorer = { fit, modelNames }; // for tests
