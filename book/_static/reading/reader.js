// What people's files say: names of columns, numbers, which way is better. The rules and words of
// collection/reading; its vocabulary is written beside this file. One function, as a worker runs it too.
"use strict";
function makeReader(vocabulary) {
  const split = (text) => new Set(text.split(" "));
  const WORDS = Object.fromEntries(Object.entries(vocabulary).filter(([, known]) => typeof known === "string")
    .map(([kind, known]) => [kind, split(known)]));
  const MISSING = new Set(vocabulary.missing.split("|"));
  const INDEX = new Set(vocabulary.index.split("|"));
  const REPEATED = new RegExp(vocabulary.repeated, "i");
  const REPEATS = split(["fold", "seed", "repeat"].map((role) => vocabulary.roles[role]).join(" "));
  const REPEAT = new RegExp(vocabulary.repeat, "i");
  const TRACKED = new RegExp(`^(${vocabulary.tracked.replaceAll(" ", "|")})_`); // of trackers of experiments: params.dataset
  const PARTS = ["train", "valid", "", "test"]; // the later, the better to judge by
  const DUMMY = new RegExp(vocabulary.dummies, "i");
  const SELDOM = 0.25;
  const any = (words, known) => words.some((w) => known.has(w));

  // --- names: collection/reading/names.py -------------------------------------------------------
  const wordsOf = (name) => String(name ?? "").replaceAll("²", "2").normalize("NFD").replace(/[\u0300-\u036f]/g, "").replaceAll("ß", "ss").replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const keyOf = (name) => wordsOf(name).join("_");
  const [columns, ...registry] = vocabulary.measures;
  const MEASURES = new Map(registry.flatMap((row) => [row[0].replaceAll(" ", ""), ...row[1].split(" ")]
    .map((alias) => [alias, Object.fromEntries(columns.map((c, k) => [c, row[k]]))])));
  const OPERATORS = new Map(Object.entries(vocabulary.operators).flatMap(([kind, known]) => known.split(" ").map((word) => [word, kind])));
  const STATED = Object.entries(vocabulary.stated).map(([way, said]) => [way, new RegExp(said, "gi")]);
  const COMPLEMENT = new RegExp(vocabulary.complement, "i");
  const ERRORS = ["error", "loss", "regret"]; // of whatever metric
  const LONGEST = 7; // words of an alias
  const isRow = (kind) => typeof kind === "object";
  const kindOf = (word) => MEASURES.get(word) ?? OPERATORS.get(word)
    ?? (WORDS.percent.has(word) ? "percent" : WORDS.qualifiers.has(word) ? "qualifier" : null);

  // Return a name's parts, each with its row of the registry, or what it does; "" if unknown.
  function partsOf(words) {
    const found = [];
    for (let at = 0; at < words.length;) {
      let [n, kind, joined] = [Math.min(LONGEST, words.length - at), null, ""];
      for (; n > 0; n -= 1) {
        joined = words.slice(at, at + n).join("");
        kind = kindOf(joined) ?? (n === 1 ? kindOf(joined.replace(/\d+$/, "")) : null);
        if (kind) break;
      }
      found.push([joined, kind ?? (/^\d+$/.test(joined) ? "qualifier" : "")]);
      at += Math.max(n, 1);
    }
    return found;
  }

  // Return [whether lower is better, from the outside in; how the name is composed].
  function outermost(every) {
    const parts = every.filter(([, kind]) => kind !== "percent");
    if (!parts.length) return [null, ""];
    const [[first, ahead], [, last]] = [parts[0], parts.at(-1)];
    if (["turns what follows", "higher of what follows"].includes(ahead)) {
      if (ahead.startsWith("higher")) return [false, "derived"];
      const [lower] = outermost(parts.slice(1));
      return [lower === null ? null : !lower, /^(neg|minus)/.test(first) && parts.length === 2 ? "negative" : "derived"];
    }
    for (const [kind, rest] of [[last, parts.slice(0, -1)], [ahead, parts.slice(1)]]) {
      if (kind === "higher" || kind === "lower") return [kind === "lower", "derived"];
      if (kind === "asked") return [null, "derived"];
      if (kind !== "turns") continue;
      const [lower] = outermost(rest);
      return [lower === null ? null : !lower, "derived"];
    }
    const ways = new Set(parts.filter(([, kind]) => isRow(kind)).map(([, row]) => row.better));
    if (!parts.every(([, kind]) => isRow(kind)) || ![...ways].some((way) => way)) return [null, parts.length > 2 ? "derived" : ""];
    if (ways.size > 1) return [ERRORS.includes(last.name) ? true : null, "derived"]; // of an error, whatever its metric
    return [ways.has("lower"), parts.length > 1 ? "derived" : ""];
  }

  // Return what a name says of what was measured: {name, lower, said, low, high, unit, form, whole, percent}.
  const measures = new Map();
  function measureOf(name) {
    const key = String(name ?? "");
    if (!measures.has(key)) measures.set(key, parsed(key));
    return measures.get(key);
  }

  function parsed(name) {
    const said = STATED.filter(([, words]) => name.search(words) >= 0).map(([way]) => way === "lower");
    const text = STATED.reduce((left, [, words]) => left.replace(words, " "), name);
    let ahead = COMPLEMENT.exec(text);
    const end = ahead ? ahead.index + ahead[0].length : 0;
    let parts = partsOf(wordsOf(text.slice(end)));
    if (ahead && /^[-−–]$/.test(ahead[1]) && !(parts.length && isRow(parts[0][1]))) { ahead = null; parts = partsOf(wordsOf(text)); } // 1-shot
    const known = parts.filter(([, row]) => isRow(row) && row.unit !== "spread");
    const inner = known.length ? known.at(-1)[1] : { name: "", better: "", low: null, high: null, unit: "" };
    let [lower, form] = outermost(parts.filter(([, kind]) => kind !== "qualifier" && kind !== ""));
    let [low, high] = [inner.low ?? -Infinity, inner.better === "lower" ? Infinity : inner.high ?? Infinity];
    if (ahead) {
      const plain = lower !== null && partsOf(wordsOf(text.slice(0, ahead.index))).every(([, kind]) => kind === "qualifier");
      [lower, form, low, high] = [plain ? !lower : null, form || "complement", 1 - high, 1 - low];
    } else if (form === "negative") [low, high] = [-high, -low];
    else if (form) [low, high] = [lower && ERRORS.includes(inner.name) ? 0 : -Infinity, Infinity];
    const doubt = ERRORS.includes(inner.name) && ["score", "scores"].includes(parts.at(-1)[0]);
    return { name: inner.name, lower, said: said.length === 1 ? said[0] : null, low, high, unit: inner.unit, form,
      whole: parts.length > 0 && !doubt && parts.every(([, kind]) => kind),
      percent: text.includes("%") || parts.some(([word, kind]) => kind === "percent" || /^(percent|pct)/.test(word)) };
  }

  const lowerIsBetter = (name) => measureOf(name).lower ?? measureOf(name).said;
  const isError = (name) => measureOf(name).lower === true && measureOf(name).form !== "negative"
    && any(wordsOf(name), new Set([...ERRORS, "errors", "err"]));
  const limits = (name) => [Number.isFinite(measureOf(name).low) ? Math.min(measureOf(name).low, 0) : measureOf(name).low, measureOf(name).high];

  const partOf = (name) => ["test", "valid", "train"].find((part) => any(wordsOf(name), WORDS[part])) ?? "";

  const PART_WORDS = new Set([...WORDS.test, ...WORDS.valid, ...WORDS.train, ...WORDS["part words"]]);
  const isPart = (cell) => partOf(cell) !== "" && wordsOf(cell).every((w) => PART_WORDS.has(w));

  function isNoResult(name) {
    const [words, other] = [wordsOf(name), ["rank", "time", "spread"]];
    const parts = partsOf(words);
    const left = parts.filter(([, row]) => !isRow(row) || other.includes(row.unit)).map(([word]) => word);
    const known = lowerIsBetter(name) !== null && !["rank", "time"].includes(measureOf(name).unit);
    return any(left, WORDS.times) || any(left, WORDS.spread) || parts.some(([, row]) => isRow(row) && other.includes(row.unit))
      || (!known && words.length > 0 && (WORDS.counts.has(words.at(-1)) || ["n", "num", "number"].includes(words[0])));
  }

  // An `error` beside the `mean` that it is the spread of.
  const isSpreadBeside = (name, names) => measureOf(name).name === "error" && !measureOf(name).form
    && names.some((n) => WORDS.means.has(keyOf(n))) && !wordsOf(name).includes("rate");
  const isMeasure = (name) => lowerIsBetter(name) !== null
    || any(wordsOf(name), new Set(["score", "scores", "value", "result", "performance"]));
  const HEADS = new RegExp(`^(?:${vocabulary["summary heads"].replaceAll(" ", "|")})|(?:${vocabulary["summary heads"].replaceAll(" ", "|")})$`, "g");
  function isSummary(name, role = "task") {
    const key = name.toLowerCase().replace(/\([^()]*\)|[^a-zδ]/g, "");
    const plain = key.replace(HEADS, "");
    return role === "method" ? WORDS.extremes.has(key) : WORDS.summary.has(key) || (plain !== key && MEASURES.has(plain));
  }

  // A column of repeats, by its name, or by cells such as Fold01.
  const isRepeat = (name, cells) => REPEATS.has(keyOf(name)) || (cells.length > 0 && cells.every((c) => REPEAT.test(c) && !REPEAT.exec(c)[1]));
  // What stands beside another's: RF_std beside RF_mean.
  function standsBeside(name, names) {
    const same = (words) => [...new Set(words)].sort().join(" ");
    const words = wordsOf(name.replaceAll("±", " std "));
    const own = same(words.filter((w) => !WORDS.companions.has(w) && !WORDS.units.has(w)));
    return own !== "" && any(words, WORDS.companions)
      && names.some((n) => same(wordsOf(n).filter((w) => !WORDS.means.has(w) && !WORDS.test.has(w) && !MEASURES.has(w))) === own);
  }

  const COUNTED = new Set(["times", "spread", "summary", "counts"].flatMap((kind) => [...WORDS[kind]]));
  const SOME = new Set([...COUNTED, "score", "scores", "train", "test", "val", "valid", "fit"]);
  function isBareMeasure(name) {
    const parts = partsOf(wordsOf(name));
    return parts.length > 0 && parts.every(([w, row]) => row || COUNTED.has(w)) && parts.some(([w, row]) => isRow(row) || SOME.has(w));
  }

  // Rows of one key that differ in a column that is not used: it tells which is meant (collection/reading/names.py).
  // One with fractions or more than 50 values is of measurements, unless most values recur with most keys, as a setting's do.
  function tellsApart(keys, cells) {
    const [pairs, values, several] = [new Set(cells.map((c, r) => `${keys[r]}|${c}`)).size, new Set(cells).size, new Set(keys).size];
    return pairs > several && (pairs > 0.5 * values * several || (values <= 50 && !cells.some((c) => /\d\.\d/.test(c))));
  }

  function roles(names, wanted, known = {}) {
    const keys = names.map(keyOf);
    const at = { ...known };
    for (const role of wanted) {
      if (at[role] !== undefined) continue;
      const found = [keys, keys.map((key) => key.replace(TRACKED, ""))].flatMap((own) => vocabulary.roles[role].split(" ")
        .map((name) => own.findIndex((key, j) => key === name && !Object.values(at).includes(j)))).find((k) => k >= 0);
      if (found !== undefined) at[role] = found;
    }
    return at;
  }

  function layoutOf(names) {
    const keys = new Set(names.map(keyOf));
    return Object.entries(vocabulary.layouts).find(([, known]) => known.split(" ").filter((n) => keys.has(n)).length > 1)?.[0] ?? "";
  }

  // --- numbers: collection/reading/numbers.py ---------------------------------------------------
  const MARKUP = /\\(?:textbf|mathbf|textit|underline|emph)\{([^{}]*)\}|[*†‡$]/g;
  const SPREAD = new RegExp(vocabulary.behind);
  const LIKE_NUMBERS = new RegExp(vocabulary["like numbers"]);
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
  const POINTED = /^[1-9]\d{0,2}([.'\u00a0\u202f ]\d{3})+$/;
  const DECIMALS = /^(?![+-]?[1-9]\d{0,2}(,\d{3})+$)[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?$/; // and no thousands
  const DECIMAL_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/;
  const ANSWERS = { true: 1, false: 0 };
  const UNITS = { k: 1e3, m: 1e6 };
  const ENDS = /^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g; // blanks by Python's strip
  const strip = (text) => (/[\x1c-\x1f\x85]/.test(text) ? text.replace(ENDS, "") : text.trim());
  const isMissing = (text) => MISSING.has(text.toLowerCase());

  const unmarked = (text) => text.replace(MARKUP, (_, inner) => inner ?? "").replaceAll("−", "-").trim();
  const hasSpread = (text) => SPREAD.test(unmarked(text));
  function bare(text) {
    const plain = unmarked(text);
    const found = SPREAD.exec(plain);
    return found ? (found[1] ?? found[2]).trim() : plain;
  }

  function isYesOrNo(cells) {
    const there = cells.filter((c) => !isMissing(c));
    return there.length > 0 && there.every((c) => ANSWERS[c.toLowerCase()] !== undefined);
  }

  function isNumeric(cells) {
    const there = cells.filter((c) => !isMissing(c));
    return there.length > 0 && (there.filter((c) => LIKE_NUMBERS.test(c)).length * 2 >= there.length || isYesOrNo(there));
  }

  // Return the number that each text stands for, NaN where missing; words where it is none.
  function parseNumbers(texts) {
    const plain = new Map();
    for (const text of texts) if (!plain.has(text)) plain.set(text, /^[\d.eE+-]+$/.test(text) ? text : bare(text));
    const there = [...plain].filter(([text, b]) => !isMissing(text) && !isMissing(b)).map(([, b]) => b);
    const unsigned = there.map((b) => b.replace(/[% ]+$/, ""));
    const decimal = unsigned.some((b) => DECIMALS.test(b)) && unsigned.every((b) => !b.includes(".") || DECIMALS.test(b));
    const percent = there.filter((b) => b.endsWith("%")).length;
    const mixed = percent > 0 && percent < there.length;
    const answers = isYesOrNo(there);
    const found = new Map();
    for (const [text, b] of plain) {
      if (isMissing(text) || isMissing(b)) { found.set(text, NaN); continue; }
      if (answers) { found.set(text, ANSWERS[b.toLowerCase()]); continue; }
      let one = b.replace(/%$/, "").trim();
      if (decimal) one = one.replaceAll(".", "").replaceAll(",", ".");
      else if (THOUSANDS.test(one)) one = one.replaceAll(",", "");
      if (mixed) found.set(text, "carries a percent sign or not, where others differ: write all alike");
      else if (NUMBER.test(one) && Number.isFinite(Number(one))) found.set(text, Number(one));
      else {
        found.set(text, /^[+-]?inf(inity)?$/i.test(one) || NUMBER.test(one) ? "is infinite: leave a missing result empty"
          : "is no number: leave a missing result empty");
      }
    }
    return found;
  }

  function rowsOf(text, decimalComma = false) {
    let plain = text.trim().toLowerCase();
    let unit = 1;
    if (UNITS[plain.slice(-1)]) { unit = UNITS[plain.slice(-1)]; plain = plain.slice(0, -1).trim(); }
    if (THOUSANDS.test(plain) && !decimalComma) plain = plain.replaceAll(",", "");
    else if (POINTED.test(plain) && (decimalComma || !plain.includes("."))) plain = plain.replace(/[.'\u00a0\u202f ]/g, "");
    else if (decimalComma) plain = plain.replaceAll(",", ".");
    return NUMBER.test(plain) ? unit * Number(plain) : NaN;
  }

  // --- text that is no CSV: collection/reading/text.py -------------------------------------------
  function structuredCells(text) {
    const body = text.replace(/^\ufeff/, "").trim();
    if (body[0] === "[" || body[0] === "{") {
      for (const whole of [body, `[${body.split(/\r?\n/).join(",")}]`]) { // or a record a line
        try { return jsonCells(JSON.parse(whole)); } catch { /* no JSON */ }
      }
      return null;
    }
    let lines = body.split(/\r?\n/).map((line) => line.trim()).filter((line) => line.includes("|"));
    const barred = lines.filter((line) => line.startsWith("|"));
    if (barred.length) lines = barred;
    const rule = lines.map((line, k) => (/^[|:+\-\s]+$/.test(line) && line.includes("-") ? k : -1)).filter((k) => k >= 0);
    if (rule.length !== 1 || rule[0] !== 1) return null;
    const cells = lines.map((line) => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/)
      .map((c) => c.replace(/<sup>.*?<\/sup>|<[^>]*>|\*\*|`|\[([^\]]*)\]\([^)]*\)/g, "$1").trim())); // of a link its text stays
    const names = cells[0];
    if (cells.some((row) => row.slice(names.length).some((c) => c))) return null;
    return { names, rows: cells.slice(2).map((row) => names.map((_, k) => row[k] ?? "")) };
  }

  function jsonCells(given) {
    let found = given;
    if (!Array.isArray(found) && Object.keys(found).length && Object.values(found).every((v) => v && typeof v === "object")) {
      const keys = [...new Set(Object.values(found).flatMap(Object.keys))];
      found = keys.map((key) => ({ "": key, ...Object.fromEntries(Object.entries(given).map(([name, record]) => [name, record[key]])) }));
    }
    if (!Array.isArray(found) || !found.length || !found.every((r) => r && typeof r === "object" && !Array.isArray(r))) return null;
    const names = [...new Set(found.flatMap(Object.keys))];
    return { names, rows: found.map((row) => names.map((name) => (row[name] === null || row[name] === undefined ? "" : String(row[name])))) };
  }

  // --- directions: collection/reading/directions.py ----------------------------------------------
  // Return a number with three digits, as Python's .3g: of two that are as near, the even one.
  function asDigits(value) {
    const exact = value.toExponential(60);
    const [digits, power] = (/^-?\d\.\d[02468]50*e/.test(exact) ? exact.replace(/(\.\d\d)\d*/, "$1") : value.toExponential(2)).split("e");
    return power < -4 || power > 2 ? `${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}` : String(Number(`${digits}e${power}`));
  }

  function extremes(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
    return [low, high];
  }

  function fits(known, source) {
    const [low, limit] = limits(source);
    if (!known.length || (low === -Infinity && limit === Infinity)) return "";
    const [least, most] = extremes(known);
    const high = limit === 1 && most > 1 ? 100 : limit;
    if (least < low || most > high) return null;
    if (high === 0) return least < 0 ? "all values negative" : null;
    if (high === Infinity) return "no value negative";
    return low === -Infinity ? `no value above ${high}` : `values between 0 and ${high}`;
  }

  // Return {lower (null where it has to be asked), told}.
  function direction(values, { name = "", metric = null, column = "metric", layout = "", dummy = NaN }) {
    const known = values.filter((v) => !Number.isNaN(v));
    const [least, most] = extremes(known);
    const negated = known.length > 0 && most <= 0 && least < 0;
    const said = [];
    const say = (words, lower) => { if (!said.some(([w, l]) => w === words && l === lower)) said.push([words, lower]); };
    let sources = [[`\`${name}\``, name], [`column \`${column}\``, metric]];
    if (isError(name) && lowerIsBetter(name)) sources = sources.slice(0, 1); // of whatever metric, it is an error
    const against = [];
    let sure = false;
    for (const [words, source] of sources) {
      const [lower, found] = [source === null ? null : lowerIsBetter(source), measureOf(source)];
      if (lower === null) continue;
      const turned = negated && lower && limits(source)[0] === 0;
      say(words, lower !== turned);
      if (found.said !== null) say("the words or the arrow beside it", found.said !== turned);
      const fit = turned ? "all values negative" : fits(known, source);
      if (fit === null) against.push(`${words} has no values from ${asDigits(least)} to ${asDigits(most)}`);
      else if (turned || found.whole || (found.unit === "endless" && most > 1)) {
        if (fit) say(fit, lower !== turned);
        sure ||= found.whole;
      }
    }
    const score = any(wordsOf(name), new Set(["score", "scores"]));
    if (layout && score) { say(`\`${name}\``, false); say(`${layout}'s scores`, false); }
    if (!said.length && negated) {
      say("all values negative", false);
      if (score) say(`\`${name}\``, false);
    }
    if (Math.min(dummy, 1 - dummy) <= SELDOM) say("no dummy leads", dummy > 0.5);
    const ways = new Set(said.map(([, lower]) => lower));
    if (ways.size === 1 && (sure || said.length > 1) && !against.length) return { lower: said[0][1], told: said.map(([words]) => words) };
    if (ways.size > 1 || against.length) {
      const words = said.map(([w, lower]) => `${w} (${lower ? "lower" : "higher"})`);
      return { lower: null, told: [`Witnesses disagree: ${[...words, ...against].join(", ")}`] };
    }
    return { lower: null, told: said.map(([words]) => `One witness alone tells: ${words}`) };
  }

  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

  function dummyWins(value, task, method) {
    const names = [...new Set(method)];
    const dummies = new Set(names.filter((m) => DUMMY.test(m)));
    if (!dummies.size || dummies.size === names.length) return NaN;
    const [every, own] = [new Map(), new Map()];
    value.forEach((v, r) => {
      if (Number.isNaN(v)) return;
      for (const [sums, counts] of [[every, true], [own, dummies.has(method[r])]]) {
        if (!counts) continue;
        const [sum, n] = sums.get(task[r]) ?? [0, 0];
        sums.set(task[r], [sum + v, n + 1]);
      }
    });
    const gaps = [...own].map(([t, [sum, n]]) => sum / n - every.get(t)[0] / every.get(t)[1]).filter((gap) => gap !== 0);
    return gaps.length ? gaps.filter((gap) => gap > 0).length / gaps.length : NaN;
  }

  // Return {lower (by row, or null where it has to be asked), told}.
  function directionsOf({ task, method, value, metric = null }, name = "value", column = "metric", layout = "") {
    const by = metric && metric.every((m) => m !== "") ? metric : null;
    const lower = new Array(value.length).fill(false);
    const told = [];
    for (const one of by ? [...new Set(by)] : [null]) {
      const mine = [...value.keys()].filter((r) => one === null || by[r] === one);
      const [v, t, m] = [value, task, method].map((x) => mine.map((r) => x[r]));
      const found = direction(v, { name, metric: one, column, layout, dummy: dummyWins(v, t, m) });
      if (found.lower === null) return { lower: null, told: found.told };
      for (const words of found.told) if (!told.includes(words)) told.push(words);
      for (const r of mine) lower[r] = found.lower;
    }
    return { lower, told };
  }

  return { WORDS, INDEX, REPEATED, PARTS, NUMBER, DECIMAL_COMMA, wordsOf, keyOf, lowerIsBetter, limits, measureOf, partOf, isPart, isNoResult, isMeasure,
    isSpreadBeside, isSummary, isRepeat, standsBeside, isBareMeasure, tellsApart, roles, layoutOf, isMissing, bare, hasSpread, isYesOrNo, isNumeric, parseNumbers, rowsOf, structuredCells, strip, asDigits, direction,
    directionsOf };
}

// Return a text with control characters and marks of direction as escapes, as collection.project.shown.
function visible(text) {
  return String(text).replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (mark) => {
    const code = mark.charCodeAt(0).toString(16);
    return mark === "\r" ? "\\r" : code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
  });
}

// Return rows as CSV for people: text that a spreadsheet would take for a formula has a ' before it.
function peoplesCsv(rows) {
  const quote = (cell) => {
    const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) && !/^[+-][\d.]+(e[+-]?\d+)?$/i.test(cell) ? `'${cell}` : String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${rows.map((row) => row.map(quote).join(",")).join("\n")}\n`;
}

// Show a sentence, with what stands in backticks as code.
function showWords(node, text) {
  node.replaceChildren(...visible(text).split("`").map((piece, k) => (k % 2
    ? Object.assign(document.createElement("code"), { textContent: piece }) : piece)));
}
