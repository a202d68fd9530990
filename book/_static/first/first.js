// The first page's curve: one that peaks, drawn as if it were measured, and others by a button.

import { draw, looks } from "../explorer/chart.js";
import { Library } from "../explorer/data.js";
import { pick } from "../explorer/pick.js";

const FIRST = { dataset: 41163, learner: "LDA" }; // dilbert
const DATABASE = "lcdb10";
const STATE = { x: "log", y: "linear", repeats: false, model: "", cut: 0 };
const place = document.getElementById("first-curve");
const part = (name) => place.querySelector(`[data-part="${name}"]`);
const library = new Library(place.dataset.root);
let index; let shown; let last;

async function show([dataset, [learner], scaling]) {
  const fact = index.datasets.find((d) => d.label === dataset);
  const about = await library.dataset(DATABASE, fact.key);
  const leakage = Object.keys(about.blocks).map((key) => key.split("."))
    .find(([metric, scale]) => metric === "error_rate" && scale === scaling)[2];
  const block = await library.block(DATABASE, about.blocks[`error_rate.${scaling}.${leakage}`]);
  const found = about.verdicts[`${scaling}.${leakage}`]?.[learner]?.corrected ?? {};
  shown = { points: block.curve(learner, "valid"), learner, found, fact };
  redraw();
  part("words").textContent = words(shown);
  part("open").href = `explorer.html#${new URLSearchParams({ dataset, learners: learner })}`;
  move();
}

function redraw() {
  if (!shown) return;
  const { points } = shown;
  draw(part("figure"), { series: [{ look: looks([shown.learner])[0], points }], marks: [], fits: [],
    state: STATE, metric: index.metrics.error_rate, low: true });
  part("figure").setAttribute("aria-label", words(shown));
}

const percent = (share) => `${Math.round(100 * share)} %`;

// What the curve does, in a sentence: from its lowest point before the peak to the peak.
function words({ points, learner, fact }) {
  const tops = points.map((p, k) => ({ k, rise: p.middle - Math.min(...points.slice(0, k + 1).map((q) => q.middle)) }));
  const top = tops.reduce((a, b) => (b.rise > a.rise ? b : a));
  const high = points[top.k];
  const low = points.slice(0, top.k + 1).reduce((a, b) => (b.middle < a.middle ? b : a));
  const name = index.titles[learner];
  return `${name[0].toUpperCase()}${name.slice(1)} on ${fact.name}: ${percent(low.middle)} wrong with ${low.anchor.toLocaleString("en")} rows, `
    + `${percent(high.middle)} with ${high.anchor.toLocaleString("en")}.`;
}

// Draw the line from left to right, unless the reader wants nothing to move.
function move() {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const line = part("figure").querySelector("path.mean");
  const length = line.getTotalLength();
  line.setAttribute("stroke-dasharray", length);
  line.animate([{ strokeDashoffset: length }, { strokeDashoffset: 0 }], { duration: 1600, easing: "ease-in-out" })
    .finished.then(() => line.removeAttribute("stroke-dasharray"), () => {});
}

async function start() {
  index = await library.index(DATABASE);
  const rises = index.worth_a_look.rise;
  const [first] = rises.filter(([dataset, [learner]]) => dataset === FIRST.dataset && learner === FIRST.learner);
  place.hidden = false;
  await show(last = first ?? rises[0]);
  document.getElementById("fig-intro")?.closest(".cell").classList.add("drawn-above");
  part("another").addEventListener("click", () => show(last = pick(rises, last)));
  new ResizeObserver(redraw).observe(part("frame"));
}

start().catch(() => { place.hidden = true; }); // the picture below stays
