"""What lies where a command writes is there afterwards, byte for byte and mode for mode."""

import os
import signal
import time
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.leaderboards import order_page
from commands import main
from commands.report import written

POINTS = "size,error\n16,.4\n32,.33\n64,.28\n128,.25\n256,.22\n"
RESULTS = "task,method,value\n" + "".join(
    f"t{task},m{method},{(task * 7 + method * 5) % 11}\n" for task in range(8)
    for method in range(3))
WORK = ["WORKERS=1", "MEMORY_LIMIT=4GB", "PREDICTIONS=yes"]
#: What each command is given, and what it may replace: in OUT, or beside what it reads.
COMMANDS = {
    "report": (["report", "POINTS=points.csv", "OUT=out"], "report.html"),
    "order": (["order", "CSV=results.csv", "LOWER=no", "OUT=out"], "order.html"),
    "create": (["suite", "DO=create", "NAME=mine", "FROM=sklearn:iris", "OUT=out/mine.toml"],
               "mine.toml"),
    "bundle": (["suite", "DO=bundle", "SUITE=dummy", "OUT=out/dummy.zip"], "dummy.zip"),
    "collect": (["collect", "DATASETS=sklearn:iris", "LEARNERS=KNN", "OUTER=0", "INNER=0",
                 "ANCHORS=16 32", "OUT=out", *WORK], "collect.ipynb"),
    "evaluate": (["evaluate", "TASKS=sklearn:iris sklearn:wine", "LEARNERS=KNN GaussianNB",
                  "FOLDS=0 of 4", "BAGS=2", "OUT=out", *WORK], "runs.csv"),
    "compare": (["compare", "SUITE=dummy", "LEARNER=KNN", "OUT=out", "WORKERS=1"], "order.html"),
    "portfolio": (["portfolio", "WHERE=out", "SIZE=2", "MEMBERS=2", "OUT=out"],
                  "leave_one_out.csv"),
    "merge": (["merge", "FROM=out", "OUT=merged"], ""),
    "ensemble-curves": (["ensemble-curves", "WHERE=out", "OUT=merged"], ""),
}
#: One after the other in one place, where what one leaves is what the next reads.
CHAINS = [["report"], ["order"], ["create"], ["bundle"], ["compare"],
          ["collect", "ensemble-curves"], ["evaluate", "portfolio", "merge"]]
NAMES = st.text("abz._-[] é", min_size=1, max_size=12).filter(lambda name: name.strip(". ") != "")
FILES = st.dictionaries(NAMES, st.tuples(st.binary(max_size=40), st.sampled_from(
    [0o600, 0o644, 0o400, 0o755])), min_size=1, max_size=6)


def lay(folder, files):
    """Put files into a folder, into one below it and beside it, as others would have them."""
    for place in (folder, folder / "mine", folder.with_name(f".{folder.name}.new"),
                  folder.with_name(f".{folder.name}.old")):
        place.mkdir(parents=True, exist_ok=True)
        for name, (content, mode) in files.items():
            (place / name).write_bytes(content)
            (place / name).chmod(mode)
    (folder / "link").symlink_to("nowhere")
    (folder / "mine").chmod(0o2750)
    folder.chmod(0o2770)


def seen(top):
    """Return what lies in a folder: kinds, modes, groups, contents."""
    return {path.relative_to(top): (
        path.lstat().st_mode, path.lstat().st_gid,
        os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "")
        for path in top.rglob("*")}


def kept(before, top):
    after = seen(top)
    return [path for path, what in before.items() if after.get(path) != what]


@pytest.fixture
def at(tmp_path, monkeypatch, forked):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("collection.project.paths.RESULTS", tmp_path / "results")
    (tmp_path / "points.csv").write_text(POINTS)
    (tmp_path / "results.csv").write_text(RESULTS)
    return tmp_path


SOME = {"report.txt": (b"mine", 0o600), "notes.csv": (b"a,b\n", 0o440), ".hidden": (b"", 0o755)}


def test_every_command_is_in_a_chain():
    assert sorted(name for chain in CHAINS for name in chain) == sorted(COMMANDS)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0])
def test_bystanders_survive_every_command(at, chain):
    for folder in ("out", "merged", "results/portfolio"):
        lay(at / folder, SOME)
    before = seen(at)
    for name in [chain[0], *chain]:  # the first one twice
        assert main(COMMANDS[name][0]) == 0
        assert kept(before, at) == []
    for arguments, result in [COMMANDS[name] for name in chain]:
        if result:
            (at / "out" / result).write_text("changed since")
            before = {path: what for path, what in seen(at).items() if path.suffix != ".lock"}
            assert main(arguments) == 1 and kept(before, at) == []


@settings(max_examples=15, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES, data=st.data())
def test_whatever_lies_there_survives(at, files, data):
    name = data.draw(st.sampled_from(["report", "order"]))
    results = written.NAMES if name == "report" else order_page.NAMES
    taken = data.draw(st.lists(st.sampled_from(results), max_size=2))
    top = at / str(time.monotonic_ns())
    lay(top / "out", files | {result: (b"own", 0o640) for result in taken})
    before = seen(top)
    arguments = [a.replace("OUT=out", f"OUT={top / 'out'}") for a in COMMANDS[name][0]]
    assert main(arguments) == (1 if taken else 0) and kept(before, top) == []


@pytest.mark.parametrize("after", [0.0, 0.2, 0.5, 1.0])
def test_bystanders_survive_a_command_that_is_killed(at, after):
    lay(at / "out", SOME)
    before = seen(at)
    main(COMMANDS["order"][0])  # so that there are results to be replaced
    run = get_context("fork").Process(target=main, args=[COMMANDS["order"][0]])
    run.start()
    time.sleep(after)
    os.kill(run.pid, signal.SIGKILL)
    run.join()
    assert kept(before, at) == [] and (at / "out" / "order.html").is_file()
    assert main(COMMANDS["order"][0]) == 0 and kept(before, at) == []
    assert not list(Path(at).glob(".out.results-*"))
