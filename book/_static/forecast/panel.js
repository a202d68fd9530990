// Points in, a forecast out, at each key: a figure, three sentences, a link. Nothing leaves the browser.
"use strict";
(() => {
  const engine = window.forecastEngine;
  const panel = document.getElementById("forecast-panel");
  const part = (name) => panel.querySelector(`[data-part=${name}]`);
  const EXAMPLE = "100, 0.34\n100, 0.31\n200, 0.27\n200, 0.28\n400, 0.22\n400, 0.24\n800, 0.19\n800, 0.20\n1600, 0.17";
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"].map((c) => `var(--drawn-${c.slice(1)}, ${c})`);
  const INK = "var(--drawn-ink, #1b1f24)"; // the page's own, as its figures have it
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 400, 66, 116, 14, 56];
  const AHEAD = 10;
  const about = (n) => Math.round(Number(n.toPrecision(2))).toLocaleString("en"); // of what is expected; measured sizes are exact
  const exact = (n) => Math.round(n).toLocaleString("en");
  const percent = (v) => `${(100 * v).toFixed(1)} %`;
  const isScore = (curve) => curve.label.startsWith("1 − ");
  const shownAs = (curve) => (v) => percent(isScore(curve) ? 1 - v : v); // in the measure that was given

  const number = (name, high) => {
    const text = part(name).value.trim();
    if (!text) return null;
    const value = Number(text.replace("%", "").replace(",", ".").trim()) / (text.endsWith("%") ? 100 : 1);
    if (!(value > 0 && value < high)) {
      throw Error(name === "tested" ? `${text} is no number of rows that the error was measured on.`
        : name === "rows" ? `${text} is no number of rows.`
        : `${text} is no value to want.`);
    }
    return value;
  };

  function update() {
    let shown = null;
    try {
      const curves = engine.read(part("points").value, number("rows", 1e12));
      showWords(part("read"), curves[0].read);
      const tested = number("tested", 1e12);
      const value = number("wanted", Infinity);
      const wanted = value === null ? null : engine.errorOf(value, part("wanted").value.trim().endsWith("%"), curves);
      shown = curves.slice(0, COLOURS.length).map((curve) => ahead(curve, curve.ofRows ? tested ?? curve.tested : null));
      part("more").replaceChildren();
      part("answer").replaceChildren(...shown.flatMap((one) => lines(one, wanted, shown.length > 1)));
      part("message").textContent = curves.length > COLOURS.length
        ? `Shown are the first ${COLOURS.length} of ${curves.length} learners.` : "";
      part("figure").replaceChildren(draw(shown, wanted));
    } catch (error) {
      part("answer").textContent = "";
      part("read").textContent = "";
      showWords(part("message"), error.message);
      part("figure").replaceChildren();
    }
    panel.shown = shown;
    panel.dataset.ready = shown ? "forecast" : "refused";
    part("done").textContent = "";
  }

  function ahead(curve, tested) {
    const last = curve.points[curve.points.length - 1];
    const sizes = Array.from({ length: 34 }, (_, k) => last.size * AHEAD ** ((k + 1) / 34));
    return { curve, tested, last, at: sizes.map((size) => ({ size, quantiles: engine.forecast(curve, size, tested) })) };
  }

  function lines(one, wanted, several) { // what was asked for first
    const verdict = document.createElement("strong");
    verdict.textContent = visible(judged(one, wanted, several));
    const [first, ...rest] = words(one, several).map(visible);
    part("more").append(...rest.map((line) => `${line}\n`));
    return [...(verdict.textContent ? [verdict, "\n"] : []), `${first}\n`];
  }

  function words({ curve, tested, last }, several) {
    const [value, score] = [shownAs(curve), isScore(curve)];
    const [twice, far] = [2, AHEAD].map((times) => {
      const q = engine.forecast(curve, times * last.size, tested);
      return `${value(q[3])} (${value(q[score ? 6 : 0])} to ${value(q[score ? 0 : 6])})`;
    });
    const first = engine.remark(curve, tested);
    const name = score ? ` ${curve.label.slice(4)}` : "";
    return [`${several ? `${curve.learner}: now` : "Now"}${name} ${value(last.error)} at ${exact(last.size)} rows; with twice as many about ${twice}.`,
      `With ${AHEAD} times the rows about ${far}. Ranges are to hold nine times in ten.`, ...(first ? [first] : []), ...(tested || !curve.ofRows ? [] : ["This leaves out that your test rows are a sample: say how many there are."])];
  }

  function judged({ curve, tested, last }, wanted, several) {
    if (wanted === null) return "";
    const goal = `${several ? `${curve.learner}, ` : ""}${shownAs(curve)(wanted)} ${curve.label.replace(/^1 − /, "")}:`;
    if (last.error <= wanted) return `${goal} there now, it seems.`;
    const found = engine.needed(curve, wanted, tested);
    if (found.expected === null) {
      return found.early === null ? `${goal} looks out of reach, even with ${engine.FARTHEST} times the rows.`
        : `${goal} probably not reached. Even with ${about(engine.FARTHEST * last.size)} rows the chance is below 50 % (with ${about(found.early)}: 5 %).`;
    }
    return `${goal} expected at about ${about(found.expected)} rows, at best at ${about(found.early)}, to be safe at `
      + (found.late === null ? `more than ${engine.FARTHEST} times the rows.` : `${about(found.late)}.`);
  }

  // --- the figure ----------------------------------------------------------------------------
  function node(name, attributes = {}, text = null) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = visible(text);
    return made;
  }

  function draw(shown, wanted) {
    const first = Math.min(...shown.map((one) => one.curve.points[0].size));
    const end = Math.max(...shown.map((one) => AHEAD * one.last.size));
    const top = 1.05 * Math.max(...shown.flatMap((one) => [...one.curve.points.flatMap((p) => p.errors),
      ...one.at.map((p) => p.quantiles[6])]), 0.01);
    const x = (size) => LEFT + (Math.log(size / first) / Math.log(end / first)) * (WIDTH - LEFT - RIGHT);
    const y = (error) => HEIGHT - BOTTOM - (error / top) * (HEIGHT - TOP - BOTTOM);
    const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "font-size": 16,
      "font-family": "system-ui, sans-serif", "aria-label": "The points, and the forecast with its 50 and 90 % ranges" });
    axes(svg, x, y, first, end, top, shown[0].curve.label);
    if (wanted !== null && wanted < top) {
      svg.append(node("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(wanted), y2: y(wanted), stroke: INK, "stroke-dasharray": "2 4" }),
        node("text", { x: LEFT + 4, y: y(wanted) - 5, fill: INK }, "wanted"));
    }
    shown.forEach((one, k) => drawOne(svg, one, COLOURS[k], x, y, shown.length > 1));
    return svg;
  }

  function axes(svg, x, y, first, end, top, label) {
    const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((s) => top / s <= 6) ?? 0.2;
    for (let v = 0; v <= top; v += step) {
      svg.append(node("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), stroke: INK, "stroke-opacity": v ? 0.15 : 1 }),
        node("text", { x: LEFT - 6, y: y(v) + 5, "text-anchor": "end", fill: INK }, `${Math.round(100 * v)} %`));
    }
    const far = Math.ceil(Math.log2(end / first) / 7);
    for (let size = first; size <= end * 1.001; size *= 2 ** far) {
      svg.append(node("text", { x: x(size), y: HEIGHT - BOTTOM + 21, "text-anchor": "middle", fill: INK }, about(size)));
    }
    svg.append(node("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle", fill: INK }, "training-set size [rows]"),
      node("text", { transform: `translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle", fill: INK }, label));
  }

  function drawOne(svg, { curve, last, at }, colour, x, y, named) {
    const start = [x(last.size), y(last.error)];
    for (const [low, high, opacity] of [[0, 6, 0.15], [2, 4, 0.25]]) {
      const there = at.map((p) => [x(p.size), y(p.quantiles[high])]);
      const back = at.map((p) => [x(p.size), y(p.quantiles[low])]).reverse();
      svg.append(node("polygon", { points: [...there, ...back].join(" "), fill: colour, "fill-opacity": opacity }));
    }
    svg.append(node("polyline", { points: [start, ...at.map((p) => [x(p.size), y(p.quantiles[3])])].join(" "),
      fill: "none", stroke: colour, "stroke-width": 1.6, "stroke-dasharray": "5 3" }),
    node("polyline", { points: curve.points.map((p) => [x(p.size), y(p.error)]).join(" "), fill: "none", stroke: colour, "stroke-width": 1.8 }));
    for (const { size, errors } of curve.points) {
      for (const error of errors) svg.append(node("circle", { class: "point", cx: x(size), cy: y(error), r: 3.2, fill: colour }));
    }
    const end = at[at.length - 1].quantiles.map(y);
    const places = [["90 % of cases", (end[6] + end[4]) / 2], ["50 % of cases", end[3]]];
    if (!named && places[1][1] - places[0][1] > 18) {
      svg.append(...places.map(([words, at]) => node("text", { x: WIDTH - RIGHT + 6, y: at + 5, fill: INK }, words)));
    }
    if (!named) svg.append(node("text", { x: start[0], y: start[1] - 9, "text-anchor": "middle", fill: colour }, "now"));
    if (named) {
      svg.append(node("text", { x: x(curve.points[0].size) + 6, y: y(curve.points[0].error) - 6, fill: colour }, curve.learner));
    }
  }

  // --- files and links -------------------------------------------------------------------------
  async function open(file) {
    part("points").value = (await file.text()).trim();
    update();
  }
  part("file").addEventListener("change", (event) => event.target.files[0] && open(event.target.files[0]));
  for (const kind of ["dragenter", "dragover"]) {
    panel.addEventListener(kind, (event) => { event.preventDefault(); panel.classList.add("over"); });
  }
  panel.addEventListener("dragleave", () => panel.classList.remove("over"));
  panel.addEventListener("drop", (event) => {
    event.preventDefault();
    panel.classList.remove("over");
    if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  });

  part("link").addEventListener("click", async () => {
    const state = new URLSearchParams();
    for (const name of ["points", "tested", "wanted", "rows"]) if (part(name).value.trim()) state.set(name, part(name).value.trim());
    window.history.replaceState(null, "", `#${state}`);
    try {
      await navigator.clipboard.writeText(window.location.href);
      part("done").textContent = "Copied; the points travel in the link itself.";
    } catch {
      part("done").textContent = "The address of this page is now that link.";
    }
  });
  part("csv").addEventListener("click", () => {
    if (!panel.shown) return;
    const lines = panel.shown.flatMap(({ curve, at }) => at.map(({ size, quantiles }) =>
      [curve.learner, size.toFixed(1), ...quantiles.map((q) => q.toFixed(6))]));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([peoplesCsv(["learner,size,q05,q10,q25,q50,q75,q90,q95".split(","), ...lines])], { type: "text/csv" }));
    link.download = "forecast.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  function fromAddress() {
    const state = new URLSearchParams(window.location.hash.slice(1));
    if (!state.has("points")) return false;
    for (const name of ["points", "tested", "wanted", "rows"]) part(name).value = state.get(name) ?? "";
    update();
    return true;
  }
  window.addEventListener("hashchange", fromAddress);
  for (const name of ["points", "tested", "wanted", "rows"]) part(name).addEventListener("input", update);
  function example() {
    for (const [name, text] of [["points", EXAMPLE], ["tested", "300"], ["wanted", "0.12"], ["rows", ""]]) part(name).value = text;
    update();
  }
  part("example").addEventListener("click", example);
  if (!fromAddress()) example();
})();
