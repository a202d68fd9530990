// Drop a table of results, see what its order is worth. Nothing leaves the browser.
"use strict";
(() => {
  const part = (name) => document.querySelector(`#order-panel [data-part=${name}]`);
  const LONGEST = 30000; // characters of a link
  const UNPACKED = 2e6; // bytes
  const MOST_BUTTONS = 12;
  const ROW = 20;
  const BLUE = "var(--drawn-0072b2, #0072b2)"; // the page's own colours, as its figures have them
  const GREY = "#999999";
  const INK = "var(--drawn-ink, #1b1f24)";
  let shown = null; // {cells, found, title}

  // --- the work, beside the page so that it never stands still --------------------------------
  const source = `${makeReader}
    ${makeOrderEngine}
    const words = ${JSON.stringify(window.readingWords)};
    const engine = makeOrderEngine(makeReader(words), words);
    onmessage = async ({ data: { buffer, name, text, lower, cells, columns, only, skip, size } }) => {
      try {
        let notes = [];
        postMessage({ doing: "Reading" });
        if (buffer) ({ text, notes } = await engine.decode(buffer, name));
        const sized = (sizes) => postMessage({ sizes });
        cells ??= engine.cellsOf(engine.readTable(text, { columns, only, skip, size, sized }), lower);
        const progress = (share) => postMessage({ doing: \`Drawing anew: \${Math.round(100 * share)} %\` });
        notes = [...notes, engine.missingHangsOn(cells)].filter((words) => words);
        postMessage({ cells, notes, found: engine.order(cells, { progress }) });
      } catch (error) {
        postMessage({ refused: error.message, ask: error.ask, choice: error.choice });
      }
    };`;
  let worker = null;
  function work(task, done) {
    worker?.terminate();
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    worker = new Worker(address);
    let sizes = null;
    worker.onmessage = ({ data }) => {
      if (data.sizes) { sizes = data.sizes; return; }
      if (data.doing) { part("lead").textContent = `${data.doing} …`; return; }
      URL.revokeObjectURL(address);
      worker.terminate();
      worker = null;
      offer(sizes);
      done(data, sizes ? `, ${sizes.column} ${sizes.shown}` : "");
    };
    worker.postMessage(task);
  }

  // Let it be chosen at which size methods are compared, and say that sizes are not pooled.
  function offer(found) {
    part("sizes").hidden = !found;
    showWords(part("sized"), "");
    if (!found) return;
    const { column, sizes, shown: at } = found;
    part("size_column").textContent = visible(column);
    part("size").replaceChildren(...sizes.map(({ size, tasks }) => new Option(`${size.toLocaleString("en")} (${tasks} tasks)`, size, false, size === at)));
    showWords(part("sized"), `Results of ${sizes.length} sizes are not pooled: shown are those at ${at.toLocaleString("en")}`
      + `${at === sizes[0].size ? ", the largest" : ""} (column \`${column}\`). \`make order CSV=…\` compares the orders at all sizes.`);
  }

  // --- what is shown -----------------------------------------------------------------------
  function show(cells, found, notes, title) {
    shown = { cells, found, title };
    const next = found.pairs.filter((pair) => {
      const at = found.ranks.findIndex((row) => row.method === pair.one);
      return found.ranks[at + 1]?.method === pair.other;
    });
    const apart = next.filter((pair) => pair.p_adjusted <= 0.05).length;
    const first = found.ranks.filter((row) => row.may_be_first).map((row) => row.method);
    const sure = found.pairs.filter((pair) => pair.p_adjusted <= 0.05).length;
    showWords(part("read"), found.read);
    part("lead").textContent = visible(`${title}: ${sure} of ${found.pairs.length} pairs differ significantly, ${apart} of ${next.length} neighbours`
      + (found.n_families < found.n_tasks ? ` (${found.n_families} families of tasks)` : "") + ". May be first: "
      + first.slice(0, 8).join(", ") + (first.length > 8 ? ` and ${first.length - 8} more.` : "."));
    showWords(part("message"), [...notes, ...found.notes].join(" "));
    part("families").hidden = !found.families;
    part("paste").textContent = found.families ? csv(found.families) : "";
    part("ask").hidden = true;
    part("figure").replaceChildren(draw(found.ranks));
    part("numbers").replaceChildren(table(found.ranks));
    part("share").hidden = false;
    part("done").textContent = "";
    document.getElementById("order-panel").dataset.ready = title;
  }

  function node(name, attributes = {}, text = null) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = visible(text);
    return made;
  }

  function draw(ranks) {
    const left = 16 + 7 * Math.min(32, Math.max(...ranks.map((row) => row.method.length)));
    const width = 760;
    const height = ROW * ranks.length + 60;
    const n = Math.max(...ranks.map((row) => row.high));
    const x = (rank) => left + ((rank - 0.5) / n) * (width - left - 90);
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": "Intervals of ranks", xmlns: "http://www.w3.org/2000/svg",
      "font-family": "system-ui, sans-serif", "font-size": 12 });
    ranks.forEach((row, k) => {
      const y = 12 + ROW * k;
      svg.append(node("text", { x: left - 8, y: y + 11, "text-anchor": "end", fill: INK },
        row.method.length > 32 ? `${row.method.slice(0, 31)}…` : row.method));
      svg.append(node("rect", { class: "interval", x: x(row.low - 0.35), y: y + 1,
        width: x(row.high + 0.35) - x(row.low - 0.35), height: ROW - 7,
        fill: row.may_be_first ? BLUE : GREY, "fill-opacity": 0.55 }));
      svg.append(node("circle", { cx: x(row.rank), cy: y + ROW / 2 - 2.5, r: 3.5, fill: INK }));
      if (row.letters.length <= 12) {
        svg.append(node("text", { x: x(row.high + 0.35) + 6, y: y + 11, fill: INK }, row.letters));
      }
    });
    const bottom = 16 + ROW * ranks.length;
    svg.append(node("line", { x1: x(0.5), x2: x(n + 0.5), y1: bottom, y2: bottom, stroke: INK }));
    const step = Math.max(1, Math.ceil(n / 15));
    for (let rank = 1; rank <= n; rank += step) {
      svg.append(node("text", { x: x(rank), y: bottom + 16, "text-anchor": "middle", fill: INK }, rank));
    }
    svg.append(node("text", { x: (x(1) + x(n)) / 2, y: bottom + 34, "text-anchor": "middle", fill: INK },
      "rank (1: the best); intervals are made to hold at once with 95 %"));
    return svg;
  }

  function table(rows) {
    const made = document.createElement("table");
    const names = Object.keys(rows[0]);
    const head = made.createTHead().insertRow();
    for (const name of names) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name.replaceAll("_", " ");
      head.append(cell);
    }
    const body = made.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      for (const name of names) {
        const value = row[name];
        line.insertCell().textContent = typeof value === "number" ? String(Number(value.toPrecision(6)))
          : value === true ? "yes" : value === false ? "no" : visible(value);
      }
    }
    return made;
  }

  // --- opening -----------------------------------------------------------------------------
  function refuse(message, ask, choice) {
    shown = null;
    for (const name of ["lead", "read"]) part(name).textContent = "";
    for (const name of ["figure", "numbers"]) part(name).replaceChildren();
    for (const name of ["share", "families"]) part(name).hidden = true;
    showWords(part("message"), message);
    part("ask").hidden = !ask && !choice;
    for (const way of ["higher", "lower_"]) part(way).hidden = !ask;
    part("choice").replaceChildren(...(choice?.options ?? []).slice(0, MOST_BUTTONS).map((option) => button(choice, option)));
    for (const [way, leader] of Object.entries(ask ?? {})) part(way === "lower" ? "lower_" : way).textContent = visible(`${way} is better: ${leader} leads`);
    document.getElementById("order-panel").dataset.ready = ask || choice ? "asked" : "refused";
  }

  // What is chosen holds for the file that is open, with what was chosen before.
  function button({ role, column }, option) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = visible(role === "only" ? `${column}: ${option}` : role === "value" ? option : `a ${role} for each ${option}`);
    made.addEventListener("click", () => {
      const { columns = {}, only = {} } = last.task;
      open({ ...last.task, columns: role === "only" ? columns : { ...columns, [role]: option },
        only: role === "only" ? { ...only, [column]: option } : only }, last.title);
    });
    return made;
  }

  let last = null;
  function open(task, title, lower = part("lower").value === "" ? null : part("lower").value === "yes") {
    last = { task, title };
    const skip = part("skip").value.split(",").map((name) => name.trim()).filter((name) => name);
    work({ ...task, lower, skip }, (data, at) => (data.refused === undefined
      ? show(data.cells, data.found, data.notes, title + at) : refuse(data.refused, data.ask, data.choice)));
  }
  const read = async (file) => open({ buffer: await file.arrayBuffer(), name: file.name }, file.name.replace(/\.[^.]*$/, ""));
  part("file").addEventListener("change", (event) => event.target.files[0] && read(event.target.files[0]));
  for (const name of ["lower", "skip"]) part(name).addEventListener("change", () => last && open(last.task, last.title));
  part("size").addEventListener("change", () => open({ ...last.task, size: Number(part("size").value) }, last.title));
  part("higher").addEventListener("click", () => open(last.task, last.title, false));
  part("lower_").addEventListener("click", () => open(last.task, last.title, true));
  part("example").addEventListener("click", () => open({ text: window.orderExample }, "AutoML benchmark 2019", null));
  const drop = part("drop");
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });

  // --- sharing: the means of the cells travel in the address itself, behind # ----------------
  async function pack({ cells, title }) {
    const { methods, tasks, families, family, value, read: how } = cells;
    const text = JSON.stringify({ title, methods, tasks, families, family, read: how,
      value: value.map((row) => row.map((v) => (Number.isNaN(v) ? null : v))) });
    const bytes = new Uint8Array(await new Response(new Blob([text]).stream()
      .pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
    return btoa(bytes.reduce((all, b) => all + String.fromCharCode(b), ""))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpack(packed) {
    if (packed.length > LONGEST) throw new Error("too long");
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let [size, next] = [0, await stream.read()]; !next.done; next = await stream.read()) {
      parts.push(next.value);
      size += next.value.length;
      if (size > UNPACKED) { stream.cancel(); throw new Error("too large"); }
    }
    return JSON.parse(await new Blob(parts).text());
  }

  part("link").addEventListener("click", async () => {
    const packed = await pack(shown);
    if (packed.length > LONGEST) {
      part("done").textContent = "This table is too large for a link: save the SVG or the CSVs.";
      return;
    }
    window.history.replaceState(null, "", `#order=${packed}`);
    try {
      await navigator.clipboard.writeText(window.location.href);
      part("done").textContent = "Copied; the table travels in the link itself.";
    } catch {
      part("done").textContent = "The address of this page is now that link.";
    }
  });

  function save(text, type, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const csv = (rows) => peoplesCsv([Object.keys(rows[0]), ...rows.map(Object.values)]);

  part("svg").addEventListener("click", () => save(
    new XMLSerializer().serializeToString(part("figure").firstChild)
      .replaceAll(/var\(--[\w-]+, (#\w+)\)/g, "$1"), "image/svg+xml", "order.svg"));
  part("csv").addEventListener("click", () => save(csv(shown.found.ranks), "text/csv", "ranks.csv"));
  part("pairs").addEventListener("click", () => save(csv(shown.found.pairs), "text/csv", "pairs.csv"));

  async function fromAddress() {
    const packed = new URLSearchParams(window.location.hash.slice(1)).get("order");
    if (!packed) return;
    try {
      const found = await unpack(packed).catch(() => { throw new Error("The link is not whole, or holds more than one can: ask for it again."); });
      const cells = window.orderEngine.linked(found);
      work({ cells }, (data) => (data.refused === undefined ? show(cells, data.found, [], String(found.title ?? "").slice(0, 100))
        : refuse(data.refused)));
    } catch (error) {
      refuse(error.message);
    }
  }
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
})();
