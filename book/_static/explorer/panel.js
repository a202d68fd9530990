// One panel: its controls, its figure, the verdicts, and the numbers as a table.

import { draw, looks } from "./chart.js";
import { CENTRES } from "./data.js";
import { saveCsv, savePng, saveSvg } from "./download.js";
import { fit, modelNames } from "./fit.js";
import { FORECAST, TITLE, forecastOf, fromCut } from "./forecast.js";
import { pick } from "./pick.js";
import { DEFAULTS } from "./state.js";

const MARK_OF = { mono: "rise", conv: "bulge", dip: "end above the lowest point" };
let panels = 0;

export class Panel {
  // `changed(panel, inPlace)` is called whenever the reader has changed the state.
  constructor(library, state, changed) {
    Object.assign(this, { library, state, changed, id: `p${panels += 1}` });
    this.node = document.getElementById("explorer-panel").content.firstElementChild
      .cloneNode(true);
    for (const node of this.node.querySelectorAll("[id],[for],[aria-describedby]")) {
      for (const name of ["id", "for", "aria-describedby"]) {
        if (node.hasAttribute(name)) node.setAttribute(name, `${this.id}-${node.getAttribute(name)}`);
      }
    }
    this.listen();
  }

  part(name) { return this.node.querySelector(`[data-part="${name}"]`); }

  listen() {
    for (const node of this.node.querySelectorAll("[data-state]")) {
      node.addEventListener("change", () => {
        const name = node.dataset.state;
        this.set({ [name]: node.type === "checkbox" ? node.checked : node.value });
      });
    }
    this.part("dataset").addEventListener("change", (event) => this.choose(event.target.value));
    this.part("dataset").addEventListener("input", (event) => this.narrow(event.target.value));
    this.part("thumbnails").addEventListener("click", (event) => {
      const label = event.target.closest("button")?.value;
      if (label) this.set({ dataset: label });
    });
    this.part("thumbnails").addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const shown = [...event.currentTarget.children].filter((one) => !one.hidden);
      shown[shown.indexOf(document.activeElement) + step]?.focus();
      event.preventDefault();
    });
    this.part("learners").addEventListener("change", () => this.set({ learners: [
      ...this.part("learners").querySelectorAll("input:checked")].map((box) => box.value) }));
    this.part("cut").addEventListener("input", (event) => this.cutAt(
      this.anchors()[Number(event.target.value)], true));
    this.part("cut").addEventListener("change", (event) => this.cutAt(
      this.anchors()[Number(event.target.value)], false));
    this.part("csv").addEventListener("click", () => saveCsv(this.series, this.about()));
    this.part("csv-all").addEventListener("click", () => this.saveAll());
    this.part("svg").addEventListener("click", () => saveSvg(this.part("figure"), this.about().file));
    this.part("png").addEventListener("click", () => savePng(this.part("figure"), this.about().file));
    this.part("surprise").addEventListener("click", () => this.surprise());
    new ResizeObserver(() => this.redraw()).observe(this.part("frame"));
  }

  set(changes, inPlace = false) {
    Object.assign(this.state, changes);
    this.changed(this, inPlace);
    return this.show().then(() => this.changed(this, true)); // what was settled, too
  }

  // Load what the state asks for, and show it.
  async show() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    try {
      const { state } = this;
      const list = await this.library.databases();
      const lacking = []; // of what a link asks for
      const wishes = { ...state };
      if (!list.some((one) => one.key === state.database)) {
        lacking.push(`database ${state.database}`);
        state.database = list[0].key;
      }
      let index = await this.library.index(state.database);
      let wanted = find(index.datasets, state.dataset);
      if (state.dataset && !wanted) {
        lacking.push(`dataset ${state.dataset} in ${index.title}`);
        const elsewhere = asked === 1 && await this.elsewhere(list, state.dataset);
        if (elsewhere) [state.database, index, wanted] = elsewhere;
      }
      if (![FORECAST, "", ...modelNames].includes(state.model)) {
        lacking.push(`curve model ${state.model}`);
        state.model = "";
      }
      const fact = wanted ?? firstOf(index);
      state.dataset = String(fact.label);
      const about = await this.library.dataset(state.database, fact.key);
      this.settle(about, index);
      const key = `${state.metric}.${state.scaling}.${state.leakage}`;
      const block = await this.library.block(state.database, about.blocks[key]);
      const forecasts = state.model === FORECAST
        ? await this.library.forecasts(state.database, about) : null;
      if (asked !== this.asked) return; // something else was asked for meanwhile
      Object.assign(this, { list, index, fact: about, block, forecasts });
      const lost = state.learners.filter((name) => !index.learners.includes(name));
      lacking.push(...lost.map((name) => `learner ${name}`));
      const foreign = lost.length && !wanted; // all of it was chosen for another database
      state.learners = foreign ? [] : state.learners.filter((name) => block.learners.includes(name));
      if (!state.learners.length) state.learners = suggested(index.first, block.learners);
      if (!Object.hasOwn(index.procedures, state.procedure)) [state.procedure] = Object.keys(index.procedures);
      if (block.splits.length && !block.splits.includes(state.split)) state.split = block.splits[0];
      const ignored = [...state.ignored ?? [], ...["metric", "split", "scaling", "leakage", "procedure"]
        .filter((name) => wishes[name] !== state[name] && wishes[name] !== DEFAULTS[name])
        .map((name) => `${name}=${wishes[name]}`)];
      const from = wanted && state.database !== wishes.database ? `; what is shown is from ${index.title}` : "";
      this.note = asked > 1 ? this.moved ?? "" : [
        lacking.length && `There is no ${lacking.join(", no ")}${from}.`,
        ignored.length && `Ignored of the address: ${ignored.join(", ")}.`].filter(Boolean).join(" ");
      this.moved = "";
      this.controls();
      this.redraw();
      this.shown?.(this);
      this.node.dataset.ready = String(asked);
    } catch (problem) {
      const how = location.protocol === "file:"
        ? ". A browser reads no files beside a page that is itself opened as a file: open the book"
          + " through a server, python -m http.server -d _build/html" : "";
      this.part("message").textContent = `This could not be read: ${problem.message}${how}`;
    }
  }

  // Where a database lacks the metric, scaling or leakage asked for, take the first that it has.
  settle(about, index) {
    const { state } = this;
    const keys = Object.keys(about.blocks).map((key) => key.split("."));
    if (!keys.length) throw new Error(`no curve was gathered on ${about.name}`);
    const order = Object.keys(index.metrics);
    const pick = (name, position, among) => {
      const options = [...new Set(among.map((key) => key[position]))];
      if (!options.includes(state[name])) {
        [state[name]] = position ? options : options.sort((a, b) => order.indexOf(a) - order.indexOf(b));
      }
      return among.filter((key) => key[position] === state[name]);
    };
    this.options = { metric: [...new Set(keys.map((key) => key[0]))] };
    let left = pick("metric", 0, keys);
    this.options.scaling = [...new Set(left.map((key) => key[1]))];
    left = pick("scaling", 1, left);
    this.options.leakage = [...new Set(left.map((key) => key[2]))];
    pick("leakage", 2, left);
  }

  controls() {
    const { state, index, options } = this;
    fill(this.part("database"), this.list.map((d) => [d.key, d.title]), state.database);
    if (this.listed !== state.database) {
      this.listed = state.database;
      fill(this.part("wanted"), [["", "any learner"], ...index.learners.map((l) => [l, this.nameOf(l)])],
        this.part("wanted").value);
    }
    this.part("dataset").value = nameOf(this.fact);
    this.thumbnails();
    this.part("title").textContent = this.title();
    this.part("facts").textContent = facts(this.fact);
    fill(this.part("metric"), options.metric.map((m) => [m, index.metrics[m].label]), state.metric);
    fill(this.part("scaling"), options.scaling.map((s) => [s, s]), state.scaling);
    fill(this.part("leakage"), options.leakage.map((s) => [s, s]), state.leakage);
    fill(this.part("split"), this.block.splits.map((s) => [s, s]), state.split);
    fill(this.part("procedure"), Object.entries(index.procedures), state.procedure);
    const told = index.forecast ? "90 % interval" : "of error rates alone";
    fill(this.part("model"), [["", "none"], [FORECAST, `${TITLE}, ${told}`, !index.forecast],
      ...modelNames.map((m) => [m, m])], state.model);
    this.part("x").value = state.x;
    this.part("y").value = this.valueAxis();
    this.part("repeats").checked = state.repeats;
    this.boxes();
  }

  // Every dataset as a small curve of the first chosen learner; the one that is shown is marked.
  async thumbnails() {
    const { state, index } = this;
    const [learner] = state.learners;
    const wanted = `${state.database} ${learner}`;
    if (this.pictured !== wanted) {
      this.pictured = wanted;
      const lines = await this.library.thumbnails(state.database, index.learners.indexOf(learner))
        .catch(() => []); // names alone
      if (this.pictured !== wanted) return; // another was chosen meanwhile
      const [{ colour }] = looks([learner]);
      this.part("thumbnails").replaceChildren(...index.datasets.map((d, k) => {
        const button = Object.assign(document.createElement("button"),
          { type: "button", value: String(d.label), title: `${nameOf(d)}: ${facts(d)}` });
        button.innerHTML = '<svg viewBox="0 0 100 40" aria-hidden="true"><path d="M0 39.5H100"/><polyline/></svg>';
        const line = button.querySelector("polyline");
        line.setAttribute("points", lines[k] ?? "");
        line.setAttribute("stroke", colour);
        button.append(d.name);
        return button;
      }));
      this.narrow("");
    }
    for (const button of this.part("thumbnails").children) {
      button.tabIndex = button.value === String(this.fact.label) ? 0 : -1; // one stop; arrows go on
      if (!button.tabIndex) {
        button.setAttribute("aria-current", "true");
        this.part("thumbnails").scrollTop = button.offsetTop - 2;
      } else button.removeAttribute("aria-current");
    }
  }

  // Leave the thumbnails whose name or OpenML id has the text in it; all where none has.
  narrow(text) {
    const wanted = text.trim().toLowerCase();
    const buttons = [...this.part("thumbnails").children];
    const fitting = buttons.filter((one) => one.title.toLowerCase().split(": ")[0].includes(wanted));
    for (const one of buttons) one.hidden = fitting.length > 0 && !fitting.includes(one);
  }

  boxes() {
    const chosen = this.state.learners;
    const own = looks(chosen);
    const rows = [...chosen, ...this.block.learners.filter((l) => !chosen.includes(l))].map((name) => {
      const label = Object.assign(document.createElement("label"), { title: name });
      const box = Object.assign(document.createElement("input"),
        { type: "checkbox", value: name, checked: chosen.includes(name) });
      const swatch = document.createElement("span");
      swatch.className = "swatch";
      if (box.checked) swatch.style.background = own[chosen.indexOf(name)].colour;
      label.append(box, swatch, this.nameOf(name));
      return label;
    });
    const focused = document.activeElement?.value;
    this.part("learners").replaceChildren(...rows);
    if (focused) this.part("learners").querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
  }

  redraw() {
    if (!this.block) return;
    const { state, index } = this;
    const own = looks(state.learners);
    this.series = state.learners.map((learner, k) => ({ learner, look: own[k],
      points: this.block.curve(learner, state.split, this.centre()) })).filter((one) => one.points.length);
    const anchors = this.anchors();
    if (!anchors.includes(state.cut)) state.cut = nearest(anchors, state.cut || middle(anchors));
    this.part("cut").max = anchors.length - 1;
    this.part("cut").value = anchors.indexOf(state.cut);
    this.part("cut-label").hidden = !state.model;
    this.fits = state.model === FORECAST ? this.forecast() : state.model ? this.fitted() : [];
    this.part("cut-words").textContent = this.seenWords();
    const seen = this.fits[0]?.cut ?? state.cut; // a forecast begins where it was computed
    draw(this.part("figure"), { series: this.series, marks: this.marks(), fits: this.fits,
      state: { ...state, y: this.valueAxis(), cut: seen }, metric: index.metrics[state.metric],
      onCut: (n, dragging) => this.cutAt(nearest(anchors, n), dragging) });
    this.part("message").textContent = [this.note, this.series.length
      ? this.withoutForecast() : "None of the chosen learners has a curve here."].filter(Boolean).join(" ");
    this.part("figure").setAttribute("aria-label", this.words());
    this.badges();
    this.numbers();
  }

  // What lines and numbers are of the repeats: a name in CENTRES.
  centre() { return this.index.logarithmic ? "median" : "mean"; }

  // Unless the reader chose, the metric's.
  valueAxis() { return this.state.y || this.index.metrics[this.state.metric].axis; }

  anchors() { return this.block.anchors.filter((n) => this.series.some((one) =>
    one.points.some((p) => p.anchor === n))); }

  cutAt(cut, inPlace) {
    if (cut === undefined) return;
    this.state.cut = cut;
    this.changed(this, inPlace);
    this.redraw();
  }

  fitted() {
    const { cut, model } = this.state;
    return this.series.flatMap(({ points, look, learner }) => {
      const fitted = fit(model, points.filter((p) => p.anchor <= cut));
      return fitted ? [{ ...fitted, look, learner, from: points[0].anchor,
        to: points[points.length - 1].anchor, last: points[points.length - 1] }] : [];
    });
  }

  // The forecasts of the shown curves from the cut, or from the last one before it that was computed.
  forecast() {
    const { metric, split, scaling, leakage, cut } = this.state;
    const of = this.fact.forecasts;
    const start = this.forecasts && metric === "error_rate" && split === "valid"
      && scaling === of.scaling && leakage === of.leakage && fromCut(this.forecasts, cut);
    if (!start) return [];
    return this.series.flatMap(({ points, look, learner }) => {
      const seen = points.filter((p) => p.anchor <= start.cut);
      const made = seen.length ? forecastOf(start, learner, seen[seen.length - 1].middle) : null;
      const last = points[points.length - 1];
      return made ? [{ ...made, look, learner, last, cut: start.cut,
        end: Math.min(made.to, last.anchor), predict: (n) => made.at(n)[1] }] : [];
    });
  }

  seenWords() {
    const { model, cut } = this.state;
    if (!model) return "";
    const upto = model === FORECAST && this.fits.length ? this.fits[0].cut : cut;
    return `seen up to ${upto.toLocaleString("en")} rows`;
  }

  withoutForecast() {
    if (this.state.model !== FORECAST || this.fits.length) return "";
    if (!this.index.forecast) {
      return "The recommended forecast was learnt on error rates and is not shown where numbers are predicted: "
        + "choose a curve model to fit instead.";
    }
    const of = this.fact.forecasts;
    return of ? `Forecasts are of validation error rates (scaling ${of.scaling}, leakage `
      + `${of.leakage}), from ${this.forecasts.cuts[0].cut} rows on; move the cut to the right.`
      : "There is no forecast for this dataset: its curves are too short.";
  }

  findings(learner) {
    const { metric, split, scaling, leakage } = this.state;
    if (metric !== mainOf(this.index) || split !== "valid") return {};
    return this.fact.verdicts[`${scaling}.${leakage}`]?.[learner] ?? {};
  }

  marks() {
    return this.series.flatMap(({ learner, points }) => {
      const found = this.findings(learner)[this.state.procedure] ?? {};
      return Object.keys(MARK_OF).filter((kind) => found[kind]).map((kind) => {
        const at = kind === "dip" ? [found[kind].at[0], points[points.length - 1].anchor] : found[kind].at;
        const values = at.map((n) => valueAt(points, n));
        const { logarithmic } = this.index;
        const below = at.length === 3 ? (n) => chord(at, values, n, logarithmic) : () => values[0];
        const size = logarithmic ? `a factor of ${short(2 ** found[kind].size)}` : found[kind].size;
        return { kind, at, size, values, below };
      });
    });
  }

  badges() {
    const rows = this.series.map(({ learner, look, points }) => {
      const row = document.createElement("li");
      const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
      swatch.style.background = look.colour;
      const name = Object.assign(document.createElement("strong"),
        { textContent: this.nameOf(learner), title: learner });
      row.append(swatch, name);
      for (const [procedure, found] of Object.entries(this.findings(learner))) {
        const words = found.verdicts.length ? found.verdicts : ["well-behaved"];
        const by = Object.assign(document.createElement("span"),
          { className: "by", textContent: `${this.index.procedures[procedure]}:` });
        row.append(by, ...words.map((word) => Object.assign(document.createElement("span"),
          { className: `badge ${word.replaceAll(" ", "-")}`, textContent: word })));
      }
      const fitted = this.fits.find((one) => one.learner === learner);
      if (fitted) row.append(this.outcome(fitted, points));
      return row;
    });
    this.part("badges").replaceChildren(...rows);
  }

  outcome({ predict, last, at, end }, points) {
    const n = end ?? last.anchor;
    const off = predict(n) - valueAt(points, n);
    const range = at ? ` [${short(at(n)[0])} to ${short(at(n)[2])}]` : "";
    return Object.assign(document.createElement("span"), { className: "by",
      textContent: `${at ? TITLE : this.state.model} at ${n.toLocaleString("en")} rows: `
        + `${short(predict(n))}${range}, off by ${off >= 0 ? "+" : "−"}${short(Math.abs(off))}` });
  }

  numbers() {
    const head = ["learner", "rows", ...CENTRES[this.centre()].columns, "repeats"];
    const cell = (text, tag = "td") => Object.assign(document.createElement(tag), { textContent: text });
    const rows = this.series.flatMap(({ learner, points }) => points.map((p) => {
      const row = document.createElement("tr");
      row.append(cell(this.nameOf(learner)), cell(p.anchor.toLocaleString("en")),
        ...[p.middle, ...p.spread].map((v) => cell(v === null ? "–" : short(v, 4))), cell(p.n));
      return row;
    }));
    const top = document.createElement("tr");
    top.append(...head.map((text) => Object.assign(cell(text, "th"), { scope: "col" })));
    this.part("numbers").replaceChildren(top, ...rows);
  }

  nameOf(learner) { return this.index.titles[learner] ?? learner; }

  // What is shown, in a few words: also the page's title, so that a link to it says what it leads to.
  title() { return `${this.state.learners.map((l) => this.nameOf(l)).join(", ")} on ${this.fact.name}`; }

  words() {
    const { metric, split } = this.state;
    const label = this.index.metrics[metric].label;
    const ends = this.series.map(({ learner, points }) => `${this.nameOf(learner)} from `
      + `${short(points[0].middle)} at ${points[0].anchor} rows to `
      + `${short(points[points.length - 1].middle)} at ${points[points.length - 1].anchor}`);
    return `Learning curves on ${this.fact.name}, ${label}${this.block.splits.length ? `, ${split}` : ""}: `
      + `${ends.join("; ")}. The numbers are in the table below.`;
  }

  about() {
    const { database, metric, split, scaling, leakage } = this.state;
    return { database, metric, centre: this.centre(), split: this.block.splits.length ? split : "", scaling, leakage,
      name: this.fact.name, file: `${database}-${this.fact.name}-${metric}`.replace(/[^\w.-]+/g, "_") };
  }

  // Return database, index and fact of a dataset that another database has, null where none has.
  async elsewhere(list, text) {
    for (const { key } of list.filter((one) => one.key !== this.state.database)) {
      const index = await this.library.index(key);
      const found = find(index.datasets, text);
      if (found) return [key, index, found];
    }
    return null;
  }

  // Save the curves of the chosen learners on every dataset of the database, read a few at a time.
  async saveAll() {
    const { state: { database, learners, split, metric }, index } = this;
    const centre = this.centre();
    const key = ["metric", "scaling", "leakage"].map((name) => this.state[name]).join(".");
    const about = { ...this.about(), file: `${database}-${learners.join("-")}-${metric}`.replace(/[^\w.-]+/g, "_") };
    const curves = async (fact) => {
      const block = (await this.library.dataset(database, fact.key)).blocks[key];
      const values = block && await this.library.block(database, block);
      return (values ? learners : []).map((learner) =>
        ({ learner, name: nameOf(fact), points: values.curve(learner, split, centre) }));
    };
    const series = [];
    this.part("csv-all").disabled = true;
    try {
      for (let k = 0; k < index.datasets.length; k += 8) {
        this.part("message").textContent = `Reading ${k} of ${index.datasets.length} datasets …`;
        series.push(...(await Promise.all(index.datasets.slice(k, k + 8).map(curves))).flat());
      }
      saveCsv(series, about);
      this.part("message").textContent = "";
    } catch (problem) {
      this.part("message").textContent = `This could not be read: ${problem.message}`;
    }
    this.part("csv-all").disabled = false;
  }

  async choose(text) {
    const found = find(this.index.datasets, text);
    if (found) this.set({ dataset: String(found.label) });
    else {
      const close = this.index.datasets.filter((d) => d.name.toLowerCase().includes(text.toLowerCase()));
      this.part("message").textContent = `There is no dataset ${text} in ${this.index.title}.`
        + (close.length ? ` Close: ${close.slice(0, 5).map((d) => d.name).join(", ")}.` : "");
      const before = this.asked;
      const [key, index, other] = (text.trim() && await this.elsewhere(this.list, text)) || [];
      if (!other || this.asked !== before) return;
      this.moved = `There is no dataset ${text} in ${this.index.title}; what is shown is from ${index.title}.`;
      this.set({ database: key, dataset: String(other.label) });
    }
  }

  surprise() {
    const learner = this.part("wanted").value;
    const all = this.index.worth_a_look[this.part("kind").value] ?? [];
    const fits = all.filter(([, learners]) => !learner || learners.includes(learner));
    if (!fits.length) {
      this.part("message").textContent = `None was found${learner ? ` for ${this.nameOf(learner)}` : ""} in `
        + `${this.index.title}.`;
      return;
    }
    const [dataset, learners, scaling] = (this.last = pick(fits, this.last));
    this.set({ dataset: String(dataset), learners, scaling, metric: mainOf(this.index), split: "valid",
      procedure: Object.keys(this.index.procedures)[0], cut: 0 });
  }
}

const nameOf = (d) => (d.openml && !d.name.includes(d.openml) ? `${d.name} (${d.openml})` : d.name);

function find(datasets, text) {
  const wanted = String(text).trim().toLowerCase();
  if (!wanted) return undefined;
  return datasets.find((d) => [String(d.label), d.name, nameOf(d), String(d.openml ?? "")]
    .some((known) => known.toLowerCase() === wanted));
}

// What curves are judged by: the first metric of the index.
const mainOf = (index) => Object.keys(index.metrics)[0];

// What a first visit shows: a learner known to peak where it does, if the database has one.
function firstOf(index) {
  const [peak] = (index.worth_a_look.peak ?? []).filter(([, learners]) => learners[0] === index.first[0]);
  return (peak && index.datasets.find((d) => d.label === peak[0])) ?? index.datasets[0];
}

function suggested(first, learners) {
  const wanted = first.filter((name) => learners.includes(name));
  return wanted.length ? wanted : learners.slice(0, 3);
}

function facts(d) {
  const parts = [d.openml ? `OpenML ${d.openml}` : "", d.rows ? `${d.rows.toLocaleString("en")} rows` : "",
    d.features ? `${d.features} features` : "", d.classes ? `${d.classes} classes` : ""];
  return parts.filter(Boolean).join(" · ");
}

function fill(select, options, value) {
  const same = select.options.length === options.length
    && options.every(([key, text], k) => select.options[k].value === key && select.options[k].text === text);
  if (!same) {
    select.replaceChildren(...options.map(([key, text, disabled = false]) =>
      Object.assign(new Option(text, key), { disabled })));
  }
  select.value = value;
  select.closest("label").hidden = options.length < 2; // nothing to choose
}

const middle = (anchors) => anchors[Math.floor(anchors.length / 2)];
const nearest = (anchors, n) => anchors.reduce((best, a) =>
  (Math.abs(Math.log(a / n)) < Math.abs(Math.log(best / n)) ? a : best), anchors[0]);

// A value in a few digits, however large.
const short = (v, digits = 3) => (Math.abs(v) < 1e4 ? v.toFixed(digits)
  : Math.abs(v) < 1e9 ? Math.round(v).toLocaleString("en") : v.toExponential(2));

// The line between a bulge's ends, straight in rows and in what was judged.
function chord([a, , b], [left, , right], n, logarithmic) {
  const way = (n - a) / (b - a);
  return logarithmic ? left * (right / left) ** way : left + way * (right - left);
}

// A curve's middle at a size, between anchors by a straight line: procedures may use other anchors.
function valueAt(points, n) {
  const after = points.findIndex((p) => p.anchor >= n);
  if (after <= 0) return points[after === 0 ? 0 : points.length - 1].middle;
  const [a, b] = [points[after - 1], points[after]];
  return a.middle + (b.middle - a.middle) * ((n - a.anchor) / (b.anchor - a.anchor));
}
