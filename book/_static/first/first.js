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
  part("finding").textContent = finding(shown);
  part("words").textContent = words(shown);
  part("open").href = `explorer.html#${new URLSearchParams({ dataset, learners: learner })}`;
  move();
}

function redraw() {
  if (!shown) return;
  const { points } = shown;
  draw(part("figure"), { series: [{ look: looks([shown.learner])[0], points }], marks: [], fits: [],
    state: STATE, metric: index.metrics.error_rate, low: true });
  part("figure").setAttribute("aria-label", `${words(shown)} ${finding(shown)}.`);
  labelExtremes(extremes(points));
}

const percent = (share) => `${Math.round(100 * share)} %`;

// The lowest point before the largest rise, and the point that it leads to.
function extremes(points) {
  const lowest = (k) => points.slice(0, k + 1).reduce((a, b) => (b.middle < a.middle ? b : a));
  const rise = (k) => points[k].middle - lowest(k).middle;
  const top = points.reduce((best, _, k) => (rise(k) > rise(best) ? k : best), 0);
  return [lowest(top), points[top]];
}

// Write the numbers of the finding at their dots.
function labelExtremes(both) {
  const dots = [...part("figure").querySelectorAll("circle")];
  for (const [k, { anchor, middle }] of both.entries()) {
    const dot = dots[shown.points.findIndex((p) => p.anchor === anchor)];
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const place = { class: "extreme", x: dot.getAttribute("cx"), "text-anchor": k ? "end" : "middle",
      y: Number(dot.getAttribute("cy")) + (k ? -2 : 18), dx: k ? -8 : 0 };
    for (const [key, value] of Object.entries(place)) text.setAttribute(key, value);
    text.textContent = percent(middle);
    part("figure").append(text);
  }
}

// What the curve does, in a few words.
function finding({ points }) {
  const [low, high] = extremes(points).map((p) => `${percent(p.middle)} wrong with ${p.anchor.toLocaleString("en")} rows`);
  return `${low}, ${high.replace("wrong ", "")}`;
}

function words({ learner, fact }) {
  const name = index.titles[learner];
  return `${name[0].toUpperCase()}${name.slice(1)} on the dataset ${fact.name}.`;
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
