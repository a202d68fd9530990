"""Small tables of results as people have them: each with what must be read, or be said."""

import bz2
import gzip
import json

METHODS = {"RF": 0.12, "GBM": 0.15, "SVM": 0.2, "LR": 0.25, "KNN": 0.31}  # true mean errors
TASKS = tuple("abcdefgh")
EXACT = {m: [e + 0.01 * ((3 * t + k) % 4 - 1.5) for t in range(8)]
         for k, (m, e) in enumerate(METHODS.items())}
BEST, WORST = "RF 0.12", "KNN 0.31"
WIDE = "a column per method"
LONG = "a row per result"


def wide(corner="error", show="{:.3f}".format, sep=",", extra=(), rows=(), methods=tuple(METHODS)):
    """Return a wide table of errors; `extra` are columns: name, place, cells."""
    head, lines = [corner, *methods], [[t] for t in TASKS]
    for line, t in zip(lines, range(8), strict=True):
        line += [show(EXACT[m][t]) for m in METHODS]
    for name, place, cells in extra:
        head.insert(place, name)
        for line, cell in zip(lines, cells, strict=True):
            line.insert(place, str(cell))
    return "\n".join(sep.join(line) for line in [head, *lines, *rows]) + "\n"


def long(value="error", show="{:.3f}".format, columns=(), methods=tuple(METHODS)):
    """Return a long table of errors; `columns` are names and a cell each."""
    lines = [["dataset", "method", value, *(n for n, _ in columns)]]
    lines += [[t, name, show(EXACT[m][k]), *(str(c) for _, c in columns)]
              for name, m in zip(methods, METHODS, strict=True) for k, t in enumerate(TASKS)]
    return "\n".join(",".join(line) for line in lines) + "\n"


def read(layout=WIDE, told="`error`", better="lower", ends=(BEST, WORST), out="",
         size="8 tasks × 5", fits=None):
    """Return the first line that must be said of a table; `fits` is what its values say."""
    fits = fits or ("no value negative" if better == "lower" else "values between 0 and 1")
    told = f"{told}, {fits}" if fits != "-" else told
    return (f"{size} methods, {layout}; {better} is better ({told}): {ends[0]} … {ends[1]}."
            + (f" Left out: {out}." if out else ""))


def good(error):
    return f"{1 - error:.3f}"


SCORES = ("RF 0.88", "KNN 0.69")
TRANSPOSED = "method," + ",".join(TASKS) + "\n" + "".join(
    f"{m}," + ",".join(f"{x:.3f}" for x in EXACT[m]) + "\n" for m in METHODS)
BEHIND = "what stands behind ± or in brackets"
ASKED = "Is higher or lower better? No name"
#: Name of the file → its bytes, and the first line that must be said (or words of the refusal).
CORPUS = {
    "wide.csv": (wide(), read()),
    "corner_rmse.csv": (wide("rmse"), read(told="`rmse`")),
    "corner_brier.csv": (wide("Brier score"), read(told="`Brier score`")),
    "asked.csv": (wide("dataset"), ASKED),
    "greater.csv": (wide("dataset", extra=[("greater_is_better", 1, ["no"] * 8)]),
                    read(told="column `greater_is_better`", fits="-")),
    "asked_long.csv": (long("score"), ASKED),
    "n_rows.csv": (wide(extra=[("n_rows", 1, range(150, 158)), ("n_features", 6, [4] * 8)]),
                   read(out="column `n_rows` (a count), column `n_features` (a count)")),
    "unnamed.csv": (wide(extra=[("", 0, range(8))]),
                    read(told="`error`", out="a column without a name (counts the rows)")),
    "unnamed_0.csv": (wide(extra=[("Unnamed: 0", 0, range(8))]),
                      read(out="column `Unnamed: 0` (counts the rows)")),
    "constant.csv": (wide(extra=[("jobs", 3, [16] * 8), ("α", 4, [0.9] * 8)]), read(
        out="column `jobs` (the same everywhere), column `α` (the same everywhere)")),
    "headings.csv": (wide(rows=[["Source: us", *[""] * 5]]).replace("\n", "\n,%,%,%,%,%\n", 1),
                     read(out="row `% % % % %` (no values), row `Source: us` (no values)")),
    "words.csv": (wide(extra=[("domain", 1, ["bio"] * 8)]),
                  read(out="column `domain` (no numbers)")),
    "summary_row.csv": (wide(rows=[["mean", ".9", ".9", ".9", ".9", ".1"]]),
                        read(out="row `mean` (a summary)")),
    "average_rows.csv": (wide(rows=[["Average", "9", "9", "9", "9", "1"],
                                    ["Avg. rank", "5", "4", "3", "2", "1"]]),
                         read(out="row `Average` (a summary), row `Avg. rank` (a summary)")),
    "counts_with_their_mean.csv": (
        wide(extra=[("n_features", 1, range(4, 12))], rows=[["mean", "7.5", *["0.2"] * 5]]),
        read(out="column `n_features` (a count), row `mean` (a summary)")),
    "summary_column.csv": (wide(extra=[("Mean", 6, [0.1] * 8), ("std", 7, [0.01] * 8)]),
                           read(out="column `Mean` (a summary), column `std` (a summary)")),
    "dummy_stays.csv": (wide("error", extra=[("dummy", 6, [0.25] * 8)]),
                        read(size="8 tasks × 6", fits="no value negative, no dummy leads")),
    "auroc.csv": (long("AUROC", good), read(LONG, "`AUROC`", "higher", SCORES)),
    "balanced.csv": (long("balanced_accuracy", good),
                     read(LONG, "`balanced_accuracy`", "higher", SCORES)),
    "brier.csv": (long("brier"), read(LONG, "`brier`")),
    "deviance.csv": (long("deviance"), read(LONG, "`deviance`")),
    "neg_log_loss.csv": (long("neg_log_loss", lambda e: f"{-e:.3f}"),
                         read(LONG, "`neg_log_loss`", "higher", ("RF -0.12", "KNN -0.31"),
                              fits="all values negative")),
    "metric_column.csv": (long("value", columns=[("metric", "log_loss")]),
                          read(LONG, "column `metric`")),
    "direction.csv": (long("value", columns=[("higher_is_better", "no")]),
                      read(LONG, "column `higher_is_better`", fits="-")),
    "two_values.csv": (long("error", columns=[("train_seconds", 1.5)]),
                       read(LONG, out="column `train_seconds`")),
    "na_names.csv": (long("error", methods=("None", "NA", "null", "LR", "nan")),
                     read(LONG, ends=("None 0.12", "nan 0.31"))),
    "decimal_comma.csv": (wide(show=lambda e: f"{e:.3f}".replace(".", ","), sep=";"), read()),
    "quoted_comma.csv": (long("error", show=lambda e: '"' + f"{e:.3f}".replace(".", ",") + '"'),
                         read(LONG)),
    "thousands.csv": (wide("rmse", lambda e: f'"{1e4 * e:,.1f}"'),
                      read(told="`rmse`", ends=("RF 1200", "KNN 3100"))),
    "minus_points_and_commas.csv": (
        wide("neg_rmse", lambda e: f"−{1e4 * e:,.1f}".translate({44: ".", 46: ","}), sep=";"),
        read(WIDE, "`neg_rmse`", "higher", ("RF -1200", "KNN -3100"), fits="all values negative")),
    "percent.csv": (wide(show=lambda e: f"{100 * e:.1f}%"), read(ends=("RF 12", "KNN 31"))),
    "plus_minus.csv": (wide(show=lambda e: f"{e:.3f} ± 0.02"), read(out=BEHIND)),
    "brackets.csv": (wide(show=lambda e: f"{e:.3f} (0.02)"), read(out=BEHIND)),
    "measure.csv": (wide(extra=[("accuracy", 3, [0.9] * 8), ("seconds", 6, [0.5] * 8)]),
                    read(out="column `accuracy` (a measure, no method), column `seconds` (a "
                             "measure, no method)")),
    "errors_of_means.csv": (long("accuracy", good, [("stderr", 0.02)]),
                            read(f"{LONG} with `stderr`", "`accuracy`", "higher", SCORES)),
    "deviations.csv": (long("accuracy_mean", good, [("accuracy_std", 0.02), ("n_seeds", 5)]),
                       read(f"{LONG} with `accuracy_std` over `n_seeds`", "`accuracy_mean`",
                            "higher", SCORES)),
    "deviation_of_unknown_many.csv": (
        long("accuracy", good, [("std", 0.02)]),
        read(LONG, "`accuracy`", "higher", SCORES, "column `std`")),
    "bold.csv": (wide(show=lambda e: f"**{e:.3f}**" if e < 0.13 else f"\\textbf{{{e:.3f}}}"),
                 read()),
    "transposed.csv": (TRANSPOSED.replace("method", "error", 1), read("a row per method")),
    "transposed_asked.csv": (TRANSPOSED, ASKED),
    "quoted.csv": ("".join(",".join(f'"{cell}"' for cell in line.split(",")) + "\n"
                           for line in wide().splitlines()), read()),
    "tabs.tsv": (wide(sep="\t"), read()),
    "bars.txt": (wide(sep="|"), read()),
    "sep.csv": ("sep=;\n" + wide(sep=";"), read()),
    "utf16.csv": (wide().encode("utf-16"), read()),
    "bom.csv": (wide().encode("utf-8-sig"), read()),
    "cp1252.csv": (wide(methods=("Wälder", *list(METHODS)[1:])).encode("cp1252"),
                   read(ends=("Wälder 0.12", WORST))),
    "only_cr.csv": (wide().replace("\n", "\r"), read()),
    "ends_with_separator.csv": (wide().replace("\n", ",\n"), read()),
    "packed.csv.gz": (gzip.compress(wide().encode(), mtime=0), read()),
    "cut.csv.gz": (gzip.compress(wide().encode(), mtime=0)[:-40], "cannot be unpacked"),
    "names_again.csv": (long() + long(methods=("A\u00a0 b", *"CDEF")).replace("\u00a0", "", 4),
                        read(LONG, ends=("A b 0.12", WORST), size="8 tasks × 10")),
    "levels.csv": ("," + "error," * 4 + "error\n" + wide("model").replace("\n", "\nset,,,,,\n", 1),
                   read()),
    "merged.csv": (wide(methods=("X", "", "Y", "", "Y")).replace("\n", "\n,a,b,a,b,c\n", 1),
                   read(ends=("X | a 0.12", "Y | c 0.31"))),
    "groups.csv": (f"error,X,,,Y,\n{wide('')}", read()),
    "latex.tex": (wide(sep=" & ").replace("\n", " \\\\\n"), "LaTeX: keep one line of names"),
    "weka.arff": ("@relation x\n@data\n", "ARFF file: put one line with the names"),
    "table.html": ("<table><tr><td>1", "HTML: copy the table"),
    "caption.csv": ("Table 1. All errors\n" + wide(), "above the names of columns: take them out"),
    "metrics_in_rows.csv": ("Metric,A,B\nAUC,.8,.9\nLog loss,.5,.4\nFit time (s),1.5,2.5\n",
                            "unlike measures of methods (`AUC`, `Log loss`, `Fit time (s)`)"),
    "metrics_beside.csv": ("dataset,metric,A,B\na,mae,1,2\nb,mae,2,3\na,mse,4,5\n",
                           "column `metric` tells them apart: mae or mse"),
    "steps.csv": ("Step,A,B\n10,.1,.2\n20,.3,.4\n", "Does column `Step` name the tasks?"),
    "no_tasks.csv": ("A,B,C\n.15,.1,.2\n.25,.3,.4\n", "Does column `A` name the tasks?"),
    "two_of_a_name.csv": (wide(methods=("A", "A", "SVM", "LR", "KNN")), "columns named 'A'"),
    "too_wide.csv": (wide().replace("\nc,", "\nc,0.5,"), "has 7 values for 6 column names"),
    "one_method.csv": ("dataset,method,error\na,X,.1\nb,X,.2\n", "one method only (X)"),
    "both_ways.csv": ("task,method,value,lower_is_better,higher_is_better\n" + "".join(
        f"t{k},{m},0.{k}{n},yes,yes\n" for k in range(8) for n, m in enumerate("abc")),
                      "contradict each other"),
    "two_metrics.csv": ("dataset,method,metric,value,higher_is_better\n" + "".join(
        f"{t},{m},{'auc' if m == 'RF' else 'accuracy'},{0.5 + k / 9},yes\n" for t in TASKS
        for k, m in enumerate(METHODS)), "Task a has two metrics ("),
    "two_families.csv": (long(columns=[("family", "f")]).replace(",f\n", ",g\n", 1),
                         "Task a has two families"),
    "digits_of_another_script.csv": (wide().replace("0.115", "٠.١١٥"), "is no number"),
    "deviation.csv": (long(columns=[("deviation", 0.01), ("repeats", 5)]).replace(
        "0.01,5", "-1,5", 1), "A deviation is 0 or more, not -1, of RF on a"),
    "few_repeats.csv": (long(columns=[("deviation", 0.01), ("repeats", 0)]),
                        "40 values of the column repeats are below 1"),
    "files_joined.csv": (wide().replace("\nb,", "\n\ufeffb,"), read()),
    "half_way.csv": ("rmse,A,B\n" + "".join(f"{t},42.25,99.5\n" for t in TASKS),
                     read(told="`rmse`", ends=("A 42.2", "B 99.5"), size="8 tasks × 2")),
    "given_twice.csv": (wide().replace("\nb,", "\na,"), "given twice"),
    "text.csv": (wide().replace("0.115", "failed"), "is no number"),
    "half_percent.csv": (wide().replace("0.115", "11.5%"), "percent sign"),
    "infinite.csv": (wide().replace("0.115", "inf"), "is infinite"),
    "by_name.json": (json.dumps({f"{m}__error": dict(sorted(zip(TASKS, EXACT[m], strict=True),
                                                            reverse=m != "RF")) for m in METHODS}),
                     read()),
    "by_line.jsonl": ("\n".join(json.dumps({"dataset": t, "method": m, "error": EXACT[m][k]})
                                for m in METHODS for k, t in enumerate(TASKS)), read(LONG)),
    "links.md": ("|error|[RF](x)|**GBM**<sup>a</sup>|SVM|LR|KNN|\n|--|--|--|--|--|--|\n" + "".join(
        f"|{line.replace(',', '|')}|\n" for line in wide().splitlines()[1:]), read()),
    "shifted.md": ("|A|B|\n|--|--|\n|a|1|2|\n", "as many cells as names"),
    "no_bars_around.md": ("error|RF|GBM|SVM|LR|KNN\n--|--|--|--|--|--\n" + "".join(
        f"{line.replace(',', '|')}\n" for line in wide().splitlines()[1:]), read()),
    "missing.csv": (wide().replace("0.315", "–").replace("0.295", "N/A"),
                    read(ends=(BEST, "KNN 0.315"))),
    "empty.csv": ("", "is empty"),
    "one_column.csv": ("just words\nand more\n", "one column only"),
    "no_numbers.csv": ("a,b,c\nx,y,z\n", "no table of results"),
    "binary.csv": (b"\x89PNG\r\n\x1a\n\0\0\0", "not a text file"),
    "wide_header.csv": (",".join(f"c{k}" for k in range(30_000)) + "\n1\n", "at most 20"),
    "text.zip": (wide(), ("cannot be unpacked", "reads text and .gz")),
    "cut.csv.bz2": (bz2.compress(wide().encode())[:-9],
                    ("cannot be unpacked", "reads text and .gz")),
}


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()
