// What an order is worth, as analysis.leaderboards.order computes it: the same rules of reading, the
// same draws, the same numbers. One function without surroundings, as a worker runs its text too.
"use strict";
function makeOrderEngine(reader, vocabulary) {
  const POWER = 0.8416212335729143; // normal quantiles of 0.8 and 0.9
  const INNER = 1.2815515655446004;
  const [BORROWED, HALVINGS, MOST_FAMILIES] = [10, 40, 1e12];
  const ROUNDING = 1e-9;
  const GOLDEN = 0x9E3779B9;
  const RESAMPLING = 0xB5297A4D;
  const OWN_SPREAD = 0.05;
  const BLOCKS = 256;
  const [PAIRS, RESAMPLES_OF_MANY] = [2000, 500];
  const [MANY_PAIRS, STRICTER] = [1000, 0.8];
  const [RESEMBLE, SHARED, RARE, MOST] = [0.95, 10, 0.01, 2000]; // of near-twins, as analysis.leaderboards.twins
  const LEAST_TASKS = 4; // with and without missing results, for them to be compared
  const [LEAST_METHODS, BEYOND] = [6, 3];
  const [LEAST_ALIKE, MOST_ALIKE, SEARCHED] = [5, 30, 300]; // tasks of a family, as analysis.leaderboards.hidden
  const [OWN_SHARE, ORDERED, LEAST_APART, HIDDEN_DRAWS, AT_ONCE, ANEW, TURNED] = [0.75, 1.5, 0.01, 99, 11, 8, 16];
  const [FAR, LENGTH, NEAR, WITHIN, CLOSE, ENDS, LIKE] = [3.5, 1.2, 6, 0.7, 0.5, 0.35, 6];
  const NUMBERED = /^(.*[a-z]{3}.*?)[\s_.-]*(?:v|ver|version)?[\s_.-]*\d+$/i;
  const NO_NAMES = new Set(["task", "tasks", "data", "dataset", "problem", "openml", "instance", "fold"]);

  // --- reading: the rules of analysis/leaderboards/reading.py ---------------------------------
  const { WORDS, INDEX, REPEATED, PARTS, NUMBER, wordsOf, keyOf, lowerIsBetter, measureOf, partOf, isNoResult, isMeasure, isSpreadBeside, isSummary,
    isRepeat, standsBeside, isBareMeasure, tellsApart, isYesOrNo, isNumeric, hasSpread } = reader;
  const BESIDE = Object.entries(vocabulary.beside).map(([kind, known]) => [kind, new RegExp(`^(?:${known})$`)]);
  const DIRECTIONS = ["lower_is_better", "higher_is_better"];
  const GUESSED = ["task", "method", "fold", "seed", "family", "metric", "part", "variant", "reason", ...DIRECTIONS];
  const SIZES = new Set(vocabulary.roles.size.split(" "));
  const MARKS = vocabulary.marks.split(" ").map(Number);
  const MEASURED = /^(.+?)\s*(?:~|__|\s-\s|\|)\s*([^~|]+)$/; // of the measure behind a name
  const [LEAST_SUMMED, LEAST_OF_SUMS, SUMMED] = [5, 3, 1e-3];
  const METHODS = new RegExp(vocabulary.methods, "i");
  const REPEAT = new RegExp(vocabulary.repeat, "i");
  const UNIT = new RegExp(`^(?:${vocabulary.unit})$`);
  const ONE = "one dataset";
  const FEW = 12;
  const DOMAINS = 6;
  const [PERCENT, MARK] = [20, 1e4];
  const SPEAKS = "These are repeats on one dataset, which are no tasks: the order speaks of that dataset alone, and separates nobody.";
  const COLUMNS_MOST = 20000;
  const LONGEST_NAME = 1000; // characters, of a link

  // Return the text of a file: UTF-8, UTF-16 with its mark, or Windows-1252; unpacked if it is .gz.
  async function decode(buffer, name) {
    let bytes = new Uint8Array(buffer);
    const kind = (name.match(/\.(gz|bz2|xz|zip|tar|parquet|pq|xlsx|xls|xlsm|ods)$/i) ?? [])[1]?.toLowerCase();
    if (kind && kind !== "gz") {
      throw new Error(`${name}: this page reads text and .gz. Save it as CSV, or use make order CSV=${name}.`);
    }
    if (kind) {
      try {
        bytes = new Uint8Array(await new Response(new Blob([bytes]).stream()
          .pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
      } catch {
        throw new Error(`${name} cannot be unpacked. It may be cut or damaged; get it anew.`);
      }
    }
    const mark = (bytes[0] << 8) | bytes[1];
    if (mark === 0xFFFE || mark === 0xFEFF) {
      return { text: new TextDecoder(mark === 0xFFFE ? "utf-16le" : "utf-16be").decode(bytes), notes: [] };
    }
    if (bytes.subarray(0, 100000).includes(0)) throw new Error(`${name} is not a text file.`);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
    } catch {
      return { text: new TextDecoder("windows-1252").decode(bytes),
        notes: ["The file is not in UTF-8; it is read as Windows-1252 (Western European)."] };
    }
  }

  // Call back with the cells of each line that holds any.
  function lines(text, separator, each) {
    const end = text.length;
    const mark = separator.charCodeAt(0);
    let row = [];
    let at = 0;
    while (at <= end) {
      while (text[at] === " " && separator !== " ") at += 1;
      let cell;
      if (text[at] === '"') {
        cell = "";
        at += 1;
        for (;;) {
          let stop = text.indexOf('"', at);
          if (stop < 0) stop = end;
          cell += text.slice(at, stop);
          at = stop + 1;
          if (text[at] !== '"' || stop >= end) break;
          cell += '"';
          at += 1;
        }
      }
      let stop = at;
      for (; stop < end; stop += 1) {
        const c = text.charCodeAt(stop);
        if (c === mark || c === 10 || c === 13) break;
      }
      row.push(reader.strip((cell ?? "") + text.slice(at, stop)));
      at = stop + 1;
      if (stop >= end || text.charCodeAt(stop) !== mark) {
        if (row.some((x) => x !== "") && each(row) === false) return;
        row = [];
        if (text[stop] === "\r" && text[at] === "\n") at += 1;
      }
    }
  }

  function parseCells(text) {
    const structured = reader.structuredCells(text);
    if (structured) return structured;
    let body = text.replace(/\uFEFF/g, "");
    for (const [known, what] of Object.entries(vocabulary.foreign)) {
      if (new RegExp(`^(?:${known})`).test(body.slice(0, 100000))) throw new Error(`The file is ${what}.`);
    }
    body = body.replace(/Unnamed: \d+_level_\d+/g, "").replace(/^[\r\n]+/, "");
    const first = body.slice(0, 200).split(/[\r\n]/)[0].trim();
    let separator = null;
    if (/^sep=.?$/i.test(first)) {
      separator = first[4] ?? "\t";
      body = body.slice(body.search(/[\r\n]/)).replace(/^\r?\n?/, "");
    }
    if (!body.trim()) throw new Error("This file is empty: it takes a line of names, then a line a result.");
    const width = (c) => { let n = 0; lines(body, c, (row) => { n = row.length; return false; }); return n; };
    separator ??= [",", ";", "\t", "|"].reduce((best, c) => (width(c) > width(best) ? c : best));
    let names = null;
    const rows = [];
    lines(body, separator, (row) => {
      if (!names) { names = row; return names.length > 1 && names.length <= COLUMNS_MOST; }
      if (row.length > names.length && row.slice(names.length).some((x) => x)) {
        throw new Error(`Row ${rows.length + 2} has ${row.length} values for ${names.length} column names. `
          + "Put values that hold a separator into quotes.");
      }
      row.length = Math.min(row.length, names.length);
      while (row.length < names.length) row.push("");
      rows.push(row);
      return true;
    });
    if (names.length > COLUMNS_MOST) throw new Error(`The file has ${names.length} columns; at most ${COLUMNS_MOST} are read.`);
    if (names.length < 2) throw new Error(`The file has one column only, '${names[0]}': it is no table with commas, semicolons or tabs between columns. Save it as CSV, without lines above that of the names.`);
    if (names.length > 2 && !names.at(-1) && rows.every((row) => !row.at(-1))) {
      names = names.slice(0, -1);
      rows.forEach((row) => row.pop());
    }
    while (new Set(names).size < names.length && rows.length && !rows[0].some((c) => NUMBER.test(c))) { // names in two lines
      const repeated = names.filter((n) => !n).length < 2;
      let above = "";
      const tops = names.slice(1).some((n) => n) ? names.map((n) => { above = n || above; return above; }) : names;
      const below = rows.shift();
      const whole = names.slice(1).some(isMeasure) || new Set(below).size < below.length; // else below is enough
      names = tops.map((n, k) => [whole || !below[k] ? n : "", below[k]].filter((x) => x).sort((a, b) => isMeasure(a) - isMeasure(b)).join(" | "));
      if (repeated && rows.length && !rows[0].slice(1).some((c) => c)) [names[0]] = rows.shift(); // what pandas calls the rows
    }
    const twice = names.find((n, k) => names.indexOf(n) !== k);
    if (twice !== undefined) {
      throw new Error(twice ? `The file has several columns named '${twice}'. Give each its own name.`
        : "The file has several columns without a name. Give each one in line 1.");
    }
    if (!rows.length) throw new Error("This file holds no table: a line of names, then a line a result.");
    return { names, rows: rows.filter((row) => row.some((c, k) => c !== names[k])) };
  }

  const head = (rows, k) => rows.slice(0, 200).map((row) => row[k]);
  // A name; of a link its text, and a whole number that was written as a float is a whole number.
  function name(text) {
    const plain = (text.includes("](") ? text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1") : text).trim().replace(/\s+/g, " ");
    return plain.endsWith("0") && /^-?\d+\.0+$/.test(plain) ? String(parseInt(plain, 10)) : plain;
  }
  const or = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names.join(""));
  const distinct = (values) => [...new Set(values)];

  // An error that asks: `choice` says what may be chosen.
  function choiceError(message, role, column, options) {
    return Object.assign(new Error(message), { choice: { role, column, options } });
  }

  // Return {columns, lower (by row, or null where it has to be asked), told, layout, out, speaks}. Of several sizes
  // of training sets one is read, `size` or the largest, where `sized` takes what sizes there are.
  function readTable(text, { columns = {}, only = {}, skip = [], size = null, sized = null } = {}) {
    let { names, rows } = parseCells(text);
    for (const [column, value] of Object.entries(only)) rows = rows.filter((row) => row[names.indexOf(column)] === value);
    const values = names.find((n) => /^-?\d*\.\d+$/.test(n));
    if (values) throw new Error(`The first line holds no names of columns but values, such as ${values}: name the columns in a line above.`);
    const lost = skip.find((one) => !names.includes(one) && !rows.some((row) => row.includes(one)));
    if (lost) throw new Error(`Unknown column, task or method '${lost}'.`);
    const kept = [...names.keys()].filter((k) => !skip.includes(names[k]));
    rows = rows.filter((row) => !row.some((cell) => skip.includes(cell))).map((row) => kept.map((k) => row[k]));
    names = kept.map((k) => names[k]);
    const { value: named, ...known } = columns;
    const guess = () => guessed(names, rows, Object.fromEntries(Object.entries(known).map(([role, n]) => [role, names.indexOf(n)])));
    let at = guess();
    const several = sized && sizesIn(names, rows, at);
    if (several) {
      const shown = several.sizes.some((one) => one.size === size) ? size : several.sizes[0].size;
      sized({ column: several.column, sizes: several.sizes, shown });
      rows = rows.filter((_, r) => several.by[r] === shown).map((row) => row.filter((_, k) => names[k] !== several.column));
      names = names.filter((n) => n !== several.column);
      at = guess();
    }
    const groups = repeatsInColumns(names, rows);
    const metric = named !== undefined && !names.includes(named) && !groups.some((v) => v.name === named) ? named : null;
    let value = named === undefined || metric ? null : groups.find((v) => v.name === named) ?? { name: named, columns: [names.indexOf(named)], repeats: [] };
    if (at.method !== undefined && !metric) value ??= valueColumn(names, rows, at, groups);
    if (at.method === undefined && at.task !== undefined && at.metric !== undefined
      && names.some(isMeasure)) {
      throw new Error("There is no column of methods: it seems that all are results of one. Add a column `method`, and the results of others below.");
    }
    return at.method !== undefined && value ? fromLong(names, rows, at, value) : fromWide(names, rows, at, metric);
  }

  function guessed(names, rows, known) {
    const all = (k, fits) => rows.length > 0 && rows.every((row) => fits(row[k]));
    const parts = [...names.keys()].filter((k) => all(k, reader.isPart));
    const at = reader.roles(names, GUESSED, { ...(parts.length ? { part: parts[0] } : {}), ...known });
    const arrows = names.findIndex((_, k) => all(k, (c) => c === "↑" || c === "↓"));
    if (arrows >= 0) at.higher_is_better ??= arrows;
    for (const role of DIRECTIONS) {
      const told = (c) => vocabulary.ways[c.toLowerCase()] !== undefined;
      if (at[role] !== undefined && keyOf(names[at[role]]) !== role && !all(at[role], told)) delete at[role];
    }
    if (at.part !== undefined && !parts.includes(at.part)) {
      const k = at.part;
      delete at.part;
      if (at.fold === undefined && keyOf(names[k]) === "split" && isNumeric(rows.map((row) => row[k]))) at.fold = k;
    }
    if (at.metric !== undefined && !wordsOf(names[at.metric]).includes("metric")
      && !rows.some((row) => lowerIsBetter(row[at.metric]) !== null)) delete at.metric;
    if (at.family !== undefined && keyOf(names[at.family]) !== "family" && distinct(rows.map((row) => row[at.family])).length < DOMAINS) delete at.family;
    return at;
  }

  // Return the column of sizes, of which most tasks, or a task's methods, have several: {column, by (row), sizes: [{size,
  // tasks}], the largest first}; null where there is none.
  function sizesIn(names, rows, at) {
    const keys = ["task", "method", "variant", "fold", "seed"].filter((role) => at[role] !== undefined).map((role) => at[role]);
    const mostHaveSeveral = (k) => {
      const found = new Map();
      for (const row of rows) {
        const key = JSON.stringify(keys.map((j) => row[j]));
        if (!found.has(key)) found.set(key, new Set());
        found.get(key).add(row[k]);
      }
      return 2 * [...found.values()].filter((own) => own.size > 1).length > found.size;
    };
    const k = names.findIndex((n, j) => keys.length && !Object.values(at).includes(j) && SIZES.has(keyOf(n)) && isNumeric(head(rows, j)) && mostHaveSeveral(j));
    if (k < 0) return null;
    const number = reader.parseNumbers(rows.map((row) => row[k]));
    const by = rows.map((row) => number.get(row[k]));
    const wrong = by.findIndex((size) => !(size > 0));
    if (wrong >= 0) throw new Error(`A size is a number above 0, not '${rows[wrong][k]}' (column \`${names[k]}\`).`);
    const tasks = new Map(distinct(by).map((size) => [size, new Set()]));
    rows.forEach((row, r) => tasks.get(by[r]).add(row[at.task ?? 0]));
    return { column: names[k], by, sizes: [...tasks].sort((a, b) => b[0] - a[0]).map(([size, own]) => ({ size, tasks: own.size })) };
  }

  function repeatsInColumns(names, rows) {
    const groups = new Map();
    names.forEach((n, k) => {
      const found = REPEATED.exec(n);
      if (!found) return;
      const base = keyOf(n.replace(REPEATED, " "));
      if (!groups.has(base)) groups.set(base, []);
      groups.get(base).push([k, found]);
    });
    return [...groups].filter(([, found]) => found.length > 1 && found.every(([k]) => isNumeric(head(rows, k)))).map(([base, found]) => ({
      name: base || `${names[found[0][0]]} … ${names[found.at(-1)[0]]}`, columns: found.map(([k]) => k),
      repeats: found.map(([, m]) => m[2]), role: ["fold", "split"].includes(found[0][1][1].toLowerCase()) ? "fold" : "seed" }));
  }

  function valueColumn(names, rows, at, groups) {
    const taken = new Set([...groups.flatMap((v) => v.columns), ...Object.values(at)]);
    const free = names.map((_, k) => k).filter((k) => !taken.has(k) && !WORDS.own.has(keyOf(names[k])));
    let numeric = free.filter((k) => isNumeric(head(rows, k)));
    const single = (k) => ({ name: names[k], columns: [k], repeats: [] });
    const answers = numeric.filter((k) => isYesOrNo(rows.map((row) => row[k])));
    const lists = free.filter((k) => rows.some((row) => /^\[.*\d.*\]$/.test(row[k])));
    const several = groups.filter((v) => !isNoResult(v.name) || v.name.includes("seed"));
    const called = several.map((v) => v.name);
    numeric = numeric.filter((k) => !isSpreadBeside(names[k], names));
    let found = [...several, ...numeric.filter((k) => isMeasure(names[k]) && !isNoResult(names[k])
      && !called.includes(keyOf(names[k]).replaceAll("mean_", ""))).map(single),
    ...lists.filter((k) => isMeasure(names[k].replace(/s+$/, ""))).map(single)];
    const sure = found.filter((v) => !answers.includes(v.columns[0]));
    if (sure.length) found = sure;
    if (!found.length && (at.task !== undefined || at.fold !== undefined)) {
      const rest = numeric.filter((k) => !answers.includes(k) && !wordsOf(names[k]).some((w) => WORDS.times.has(w)));
      let alone = rest.filter((k) => !isNoResult(names[k]));
      if (!alone.length) alone = rest;
      const means = alone.filter((k) => WORDS.means.has(keyOf(names[k])));
      if (means.length) alone = means.slice(0, 1);
      else if (!alone.length) alone = answers;
      return alone.length === 1 ? single(alone[0]) : null;
    }
    if (!found.length) return null;
    if (at.task === undefined) {
      const bare = numeric.filter((k) => isBareMeasure(names[k]));
      if (2 * bare.length < numeric.length && !several.length) return null; // with tasks in columns, it is a task
      if (!several.length && at.fold === undefined && at.seed === undefined) {
        throw unlike(bare.length ? bare.map((k) => names[k]) : found.map((v) => v.name));
      }
    }
    const best = Math.max(...found.map((v) => PARTS.indexOf(partOf(v.name))));
    found = found.filter((v) => PARTS.indexOf(partOf(v.name)) === best);
    if (PARTS[best] === "train") {
      throw new Error(`There are training values only (\`${found[0].name}\`), which say how methods fit, not how they predict: add a column of `
        + `test values, or say VALUE=${found[0].name} if they are meant.`);
    }
    const keys = names.map(keyOf);
    const usual = Object.entries(vocabulary.defaults).filter(([key]) => keys.includes(key)).map(([, v]) => v);
    if (found.some((v) => usual.includes(keyOf(v.name)))) found = found.filter((v) => usual.includes(keyOf(v.name)));
    const general = found.filter((v) => WORDS.generic.has(keyOf(v.name)));
    if (general.length === 1 && (at.metric !== undefined || metricByColumn(names, rows, at, general[0]))) found = general;
    if (found.length > 1 && found.some((v) => rows[0][v.columns[0]].includes("["))) found = found.filter((v) => lists.includes(v.columns[0]));
    if (found.length > 1) {
      const options = found.map((v) => v.name);
      throw choiceError(`Which column holds the results: ${or(options.map((n) => `\`${n}\``))}?`, "value", "", options);
    }
    return found[0];
  }

  function unlike(names) {
    return new Error(`This is no table of results: it has unlike measures of methods (${names.slice(0, 6).map((n) => `\`${n}\``).join(", ")}), `
      + "but no tasks. An order takes a column of tasks, or a column per task of one measure: leave others out.");
  }

  // Return which metric a value is, by row, where columns of metrics repeat it; null where not.
  function metricByColumn(names, rows, at, value) {
    if (at.task === undefined || value.columns.length > 1) return null;
    const number = (text) => (NUMBER.test(text) ? Number(text) : NaN);
    const own = rows.map((row) => number(row[value.columns[0]]));
    const tasks = rows.map((row) => row[at.task]);
    const count = (flags) => {
      const found = new Map();
      flags.forEach((flag, r) => found.set(tasks[r], (found.get(tasks[r]) ?? 0) + (flag ? 1 : 0)));
      return found;
    };
    const known = count(own.map((v) => !Number.isNaN(v)));
    const metric = new Map();
    names.forEach((n, k) => {
      if (Object.values(at).includes(k) || value.columns.includes(k) || lowerIsBetter(n) === null) return;
      const other = rows.map((row) => number(row[k]));
      for (const [words, same] of [[n, own.map((v, r) => v === other[r])], [`neg_${n}`, own.map((v, r) => v === -other[r] && v !== 0)]]) {
        for (const [task, times] of count(same)) if (times > known.get(task) / 2 && !metric.has(task)) metric.set(task, words);
      }
    });
    return rows.length && tasks.every((t) => metric.has(t)) ? tasks.map((t) => metric.get(t)) : null;
  }

  function withoutSummaries(labels, role = "task") {
    const every = distinct(labels);
    const odd = new Set(every.filter((label) => isSummary(label, role)));
    if (odd.size === every.length) odd.clear();
    return { kept: odd.size ? labels.map((label) => !odd.has(label)) : null,
      out: [...odd].map((label) => `row \`${label}\` (a summary)`) };
  }

  // Return which rows are the mean, median or sum of the others, in all columns.
  function computed(values) {
    const none = values.map(() => false);
    if (values.length < LEAST_SUMMED || values[0].length < LEAST_OF_SUMS || !values.flat().every(Number.isFinite)) return none;
    return values.map((own, r) => {
      const others = own.map((_, c) => values.filter((__, k) => k !== r).map((row) => row[c]));
      const near = own.map((v) => SUMMED * Math.max(Math.abs(v), 0.1));
      const mean = (x) => x.reduce((a, v) => a + v, 0) / x.length;
      const unlike = others.every((x, c) => Math.sqrt(mean(x.map((v) => (v - mean(x)) ** 2))) > near[c]);
      return unlike && [mean, median, (x) => mean(x) * x.length].some((of) => others.every((x, c) => Math.abs(own[c] - of(x)) <= near[c]));
    });
  }

  function judgedPart(names, rows, at) {
    if (at.part === undefined) return { kept: rows, others: [] };
    const part = rows.map((row) => partOf(row[at.part]));
    const best = PARTS[Math.max(...part.map((p) => PARTS.indexOf(p)))];
    return { kept: rows.filter((_, r) => part[r] === best), others: distinct(rows.filter((_, r) => part[r] !== best).map((row) => row[at.part]))
      .map((o) => `rows with \`${o}\` in column \`${names[at.part]}\``) };
  }

  // Take further columns of repeats together with the seeds; return which these are.
  function moreRepeats(names, rows, at, value) {
    const again = [...names.keys()].filter((k) => isRepeat(names[k], rows.map((row) => row[k])) && !Object.values(at).includes(k) && !value.columns.includes(k));
    if (!again.length) return [rows, again];
    const every = at.seed === undefined ? again : [at.seed, ...again];
    at.seed ??= again[0];
    return [rows.map((row) => row.map((c, k) => (k === at.seed ? every.map((j) => row[j]).join("/") : c))), again];
  }

  // Take the values of failed results away; return how many these are, in words.
  function withoutFailures(names, rows, used, value) {
    const said = [];
    let left = rows;
    names.forEach((n, k) => {
      if (used.includes(k)) return;
      const cells = rows.map((row) => keyOf(row[k]));
      const bad = (c) => WORDS.failed.has(c);
      const words = wordsOf(n);
      const failure = words.some(bad);
      let odd = null;
      if (isYesOrNo(cells) && (failure || words.some((w) => WORDS.ok.has(w)))) odd = (c) => c === (failure ? "true" : "false");
      else {
        const ended = (c) => !WORDS.ok.has(c) && [c, ...c.split("_")].some((w) => bad(w) || WORDS.unfinished.has(w));
        if (words.some((w) => w === "status" || w === "state") || cells.every((c) => ended(c) || WORDS.ok.has(c) || c === "")) odd = ended;
      }
      const count = odd ? cells.filter(odd).length : 0;
      if (!count) return;
      left = left.map((row, r) => (odd(cells[r]) ? row.map((c, j) => (value.columns.includes(j) ? "" : c)) : row));
      said.push([k, `${count} results that failed by column \`${n}\`, which count as missing`]);
    });
    return [left, said];
  }

  // Return the columns of results' deviation and of how many there are, or of a mean's error.
  function spreadBeside(names, taken, value) {
    const about = new Set([...wordsOf(value.name), ...WORDS.means]);
    const found = {};
    names.forEach((name, k) => {
      const left = wordsOf(name).filter((word) => !about.has(word)).join("_");
      for (const [kind, known] of BESIDE) if (!taken.includes(k) && (known.test(keyOf(name)) || known.test(left))) found[kind] ??= k;
    });
    if (found.deviation !== undefined && found.repeats !== undefined) return { deviation: found.deviation, repeats: found.repeats };
    return found.error === undefined ? {} : { deviation: found.error };
  }

  function fromLong(names, every, at, value) {
    const { kept, others } = judgedPart(names, every, at);
    const own = Object.fromEntries(names.map((n, k) => [keyOf(n), k])
      .filter(([key, k]) => WORDS.own.has(key) && !Object.values(at).includes(k) && !value.columns.includes(k)));
    const [repeated, again] = moreRepeats(names, kept, at, value);
    const taken = [...Object.values(at), ...Object.values(own), ...value.columns, ...again];
    const repeats = at.fold !== undefined || at.seed !== undefined || own.deviation !== undefined || value.repeats.length > 0;
    const spread = repeats ? {} : spreadBeside(names, taken, value);
    const used = [...taken, ...Object.values(spread)];
    const [rows, failures] = withoutFailures(names, repeated, used, value);
    const unused = names.map((_, k) => k).filter((k) => !used.includes(k));
    const column = (k) => (k === undefined ? new Array(rows.length).fill("") : rows.map((row) => row[k]));
    let speaks = "";
    if (at.task === undefined) {
      if (!value.repeats.length && at.fold === undefined && at.seed === undefined) {
        throw new Error(`There is no column of tasks among ${names.slice(0, FEW).join(", ")}: name it.`);
      }
      speaks = SPEAKS;
    }
    let long = { task: at.task === undefined ? rows.map(() => ONE) : column(at.task), method: column(at.method), fold: column(at.fold),
      seed: column(at.seed), family: column(at.family), variant: column(at.variant), row: [...rows.keys()] };
    const beside = { ...own, ...spread };
    for (const key of ["deviation", "repeats"]) if (beside[key] !== undefined) long[key] = column(beside[key]);
    if (Object.keys(spread).length === 1) long.repeats = rows.map(() => "1"); // of the mean: as of one result
    if (distinct(long.method.map((m, r) => JSON.stringify([m, long.variant[r]]))).length === distinct(long.method).length) long.variant = column();
    if (at.metric !== undefined) long.metric = column(at.metric);
    else if (WORDS.generic.has(keyOf(value.name))) long.metric = metricByColumn(names, rows, at, value);
    const metric = at.metric === undefined ? "metric" : names[at.metric];
    [long, speaks] = tasksThatAreRepeats(long, speaks, at.fold !== undefined);
    checkOnce(long, Object.fromEntries([...unused.map((k) => [names[k], column(k)]), ...(long.metric ? [[metric, long.metric]] : [])]), metric);
    long = stacked(long, rows, value);
    const out = [];
    for (const role of ["task", "method"]) {
      const { kept: there, out: said } = withoutSummaries(long[role], role);
      if (there) for (const key of Object.keys(long)) long[key] &&= long[key].filter((_, r) => there[r]);
      out.push(...said);
    }
    const known = directionsIn(names, at, long.row.map((r) => rows[r]));
    const layout = Object.values(spread).map((k) => `\`${names[k]}\``).join(" over ");
    return finished(long, value.name, `a row per result${layout && ` with ${layout}`}`, [...out, ...others, ...unused.filter((k) => names[k] && !failures.some(([f]) => f === k))
      .map((k) => `column \`${names[k]}\``), ...failures.map(([, words]) => words)],
      speaks, known, metric, reader.layoutOf(names));
  }

  function stacked(long, rows, value) {
    const cells = long.row.map((r) => value.columns.map((k) => rows[r][k]));
    const picked = [];
    if (value.repeats.length) value.repeats.forEach((n, j) => cells.forEach((row, r) => picked.push([r, row[j], n])));
    else if (!cells.some(([text]) => text.startsWith("["))) return { ...long, value: cells.map(([text]) => text) };
    else cells.forEach(([text], r) => text.replace(/^[[\] ]+|[[\] ]+$/g, "").split(/[,\s]+/).forEach((one, n) => picked.push([r, one, String(n)])));
    const found = Object.fromEntries(Object.entries(long).map(([key, cells_]) => [key, cells_ && picked.map(([r]) => cells_[r])]));
    return { ...found, value: picked.map(([, text]) => text), [value.role ?? "fold"]: picked.map(([, , n]) => n) };
  }

  function directionsIn(names, at, rows) {
    const said = DIRECTIONS.filter((role) => at[role] !== undefined);
    const [lower, other] = said.map((role) => rows.map((row) => yes(row[at[role]], role) !== (role === DIRECTIONS[1])));
    if (other?.some((way, row) => way !== lower[row])) {
      throw new Error("The columns `lower_is_better` and `higher_is_better` contradict each other: leave one of them out.");
    }
    return lower ? { column: names[at[said[0]]], lower } : null;
  }

  function tasksThatAreRepeats(long, speaks, folds) {
    const found = new Map(distinct(long.task).map((t) => [t, REPEAT.exec(t)]));
    if (folds || ![...found.values()].every((m) => m)) return [long, speaks];
    const base = (t) => found.get(t)[1] || ONE;
    const several = new Set([...found.keys()].map(base)).size;
    if (several === found.size && several > 1) return [long, speaks];
    return [{ ...long, fold: long.task, task: long.task.map(base) }, several === 1 ? SPEAKS : speaks];
  }

  // Ask what is meant where results stand there several times, told apart by another column.
  function checkOnce(long, others, metric) {
    const keys = long.task.map((t, r) => JSON.stringify([t, long.method[r], long.variant[r], long.fold[r], long.seed[r]]));
    const codes = new Set(keys);
    if (codes.size === keys.length) return;
    const differ = [];
    for (const [column, cells] of Object.entries(others)) {
      const levels = new Set(cells).size;
      const pairs = new Set(cells.map((c, r) => `${keys[r]}|${c}`)).size;
      if (tellsApart(keys, cells)) {
        differ.push([column, [column !== metric, pairs < keys.length, levels].map(Number)]);
      }
    }
    if (!differ.length) return;
    differ.sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const column = differ[0][0];
    const options = distinct(others[column]);
    const seen = new Map();
    keys.forEach((key) => seen.set(key, (seen.get(key) ?? 0) + 1));
    const first = keys.findIndex((key) => seen.get(key) > 1);
    const within = (cells) => {
      const by = new Map();
      others[column].forEach((c, r) => { if (!by.has(c)) by.set(c, new Set()); by.get(c).add(cells[r]); });
      return [...by.values()].every((found) => found.size === 1);
    };
    const role = column !== metric ? ["method", "task"].find((r) => within(long[r])) ?? "only" : "only";
    throw choiceError(`Which is meant? ${long.method[first]} on ${long.task[first]} has several results, and column \`${column}\` tells them apart: `
      + `${or(options.slice(0, 6))}${options.length > 6 ? ", …" : ""}.${role === "only" ? "" : ` Are these ${role}s of their own?`}`,
    role, column, role === "only" ? options : [column]);
  }

  function finished(long, source, layout, out, speaks, known = null, metric = "metric", whose = "") {
    const method = long.method.map(name).map((m, r) => (long.variant?.[r] && m ? `${m} (${long.variant[r]})` : m));
    const value = numbers(long.value, long.method, long.task);
    const top = value.reduce((a, v) => (v > a ? v : a), -Infinity);
    const others = value.reduce((a, v) => (v !== top && Math.abs(v) > a ? Math.abs(v) : a), 1);
    const far = top > MARK * others && new Set(long.task.filter((_, r) => value[r] === top)).size > 1;
    const marks = [...value.keys()].filter((r) => MARKS.includes(value[r]) || (far && value[r] === top));
    const after = distinct(long.value).some(hasSpread) ? ["what stands behind ± or in brackets"] : [];
    if (marks.length) out.push(`${marks.length} values of ${long.value[marks[0]]}, the mark of a failure, which count as missing`);
    out.push(...after);
    for (const r of marks) value[r] = NaN;
    const table = { ...long, task: long.task.map(name), fold: long.fold.map(name), seed: long.seed.map(name), value, layout, out, speaks,
      metrics: long.metric ? distinct(long.metric).filter((m) => m !== "") : [] };
    for (const key of ["deviation", "repeats"]) if (long[key]) table[key] = numbers(long[key], long.method, long.task);
    checkUnits(table, source);
    table.layout += inOneUnit(table, source);
    for (const prefix of vocabulary.prefixes.split(" ")) method.forEach((m, r) => { if (m.startsWith(prefix)) method[r] = m.slice(prefix.length); });
    if (known) return { ...table, method, lower: known.lower, told: `column \`${known.column}\`` };
    if (table.task.some((t) => !t) || table.method.some((m) => !m)) return { ...table, method, lower: null, told: "" };
    const { lower, told } = reader.directionsOf(table, source, metric, whose);
    return { ...table, method, lower, told: told.join(", ") };
  }

  function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  const endless = (metrics, source) => (metrics.length ? metrics : [source]).some((n) => ["endless", "time", "rank"].includes(measureOf(n).unit));

  // Make the percent of some tasks shares, as the others' are; return what was done, in words.
  function inOneUnit({ task, value, metrics }, source) {
    const measured = !metrics.length || measureOf(source).name ? source : metrics.length === 1 ? metrics[0] : "";
    if (endless(metrics, source) || !["share", "error"].includes(measureOf(measured).unit)) return "";
    const by = new Map();
    value.forEach((v, r) => {
      const [low, high] = by.get(task[r]) ?? [Infinity, -Infinity];
      if (!Number.isNaN(v)) by.set(task[r], [Math.min(low, v), Math.max(high, v)]);
    });
    const all = [...by.values()];
    const percent = new Set([...by].filter(([, [, most]]) => most > 1 && most <= 100).map(([t]) => t));
    const shares = all.filter(([, most]) => most <= 1).map(([, most]) => most);
    if (!percent.size || !shares.length || percent.size + shares.length < all.length || all.some(([least]) => least < 0)
      || median([...percent].map((t) => by.get(t)[1])) < PERCENT * median(shares)) return "";
    value.forEach((v, r) => { if (percent.has(task[r])) value[r] = v / 100; });
    return `, ${percent.size} tasks in percent made shares as the ${shares.length} others are`;
  }

  // Refuse a table in which one method is in percent and others are shares.
  function checkUnits({ method, value, metrics }, source) {
    if (endless(metrics, source)) return;
    const by = new Map();
    value.forEach((v, r) => { if (!Number.isNaN(v)) { if (!by.has(method[r])) by.set(method[r], []); by.get(method[r]).push(v); } });
    const all = [...by.keys()].sort(compare).map((m) => [m, median(by.get(m)), by.get(m).reduce((a, b) => Math.max(a, b), -Infinity)]);
    const shares = all.filter(([, middle, most]) => middle > 0 && most <= 1);
    const above = PERCENT * Math.max(...shares.map(([, middle]) => middle));
    const percent = all.filter(([, middle, most]) => shares.length && middle > above && most <= 100);
    if (!percent.length || percent.length + shares.length !== all.length) return;
    const one = percent.length <= shares.length ? percent : shares;
    throw new Error(`${or(one.slice(0, 3).map(([m]) => m))} is ${one === percent ? "in percent" : "a share"} (about ${Number(one[0][1].toPrecision(3))}), `
      + `the others ${one === percent ? "shares" : "in percent"}, it seems: write all alike.`);
  }

  function fromWide(names, every, at, metric = null) {
    const all = names.map((_, k) => k);
    const numeric = all.map((k) => isNumeric(head(every, k)));
    const text = all.filter((k) => !numeric[k] && every.some((row) => row[k] !== ""));
    let first = at.method ?? at.task;
    let speaks = "";
    const again = at.fold ?? at.seed;
    if (first === undefined && !text.length) {
      if (again !== undefined) { first = again; speaks = SPEAKS; } else if (wordsOf(names[0]).some((w) => WORDS.facts.has(w))
        || every.some((row) => /[.,]\d/.test(row[0]))) { // steps, or results
        throw choiceError(`Does column \`${names[0]}\` name the tasks?`, "task", names[0], [names[0]]);
      }
    }
    first ??= text[0] ?? 0;
    const measured = every.map((row) => row[first]).filter((label) => lowerIsBetter(label) !== null);
    if (2 * measured.length > every.length) throw unlike(measured);
    const keep = ["fold", "seed", "family", "metric", ...DIRECTIONS].filter((role) => at[role] !== undefined && at[role] !== first);
    const kept = keep.map((role) => at[role]);
    const free = all.filter((k) => k !== first && !kept.includes(k));
    const { kept: there, out } = withoutSummaries(every.map((row) => row[first]));
    let rows = there ? every.filter((_, k) => there[k]) : every;
    const empty = (row) => free.every((k) => UNIT.test(row[k]));
    out.push(...rows.filter(empty).map((row) => `row \`${row.join(" ").trim()}\` (no values)`));
    rows = rows.filter((row) => !empty(row));
    const why = leftOut(rows, names, free);
    let rest = free.filter((k) => !why.has(k));
    const cells = rows.map((row) => rest.map((k) => (NUMBER.test(row[k]) ? Number(row[k]) : NaN)));
    const [summed, summing] = [computed(cells), computed(rest.map((_, c) => cells.map((row) => row[c])))];
    out.push(...rows.filter((_, r) => summed[r]).map((row) => `row \`${row[first]}\` (computed from the others)`));
    rows = rows.filter((_, r) => !summed[r]);
    rest.forEach((k, c) => { if (summing[c]) why.set(k, "computed from the others"); });
    rest = rest.filter((k) => !why.has(k));
    const labels = rows.map((row) => row[first]);
    const share = (some) => some.filter((x) => METHODS.test(x)).length / Math.max(some.length, 1);
    const byMethod = at.method !== undefined || (at.task === undefined && !speaks && share(labels) > share(rest.map((k) => names[k])));
    const bare = rest.filter((k) => isBareMeasure(names[k]) && (isNoResult(names[k]) || !byMethod));
    if (byMethod || 2 * bare.length < rest.length) {
      for (const k of bare) why.set(k, byMethod ? "no result" : "a measure, no method");
      rest = rest.filter((k) => !why.has(k));
    }
    const found = new Map(rest.map((k) => [k, MEASURED.exec(names[k])]).filter(([, m]) => m && lowerIsBetter(m[2]) !== null));
    const split = rest.length > 0 && found.size === rest.length;
    const label = (k) => (split ? found.get(k)[1] : names[k]);
    const kinds = split ? distinct([...found.values()].map((m) => m[2])) : [];
    if (split && !byMethod && kinds.includes(metric)) rest = rest.filter((k) => found.get(k)[2] === metric);
    else if (new Set(rest.map(label)).size < rest.length) throw choiceError(`Which is meant: ${or(kinds.map((n) => `\`${n}\``))}?`, "value", "", kinds);
    const measure = metric ?? (kinds.length === 1 ? kinds[0] : null);
    const mixed = split && measure === null;
    let source = measure ?? (mixed ? "value" : speaks ? "" : names[first]);
    if (mixed || measure !== null) ; // as said
    else if (byMethod || !METHODS.test(rest.map((k) => names[k]).join(" "))) source = measureOfColumns(rest.map((k) => names[k]), source);
    if (rest.length < 2 || !rest.some((k) => numeric[k])) {
      throw new Error("This is no table of results, with no column of tasks and methods: it takes columns task, method and value, or a row "
        + `per task with a column per method. There are ${names.slice(0, FEW).map((n) => n || "(no name)").join(", ")}.`);
    }
    const byMetric = mixed || keep.includes("metric");
    let long = { task: [], method: [], value: [], fold: [], seed: [], family: [], variant: [], row: [], ...(byMetric ? { metric: [] } : {}) };
    for (const k of rest) {
      for (const row of rows) {
        long.task.push(byMethod ? label(k) : row[first]);
        long.method.push(byMethod ? row[first] : label(k));
        long.value.push(row[k]);
        long.row.push(row);
        if (byMetric) long.metric.push(mixed ? found.get(k)[2] : row[at.metric]);
        long.variant.push("");
        for (const role of ["fold", "seed", "family"]) long[role].push(keep.includes(role) ? row[at[role]] : "");
      }
    }
    const said = keep.includes("metric") ? names[at.metric] : "metric";
    const two = Object.fromEntries(Object.entries(long).map(([key, cells_]) => [key, cells_.slice(0, 2 * rows.length)])); // of two columns
    const others = all.filter((k) => k !== first && !kept.includes(k) && !rest.includes(k)).map((k) => [names[k], two.row.map((row) => row[k])]);
    checkOnce(two, Object.fromEntries([...others, ...(byMetric ? [[said, two.metric]] : [])]), said);
    if (!byMethod && at.seed === undefined) repeatsOfMethods(long);
    if (speaks) long = { ...long, fold: long.task, task: long.task.map(() => ONE) };
    else [long, speaks] = tasksThatAreRepeats(long, "", at.fold !== undefined);
    return finished(long, source, `a ${byMethod ? "row" : "column"} per method`, [...[...why].sort((a, b) => a[0] - b[0]).map(([k, w]) =>
      (names[k] ? `column \`${names[k]}\` (${w})` : `a column without a name (${w})`)), ...out], speaks,
    directionsIn(names, at, long.row), said);
  }

  // Return what names the measure of a table with tasks in columns; refuse unlike ones.
  function measureOfColumns(names, source) {
    const says = names.map(lowerIsBetter);
    const bare = names.filter(isBareMeasure);
    const whole = lowerIsBetter(source);
    const ways = new Set([...says, whole]);
    if ((bare.length > 1 && 2 * bare.length >= names.length) || (ways.has(true) && ways.has(false))
      || (says.includes(true) && says.includes(null) && whole === null)) {
      throw unlike(bare.length > 1 ? bare : names.filter((_, k) => says[k] !== null));
    }
    if (whole !== null || says.includes(null) || !names.length) return source;
    const shared = wordsOf(names[0]).filter((w) => names.every((n) => wordsOf(n).includes(w))).join("_");
    return lowerIsBetter(shared) !== null ? shared : names[0];
  }

  // Take columns such as GBM_seed0, GBM_seed1 for repeats of one method.
  function repeatsOfMethods(long) {
    const methods = distinct(long.method);
    if (!methods.every((m) => REPEATED.test(m))) return;
    const base = new Map(methods.map((m) => [m, m.replace(REPEATED, "").replace(/^[ _.-]+|[ _.-]+$/g, "")]));
    const bases = distinct([...base.values()]);
    if (bases.includes("") || bases.length === base.size) return;
    long.seed = long.method.map((m) => REPEATED.exec(m)[2]);
    long.method = long.method.map((m) => base.get(m));
  }

  function leftOut(rows, names, free) {
    const why = new Map();
    const value = new Map();
    const answers = free.filter((k) => isYesOrNo(rows.map((row) => row[k])));
    const low = (x) => x.reduce((a, b) => Math.min(a, b), Infinity);
    const high = (x) => x.reduce((a, b) => Math.max(a, b), -Infinity);
    for (const k of free) {
      const words = wordsOf(names[k]).join("_").split(/[0-9]+|_/).filter(Boolean);
      if (!isNumeric(head(rows, k))) {
        why.set(k, rows.every((row) => row[k] === "") ? "empty" : "no numbers");
        continue;
      }
      const cells = rows.map((row) => (NUMBER.test(row[k]) ? Number(row[k]) : NaN));
      value.set(k, cells);
      if (answers.includes(k) && 2 * answers.length < free.length) { why.set(k, "yes or no"); continue; }
      const whole = cells.every((v) => Number.isNaN(v) || v % 1 === 0);
      if (INDEX.has(names[k].toLowerCase()) && whole) {
        why.set(k, [0, 1].some((start) => cells.every((v, n) => v === n + start)) ? "counts the rows" : "a count");
      } else if (isSummary(names[k])) why.set(k, "a summary");
      else if (standsBeside(names[k], free.map((j) => names[j]))) why.set(k, "beside another column");
      else if (words.some((w) => WORDS.facts.has(w))) why.set(k, "a property");
      else if (whole && !cells.every(Number.isNaN) && words.length
        && (["n", "num", "number"].includes(words[0]) || WORDS.counts.has(words.at(-1)))) why.set(k, "a count");
    }
    for (const k of [...value.keys()].filter((c) => !why.has(c) && !isBareMeasure(names[c]))) {
      const others = [...value].filter(([j]) => j !== k && !why.has(j)).flatMap(([, v]) => v).filter((v) => !Number.isNaN(v));
      const mine = value.get(k).filter((v) => !Number.isNaN(v)).sort((a, b) => a - b);
      const same = mine[0] === mine.at(-1) && low(others) < high(others) && !METHODS.test(names[k]);
      if (!others.length || mine.length < 2 || !(same || (mine.every((v) => v % 1 === 0) && others.some((v) => v % 1 !== 0)))) continue;
      const [from, to] = [low(others), high(others)];
      const half = mine.length >> 1;
      const median = mine.length % 2 ? mine[half] : (mine[half - 1] + mine[half]) / 2;
      if (median < from - (to - from) || median > to + (to - from)) {
        why.set(k, mine[0] === mine.at(-1) ? "the same everywhere" : "a count");
      }
    }
    return why;
  }

  function numbers(cells, method, task) {
    const usual = new Float64Array(cells.length);
    cells.forEach((text, r) => { usual[r] = NUMBER.test(text) ? Number(text) : text ? Infinity : NaN; });
    if (!usual.includes(Infinity)) return usual; // no sign, comma or word that would have to be told
    const found = reader.parseNumbers(cells);
    const odd = [...cells.keys()].filter((r) => typeof found.get(cells[r]) !== "number");
    if (odd.length) { // of two ways to write, the rarer is odd
      const signed = odd.filter((r) => cells[r].includes("%"));
      const rarer = 2 * signed.length < odd.length ? signed : odd.filter((r) => !cells[r].includes("%"));
      const k = (rarer.length ? rarer : odd)[0];
      throw new Error(`'${cells[k]}' of ${method[k]} on ${task[k]} ${found.get(cells[k])}. What is no result can be left out.`);
    }
    return Float64Array.from(cells, (text) => found.get(text));
  }

  function yes(text, column) {
    const meant = { yes: true, no: false }[vocabulary.ways[String(text).toLowerCase()]];
    if (meant === undefined) throw new Error(`Column ${column} says yes or no (true or false, 1 or 0), not '${text}'.`);
    return meant;
  }

  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // Return each name's place among the sorted names, and these.
  function factorize(names) {
    const seen = new Map();
    const found = new Int32Array(names.length);
    names.forEach((name_, r) => {
      let k = seen.get(name_);
      if (k === undefined) { k = seen.size; seen.set(name_, k); }
      found[r] = k;
    });
    const sorted = [...seen.keys()].sort(compare);
    const place = new Int32Array(sorted.length);
    sorted.forEach((name_, k) => { place[seen.get(name_)] = k; });
    return [found.map((k) => place[k]), sorted];
  }

  // Return checked cells: value[task][method], higher better, tasks by family.
  function layCells(table, lowerWins = null) {
    for (const role of ["task", "method"]) {
      const nameless = table[role].filter((x) => !x).length;
      if (nameless) throw new Error(`${nameless} rows have no ${role}.`);
    }
    const [[t, taskNames], [m, methods], [f, folds], [s, seeds]] = ["task", "method", "fold", "seed"].map((r) => factorize(table[r]));
    if (methods.length < 2) throw new Error(`There is one method only (${methods[0]}): an order needs two or more.`);
    const rows = t.length;
    const [M, T] = [methods.length, taskNames.length];
    const again = folds.length * seeds.length;
    const dense = T * M * again <= 4e7 ? new Int32Array(T * M * again).fill(-1) : new Map();
    const get = Array.isArray(dense) || dense instanceof Int32Array ? (k) => dense[k] : (k) => dense.get(k) ?? -1;
    const set = dense instanceof Int32Array ? (k, r) => { dense[k] = r; } : (k, r) => dense.set(k, r);
    const family = new Array(T).fill(null);
    const [lower, metric] = [0, 1].map(() => new Array(T).fill(null));
    for (let r = 0; r < rows; r += 1) {
      check(family, t[r], table.family[r] || taskNames[t[r]], "families", taskNames);
      check(lower, t[r], lowerWins ?? table.lower?.[r] ?? false, "directions", taskNames);
      check(metric, t[r], table.metric?.[r] ?? "", "metrics", taskNames);
      const key = ((t[r] * M + m[r]) * folds.length + f[r]) * seeds.length + s[r];
      if (get(key) >= 0) {
        throw new Error(`A result is given twice: ${methods[m[r]]} on ${taskNames[t[r]]}. Tell repeats apart by a column fold or seed.`);
      }
      set(key, r);
    }
    if (table.deviation && table.repeats) {
      const [odd, few] = [table.deviation.findIndex((x) => x < 0), table.repeats.filter((x) => x < 1).length];
      if (odd >= 0) throw new Error(`A deviation is 0 or more, not ${table.deviation[odd]}, of ${table.method[odd]} on ${table.task[odd]}.`);
      if (few) throw new Error(`${few} values of the column repeats are below 1.`);
    }
    const sum = new Float64Array(T * M);
    const count = new Int32Array(T * M);
    const keys = dense instanceof Int32Array ? null : [...dense.keys()].sort((a, b) => a - b);
    const n = keys ? keys.length : dense.length;
    for (let k = 0; k < n; k += 1) {
      const key = keys ? keys[k] : k;
      const r = get(key);
      if (r < 0 || Number.isNaN(table.value[r])) continue;
      const cell = Math.floor(key / again);
      sum[cell] += table.value[r];
      count[cell] += 1;
    }
    const byFamily = taskNames.map((_, k) => k).sort((a, b) => compare(family[a], family[b]) || a - b);
    const value = byFamily.map((k) => methods.map((_, j) => {
      const cell = k * M + j;
      return count[cell] ? rounded((lower[k] ? -sum[cell] : sum[cell]) / count[cell]) : NaN;
    }));
    const empty = methods.filter((_, j) => value.every((row) => Number.isNaN(row[j])));
    if (empty.length) throw new Error(`${empty.length} of ${M} methods have no value at all, the first: ${empty[0]}. Leave them out.`);
    const families = [...new Set(family)].sort(compare);
    const place = new Map(families.map((x, k) => [x, k]));
    const { layout = null, out = [], metrics = [], speaks = "" } = table;
    return { named: table.family.some(Boolean), methods, tasks: byFamily.map((k) => taskNames[k]), families, family: byFamily.map((k) => place.get(family[k])), value,
      missing: value.flat().filter(Number.isNaN).length,
      read: { layout, out, speaks, metrics: metrics.length, told: lowerWins === null ? table.told : "as you said",
        lower: byFamily.filter((k) => lower[k]).length } };
  }

  // Return the cells of a link, checked as a file's are; of its words only names are taken over.
  function linked(found) {
    const { methods, tasks, families, family, value, read } = found ?? {};
    const names = (some, least) => Array.isArray(some) && some.length >= least && new Set(some).size === some.length
      && some.every((x) => typeof x === "string" && x.trim() && x.length <= LONGEST_NAME);
    const whole = (n, most) => Number.isInteger(n) && n >= 0 && n <= most;
    const fits = names(methods, 2) && names(tasks, 1) && names(families, 1)
      && Array.isArray(family) && family.length === tasks.length && new Set(family).size === families.length
      && family.every((f, t) => whole(f, families.length - 1) && (t === 0 || f >= family[t - 1]))
      && Array.isArray(value) && value.length === tasks.length && value.every((row) => Array.isArray(row)
        && row.length === methods.length && row.every((v) => v === null || Number.isFinite(v)))
      && methods.every((_, m) => value.some((row) => row[m] !== null))
      && whole(read?.lower, tasks.length) && whole(read?.metrics ?? 0, tasks.length);
    if (!fits) throw new Error("The link holds no table with a number, or nothing, for each task and method: it was changed, or not made here.");
    return { methods, tasks, families, family, value: value.map((row) => row.map((v) => v ?? NaN)),
      missing: value.flat().filter((v) => v === null).length,
      read: { layout: "from a link, by whoever made it", told: "as the link says", out: [], speaks: read.speaks ? SPEAKS : "",
        metrics: read.metrics ?? 0, lower: read.lower } };
  }

  function check(known, k, found, what, names) {
    if (known[k] === null) known[k] = found;
    else if (known[k] !== found) throw new Error(`Task ${names[k]} has two ${what} (${known[k]} and ${found}): a task has one.`);
  }

  // Return cells; where it has to be asked which direction is better, an error whose ask names the leaders.
  function cellsOf(table, lowerWins = null) {
    if (lowerWins !== null || table.lower) return withClusters(layCells(table, lowerWins));
    const [higher, lower] = [false, true].map((way) => order(layCells(table, way), { draws: 1 }).ranks[0].method);
    const question = new Error(`${table.speaks ? `${table.speaks} ` : ""}Is higher or lower better? ${table.told || "No name in the table tells"}.`);
    question.ask = { higher, lower };
    throw question;
  }

  function asDigits(value) {
    if (Math.abs(value) < 1000) return reader.asDigits(value);
    return (Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value)).toFixed(0);
  }

  // Say what was read, the best method first.
  function whatWasRead(cells, place) {
    const { layout, told, out, metrics, lower } = cells.read;
    const [T, few] = [cells.tasks.length, cells.families.length];
    const better = lower === T ? "lower is better" : lower === 0 ? "higher is better"
      : `lower is better on ${lower}, higher on ${T - lower}`;
    const means = (k) => {
      const known = cells.value.map((row) => row[k]).filter((v) => !Number.isNaN(v));
      return (known.reduce((a, b) => a + b, 0) / known.length) * (lower ? -1 : 1);
    };
    const ends = [place[0], place.at(-1)].map((k) => cells.methods[k]
      + ((lower === 0 || lower === T) && metrics < 2 ? ` ${asDigits(means(k))}` : ""));
    return `${T} tasks × ${cells.methods.length} methods${layout ? `, ${layout}` : ""}; ${better}`
      + `${told ? ` (${told})` : ""}: ${ends[0]} … ${ends[1]}.${few < T ? ` Its tasks are ${few} families, worth ${effectiveTasks(cells).toFixed(0)} `
      + "independent tasks." : ""}${out?.length ? ` Left out: ${out.join(", ")}.` : ""}`;
  }

  function rounded(value) {
    if (value === 0) return 0;
    const scale = 10 ** (11 - Math.floor(Math.log10(Math.abs(value))));
    const shifted = value * scale;
    const down = Math.floor(shifted);
    const rest = shifted - down;
    const whole = rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
    return whole / scale;
  }

  // --- estimates ---------------------------------------------------------------------------
  function estimate({ methods, families, family, value, missing }) {
    const M = methods.length;
    const F = families.length;
    const level = new Float64Array(M).fill(1);
    const residual = matrix(F, M);
    const parts = matrix(F, M);
    const common = matrix(M, M);
    const [won, count] = [matrix(F, M), matrix(F, M)];
    const rows = value.map((row) => Float64Array.from(row));
    for (let k = 0; k < M; k += 1) {
      for (let f = 0; f < F; f += 1) { won[f].fill(0); count[f].fill(0); }
      rows.forEach((row, t) => {
        const own = row[k];
        if (Number.isNaN(own)) return;
        const [wins, times] = [won[family[t]], count[family[t]]];
        for (let j = 0; j < M; j += 1) {
          const other = row[j];
          if (!Number.isNaN(other)) {
            wins[j] += own === other ? 0.5 : own > other ? 1 : 0;
            times[j] += 1;
          }
        }
      });
      for (let j = 0; j < M; j += 1) {
        let n = 0;
        let sum = 0;
        for (let f = 0; f < F; f += 1) {
          if (count[f][j]) { won[f][j] /= count[f][j]; sum += won[f][j]; n += 1; }
        }
        common[k][j] = n;
        if (j === k) continue;
        const rate = n ? sum / n : 0.5;
        const left = Math.max(n - 1, 1);
        const stretch = missing ? Math.sqrt(n / left) / left : 1 / Math.sqrt(Math.max(n, 1) * left);
        for (let f = 0; f < F; f += 1) {
          // A family adds to a mean rank only what was seen on it: half a win is nothing.
          if (count[f][j]) parts[f][j] += (won[f][j] - 0.5) / Math.max(n, 1);
          if (count[f][j]) residual[f][j] += (won[f][j] - rate) * (n > 1 ? stretch : 0) + (n > 1 ? 0 : 0.5);
        }
        level[j] += rate;
      }
    }
    const shared = matrix(M, M);
    const unknownSpan = matrix(M, M);
    const never = common.map((row) => row.filter((n) => n === 0).length / 2);
    for (let i = 0; i < M; i += 1) {
      for (let j = 0; j < M; j += 1) {
        shared[i][j] = missing ? Math.max(common[i][i] + common[j][j] - common[i][j], 2) : F;
        unknownSpan[i][j] = never[i] + never[j];
      }
    }
    const alike = common.every((row) => row.every((n) => n === common[0][0]));
    const borrowed = Math.min(BORROWED, Math.max((M * (M - 1)) / 2 - 1, 0));
    const freedom = common.map((row) => row.map((n) => (alike ? Infinity : Math.max(n - 1, 1) + borrowed)));
    const squares = squaresOf(residual, M);
    let [pool, pairs] = [0, 0];
    common.forEach((row, i) => row.forEach((n, j) => {
      if (j > i && n > 1) { pool += squares[i][j] * shared[i][j]; pairs += 1; }
    }));
    const weight = common.map((row) => row.map((n) => borrowed / (borrowed + Math.max(n - 1, 1))));
    const lent = weight.map((row, i) => row.map((w, j) => (pairs ? w * (pool / pairs) / shared[i][j] : 0)));
    // By which weights squared standard errors sum to the mean spread, over the table's own.
    const pooled = common.map((row, i) => row.map((n, j) => (i !== j && n > 1 ? shared[i][j] / (pool || pairs) : 0)));
    return { level, parts, residual, squares, shared, common, unknownSpan, freedom, borrowed, weight, lent, pooled };
  }

  // Squared standard errors, some of all pairs' mean spread lent to each.
  const moderated = (found, i, j, squares = found.squares[i][j]) => (1 - found.weight[i][j]) * squares + found.lent[i][j];

  // Squared t statistics as those of a normal variable that are as rare (Wallace 1959), and back.
  function onOneScale(squared, freedom) {
    if (freedom === Infinity) return squared;
    return ((8 * freedom + 1) / (8 * freedom + 3)) ** 2 * freedom * Math.log1p(squared / freedom);
  }

  function fromOneScale(scaled, freedom) {
    if (freedom === Infinity) return scaled;
    return freedom * Math.expm1(Math.min((scaled / freedom) * ((8 * freedom + 3) / (8 * freedom + 1)) ** 2, 700));
  }

  const matrix = (rows, columns) => Array.from({ length: rows }, () => new Float64Array(columns));

  function squaresOf(rows, M) {
    const squares = matrix(M, M);
    for (let i = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1) {
        let sum = 0;
        for (const row of rows) { const gap = row[i] - row[j]; sum += gap * gap; }
        squares[i][j] = sum < 1e-24 ? 0 : sum;
        squares[j][i] = squares[i][j];
      }
    }
    return squares;
  }

  // --- sign flips --------------------------------------------------------------------------
  function mix(word) {
    let w = word >>> 0;
    w = Math.imul(w ^ (w >>> 16), 0x7FEB352D) >>> 0;
    w = Math.imul(w ^ (w >>> 15), 0x846CA68B) >>> 0;
    return (w ^ (w >>> 16)) >>> 0;
  }

  // Return each family's word, from which its words of all draws follow.
  function keysOf(start, F) {
    const keys = new Uint32Array(F);
    for (let f = 0; f < F; f += 1) keys[f] = mix((start + Math.imul(f, GOLDEN)) >>> 0);
    return keys;
  }

  function signs(draw, F, seed, keys = keysOf(mix(seed), F)) {
    const found = new Float64Array(F).fill(1);
    if (draw) for (let f = 0; f < F; f += 1) if (!(mix((keys[f] + Math.imul(draw, GOLDEN)) >>> 0) >>> 31)) found[f] = -1;
    return found;
  }

  const allSigns = (draw, F) => Float64Array.from({ length: F }, (_, f) =>
    (f < 31 && (draw >> f) & 1 ? -1 : 1));

  function largest(found, shared, draws, seed) {
    const { parts, freedom, weight, lent, pooled } = found;
    const F = parts.length;
    const M = parts[0].length;
    const squares = squaresOf(parts, M);
    const every = F <= 31 && 2 ** (F - 1) <= draws;
    const most = new Float64Array(every ? 2 ** (F - 1) : draws);
    const own = shared.map((row, i) => row.map((n, j) => (1 - weight[i][j]) * n / Math.max(n - 1, 1))); // of Q; less of Δ²: 1 / n of it
    const whole = own.map((row, i) => row.map((c, j) => (shared[i][j] > 1 && c * squares[i][j] + lent[i][j] > 0
      ? c * squares[i][j] : -1))); // −1: does not count
    const less = own.map((row, i) => row.map((c, j) => c / Math.max(shared[i][j], 1)));
    const falls = pooled.map((row, i) => row.map((x, j) => x / Math.max(found.shared[i][j] - 1, 1)));
    let all = 0;
    falls.forEach((row, i) => row.forEach((x, j) => { if (j > i) all += x * found.shared[i][j] * squares[i][j]; }));
    const keys = keysOf(mix(seed), F);
    for (let b = 0; b < most.length; b += 1) {
      const sign = every ? allSigns(b, F) : signs(b, F, seed, keys);
      const flipped = new Float64Array(M);
      for (let f = 0; f < F; f += 1) add(flipped, parts[f], sign[f]);
      const spread = Math.max(all - sumOfGaps(flipped, falls), 0);
      let best = 0;
      for (let i = 0; i < M - 1; i += 1) best = farthest(flipped, i, whole[i], lent[i], spread, less[i], freedom[i], best);
      most[b] = best;
    }
    return most.sort();
  }

  // Small functions of their own: what runs often is compiled sooner.
  function add(sums, row, times) {
    for (let j = 0; j < row.length; j += 1) sums[j] += times * row[j];
  }

  function sumOfGaps(row, weight) {
    let sum = 0;
    for (let i = 0; i < row.length; i += 1) {
      for (let j = i + 1; j < row.length; j += 1) sum += weight[i][j] * (row[i] - row[j]) ** 2;
    }
    return sum;
  }

  function farthest(flipped, i, whole, lent, spread, less, freedom, most) {
    let best = most;
    for (let j = i + 1; j < flipped.length; j += 1) {
      if (whole[j] < 0) continue;
      const far = flipped[j] - flipped[i];
      const part = (far * far) / Math.max(whole[j] + lent[j] * spread, 1e-300);
      const t = onOneScale(part / Math.max(1 - part * less[j], 1e-15), freedom[j]);
      if (t > best) best = t;
    }
    return best;
  }

  // Return how often each family is in a resample, as [family, times].
  function resample(draw, F, keys) {
    const times = new Map();
    for (let f = 0; f < F; f += 1) {
      const place = Math.floor((mix((keys[f] + Math.imul(draw, GOLDEN)) >>> 0) * F) / 2 ** 32);
      times.set(place, (times.get(place) ?? 0) + 1);
    }
    return times;
  }

  function resampled(found, shared, draws, seed, progress) {
    const { residual, freedom, weight, lent, pooled } = found;
    const M = residual[0].length;
    const B = Math.min(residual.length, BLOCKS);
    const parts = matrix(B, M);
    residual.forEach((row, f) => { for (let j = 0; j < M; j += 1) parts[f % B][j] += row[j]; });
    const P = (M * (M - 1)) / 2;
    const apart = matrix(B, P);
    const own = new Float64Array(P);
    const scale = new Float64Array(P);
    const [free, keep, add_] = [0, 1, 2].map(() => new Float64Array(P));
    for (let i = 0, p = 0; i < M; i += 1) {
      for (let j = i + 1; j < M; j += 1, p += 1) {
        for (let b = 0; b < B; b += 1) {
          const gap = parts[b][j] - parts[b][i];
          apart[b][p] = gap * gap;
          own[p] += gap * gap;
        }
        [free[p], keep[p], add_[p]] = [freedom[i][j], 1 - weight[i][j], lent[i][j]];
        scale[p] = shared[i][j] > 1 && own[p] > 1e-24 ? 1 - 1 / shared[i][j] : 0;
      }
    }
    const gaps = parts.map((row) => sumOfGaps(row, pooled));
    const keys = keysOf(mix((seed ^ RESAMPLING) >>> 0), B);
    const most = new Float64Array(draws);
    const sums = new Float64Array(M);
    const spread = new Float64Array(P);
    for (let d = 0; d < draws; d += 1) {
      sums.fill(0);
      spread.fill(0);
      let anew = 0;
      for (const [b, times] of resample(d, B, keys)) {
        const [part, gap] = [parts[b], apart[b]];
        anew += times * gaps[b];
        for (let j = 0; j < M; j += 1) sums[j] += times * part[j];
        for (let p = 0; p < P; p += 1) spread[p] += times * gap[p];
      }
      anew = Math.max(anew - sumOfGaps(sums, pooled) / B, 0);
      let best = 0;
      for (let i = 0, p = 0; i < M; i += 1) {
        for (let j = i + 1; j < M; j += 1, p += 1) {
          if (!scale[p]) continue;
          const gap = sums[j] - sums[i];
          const far = gap * gap;
          const own_ = (1 - OWN_SPREAD) * Math.max(spread[p] - far / B, 0) + OWN_SPREAD * own[p];
          const t = onOneScale((far * scale[p]) / (keep[p] * own_ + add_[p] * anew), free[p]);
          if (t > best) best = t;
        }
      }
      most[d] = best;
      if (progress && d % 100 === 0) progress(d / draws);
    }
    return most.sort();
  }

  // --- the step-down: pairs told apart in one step no longer set what is asked of the others ----
  function stepDown(found, least, statistic, draws, seed, alpha, progress) {
    const M = found.level.length;
    const left = found.common.map((row, i) => row.map((n, j) => i !== j && n >= least));
    const p = left.map((row) => row.map(() => 1));
    const some = (M * (M - 1)) / 2 > PAIRS ? Math.min(draws, RESAMPLES_OF_MANY) : draws;
    const spent = left.reduce((sum, row) => sum + row.filter(Boolean).length, 0) / 2 > MANY_PAIRS ? STRICTER : 1;
    const reached = left.map((row, i) => row.map((_, j) => onOneScale(statistic(i, j), found.freedom[i][j]) * (1 - ROUNDING)));
    const steps = [];
    for (let [floor, any] = [0, true]; any;) {
      const counted = found.shared.map((row, i) => row.map((n, j) => (left[i][j] ? n : 0)));
      const chance = [largest(found, counted, draws, seed), resampled(found, counted, some, seed, progress)];
      const critical = Math.max(...chance.map((most) => most[most.length - 1 - Math.floor(alpha * spent * most.length + 1e-9)])) * (1 + ROUNDING);
      steps.push(critical);
      const told = [];
      left.forEach((row, i) => row.forEach((open, j) => {
        if (!open) return;
        p[i][j] = Math.min(1, Math.max(floor, 2 ** (1 - found.common[i][j]), ...chance.map((most) =>
          Math.max(most.length - firstAtLeast(most, reached[i][j]), 1) / most.length / spent)));
        if (statistic(i, j) > fromOneScale(critical, found.freedom[i][j])) told.push([i, j]);
      }));
      told.forEach(([i, j]) => { left[i][j] = false; floor = Math.max(floor, p[i][j]); });
      any = told.length > 0 && left.some((row) => row.some((open) => open));
    }
    return { p, critical: steps.at(-1), first: steps[0] };
  }

  // --- families needed, as analysis.leaderboards.stepdown --------------------------------------
  function tasksNeeded(found, pairs, statistic, critical, least) {
    const own = pairs.map(([i, j]) => Math.round(statistic(i, j) * 1e9) / 1e9);
    const left = own.filter((t, k) => t <= fromOneScale(critical, found.freedom[pairs[k][0]][pairs[k][1]])).sort((a, b) => a - b);
    return pairs.map(([i, j], k) => {
      const n = found.common[i][j];
      const freedom = Math.max(n - 1, 1);
      const today = found.freedom.every((row) => row.every((x) => x === Infinity)) ? onOneScale(critical, freedom + found.borrowed) : critical;
      const nearer = Math.min(Math.max(left.filter((t) => t <= own[k]).length, 1), Math.max(left.length, 1));
      const scaled = nearer < left.length ? normalBeyond(normalTail(Math.sqrt(today)) * (left.length / nearer)) ** 2 : today;
      const squares = found.squares[i][j] * n;
      const pool = found.weight[i][j] > 0 ? (found.lent[i][j] / found.weight[i][j]) * n : 0;
      const inner = Math.sqrt(fromOneScale(INNER ** 2, freedom)) * Math.sqrt(found.squares[i][j]);
      return [0, inner, -inner].map((by) => families(found.effect(i, j) + by, squares, pool, scaled, found.borrowed, least));
    });
  }

  function families(effect, squares, pool, scaled, borrowed, least) {
    if (!(effect > 0)) return Infinity;
    let [low, high] = [Math.log(least), Math.log(MOST_FAMILIES)];
    for (let k = 0; k < HALVINGS; k += 1) {
      const middle = (low + high) / 2;
      const n = Math.exp(middle);
      const weight = borrowed / (borrowed + n - 1);
      const asked = Math.sqrt(fromOneScale(scaled, borrowed + n - 1) * ((1 - weight) * squares + weight * pool)) + POWER * Math.sqrt(squares);
      if (effect * Math.sqrt(n) >= asked) high = middle; else low = middle;
    }
    const needed = Math.max(Math.ceil(Math.exp(high) * (1 - 1e-9)), least);
    return needed < MOST_FAMILIES / 2 ? needed : Infinity;
  }

  // How often a normal variable exceeds a value: Laplace's continued fraction.
  function hazardOf(x) {
    let hazard = x;
    for (let k = 200; k > 0; k -= 1) hazard = x + k / hazard;
    return hazard;
  }
  const normalTail = (x) => Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI) / hazardOf(x);

  function medianOf(values) {
    const sorted = Float64Array.from(values).sort();
    const half = sorted.length >> 1;
    return !sorted.length ? NaN : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  // --- near-twins: tasks that look like near-duplicates, as analysis.leaderboards.twins ---------
  // Return {task, family, by} of each task of a group; `family` is the group's, by the name of its first.
  function nearTwins({ methods, tasks, families, family, value }) {
    const links = { results: twinsByResults(methods, tasks, family, value), name: twinsByName(tasks, family) };
    const group = families.map((_, f) => f);
    const root = (f) => { let g = f; while (group[g] !== g) g = group[g]; return g; };
    for (const [a, b] of Object.values(links).flat()) {
      const [one, other] = [root(family[a]), root(family[b])].sort((x, y) => x - y);
      group[other] = one;
    }
    const by = new Map();
    for (const [kind, pairs] of Object.entries(links)) {
      for (const g of new Set(pairs.map(([a]) => root(family[a])))) by.set(g, [...(by.get(g) ?? []), kind]);
    }
    const found = tasks.map((task, t) => ({ task, g: root(family[t]) })).filter(({ g }) => by.has(g));
    return found.sort((a, b) => a.g - b.g).map(({ task, g }) => ({ task, family: families[g], by: by.get(g).join(" and ") }));
  }

  // What of the methods' ranks is a task's own, correlated pair by pair: {alike (NaN where not judged), shared}.
  function alikeOf(methods, value) {
    const known = value.map((row) => Uint8Array.from(row, (v) => (Number.isNaN(v) ? 0 : 1)));
    const left = value.map(ranksOf);
    for (let k = 0; k < methods.length; k += 1) {
      const n = known.reduce((sum, row) => sum + row[k], 0);
      const mean = left.reduce((sum, row) => sum + row[k], 0) / Math.max(n, 1);
      left.forEach((row, t) => { row[k] = known[t][k] ? row[k] - mean : 0; });
    }
    left.forEach((row, t) => {
      const mean = row.reduce((a, b) => a + b, 0) / Math.max(known[t].reduce((a, b) => a + b, 0), 1);
      row.forEach((v, k) => { row[k] = known[t][k] ? v - mean : 0; });
    });
    const [alike, shared] = [matrix(value.length, value.length), matrix(value.length, value.length)];
    for (let a = 0; a < value.length; a += 1) {
      for (let b = a + 1; b < value.length; b += 1) {
        [alike[a][b], shared[a][b]] = likeness(left[a], left[b], known[a], known[b]);
        [alike[b][a], shared[b][a]] = [alike[a][b], shared[a][b]];
      }
    }
    return { alike, shared };
  }

  const FACTORIALS = [0]; // logarithms
  function logFactorial(n) {
    for (let k = FACTORIALS.length; k <= n; k += 1) FACTORIALS.push(FACTORIALS[k - 1] + Math.log(k));
    return FACTORIALS[n];
  }

  // Whether results order methods at least half as finely as without any ties.
  function isFine(row) {
    const ties = new Map();
    for (const v of row) if (!Number.isNaN(v)) ties.set(v, (ties.get(v) ?? 0) + 1);
    const n = [...ties.values()].reduce((a, b) => a + b, 0);
    return 2 * [...ties.values()].reduce((sum, k) => sum + logFactorial(k), 0) <= logFactorial(n) + 1e-9;
  }

  function twinsByResults(methods, tasks, family, value) {
    const fine = [...tasks.keys()].filter((t) => isFine(value[t]));
    if (methods.length < LEAST_METHODS || fine.length < 3 || tasks.length > MOST) return [];
    const { alike: every, shared } = alikeOf(methods, value);
    const alike = fine.map((a) => fine.map((b) => (a === b || shared[a][b] < LEAST_METHODS ? NaN : every[a][b])));
    const z = alike.flatMap((row, a) => row.slice(a + 1)).filter((r) => !Number.isNaN(r))
      .map((r) => Math.atanh(Math.min(Math.max(r, -1 + 1e-9), 1 - 1e-9)));
    if (!z.length) return [];
    const middle = medianOf(z);
    const deviation = medianOf(z.map((x) => Math.abs(x - middle))) / 0.6744897501960817;
    const limit = middle + deviation * normalBeyond(RARE / z.length);
    const sets = hiddenFamilies(fine.map((t) => value[t])).map((some) => new Set(some));
    const found = [];
    alike.forEach((row, a) => row.forEach((r, b) => {
      if (b <= a || family[fine[a]] === family[fine[b]]) return;
      const pair = Math.atanh(Math.min(Math.max(r, -1 + 1e-9), 1 - 1e-9)) > limit && r > RESEMBLE && shared[fine[a]][fine[b]] >= SHARED;
      if (pair || sets.some((some) => some.has(a) && some.has(b))) found.push([fine[a], fine[b]]);
    }));
    return found;
  }

  // Return the tasks of each family that nobody has named, as analysis.leaderboards.hidden finds them.
  function hiddenFamilies(value) {
    const every = [...value.keys()];
    if (every.length < 2 * LEAST_ALIKE || every.length > SEARCHED) return [];
    const own = directionsOf(value);
    const sets = [];
    let left = every;
    while (left.length > LEAST_ALIKE) {
      const [close, inside] = closestSet(left.map((t) => own[t]));
      if ((sets.length && close <= 0) || !inside.length) break;
      const some = inside.map((k) => left[k]);
      sets.push(some);
      left = left.filter((t) => t === some[0] || !some.includes(t));
    }
    const taken = new Set(sets.flat());
    return sets.flatMap((some) => {
      const out = new Set(sets.filter((other) => other !== some).flatMap((other) => other.slice(1)));
      const rest = every.filter((t) => !out.has(t));
      const family = familyOf(own, rest, taken);
      family.forEach((t) => taken.add(t));
      return family.length ? [family] : [];
    });
  }

  // Return tasks as directions, shorter by what they do not tell, and the place of their length.
  function directionsOf(value) {
    const found = value.map(directionOf);
    const longer = (one, other) => one > other * (1 + 1e-9);
    const times = LENGTH / Math.sqrt(value[0].length - 1) / found.length;
    return found.map(([way, length]) => Float64Array.of(...way, times * found.reduce(
      (sum, [, other]) => sum + longer(length, other) - longer(other, length), 0)));
  }

  function directionOf(row) {
    const known = row.filter((v) => !Number.isNaN(v));
    const middle = medianOf(known);
    const size = known.map((v) => Math.abs(v - middle));
    const far = Math.max(FAR * medianOf(size), average(size) / 2);
    const cut = (v) => Math.min(Math.max(v - middle, -far), far);
    const centre = average(known.map(cut));
    const left = Float64Array.from(row, (v) => (Number.isNaN(v) ? 0 : cut(v) - centre));
    const M = row.length;
    const ties = known.reduce((sum, v) => sum + known.filter((x) => x === v).length ** 2 - 1, 0);
    const told = Math.min(Math.max(known.length / M - ties / (M ** 3 - M), 0), 1);
    const length = lengthOf(left);
    return [left.map((v) => v * Math.sqrt(told) / Math.max(length, 1e-300)), length / Math.sqrt(Math.max(known.length, 1))];
  }

  function dot(one, other) {
    let sum = 0;
    for (let k = 0; k < one.length; k += 1) sum += one[k] * other[k];
    return sum;
  }

  const average = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const lengthOf = (row) => Math.sqrt(dot(row, row));

  // Return how unlikely the closest set of tasks is, which these are, and the least share of each size, in logarithms.
  function closestSet(own) {
    const [n, M] = [own.length, own[0].length - 1];
    const apart = matrix(n, n);
    let whole = 0;
    for (let a = 0; a < n; a += 1) {
      for (let b = a + 1; b < n; b += 1) {
        const [one, other] = [own[a][M], own[b][M]];
        const far = 2 - 2 * (dot(own[a], own[b]) - one * other) + (one - other) ** 2;
        apart[a][b] = Math.round(Math.max(far, LEAST_APART) * 1e9) / 1e9;
        apart[b][a] = apart[a][b];
        whole += apart[a][b] / n;
      }
    }
    const toSet = apart.map((row, a) => { const own_ = row.slice(); own_[a] = Infinity; return own_; });
    const within = new Float64Array(n);
    const ways = waysOf(own);
    let [best, inside] = [-Infinity, []];
    const shares = [];
    for (let k = 2; k <= Math.min(Math.max(n >> 1, LEAST_ALIKE), MOST_ALIKE); k += 1) {
      let start = 0;
      for (let a = 0; a < n; a += 1) {
        within[a] += takeNearest(toSet[a], apart);
        if (within[a] < within[start]) start = a;
      }
      const share = within[start] / k / whole;
      if (k >= LEAST_ALIKE) shares.push(Math.log(share));
      const close = unlikely(share, k, n, ways);
      if (k >= LEAST_ALIKE && close > best) {
        best = close;
        inside = [...toSet[start].keys()].filter((t) => toSet[start][t] === Infinity);
      }
    }
    return [best, inside, shares];
  }

  // Take the nearest task into a set, and return how far it is from those in it.
  function takeNearest(toSet, apart) {
    let nearest = 0;
    for (let t = 1; t < toSet.length; t += 1) if (toSet[t] < toSet[nearest]) nearest = t;
    const far = toSet[nearest];
    toSet[nearest] = Infinity;
    add(toSet, apart[nearest], 1);
    return far;
  }

  // In how many ways tasks vary: the trace's square over the sum of squares of their covariance.
  function waysOf(own) {
    const middle = own[0].map((_, m) => average(own.map((row) => row[m])));
    const columns = [...middle].map((v, m) => own.map((row) => row[m] - v));
    let [trace, squares] = [0, 0];
    columns.forEach((one, i) => columns.forEach((other, j) => {
      const both = dot(one, other);
      squares += both * both;
      if (i === j) trace += both;
    }));
    return (trace * trace) / Math.max(squares, 1e-300);
  }

  // Minus the logarithm of how often a set of so many has so small a share, at most.
  function unlikely(share, size, tasks, ways) {
    const usual = (size - 1) / (tasks - 1);
    const own = Math.min(Math.max(share, 1e-9), usual);
    const sets = logFactorial(tasks) - logFactorial(size) - logFactorial(tasks - size);
    return ((size - 1) * ways / 2) * Math.log(usual / own) + ((tasks - size) * ways / 2) * Math.log((1 - usual) / (1 - own)) - sets;
  }

  // Return a family's tasks: of the closest set of the rest, and near ones that are not taken. None
  // where the set does not share what is its own, or chance makes others as close.
  function familyOf(every, rest, taken) {
    const own = rest.map((t) => every[t]);
    const [, inside, shares] = closestSet(own);
    if (!inside.length) return [];
    const [n, M] = [own.length, own[0].length];
    const ways = (rows) => rows.map((row) => row.subarray(0, M - 1));
    const near = nearTo(ways(own), inside, CLOSE);
    const member = new Set(near);
    const weight = new Float64Array(n).fill(1);
    for (const t of near) weight[t] = 1 / near.length;
    const sumOf = (rows, weights) => {
      const sums = new Float64Array(M);
      rows.forEach((row, t) => add(sums, row, weights[t]));
      return sums;
    };
    const along = (row, direction) => { const far = dot(row, direction); return direction.map((v) => far * v); };
    const minus = (one, other) => one.map((v, m) => v - other[m]);
    const whole = sumOf(own, weight);
    whole[M - 1] = 0;
    const sum = weight.reduce((a, b) => a + b, 0);
    const ordered = dot(whole, whole) > ORDERED * sum ? 1 : 0;
    const direction = whole.map((v) => (v * ordered) / Math.max(lengthOf(whole), 1e-300));
    const kept = own.map((row) => along(row, direction));
    kept.forEach((row, t) => { row[M - 1] = own[t][M - 1]; });
    const left = own.map((row, t) => minus(row, kept[t]));
    const length = left.map(lengthOf);
    const together = sumOf(inside.map((t) => left[t]), new Float64Array(inside.length).fill(1));
    const alone = inside.reduce((sum, t) => sum + length[t] ** 2, 0);
    if (dot(together, together) - alone < OWN_SHARE * (inside.length - 1) * alone) return [];
    const free = ways(every.map((row) => minus(row, along(row, direction))));
    const set = inside.map((k) => rest[k]);
    const centre = free[0].map((_, m) => average(set.map((t) => free[t][m])));
    const toward = free.map((row) => dot(row, centre) / Math.max(lengthOf(row), 1e-9));
    const [one, other] = [1, -1].map((end) => toward.reduce((total, v) => total + Math.max(end * v, 0) ** LIKE, 0));
    if ((1 + average(inside.map((t) => own[t][M - 1]))) * other > ENDS * one) return [];
    const shared = sumOf(near.map((t) => left[t]), new Float64Array(near.length).fill(1 / near.length));
    const middle = sumOf(left, weight).map((v) => v / sum);
    const pool = left.map((row, t) => minus(member.has(t) ? shared : row, middle).map((v) => v * Math.sqrt(weight[t])));
    const keys = [0, 1].map((seed) => keysOf(mix(seed), n));
    const anew = (draw) => own.map((_, t) => {
      const drawn = sumOf(pool, signs(draw * n + t, n, 0, keys[0]));
      const across = minus(drawn, along(drawn, direction));
      const times = length[t] / Math.max(lengthOf(across), 1e-300);
      return kept[t].map((v, m) => v + times * across[m]);
    });
    const turned = (draw) => {
      const sign = signs(draw, n, 1, keys[1]);
      return kept.map((row, t) => row.map((v, m) => v + sign[t] * left[t][m]));
    };
    for (const [draw, most] of [[anew, ANEW], [turned, TURNED]]) {
      const seen = [shares];
      for (let d = 1; d <= HIDDEN_DRAWS; d += 1) {
        seen.push(closestSet(draw(d))[2]);
        if (d % AT_ONCE === 0 && asFar(seen) > most) return [];
      }
    }
    return nearTo(free, set, WITHIN).filter((t) => set.includes(t) || !taken.has(t));
  }

  // How many rows are as far below the mean as the first, in standard deviations where each is furthest.
  function asFar(seen) {
    const means = seen[0].map((_, k) => average(seen.map((row) => row[k])));
    const spread = means.map((m, k) => Math.max(Math.sqrt(average(seen.map((row) => (row[k] - m) ** 2))), 1e-9));
    const [own, ...others] = seen.map((row) => Math.max(...row.map((v, k) => (means[k] - v) / spread[k])));
    return others.filter((far) => far >= own - 1e-9).length;
  }

  // Return which tasks are in a set or near its middle.
  function nearTo(way, inside, most) {
    const middle = way[0].map((_, m) => average(inside.map((t) => way[t][m])));
    const far = (row) => row.reduce((sum, v, m) => sum + (v - middle[m]) ** 2, 0);
    const within = inside.reduce((sum, t) => sum + far(way[t]), 0) / (inside.length - 1);
    const limit = Math.min(NEAR * within, most * average(inside.map((t) => dot(way[t], way[t]))));
    const set = new Set(inside);
    return [...way.keys()].filter((t) => set.has(t) || far(way[t]) <= limit);
  }

  // Return the correlation of two tasks, NaN where there is none, and how many methods both have.
  function likeness(one, other, has, have) {
    let [sum, own, others, shared] = [0, 0, 0, 0];
    for (let k = 0; k < one.length; k += 1) {
      sum += one[k] * other[k];
      if (have[k]) own += one[k] * one[k];
      if (has[k]) others += other[k] * other[k];
      shared += has[k] & have[k];
    }
    return [own * others > 0 ? sum / Math.sqrt(own * others) : NaN, shared];
  }

  // Make clusters of tasks families, where names and results say so and the table names none.
  function withClusters(cells) {
    const { tasks, families, value, methods } = cells;
    const T = tasks.length;
    if (cells.named || families.length < T || T < 6 || T > MOST || methods.length < 3) return cells;
    const alike = known(alikeOf(methods, value).alike);
    let [best, of, regular] = [BEYOND, null, 0];
    for (const group of groupsOf(tasks)) {
      const z = mantel(alike, group);
      if (z >= best) [best, of] = [z, group];
      const counts = distinct(group).map((g) => group.filter((own) => own === g).length);
      if (counts.every((n) => n === counts[0])) regular = Math.max(regular, counts.length);
    }
    if (!of && !regular) return cells;
    if (!of) {
      return { ...cells, read: { ...cells.read, clusters: `By their names ${T} tasks are ${regular} clusters of ${T / regular}. Results within these do not `
        + "resemble each other beyond chance, so that each task counts; if these are one dataset several times, name each in a column `family`." } };
    }
    const names = distinct(of).sort(compare);
    const code = of.map((g) => names.indexOf(g));
    const [inside, worth] = worthOf(alike, code);
    const place = [...tasks.keys()].sort((a, b) => code[a] - code[b] || a - b);
    const clusters = `${T} tasks are ${names.length} clusters by their names, and results within these resemble each other beyond chance (mean correlation `
      + `${inside.toFixed(2)}): each cluster counts once, and all tasks are worth about ${worth.toFixed(0)} that are independent. Name families in a `
      + "column `family` if you know better.";
    return { ...cells, tasks: place.map((t) => tasks[t]), families: names, family: place.map((t) => code[t]), value: place.map((t) => value[t]),
      read: { ...cells.read, clusters } };
  }

  const known = (alike) => alike.map((row) => row.map((r) => (Number.isNaN(r) ? 0 : r)));

  // As how many independent tasks all tasks count, by how alike those of a family are.
  function effectiveTasks({ methods, tasks, value, family }) {
    return tasks.length > MOST ? tasks.length : worthOf(known(alikeOf(methods, value).alike), family)[1];
  }

  // The mean correlation within groups of tasks, and what all tasks are worth.
  function worthOf(alike, code) {
    let [sum, pairs] = [0, 0];
    alike.forEach((row, a) => row.forEach((r, b) => { if (a !== b && code[a] === code[b]) { sum += r; pairs += 1; } }));
    return [sum / pairs, code.length / (1 + (pairs / code.length) * Math.max(sum / pairs, 0))];
  }

  // Ways to group tasks by their names: by their first parts, or all parts but one.
  function groupsOf(tasks) {
    const parts = tasks.map((task) => { const found = task.split(/[/|:;,\s_.-]+/).filter((p) => p); return found.length ? found : [task]; });
    const found = new Map();
    for (let k = 0; k < Math.max(...parts.map((p) => p.length)) - 1; k += 1) {
      for (const kept of [(p) => p.slice(0, k + 1), (p) => [...p.slice(0, k), "…", ...p.slice(k + 1)]]) {
        const group = parts.map((p) => (p.length > Math.max(k, 1) ? kept(p) : p).join("/"));
        const names = distinct(group);
        const key = group.map((g) => names.indexOf(g)).join();
        if (names.length >= 3 && names.length < tasks.length && !found.has(key)) found.set(key, group);
      }
    }
    return [...found.values()];
  }

  function mantel(alike, group) {
    const n = group.length;
    let [seen, a1, a2, a3, b1, b2, b3] = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < n; i += 1) {
      let [a, b] = [0, 0];
      for (let j = 0; j < n; j += 1) {
        const r = alike[i][j];
        a += r;
        a2 += r * r;
        if (i !== j && group[i] === group[j]) { seen += r; b += 1; }
      }
      [a1, a3, b1, b2, b3] = [a1 + a, a3 + a * a, b1 + b, b2 + b, b3 + b * b];
    }
    const pairs = n * (n - 1);
    const square = (2 * a2 * b2) / pairs + (4 * (a3 - a2) * (b3 - b2)) / (pairs * (n - 2))
      + ((a1 ** 2 + 2 * a2 - 4 * a3) * (b1 ** 2 + 2 * b2 - 4 * b3)) / (pairs * (n - 2) * (n - 3));
    const spread = square - ((a1 * b1) / pairs) ** 2;
    return spread > 1e-12 ? (seen - (a1 * b1) / pairs) / Math.sqrt(spread) : 0;
  }

  // Return mean ranks among the known, 0 where missing.
  function ranksOf(row) {
    const places = [...row.keys()].filter((k) => !Number.isNaN(row[k])).sort((a, b) => row[a] - row[b]);
    const ranks = new Float64Array(row.length);
    for (let from = 0, to = 0; from < places.length; from = to) {
      while (to < places.length && row[places[to]] === row[places[from]]) to += 1;
      for (let p = from; p < to; p += 1) ranks[places[p]] = (from + to + 1) / 2;
    }
    return ranks;
  }

  // Return what a normal variable exceeds with a small probability: Newton's steps on Laplace's continued fraction.
  function normalBeyond(p) {
    let x = Math.sqrt(-2 * Math.log(p));
    for (let step = 0; step < 20; step += 1) {
      const hazard = hazardOf(x);
      x += (-(x * x) / 2 - Math.log(2 * Math.PI) / 2 - Math.log(hazard) - Math.log(p)) / hazard;
    }
    return x;
  }

  function twinsByName(tasks, family) {
    const groups = new Map();
    tasks.forEach((task, t) => {
      const base = NUMBERED.exec(task)?.[1].toLowerCase();
      if (base === undefined || NO_NAMES.has(base.replace(/^[ _.-]+|[ _.-]+$/g, ""))) return;
      groups.set(base, [...(groups.get(base) ?? []), t]);
    });
    return [...groups.values()].filter((some) => 2 * some.length <= tasks.length)
      .flatMap((some) => some.slice(1).filter((t) => family[t] !== family[some[0]]).map((t) => [some[0], t]));
  }

  // Return {task, family} of every task, those of a group under its name; null where there is none.
  function familiesToPaste({ tasks, families, family }, twins) {
    const hinted = new Map(twins.map((row) => [row.task, row.family]));
    return twins.length ? tasks.map((task, t) => ({ task, family: hinted.get(task) ?? families[family[t]] })) : null;
  }

  function twinsInWords(twins) {
    const some = distinct(twins.map((row) => row.family)).map((family) => {
      const group = twins.filter((row) => row.family === family);
      const names = group.map((row) => row.task);
      return `${names.length < 3 ? names.join(" and ") : `${names[0]} … ${names.at(-1)} (${names.length})`} (by ${group[0].by})`;
    });
    return `Tasks that look like near-duplicates: ${some.slice(0, 3).join("; ")}${some.length > 3 ? `; and ${some.length - 3} groups more` : ""}. `
      + "If they are, name each group in a column `family`: it should count once.";
  }

  // Which one or two families, left out, let a method be first that now may not be.
  function hangsOn(cells, found, critical, ahead, statistic) {
    const rows = [];
    const twoLargest = (g) => {
      let [first, second] = [-1, -1];
      for (let f = 0; f < g.length; f += 1) {
        if (first < 0 || g[f] > g[first]) { second = first; first = f; } else if (second < 0 || g[f] > g[second]) second = f;
      }
      return [first, second];
    };
    cells.methods.forEach((method, k) => {
      const better = cells.methods.map((_, i) => i).filter((i) => ahead(i, k))
        .sort((a, b) => statistic(b, k) - statistic(a, k) || a - b); // the surest first: most are done there
      if (!better.length) return;
      const gap = better.map((i) => Float64Array.from(found.parts, (row) => row[k] - row[i]));
      const top = gap.map(twoLargest);
      const tries = better.length === 1 ? [top[0].slice(0, 1), top[0].slice(0, 2)] : top.map((order_) => order_.slice(0, 1));
      for (const out of tries) {
        const still = gap.some((g, b) => {
          let [sum, squares] = [0, 0];
          for (let f = 0; f < g.length; f += 1) {
            if (f !== out[0] && f !== out[1]) { sum += g[f]; squares += g[f] * g[f]; }
          }
          const left = g.length - out.length;
          const n = Math.max(found.shared[k][better[b]] - out.length, 2);
          const spread = moderated(found, k, better[b], (squares - (sum * sum) / left) / (1 - 1 / n));
          return (spread > 1e-24 ? (sum * sum) / spread : Infinity) > fromOneScale(critical, found.freedom[k][better[b]]);
        });
        if (!still) { rows.push([out.length, out.map((f) => cells.families[f]).sort(compare).join(" and "), method]); break; }
      }
    });
    return rows.sort((a, b) => a[0] - b[0] || compare(a[1], b[1]) || compare(a[2], b[2])).map(([, tasks, method]) => ({ tasks, method }));
  }

  // --- the order ---------------------------------------------------------------------------
  function order(cells, { draws = 2000, seed = 0, level = 0.95, progress = null } = {}) {
    const found = estimate(cells);
    const M = cells.methods.length;
    const alpha = 1 - level;
    const least = 1 + Math.ceil(Math.log2(1 / alpha) - 1e-9);
    const effect = (i, j) => Math.round((found.level[j] - found.level[i]) * 1e12) / 1e12;
    const statistic = (i, j) => {
      const sure = Math.max(Math.abs(effect(i, j)) - found.unknownSpan[i][j], 0);
      const squares = moderated(found, i, j);
      return squares > 0 ? sure ** 2 / squares : sure === 0 ? 0 : Infinity;
    };
    found.effect = effect;
    const told = stepDown(found, least, statistic, draws, seed, alpha, progress);
    const { critical } = told;
    const differ = (i, j) => i !== j && statistic(i, j) > fromOneScale(critical, found.freedom[i][j]) && found.common[i][j] >= least;
    const all = cells.methods.map((_, i) => i);
    const place = [...all].sort((i, j) => compare(Math.round(found.level[i] * 1e9), Math.round(found.level[j] * 1e9)) || i - j);
    const named = letters(place.map((i) => place.map((j) => differ(i, j))));
    const ranks = place.map((i, at) => {
      const low = 1 + all.filter((j) => differ(i, j) && effect(j, i) > 0).length;
      return { method: cells.methods[i], rank: 1 + all.filter((j) => effect(j, i) > 0).length,
        mean_rank: found.level[i], low, high: M - all.filter((j) => differ(i, j) && effect(j, i) < 0).length,
        letters: named[at], may_be_first: low === 1 };
    });
    const numbered = place.flatMap((i, a) => place.slice(a + 1).map((j) => [i, j]));
    const needed = tasksNeeded(found, numbered, statistic, critical, least);
    const pairs = numbered.map(([i, j], k) => {
      const squares = fromOneScale(told.first, found.freedom[i][j]) * moderated(found, i, j);
      const enough = found.common[i][j] >= least;
      const tied = enough && squares === 0 && effect(i, j) === 0; // wherever both were run
      const reach = tied ? (M - 1) * (1 - alpha ** (1 / cells.families.length)) : enough ? Math.sqrt(squares) + found.unknownSpan[i][j] : Infinity;
      return { one: cells.methods[i], other: cells.methods[j], effect: effect(i, j),
        low: Math.max(effect(i, j) - reach, 1 - M), high: Math.min(effect(i, j) + reach, M - 1),
        p_adjusted: told.p[i][j], tasks_needed: needed[k][0], needed_from: needed[k][1], needed_to: needed[k][2] };
    });
    const hangs = hangsOn(cells, found, critical, (i, j) => differ(i, j) && effect(i, j) > 0, statistic);
    const said = notes(cells, found, least);
    if (hangs.length && ranks.filter((row) => row.may_be_first).length === 1) {
      const some = hangs.filter((row) => row.tasks === hangs[0].tasks).map((row) => row.method);
      const names = [...some.slice(0, 3), ...(some.length > 3 ? [`${some.length - 3} more`] : [])];
      said.push(`Without ${hangs[0].tasks}, ${names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]} may be first: `
        + "what hangs on one or two tasks is as sure as these tasks, and no interval mends that.");
    }
    const twins = nearTwins(cells);
    if (twins.length) said.push(twinsInWords(twins));
    return { ranks, pairs, twins, families: familiesToPaste(cells, twins), critical: Math.sqrt(critical), n_tasks: cells.tasks.length,
      sensitive_to: hangs, n_families: cells.families.length, missing: cells.missing, notes: said,
      read: cells.read ? whatWasRead(cells, place) : "" };
  }

  function firstAtLeast(sorted, value) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  function notes(cells, found, least) {
    const said = [cells.read?.speaks, cells.read?.clusters].filter((words) => words);
    const few = found.common.flatMap((row) => [...row]).filter((n) => n < least).length >> 1;
    if (cells.families.length < least) {
      said.push(`${cells.families.length} families of tasks separate nobody: ${least} are the least.`);
    } else if (few) {
      said.push(`${few} pairs of methods share fewer than ${least} families of tasks and cannot differ significantly.`);
    }
    const never = found.common.flatMap((row) => [...row]).filter((n) => n === 0).length / 2;
    if (never) said.push(`${never} pairs of methods share no task: which is better there is unknown, and intervals allow for either.`);
    if (found.level.every((x) => Math.abs(x - found.level[0]) < 5e-13) && found.squares.every((row) => row.every((x) => x === 0))) {
      said.push("All methods have the same value on every task: these tasks tell none apart.");
    }
    if (cells.missing) {
      said.push(`${cells.missing} of ${cells.tasks.length * cells.methods.length} cells are missing (${lacking(cells)}): methods are compared on the `
        + "tasks they share; where results are missing because they were bad, nothing mends that.");
    }
    return said;
  }

  // Say in a sentence that tasks with missing results are unlike others; "" where not.
  function missingHangsOn({ methods, tasks, value, read = {} }) {
    const lacks = value.map((row) => row.some((v) => Number.isNaN(v)));
    const whole = [...methods.keys()].filter((k) => value.every((row) => !Number.isNaN(row[k])));
    const some = lacks.filter((lack) => lack).length;
    if (whole.length < 2 || Math.min(some, tasks.length - some) < LEAST_TASKS) return "";
    const mean = (row) => row.reduce((a, b) => a + b, 0) / row.length;
    const full = value.map((row) => whole.map((k) => row[k]));
    const tests = [["less varied or more varied", full.map((row) => Math.sqrt(mean(row.map((v) => (v - mean(row)) ** 2))))]];
    if (!(read.metrics > 1) && (!read.lower || read.lower === tasks.length)) tests.push(["harder or easier", full.map(mean)]);
    const [p, how] = tests.map(([words, own]) => [tests.length * mannWhitney(own, lacks), words]).sort((a, b) => a[0] - b[0])[0];
    return p > 0.05 ? "" : `Results are missing on tasks that are ${how} than the others for the methods that have all (p ${p < 1e-4 ? "< 0.0001" : `= ${p.toFixed(4)}`}): `
      + "what is missing hangs on the task, and ranks on shared tasks may flatter who lacks results.";
  }

  // The p-value of some values being as large as the others (normal, corrected for ties and for continuity).
  function mannWhitney(values, some) {
    const [n, one] = [values.length, some.filter((x) => x).length];
    const ranks = ranksOf(values);
    const beyond = ranks.reduce((sum, rank, k) => sum + (some[k] ? rank : 0), 0) - (one * (one + 1)) / 2;
    const pairs = one * (n - one);
    const ties = distinct(values).reduce((sum, v) => { const t = values.filter((x) => x === v).length; return sum + t ** 3 - t; }, 0);
    const z = (Math.abs(beyond - pairs / 2) - 0.5) / Math.sqrt((pairs / 12) * (n + 1 - ties / (n * (n - 1))));
    return z > 0 ? Math.min(2 * normalTail(z), 1) : 1;
  }

  // Say who lacks results, who lacks most first, and on which tasks.
  function lacking(cells) {
    const by = cells.methods.map((method, k) => ({ method, tasks: cells.tasks.filter((_, t) => Number.isNaN(cells.value[t][k])) }))
      .filter(({ tasks }) => tasks.length).sort((a, b) => b.tasks.length - a.tasks.length);
    const and = (names) => {
      const some = [...names.slice(0, 3), ...(names.length > 3 ? [`${names.length - 3} more`] : [])];
      return some.length > 1 ? `${some.slice(0, -1).join(", ")} and ${some.at(-1)}` : some[0];
    };
    return by.slice(0, 3).map(({ method, tasks }) => `${method} on ${and(tasks)}`).join("; ")
      + (by.length > 3 ? `; and ${by.length - 3} methods more` : "");
  }

  // Largest sets of methods of which no two differ; the best method first.
  function letters(differ) {
    const n = differ.length;
    let groups = [(1n << BigInt(n)) - 1n];
    for (let i = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1) {
        if (!differ[i][j]) continue;
        const one = 1n << BigInt(i);
        const other = 1n << BigInt(j);
        const split = groups.filter((g) => (g & one) && (g & other));
        if (!split.length) continue;
        let kept = groups.filter((g) => !((g & one) && (g & other)));
        for (const g of new Set(split.flatMap((s) => [s & ~one, s & ~other]))) {
          if (!kept.some((h) => (g & h) === g)) kept = [...kept.filter((h) => (h & g) !== h), g];
        }
        groups = kept;
      }
    }
    const members = groups.map((g) => [...Array(n).keys()].filter((m) => (g >> BigInt(m)) & 1n));
    members.sort((a, b) => {
      for (let k = 0; k < Math.min(a.length, b.length); k += 1) if (a[k] !== b[k]) return a[k] - b[k];
      return a.length - b.length;
    });
    const names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const label = members.length > names.length ? (k) => `${k + 1} ` : (k) => names[k];
    return [...Array(n).keys()].map((m) => members.map((group, k) =>
      (group.includes(m) ? label(k) : "")).join("").trim());
  }

  return { decode, readTable, layCells, cellsOf, linked, missingHangsOn, order, signs };
}
window.orderEngine = makeOrderEngine(makeReader(window.readingWords), window.readingWords);
