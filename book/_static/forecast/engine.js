// The forecaster of analysis/extrapolation/compact.py, the same arithmetic. Nothing leaves the browser.
"use strict";
window.forecastEngine = (() => {
  const LAGS = [0.5, 1, 1.5, 2, 3, 4, 5];
  const FAR = 3;
  const POWERS = [0.25, 0.5, 1];
  const MEMORIES = [Infinity, 2];
  const LEAST = 0.003;
  const LARGEST = 4;
  const [STEEP, STEADY, ALIKE, TINY] = [0.5, 0.5, 0.05, 2.2250738585072014e-308];
  const SLACK = 1e-9;
  const Z = [-1.6448536269514729, -1.2815515655446004, -0.6744897501960817, 0,
    0.6744897501960817, 1.2815515655446004, 1.6448536269514729];
  const FEWEST = 4; // sizes: with fewer, the ranges were not tested
  const FARTHEST = 64; // times the rows: beyond, nothing was tested
  const [RISEN, RISEN_SHARE, SURE_RISE, SURE_STEPS, TENTH] = [0.02, 0.1, 2.6, 4, 0.1]; // as in analysis/report/answers.py
  const FEWEST_WRONG = 10; // as in analysis/report/sentences.py
  const HELD_OUT_SHARE = 0.1 / 0.81; // as in analysis/statistics/summary.py
  const STEPS = 8; // sizes looked at per doubling
  const clip = (v, low, high) => Math.min(Math.max(v, low), high);
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  // --- reading: the rules and words of analysis/report/points.py -----------------------------
  const reader = makeReader(window.readingWords);
  const { WORDS, NUMBER, PARTS, REPEATED, DECIMAL_COMMA, wordsOf, keyOf, lowerIsBetter, limits, measureOf, partOf, isNoResult, isMeasure, rowsOf } = reader;
  const REPEATS = new Set(window.readingWords.roles.repeat.split(" "));
  const YOURS = "your model";
  const SIZE_NAMES = "size, train_size, n, rows, samples, Anzahl, taille";
  const VALUE_NAMES = "error, error rate, accuracy, AUC, F1, Fehler, erreur";
  const BETWEEN = [[/(?<=\d)[\u00a0\u202f](?=\d{3}(?!\d))/g, ""], [/[^\S\n]*(±|\+\/-)[^\S\n]*/g, "$1"],
    [/^[^\S\n]*(?:(?:n|size|rows)[^\S\n]*=[^\S\n]*)?(\d[\d.,']*)[^\S\n]*(?::|->|→|(?=[^\S\n]err))[^\S\n]*(?:err(?:or)?[^\S\n]*=[^\S\n]*)?/gim, "$1 "]];
  const ROLES = ["size", "tested", "part", "metric", "repeat", "learner", "task"];
  const [MOST_ROWS, MOST_LINES, MOST_SIZES, MOST_LEARNERS, LEAST_SPAN] = [1e12, 5000, 200, 50, 2];
  const plain = (value) => String(Number(value.toPrecision(6)));
  const whole = (value) => Math.round(value).toLocaleString("en");
  const and = (names, last = "and") => (names.length > 1 ? `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}` : names.join(""));

  // Return the curves of some text: [{learner, points: [{size, error, errors}], noise, tested, read}].
  function read(text, rows = null) {
    const { mark, headed, ...table } = tableOf(text);
    const { names: given, lines: every } = sizesBelow(table.names, table.lines);
    let names = given;
    const out = [];
    const part = names.findIndex((_, k) => every.length && every.every(([cells]) => reader.isPart(cells[k])));
    const at = reader.roles(names, ROLES, part >= 0 ? { part } : {});
    if (at.size === undefined) throw Error(`The first line has no column size; it has ${names.join(", ")}. Sizes are called ${SIZE_NAMES} or alike, values ${VALUE_NAMES} or alike.`);
    if (!every.length) throw Error("There is no line below the names of the columns.");
    let lines = judged(names, every, at, out);
    [names, lines] = withRepeats(names, lines, at);
    [names, lines] = oneValue(names, lines, at, out);
    const without = lines.filter(([cells]) => cells[at.value] && reader.isMissing(cells[at.value])).map(([, line]) => line);
    if (without.length) out.push(`line${without.length > 1 ? "s" : ""} ${and(without.map(String))}, without a value`);
    lines = lines.filter(([, line]) => !without.includes(line));
    askOfOthers(names, lines, at, out);
    const comma = mark !== "," && lines.some(([cells]) => cells[at.value].includes(","));
    const values = lines.map(([cells, line]) => numberOf(cells, at, line, names, mark));
    const sizes = asRows(lines.map(([cells]) => rowsOf(cells[at.size], comma)), rows, measureOf(names[at.size]).percent);
    const { errors, how, label, percent } = asErrors(names, lines, at, values, sizes, headed);
    if (at.tested !== undefined && !ofRows(label)) {
      out.push(`column \`${names[at.tested]}\`, as ${label} is no share of wrong rows`);
      delete at.tested;
    }
    const curves = new Map();
    const taken = new Set();
    const several = at.task !== undefined && new Set(lines.map(([cells]) => cells[at.task])).size > 1;
    lines.forEach(([cells, line], k) => {
      const row = Object.fromEntries(Object.entries(at).map(([role, c]) => [role, cells[c]]));
      if (several) row.learner = [row.learner, row.task].filter((one) => one !== undefined).join(" on ");
      take(row, line, sizes[k], errors[k], curves, taken);
    });
    if (curves.size > MOST_LEARNERS) throw Error(`There are ${curves.size} learners, more than ${MOST_LEARNERS}.`);
    const said = `${new Set(sizes).size} sizes, ${whole(Math.min(...sizes))} to ${whole(Math.max(...sizes))} rows${how}.`
      + (out.length ? ` Left out: ${and(out)}.` : "");
    return [...curves.values()].map((curve) => ({ ...curveOf(curve, out.length ? ` (left out: ${and(out)})` : ""), read: said, label, percent, ofRows: ofRows(label) }));
  }

  // Whether errors of that name are shares of rows: 1 − R² or 1 − kappa is none.
  const ofRows = (label) => !["skill", "signed"].includes(measureOf(label.replace(/^1 − /, "")).unit);

  // Return the error that is wanted, of a value in the measure of the points; analysis/report/points.py.
  function errorOf(value, signed, curves) {
    const score = curves[0].label.replace(/^1 − /, "");
    let wanted = value;
    if (curves[0].percent && !signed) {
      if (wanted < 1) throw Error(`WANTED: the points are in percent. Is ${plain(wanted)} % meant, or ${plain(100 * wanted)} %? Write the sign.`);
      wanted /= 100;
    }
    if (!(wanted > 0 && wanted < 1)) {
      throw Error(`WANTED: a value of ${score} between 0 and 1 is needed, not ${plain(wanted)}; ${plain(wanted)} percent is written ${plain(wanted)}%.`);
    }
    const error = score === "error" ? wanted : 1 - wanted;
    const now = Math.min(...curves.map(({ points }) => points.at(-1).error));
    if (error >= Math.max(...curves.flatMap(({ points }) => points.map((p) => p.error))) && 1 - error < now) {
      throw Error(`WANTED: the points are values of ${score}, and ${plain(100 * wanted)} % is worse than each of them. Is ${plain(100 - 100 * wanted)} % meant?`);
    }
    return error;
  }

  function tableOf(text) {
    const structured = reader.structuredCells(text);
    if (structured) return { names: named(structured.names), lines: structured.rows.map((row, k) => [row, k + 2]), mark: "\t", headed: true };
    const [, what] = Object.entries(window.readingWords.foreign).find(([known, kind]) => /^(LaTeX|an ARFF|HTML)/.test(kind)
      && new RegExp(`^(?:${known})`).test(text)) ?? [];
    if (what) throw Error(`The text is ${what}.`);
    const plainText = BETWEEN.reduce((left, [pattern, plain]) => left.replace(pattern, plain), text.replace(/^\ufeff/, ""));
    const lines = plainText.split(/\r?\n/).map((line, k) => [line, k + 1])
      .filter(([line]) => line.trim() && !line.trim().startsWith("#"));
    if (!lines.length) throw Error("Give a line for each size: the rows trained on and the error, such as 100, 0.34");
    if (lines.length > MOST_LINES) throw Error(`There are ${lines.length} lines, more than ${MOST_LINES}. Give the mean of your repeats.`);
    let mark = ["\t", ";", ","].find((one) => lines.some(([line]) => line.includes(one))) ?? "";
    if (mark === "," && lines.every(([line]) => !line.includes(",") || /^\s*(\d{1,3}(,\d{3})+\s+\S+\s*$|[^\s,]+\s+[^\s,]*,)/.test(line))) mark = ""; // and decimal commas, or thousands
    let names = ["size", "error"];
    const headed = /[a-z]/.test(lines[0][0].toLowerCase().replace(/(?<=\d)(e[+-]?\d|[km]\b)|\bnan\b/g, ""));
    if (headed) names = named(cellsOf(lines.shift()[0], mark));
    return { names, mark, headed, lines: lines.map(([line, number]) => {
      const cells = cellsOf(line, mark);
      while (cells.length > names.length && !cells[cells.length - 1]) cells.pop();
      if (cells.length > names.length) {
        throw Error(`Line ${number} has ${cells.length} values for ${names.length} columns. Write decimals with a point: 0.34`);
      }
      return [names.map((_, k) => cells[k] ?? ""), number];
    }) };
  }

  function named(names) {
    const small = names.map((n) => n.toLowerCase());
    const twice = names.find((n) => n && small.filter((m) => m === n.toLowerCase()).length > 1);
    if (twice) throw Error(`There are two columns named ${twice}. Give each its own name.`);
    return names;
  }

  // Return a table whose columns are sizes, a row per learner, with a line for each of them.
  function sizesBelow(names, lines) {
    const sizes = [...names.keys()].filter((k) => rowsOf(names[k]) >= 1);
    if (sizes.length < FEWEST || sizes.length < names.length - 1) return { names, lines };
    const first = [...names.keys()].find((k) => !sizes.includes(k));
    if (first === undefined || !isMeasure(names[first])) {
      throw Error("Sizes are names of columns here: are the values errors, or scores of which higher is better? "
        + "Name the column before them error or accuracy.");
    }
    return { names: ["learner", "size", names[first]],
      lines: lines.flatMap(([cells, line]) => sizes.filter((k) => cells[k]).map((k) => [[cells[first], names[k], cells[k]], line])) };
  }

  function judged(names, lines, at, out) {
    const k = at.part;
    delete at.part;
    if (k === undefined || !lines.every(([cells]) => partOf(cells[k]))) return lines;
    const best = PARTS[Math.max(...lines.map(([cells]) => PARTS.indexOf(partOf(cells[k]))))];
    const others = new Set(lines.filter(([cells]) => partOf(cells[k]) !== best).map(([cells]) => cells[k]));
    out.push(...[...others].map((other) => `lines with \`${other}\` in column \`${names[k]}\``));
    return lines.filter(([cells]) => partOf(cells[k]) === best);
  }

  // Return the table with one column of repeats, of several that tell repeats apart.
  function withRepeats(names, lines, at) {
    const taken = Object.entries(at).filter(([role]) => role !== "repeat").map(([, k]) => k);
    const every = [...names.keys()].filter((k) => reader.isRepeat(names[k], lines.map(([cells]) => cells[k])) && !taken.includes(k));
    if (!every.length || (every.length === 1 && every[0] === at.repeat)) return [names, lines];
    at.repeat = names.length;
    return [[...names, "repeat"], lines.map(([cells, line]) => [[...cells, every.map((k) => cells[k]).join("/")], line])];
  }

  // Find the values, of tested rows first, an error before a score; columns of them go below each other.
  function oneValue(names, lines, at, out) {
    const free = [...names.keys()].filter((k) => !Object.values(at).includes(k) && !isNoResult(names[k])
      && !reader.isSpreadBeside(names[k], names) && !REPEATS.has(keyOf(names[k])));
    const numeric = free.filter((k) => reader.isNumeric(lines.map(([cells]) => cells[k])));
    let found = (numeric.length ? numeric : free).filter((k) => isMeasure(names[k]));
    if (!found.length) {
      found = numeric.filter((k) => wordsOf(names[k]).some((w) => WORDS.means.has(w)));
      if (!found.length) found = numeric;
      if (found.length > 1 && at.learner === undefined && !areRepeats(names, found)) {
        throw Error(`Are the values of ${and(found.map((k) => `\`${names[k]}\``))} errors, or scores of which higher is better? Name the columns, `
          + `such as \`${names[found[0]]} error\` or \`${names[found[0]]} accuracy\`.`);
      }
    }
    if (!found.length) throw Error(`The first line has no column error; it has ${names.join(", ")}. Values are called ${VALUE_NAMES} or alike.`);
    const best = Math.max(...found.map((k) => PARTS.indexOf(partOf(names[k]))));
    if (PARTS[best] === "train") {
      throw Error(`There are training values only (\`${names[found[0]]}\`), which say how a model fits, not how it predicts: give values of rows that `
        + "were not trained on.");
    }
    let parts = found.filter((k) => PARTS.indexOf(partOf(names[k])) === best);
    const errors = parts.filter((k) => keyOf(names[k]) === "error");
    if (errors.length) parts = errors;
    out.push(...found.filter((k) => !parts.includes(k)).map((k) => `column \`${names[k]}\``));
    [at.value] = parts;
    if (parts.length === 1) return [names, lines];
    const words = parts.map((k) => wordsOf(names[k]));
    const shared = words[0].filter((w) => words.every((some) => some.includes(w)));
    const own = words.map((some) => some.filter((w) => !shared.includes(w)).join(" "));
    const one = isMeasure(shared.join("_")) && new Set(own).size === parts.length;
    const repeats = areRepeats(names, parts);
    if (repeats && !one) shared.splice(0, shared.length, "mean");
    const role = repeats ? "repeat" : one && own.every((label) => /^\d+$/.test(label) || REPEATED.test(label)) ? "repeat"
      : one && at.learner === undefined && !own.some(isMeasure) ? "learner" : null;
    if (!role) throw Error(`Which column is meant, ${parts.map((k) => `\`${names[k]}\``).join(" or ")}? Leave the others out.`);
    const kept = [...names.keys()].filter((k) => !parts.includes(k));
    for (const [r, k] of Object.entries(at)) at[r] = kept.indexOf(k);
    Object.assign(at, { [role]: kept.length, value: kept.length + 1 });
    return [[...kept.map((k) => names[k]), role, shared.join("_")],
      lines.flatMap(([cells, line]) => parts.map((k, n) => [[...kept.map((j) => cells[j]), own[n], cells[k]], line]))];
  }

  // Whether columns are named as repeats and nothing else: `seed 0`, `run1`.
  const areRepeats = (names, columns) => columns.every((k) => REPEATED.exec(names[k].trim())?.[0] === names[k].trim());

  // Ask where lines of a size differ in a column that is not used; name those left out.
  function askOfOthers(names, lines, at, out) {
    const known = ["learner", "task", "repeat", "size"].filter((role) => at[role] !== undefined).map((role) => at[role]);
    const keys = lines.map(([cells]) => JSON.stringify(known.map((k) => cells[k])));
    names.forEach((name, k) => {
      if (Object.values(at).includes(k) || !name || REPEATS.has(keyOf(name))) return;
      const cells = lines.map(([row]) => row[k]);
      const sizes = new Set(lines.map(([row]) => JSON.stringify([row[k], row[at.size]])));
      const measured = isMeasure(name) || wordsOf(name).some((w) => WORDS.times.has(w) || WORDS.spread.has(w));
      if (reader.tellsApart(keys, cells) && sizes.size > new Set(cells).size && !(measured && reader.isNumeric(cells))) {
        throw Error(`Which is meant? There are several values of one size, and column \`${name}\` tells them apart: `
          + `${and([...new Set(cells)].slice(0, 6), "or")}. Give the lines of one alone, or name the column learner, or repeat, if it is that.`);
      }
      if (!out.some((said) => said.includes(`column \`${name}\``))) out.push(`column \`${name}\``);
    });
  }

  function asRows(given, rows, percent) {
    let shares = given.length > 0 && Math.max(...given) <= 1 && Math.min(...given) > 0 && Math.min(...given) < 1;
    const sizes = percent && !shares ? given.map((size) => size / 100) : given;
    shares ||= percent;
    if (shares && rows === null) {
      throw Error(`Sizes are shares of the data (${plain(Math.min(...sizes))} to ${plain(Math.max(...sizes))}): how many rows is 1.0? `
        + "Say ROWS=1000 (in Python rows=1000), or give sizes in rows.");
    }
    return shares ? sizes.map((size) => Math.round(size * rows)) : sizes;
  }

  function asErrors(names, lines, at, values, sizes, headed) {
    const name = names[at.value];
    const said = at.metric === undefined ? [] : [...new Set(lines.map(([cells]) => cells[at.metric]))].sort();
    if (said.length > 1) throw Error(`Column \`${names[at.metric]}\` has several metrics, ${said.join(" and ")}: give one.`);
    let source = said.length && lowerIsBetter(name) === null ? said[0] : name;
    let lower = lowerIsBetter(source);
    const texts = lines.map(([cells]) => cells[at.value]);
    const bare = values.filter((_, k) => !texts[k].endsWith("%"));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const risen = rises(sizes, values);
    if (reader.layoutOf(names) && wordsOf(name).some((w) => w === "score" || w === "scores")) lower = false;
    const doubt = lower && risen && !measureOf(source).whole;
    if (doubt) lower = null;
    if (lower === null) {
      if (values.length && most <= 0 && least < 0) { lower = true; source = `minus ${name}`; } else if ((risen && !doubt) || wordsOf(name).every((w) => WORDS.means.has(w))) lower = !(risen && !doubt);
      else throw Error(`Are \`${name}\` errors, or scores of which higher is better? Name the column: error or accuracy.`);
    }
    const found = measureOf(source);
    const endless = found.unit === "signed" && found.high === Infinity;
    if (endless || ["endless", "time", "rank"].includes(found.unit) || source.startsWith("minus ") || wordsOf(source).at(-1) === "loss"
      || (lowerIsBetter(source) === false && limits(source)[1] === Infinity)) {
      throw Error(`\`${source}\` has no upper end, and a forecast of points needs shares, from 0 to 1: give error rates, accuracies, AUC or F1. `
        + "For a loss or a numeric target, make report CSV=… TARGET=… METRIC=… measures and forecasts it.");
    }
    const percent = found.percent || bare.length > 0 && Math.min(...bare) > 1 && Math.max(...bare) <= 100;
    const errors = values.map((v, k) => (percent || texts[k].endsWith("%") ? v / 100 : v)).map((v) => (lower ? v : 1 - v));
    errors.forEach((error, k) => {
      if (error >= 0 && error <= 1) return;
      throw Error(`Line ${lines[k][1]}: the ${name} ${texts[k]} is not between 0 and 1. Errors are shares: write 12 % as 0.12 or 12%.`);
    });
    if (!headed && risen && sizes.every((size) => size >= 1 && size % 1 === 0)) {
      throw Error(`The values rise with the rows, from ${plain(least)} to ${plain(most)}: are they errors, or accuracies? `
        + "Name the columns in a first line: size, error or size, accuracy.");
    }
    const unit = percent || texts.some((t) => t.endsWith("%")) ? ", in percent" : "";
    return { errors, percent, label: lower ? "error" : `1 − ${source}`,
      how: lower && source === "error" && !unit ? "" : `; errors are ${lower ? "" : "1 − "}\`${source}\`${unit}` };
  }

  function rises(sizes, values) {
    const bySize = new Map();
    sizes.forEach((size, k) => bySize.set(size, [...(bySize.get(size) ?? []), values[k]]));
    const means = [...bySize].sort((a, b) => a[0] - b[0]).map(([, own]) => sum(own) / own.length);
    return means.length > 1 && means.at(-1) > means[0];
  }

  function cellsOf(line, mark) {
    const cells = [""];
    let quoted = false;
    for (const letter of line.replace(/\s+%/g, "%")) {
      if (letter === '"') quoted = !quoted;
      else if (!quoted && (mark ? letter === mark : /\s/.test(letter))) cells.push("");
      else cells[cells.length - 1] += letter;
    }
    const found = cells.map((cell) => cell.trim());
    return mark ? found : found.filter((cell) => cell);
  }

  function take(row, line, size, error, curves, taken) {
    for (const role of ["learner", "repeat"]) {
      if (row[role] === "") throw Error(`Line ${line} has no ${role}. Give every line one.`);
    }
    if (!row.size) throw Error(`Line ${line}: size is empty, not a number.`);
    if (!(size >= 1 && size <= MOST_ROWS) || size % 1) throw Error(`Line ${line}: ${row.size} is no number of rows.`);
    const learner = row.learner ?? YOURS;
    if (!curves.has(learner)) curves.set(learner, { learner, bySize: new Map(), largest: 0, tested: null });
    const curve = curves.get(learner);
    if (row.repeat !== undefined) {
      const key = JSON.stringify([learner, row.repeat, size]);
      if (taken.has(key)) throw Error(`Line ${line}: the size ${row.size} of repeat ${row.repeat} is there more than once.`);
      taken.add(key);
    }
    if (row.tested) {
      const tested = rowsOf(row.tested);
      if (Number.isNaN(tested)) throw Error(`Line ${line}: tested is ${row.tested}, not a number.`);
      if (tested < 1) throw Error(`Line ${line}: ${row.tested} is no number of rows tested on.`);
      if (size >= curve.largest) curve.tested = tested;
    } else if (size > curve.largest) curve.tested = null;
    curve.largest = Math.max(curve.largest, size);
    if (!curve.bySize.has(size)) curve.bySize.set(size, []);
    curve.bySize.get(size).push(error);
  }

  function numberOf(cells, at, line, names, mark) {
    const [text, name] = [cells[at.value], names[at.value]];
    if (!text) throw Error(`Line ${line} has no ${name} beside the size ${cells[at.size]}.`);
    let bare = reader.bare(text).replace(/%$/, "").trim();
    if (mark !== "," || DECIMAL_COMMA.test(bare)) bare = bare.replaceAll(",", ".");
    if (!NUMBER.test(bare)) throw Error(`Line ${line}: ${name} is ${text}, not a number.`);
    return Number(bare);
  }

  function curveOf({ learner, bySize, tested }, out) {
    const sizes = [...bySize.keys()].sort((a, b) => a - b);
    const of = (learner === YOURS ? "" : ` of ${learner}`) + out;
    if (sizes.length < FEWEST) {
      throw Error(`There ${sizes.length === 1 ? "is 1 size" : `are ${sizes.length} different sizes`}${of}, and a forecast needs ${FEWEST}. `
        + "Train on parts of the data too: half, a quarter, an eighth.");
    }
    if (sizes.length > MOST_SIZES) throw Error(`There are ${sizes.length} different sizes${of}, more than ${MOST_SIZES}.`);
    if (sizes[sizes.length - 1] < LEAST_SPAN * sizes[0]) {
      throw Error(`The sizes${of} do not even double: from so short a stretch nothing is to be seen. Train on half and a quarter of the data too.`);
    }
    const points = sizes.map((size) => ({ size, errors: bySize.get(size), error: sum(bySize.get(size)) / bySize.get(size).length }));
    const last = points[points.length - 1];
    const n = last.errors.length;
    const noise = n < 2 ? 0
      : Math.sqrt(sum(last.errors.map((v) => (v - last.error) ** 2)) / (n - 1) / n);
    return { learner, points, noise, tested };
  }

  // --- forecasting ---------------------------------------------------------------------------
  const toLog = (error) => Math.log(error + 0.1);

  function interpolate(x, y, at) {
    if (at < x[0] - SLACK || at > x[x.length - 1] + SLACK) return null;
    let low = 0;
    while (low + 1 < x.length && x[low + 1] <= at + SLACK) low += 1;
    let high = x.length - 1;
    while (high > 0 && x[high - 1] >= at - SLACK) high -= 1;
    const gap = x[high] - x[low];
    return y[low] + (gap > 0 ? (at - x[low]) / gap : 0) * (y[high] - y[low]);
  }

  // Return what the networks see of a curve, for a size ahead of it.
  function look({ points, noise }, target) {
    const x = points.map((p) => Math.log2(p.size));
    const y = points.map((p) => p.error);
    const now = x[x.length - 1];
    const level = y[y.length - 1];
    const per = level + 0.02;
    const ahead = Math.log2(target) - now;
    const lowest = Math.min(...y);
    const highest = Math.max(...y);
    const ends = [Math.log(per), now, now - x[0], x.length, Math.log(noise / per + LEAST),
      (lowest - level) / per, (highest - level) / per,
      now - x[y.indexOf(highest)], now - x[y.indexOf(lowest)]];
    const lines = [];
    const residuals = [];
    for (const memory of MEMORIES) {
      const raw = x.map((v) => 2 ** (Math.min(v - now, 0) / memory));
      const total = sum(raw);
      const weight = raw.map((w) => w / total);
      for (const power of POWERS) {
        const z = x.map((v) => 2 ** (-power * (v - now)));
        const meanZ = sum(z.map((v, k) => weight[k] * v));
        const mean = sum(y.map((v, k) => weight[k] * v));
        const spread = sum(z.map((v, k) => weight[k] * (v - meanZ) ** 2)) + 1e-9;
        const slope = sum(z.map((v, k) => weight[k] * (v - meanZ) * (y[k] - mean))) / spread;
        const moved = (mean + slope * (2 ** (-power * ahead) - meanZ) - level) / per;
        lines.push(clip(Math.sign(moved) * Math.log1p(3 * Math.abs(moved)), -4, 4));
        if (power === POWERS[1]) {
          const off = sum(y.map((v, k) => weight[k] * (v - mean - slope * (z[k] - meanZ)) ** 2));
          residuals.push(Math.log(Math.sqrt(off) / per + LEAST));
        }
      }
    }
    const t = y.map(toLog);
    const falls = LAGS.map((lag) => interpolate(x, t, now - lag));
    return [...ends, ...residuals, ...falls.map((v) => (v === null ? 0 : v - toLog(level))),
      ...falls.slice(FAR).map((v) => (v === null ? 1 : 0)), ahead, ...lines];
  }

  function run(networks, inputs) {
    const outputs = networks.map(({ shift, scale, weights, biases }) => {
      let layer = inputs.map((v, k) => clip((v - shift[k]) / scale[k], -LARGEST, LARGEST));
      weights.forEach((weight, k) => {
        layer = biases[k].map((b, j) => layer.reduce((a, v, i) => a + v * weight[i][j], b));
        if (k < weights.length - 1) layer = layer.map((v) => v / (1 + Math.exp(-clip(v, -30, 30))));
      });
      return layer;
    });
    return outputs[0].map((_, k) => sum(outputs.map((one) => one[k])) / outputs.length);
  }

  // Return the root of the error behind a measured one, and how far it is off by sampling.
  function rootSampling(level, tested) {
    const expected = (level * tested + 0.5) / (tested + 1);
    return [Math.sqrt(expected), Math.sqrt((1 - expected) / (4 * (tested + 1)))];
  }

  const widenedBy = (root, spread) => root.map((v, k) => root[3] + Math.sign(Z[k]) * Math.hypot(v - root[3], Z[k] * spread));

  function withSampling(quantiles, level, tested) {
    const [expected, spread] = rootSampling(level, tested);
    const middle = Math.max(level, quantiles[3]);
    return widenedBy(quantiles.map(Math.sqrt), spread).map((v) => clip(v + expected - Math.sqrt(level), 0, 1) ** 2)
      .map((v, k) => (k <= 3 ? Math.min(v, middle) : v));
  }

  // Return quantiles of the error at a larger size: at 5, 10, 25, 50, 75, 90 and 95 %.
  function forecast(curve, target, tested = null) {
    const level = curve.points[curve.points.length - 1].error;
    const { networks, horizons, widen } = window.compactForecaster;
    const ahead = Math.log2(target) - Math.log2(curve.points[curve.points.length - 1].size);
    const k = clip(horizons.filter((doublings) => doublings < ahead).length, 1, horizons.length - 1);
    const way = clip((ahead - horizons[k - 1]) / (horizons[k] - horizons[k - 1]), 0, 1);
    const by = widen[k - 1] + way * (widen[k] - widen[k - 1]);
    const moved = run(networks, look(curve, target)).sort((a, b) => a - b);
    const found = moved.map((v) => clip(level + (moved[3] + by * (v - moved[3])) * (level + 0.02), 0, 1));
    const all = continued(curve, ahead, found);
    return tested ? withSampling(all, level, tested) : all;
  }

  // Return quantiles that go on with steep falls, if points show nothing else.
  function continued({ points }, ahead, quantiles) {
    const x = points.map((p) => Math.log2(p.size));
    const y = points.map((p) => Math.log2(Math.max(p.error, TINY)));
    const level = points.at(-1).error;
    const log = [0, 1, 2, 3].map((back) => interpolate(x, y, x[x.length - 1] - back));
    const there = log.filter((v) => v !== null);
    const slope = there.slice(1).map((v, k) => v - there[k]);
    const fall = there.slice(1).map((v, k) => 2 ** v - 2 ** there[k]);
    if (slope.length < 2 || level <= 0) return quantiles;
    const [share, before] = [fall[0] / fall[1], fall[1] / fall[2]];
    const mean = sum(slope) / slope.length;
    const middle = Math.max(quantiles[3], 1e-9);
    let by = 1;
    if (slope.length === 3 && slope[2] >= STEEP - SLACK && Math.min(...fall) > 0 && Math.abs(share / before - 1) <= ALIKE && share < 1) {
      by = Math.max(level - fall[0] * share * (1 - share ** ahead) / (1 - share), level * 2 ** (-slope[0] * ahead)) / middle;
    } else if (slope.length === 3 && mean >= STEEP && Math.min(...slope) >= STEADY * mean) {
      by = Math.sqrt(level * 2 ** (-Math.min(slope[0], mean) * ahead) / middle);
    }
    by = Math.min(by, 1);
    const most = Math.min(...slope.slice(0, 2)) >= STEEP - SLACK ? level : 1;
    return quantiles.map((v, k) => (k <= 3 ? Math.min(by * v, most) : by * v));
  }

  // Return the sizes at which the 5 %, 50 % and 95 % quantile are first as low as wanted; null where not.
  function needed(curve, wanted, tested = null) {
    const last = curve.points[curve.points.length - 1];
    const [low, high] = ends(curve, tested);
    const found = { early: low <= wanted ? last.size : null, expected: last.error <= wanted ? last.size : null,
      late: high <= wanted ? last.size : null };
    const times = [...Array.from({ length: Math.log2(FARTHEST) * STEPS }, (_, k) => 2 ** ((k + 1) / STEPS)), 1.5, 10];
    for (const size of times.sort((a, b) => a - b).map((one) => one * last.size)) {
      const at = forecast(curve, size, tested);
      for (const [name, column] of [["early", 0], ["expected", 3], ["late", 6]]) {
        if (found[name] === null && at[column] <= wanted) found[name] = size;
      }
    }
    return found;
  }

  function logGamma(x) {
    if (x < 10) return logGamma(x + 1) - Math.log(x);
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  }

  // Return the regularised incomplete beta function, by its continued fraction (Lentz).
  function betaShare(a, b, x) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(b, a, 1 - x);
    const least = 1e-300;
    let [c, d] = [1, 1 / Math.max(Math.abs(1 - (a + b) * x / (a + 1)), least) * Math.sign(1 - (a + b) * x / (a + 1) || 1)];
    let h = d;
    for (let m = 1; m <= 5000; m += 1) {
      for (const step of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
        d = 1 / (1 + step * d || least);
        c = 1 + step / c || least;
        h *= d * c;
      }
      if (Math.abs(d * c - 1) < 1e-15) break;
    }
    return h / a * Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  }

  function betaQuantile(a, b, share) {
    let [low, high] = [0, 1];
    for (let k = 0; k < 80; k += 1) {
      const middle = (low + high) / 2;
      if (betaShare(a, b, middle) < share) low = middle; else high = middle;
    }
    return (low + high) / 2;
  }

  // Return the standard error of a mean over resampled splits; NaN of fewer than two.
  function correctedError(errors) {
    const [n, mean] = [errors.length, sum(errors) / errors.length];
    return n < 2 ? NaN : Math.sqrt((1 / n + HELD_OUT_SHARE) * sum(errors.map((v) => (v - mean) ** 2)) / (n - 1));
  }

  // Whether errors end above their lowest by what counts, and by more than noise.
  function hasRisen({ points }, tested) {
    const means = points.map((p) => p.error);
    const low = means.indexOf(Math.min(...means));
    const [least, end] = [means[low], means.at(-1)];
    if (end - least < Math.max(RISEN, RISEN_SHARE * least)) return false;
    if (tested) return Math.sqrt(end) - Math.sqrt(least) > SURE_RISE * Math.hypot(...[least, end].map((v) => rootSampling(v, tested)[1]));
    const noise = Math.hypot(...[points[low], points.at(-1)].map((p) => correctedError(p.errors)));
    if (!Number.isNaN(noise)) return end - least > SURE_RISE * noise;
    return means.length - low > SURE_STEPS && means.slice(low).every((v, k, all) => k === 0 || v > all[k - 1]);
  }

  // Return the ends of the 90 % range of the error now, as far as it is known.
  function ends({ points }, tested) {
    const { error, errors } = points.at(-1);
    const n = errors.length;
    if (tested) {
      const found = [0.05, 0.95].map((p) => betaQuantile(error * tested + 0.5, tested - error * tested + 0.5, p));
      return [Math.min(found[0], error), Math.max(found[1], error)];
    }
    if (n < 2) return [error, Infinity];
    const off = correctedError(errors);
    return [Math.min(clip(error + Z[0] * off, 0, 1), error), Math.max(clip(error + Z[6] * off, 0, 1), error)];
  }

  // Return the chance that so many times the rows lower the error by some amount or more.
  function chance(curve, times, tested = null, less = 0) {
    const { error, size } = curve.points.at(-1);
    if (error <= less) return 0;
    const spread = tested ? rootSampling(error, tested)[1] : 0;
    const moved = widenedBy(forecast(curve, times * size).map((q) => Math.sqrt(q) - Math.sqrt(error)), spread);
    const needed = Math.sqrt(error - less) - Math.sqrt(error);
    const { levels } = window.compactForecaster;
    if (needed < moved[0]) return 0;
    const after = moved.findIndex((v) => v > needed);
    if (after < 0) return needed > moved[6] ? 1 : levels[6];
    const [low, high] = [moved[after - 1], moved[after]];
    return levels[after - 1] + (levels[after] - levels[after - 1]) * (needed - low) / (high - low);
  }

  // Return the fall that counts: a tenth of the error now, at least what one tested row makes.
  const counts = (curve, tested) => Math.max(TENTH * curve.points.at(-1).error, tested ? 1 / tested : 0);

  function inWords(share) {
    return share > 0.95 ? "over 95 %" : share < 0.05 ? "under 5 %" : `${Math.round(100 * share)} %`;
  }

  // Return what comes before any number: that the error rose, or the chance that more rows help.
  function remark(curve, tested = null) {
    const last = curve.points[curve.points.length - 1];
    const score = curve.label.startsWith("1 − ");
    const lowest = curve.points.reduce((a, b) => (b.error < a.error ? b : a));
    if (hasRisen(curve, tested)) {
      return `The ${curve.label.replace(/^1 − /, "")} ${score ? "fell" : "rose"}: near ${whole(lowest.size)} rows it was ${score ? "highest" : "lowest"} `
        + `(${(100 * (score ? 1 - lowest.error : lowest.error)).toFixed(1)} %). See whether these are errors, not accuracies.`;
    }
    const wrong = Math.floor(last.error * tested + 0.5);
    if (tested && wrong < FEWEST_WRONG) {
      return `Of the ${whole(tested)} rows tested on ${wrong} were wrong, too few to tell what more rows bring: test on more.`;
    }
    const less = counts(curve, tested);
    const what = less > TENTH * last.error ? `one of the ${whole(tested)} rows tested on` : "a tenth of the error now";
    const said = [2, 4].map((times) => [0, less].map((by) => chance(curve, times, tested, by)));
    const [twice, fourTimes] = said.map(([any, enough]) => [inWords(any) + (any < 0.5 ? " (so probably not)" : ""), inWords(enough)]);
    return `Twice the rows ${score ? "raise" : "lower"} the ${curve.label.replace(/^1 − /, "")} with a chance of ${twice[0]}, by at least `
      + `${(100 * less).toFixed(less > 0 ? Math.min(Math.max(1, Math.ceil(-Math.log10(100 * less))), 20) : 1)} points (${what}) with ${twice[1]}; four times with ${fourTimes[0]}, by as much with ${fourTimes[1]}.`;
  }

  return { read, look, forecast, needed, chance, counts, ends, errorOf, remark, FARTHEST };
})();
