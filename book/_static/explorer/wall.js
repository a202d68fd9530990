// A wall of small curves: every learner on one dataset, each a link to the explorer.

import { looks } from "./chart.js";
import { Library } from "./data.js";
import { pick } from "./pick.js";

const DATABASE = "lcdb10";
const [WIDTH, HEIGHT, EDGE] = [120, 64, 3];
const FIRST = 40996; // Fashion-MNIST, the page's example
const place = document.getElementById("wall");
const part = (name) => place.querySelector(`[data-part="${name}"]`);
const library = new Library(place.dataset.root);

function node(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function show(index, fact) {
  const about = await library.dataset(DATABASE, fact.key);
  const [name] = Object.keys(about.blocks).filter((key) => key.startsWith("error_rate."));
  const block = await library.block(DATABASE, about.blocks[name]);
  const curves = block.learners.map((learner) => ({ learner, points: block.curve(learner, "valid") }))
    .filter(({ points }) => points.length > 1);
  const all = curves.flatMap(({ points }) => points);
  const [low, high] = [Math.min, Math.max].map((end) => Math.log(end(...all.map((p) => p.anchor))));
  const top = Math.max(...all.map((p) => p.middle));
  const x = (p) => EDGE + ((Math.log(p.anchor) - low) / (high - low)) * (WIDTH - 2 * EDGE);
  const y = (p) => HEIGHT - EDGE - (p.middle / top) * (HEIGHT - 2 * EDGE);
  part("curves").replaceChildren(...curves.map(({ learner, points }) => {
    const link = document.createElement("a");
    link.href = `explorer.html#${new URLSearchParams({ dataset: fact.label, learners: learner })}`;
    const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
    svg.append(
      node("path", { d: `M0 ${HEIGHT - 0.5}H${WIDTH}`, stroke: "currentColor", "stroke-opacity": 0.3 }),
      node("polyline", { points: points.map((p) => `${x(p)},${y(p)}`).join(" "), fill: "none",
        stroke: looks([learner])[0].colour, "stroke-width": 1.8, "stroke-linejoin": "round" }));
    link.append(svg, index.titles[learner] ?? learner);
    return link;
  }));
  part("words").textContent = `${fact.name}: ${curves.length} learners, error from 0 to ${Math.round(100 * top)} %, `
    + `${Math.round(Math.exp(low))} to ${Math.round(Math.exp(high)).toLocaleString("en")} rows.`;
}

async function start() {
  const index = await library.index(DATABASE);
  const of = (label) => index.datasets.find((d) => d.label === label);
  let shown = of(FIRST) ?? index.datasets[0];
  await show(index, shown);
  part("another").addEventListener("click", () => {
    shown = of(pick(index.worth_a_look.peak.filter(([label]) => label !== shown.label))[0]);
    show(index, shown);
  });
  place.hidden = false;
}

start().catch(() => { place.hidden = true; }); // opened as a file: the figures stay
