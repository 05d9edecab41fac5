"""Every benchmark does its work once, on data made here: what it prints, not how fast or how well.

Those that are left out, and why, are in `NOT_RUN`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import runpy
import shutil
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quire import Library

ROOT = Path(__file__).parents[1]
Run = Callable[..., str]
EXAMPLES = ROOT / "examples" / "papers"
NOT_RUN = {
    "attack": "test_benchmarks.py",
    "parse_digest": "below",
    "add_speed": "starts quire from the shell some ten times, 20 s",
    "add_ray": "wants a Ray cluster, which takes 20 s to start",
    "fuzz": "wants atheris; the targets themselves run in tests/fuzz",
    "mutants": "wants cosmic-ray, and runs a room's tests",
    "page_pictures": "wants a running server and Chromium; the page's own tests look at each view",
    "precision": "wants lightgbm and hundreds of questions; encodes a library twice",
    "tables_left_out": "wants lightgbm and the samples of the trees",
    "serve_load": "a server and its users: 6 s where nothing else runs; the server's own tests start it",
    "sweep_engines": "starts some twenty processes; packages/quire-streams/tests sweep on each engine",
}
ASKED = (
    ("boats", "Which hull lasts longest on heavy paper?", "the hull that floats longest",
     "On heavy paper the keel boat with nine folds lasts 243.8 seconds", 243.8),
    ("boats", 'How many boats of "three hull shapes" were folded?', "number of boats",
     "We folded 144 boats", 144),
)  # fmt: skip


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lines(path: Path, rows: list[Any]) -> Path:
    return written(path, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny stand-in for each kind of data, in the layouts that the benchmarks read."""
    folder = tmp_path_factory.mktemp("data")
    boats = folder / "pdfs" / "paper-boats.pdf"
    boats.parent.mkdir()
    for name in ("paper-boats", "sourdough-starters"):
        shutil.copy(EXAMPLES / f"{name}.pdf", folder / "pdfs" / f"{name}.pdf")
    questions(folder)
    published(folder)
    judged(folder)
    beside(folder / "beside", boats)
    with Library.open(folder / "library", create=True) as library:
        library.add(folder / "pdfs")
    return folder


def questions(folder: Path) -> None:
    """Natural questions, and the same in other words."""
    rows = [
        {
            "uuid": f"q{number}", "question": question, "kind": "sentence",
            "answer_format": "Your answer should be a Python float.", "anchor_pdf": [f"paper-{paper}"],
            "source_pdf": f"paper-{paper}", "page": 1, "quote": quote, "also": [], "reference_pdf": [],
            "tags": ["text"],
            "evaluator": {"eval_func": "eval_float_exact_match", "eval_kwargs": {"gold": gold, "ndigits": 1}},
        }
        for number, (paper, question, _, quote, gold) in enumerate(ASKED)
    ]  # fmt: skip
    lines(folder / "qa" / "natural" / "dev.jsonl", rows)
    lines(folder / "quiz.jsonl", [{**rows[0], "question": "Who is the first author of this paper?"}])
    written(folder / "qa" / "natural" / "papers.txt", "paper-boats.pdf sourdough-starters.pdf\n")
    lines(
        folder / "wordings.jsonl",
        [{"uuid": f"q{number}", "question": asked[2]} for number, asked in enumerate(ASKED)],
    )
    counted = {**rows[1], "kind": "library", "question": "How many papers do I have?"}
    counted["evaluator"] = {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 2}}
    papers = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("pdfs/*")}
    written(folder / "structural.json", json.dumps({"papers": papers, "questions": [counted]}))
    pairs = [("How many boats sank?", "What number of boats went down?", True),
             ("How many boats sank?", "How many boats floated?", False)]  # fmt: skip
    lines(
        folder / "pairs.jsonl",
        [{"question": one, "other": other, "same": same, "paper": "p"} for one, other, same in pairs],
    )


def published(folder: Path) -> None:
    """Sets of questions, tasks of streams and a recorded conversation."""
    record = {
        "uuid": "u", "question": "How many?", "answer_format": "Your answer should be a Python int.",
        "evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 4}},
    }  # fmt: skip
    for place in ("airqa/test_data_553", "scidqa/test_data_775", "m3sciqa_neusym/test_data"):
        lines(folder / "qa" / f"{place}.jsonl", [record])
    sys.path.append(str(ROOT / "packages/quire-streams/tests"))
    from tasks import datasets

    sys.path.pop()
    for make, name in ((datasets.toolbench, "toolbench_ste"), *((getattr(datasets, each), each) for each in
                       ("spider", "cosql", "bird", "ds1000", "ddxplus", "hotpotqa"))):  # fmt: skip
        (folder / name).mkdir()
        make(folder / name)
    from tests.ask.test_recorded import conversation

    written(folder / "seeds" / "one.jsonl", "\n".join(conversation()) + "\n")


def judged(folder: Path) -> None:
    """Two collections of two documents each, with topics and judgements."""
    cacm, nfcorpus = folder / "cacm", folder / "nfcorpus"
    cacm.mkdir()
    with tarfile.open(cacm / "cacm.tar.gz", "w:gz") as archive:
        for name, text in (("CACM-0001", "Sorting of lists"), ("CACM-0002", "Roots of polynomials")):
            page = f"<html><pre>{text}</pre></html>".encode()
            about = tarfile.TarInfo(f"cacm/{name}.html")
            about.size = len(page)
            archive.addfile(about, io.BytesIO(page))
    written(cacm / "topics.cacm.txt", "<DOC>\n<DOCNO> 1 </DOCNO>\nsorting a list\n</DOC>\n")
    written(cacm / "qrels.cacm.txt", "1 0 CACM-0001 1\n")
    written(nfcorpus / "dev.docs", "MED-1\tfish and oil\n")
    written(nfcorpus / "test.docs", "MED-2\tbread and salt\n")
    topics = "topics.beir-v1.0.0-nfcorpus.test.tsv.gz"
    (nfcorpus / topics).write_bytes(gzip.compress(b"PLAIN-1\toil of fish\n"))
    written(nfcorpus / "qrels.beir-v1.0.0-nfcorpus.test.txt", "PLAIN-1 0 MED-1 2\n")


def beside(folder: Path, boats: Path) -> None:
    """A paper beside what is known of it: JATS, TeX, facts, tables of the competition."""
    for place in ("jats/boats.pdf", "tex/boats/doc/boats.pdf", "typeset/boats.pdf", "icdar/boats.pdf"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(boats, folder / place)
    said = "<article-title>Paper Boats: How Hull Folds Change Soaking Time</article-title>"
    printed = "where <italic>a</italic> and <italic>b</italic> are fitted to the measurements"
    written(
        folder / "jats" / "boats.xml",
        f"<article><front><journal-meta/><article-meta><title-group>{said}</title-group></article-meta></front>"
        f"<body><sec><title>Method</title><p>{printed}</p></sec></body><back><ref-list/></back></article>",
    )
    classifier = ROOT / "src" / "quire" / "pdf" / "line_classifier" / "weights.npz"
    written(folder / "folds" / "folds.json", json.dumps({"": 0}))
    shutil.copy(classifier, folder / "folds" / "fold0.npz")
    tex = r"\title{Paper Boats}\author{Maria Example}\begin{document}\section{Method}where $a$ is fitted"
    written(folder / "tex" / "boats" / "doc" / "boats.Rnw", tex + r"\end{document}")
    formula = {"latex": "T = a w^2 / (1 + b n)", "page": 1, "place": [150.0, 575.0], "number": "(1)"}
    lines(folder / "typeset" / "facts.jsonl", [{"name": "boats", "class": "article", "equations": [formula]}])
    cell = '<cell start-row="0" start-col="0"><content>Hull</content></cell>'
    for kind, inside in (("reg", '<bounding-box x1="50" y1="50" x2="560" y2="700"/>'), ("str", cell)):
        table = f"<table id='1'><region id='1' page='1'>{inside}</region></table>"
        written(folder / "icdar" / f"boats-{kind}.xml", f"<document>{table}</document>")


NATURAL = ["--questions", "{data}/qa/natural/dev.jsonl"]
RUNS: dict[str, tuple[list[str], str]] = {
    "answering": (["--data", "{data}", "--library", "{data}/library", "--off-topic", "2"],
                  r"off topic and told so: \S+ of 2"),
    "answers_gold": (["--data", "{data}"], r"questions with a gold"),
    "equations_latex": (["--data", "{data}/beside/typeset"], r"similarity \d"),
    "evidence_curve": ([*NATURAL, "--wordings", "{data}/wordings.jsonl", "--library", "{data}/library",
                        "--orders", "1", "--noise", "0"], r"2 questions in two wordings"),
    "fields": (["--data", "{data}/beside/jats", "--cache", "{out}"], r"title"),
    "growth": (["--entries", "300", "--queries", "1", "--parsed", "2"], r"entries: one more paper costs"),
    "harness_cost": (["--data", "{data}/hotpotqa", "--steps", "8", "--rounds", "1", "--encoders", "hash-512",
                      "--memories", "20,40"], r"hash-512: 2 times the memories"),
    "inline_latex": (["--data", "{data}/beside/tex", "{data}/beside/jats"], r"formulas +1 files"),
    "label_pictures": (["{out}", "{data}/pdfs/paper-boats.pdf:1"], ""),
    "layouts": (["--seeds", "0", "--only", "ieee"], r"mean +1 "),
    "markdown": (["--data", "{data}/beside/jats", "--sample", "1", "--tools", "pypdf"], r"1 of 1 papers"),
    "memory_speed": (["--sizes", "50", "--encoder", "hash"], r"50 items: cold"),
    "natural_questions": (["--data", "{data}", "--library", "{data}/library"], r"quire +all +\d"),
    "parse_gate": (["--papers", "{data}/beside/jats", "--covers", "1"], r"jats +title +1 +1\.0000"),
    "poppler_sentences": (["--data", "{data}/pdfs"], r"2 files: \d\d of \d\d sentences found, 0\.9"),
    "prompt_tokens": (["--seeds", "{data}/seeds"], r"one +\w+ +\d+"),
    "publishers": (["--jats", "{data}/beside/jats", "--cache", "{data}/beside/folds"],
                   r"all of jats +1 +1\.000"),
    "recorded_runs": (["--seeds", "{data}/seeds"], r"one: \d+ actions parsed alike"),
    "retrieval_beir": (["--data", "{data}"], r"CACM MAP +1 +1\.0000"),
    "rewording": (["{data}/quiz.jsonl"], r"Name the lead author, in full"),
    "same_question": (["--data", "{data}"], r"1 pairs that ask the same, 1 that do not"),
    "scorers_gold": (["--data", "{data}"], r"3 loaded"),
    "streambench_protocol": (["--data", "{data}", "--steps", "5"], r"toolbench protocol 5, .* of 5"),
    "streams_offline": (["--data", "{data}", "--out", "{out}", "--orders", "1", "--tasks", "ddxplus",
                         "--methods", "self_stream_icl"], r"self_stream_icl"),
    "structural_questions": (["--data", "{data}", "--questions", "{data}/structural.json", "--model",
                              "offline", "--library", "{data}/library"], r"library +right +\d of +1"),
    "tables_icdar": (["--data", "{data}/beside/icdar", "--tools", "quire"], r"1 documents, 1 tables"),
    "tasks_gold": (["--data", "{data}", "--tasks", "hotpotqa,spider,ds1000", "--every", "10", "--cache",
                    "{out}/kept.jsonl"], r"(?s)hotpotqa.* 2 can be judged: 2 right.*ds1000.* 2 .*: 2 right"),
    "two_passes": ([*NATURAL, "--wordings", "{data}/wordings.jsonl", "--library", "{data}/library", "--work",
                    "{out}"], r"second"),
    "vignettes": (["--data", "{data}/beside/tex"], r"title +1 papers"),
}  # fmt: skip


@pytest.fixture
def ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Runs a benchmark in this process; what it printed."""
    monkeypatch.setattr(sys, "path", [str(ROOT), str(ROOT / "benchmarks"), *sys.path])
    monkeypatch.setitem(os.environ, "QUIRE_HOME", str(tmp_path / "home"))

    def run(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        ended: object = 0
        try:
            runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"), run_name="__main__")
        except SystemExit as end:
            ended = end.code
        assert not ended
        return capfd.readouterr().out

    return run


@pytest.mark.parametrize("name", sorted(RUNS))
def test_it_does_its_work(name: str, data: Path, tmp_path: Path, ran: Run) -> None:
    arguments, told = RUNS[name]
    if name == "poppler_sentences" and shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed (`apt-get install poppler-utils`).")
    assert re.search(told, ran(name, *(each.format(data=data, out=tmp_path) for each in arguments)))


def test_a_digest_tells_what_has_changed(data: Path, tmp_path: Path, ran: Run) -> None:
    given = "--data", data / "pdfs" / "paper-boats.pdf"
    (tmp_path / "before.txt").write_text(ran("parse_digest", *given))
    assert "# 1 of 1 as before" in ran("parse_digest", *given, "--against", tmp_path / "before.txt")


def test_feedback_that_is_wrong_is_simulated(data: Path, tmp_path: Path, ran: Run) -> None:
    given = (
        "--data",
        data,
        "--out",
        tmp_path,
        "--orders",
        "1",
        "--tasks",
        "ddxplus",
        "--feedback",
        "noisy:0.1",
    )
    assert "noisy:0.1" in ran("streams_offline", *given)


def test_every_benchmark_is_run_or_said_why_not() -> None:
    from benchmarks.__main__ import NEEDS

    assert sorted([*RUNS, *NOT_RUN]) == sorted(NEEDS)
