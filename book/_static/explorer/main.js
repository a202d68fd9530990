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
  panels[0].shown = tell;
  place.replaceChildren(...panels.map((panel) => panel.node));
  place.classList.toggle("two", panels.length > 1);
  compare.textContent = panels.length > 1 ? "One panel" : "Compare side by side";
  await Promise.all(panels.map((panel) => panel.show()));
}

// The page's title and description say what a link leads to.
function tell(panel) {
  document.title = `${panel.title()} – Explore the curves`;
  const told = { description: panel.words(), "og:title": document.title, "og:description": panel.words() };
  for (const [name, text] of Object.entries(told)) {
    document.head.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.setAttribute("content", text);
  }
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
