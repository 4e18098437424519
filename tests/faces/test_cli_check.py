"""`cl2cuda check --format`: what other programs read of it."""

import argparse
import json
from urllib.parse import unquote

import pytest

from cl2cuda.cli import check
from cl2cuda.cli.check_formats import as_github, as_json, as_sarif
from cl2cuda.translator.diagnostics import Diagnostic, Position

INVALID = "__kernel void broken(__global float *x)\n{\n    x[0] = undeclared;\n}\n"
WARNS = "__kernel void f(__global int *x)\n{\n    int *p = x[0] ? 3 : 4;\n    x[0] = p != 0;\n}\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs `check` in a folder of its own and returns its exit status."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken, too.cl").write_text(INVALID)
    (tmp_path / "fine.cl").write_text("__kernel void f(__global int *x) { x[0] = 1; }\n")
    parser = argparse.ArgumentParser(prog="cl2cuda")
    check.add_parsers(parser.add_subparsers())

    def run(*words):
        arguments = parser.parse_args(["check", *words])
        return arguments.func(arguments)

    return run


class TestExitStatus:
    @pytest.mark.parametrize("format", ["text", "json", "sarif", "github"])
    def test_is_the_same_in_every_format(self, run, format, capsys):
        assert run("--format", format, "fine.cl") == 0
        assert run("--format", format, "fine.cl", "broken, too.cl") == 1
        assert "1 of 2 programs invalid, 1 error" in capsys.readouterr().err
        assert run("--format", format, "nowhere.cl") == 2
        assert capsys.readouterr().out == ""


def test_json(run, capsys):
    run("--format", "json", "fine.cl", "broken, too.cl")
    out, err = capsys.readouterr()
    [found] = json.loads(out)
    assert (found["severity"], found["file"], found["line"], found["column"]) == ("error", "broken, too.cl", 3, 12)
    assert found["source_line"] == "    x[0] = undeclared;" and "undeclared" in found["message"] and found["notes"] == []
    assert "error:" not in err, "what goes to the standard output is not told twice"


def test_json_of_nothing_is_a_list(run, capsys):
    run("--format", "json", "fine.cl")
    assert json.loads(capsys.readouterr().out) == []


def test_warnings_are_told_in_every_format(run, tmp_path, capsys):
    (tmp_path / "warns.cl").write_text(WARNS)
    assert run("--format", "json", "warns.cl") == 0
    assert {each["severity"] for each in json.loads(capsys.readouterr().out)} == {"warning"}


class TestSarif:
    """SARIF 2.1.0: the properties that its schema requires, and those that code scanning shows."""

    def log(self, run, capsys):
        run("--format", "sarif", "broken, too.cl")
        return json.loads(capsys.readouterr().out)

    def test_log_run_and_tool(self, run, capsys):
        log = self.log(run, capsys)
        assert log["version"] == "2.1.0"  # sarifLog requires version and runs
        [only] = log["runs"]
        assert only["tool"]["driver"]["name"] == "cl2cuda check"  # run requires tool, tool driver, toolComponent name
        rules = only["tool"]["driver"]["rules"]
        assert all(rule["id"] for rule in rules)  # reportingDescriptor requires id
        assert {result["ruleId"] for result in only["results"]} <= {rule["id"] for rule in rules}
        assert all("executionSuccessful" in each for each in only["invocations"])  # invocation requires it

    def test_result(self, run, capsys):
        [result] = self.log(run, capsys)["runs"][0]["results"]
        assert result["level"] == "error" and "undeclared" in result["message"]["text"]  # result requires message
        place = result["locations"][0]["physicalLocation"]
        assert unquote(place["artifactLocation"]["uri"]) == "broken, too.cl" and " " not in place["artifactLocation"]["uri"]
        assert (place["region"]["startLine"], place["region"]["startColumn"]) == (3, 12)

    def test_notes_are_related_locations(self):
        note = Diagnostic("note", "declared here", Position("a.cl", 1, 2))
        [result] = json.loads(as_sarif([Diagnostic("error", "twice", Position("/src/b.cl", 3, 4), notes=(note,))]))["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///src/b.cl"
        [related] = result["relatedLocations"]
        assert related["message"]["text"] == "declared here"
        assert related["physicalLocation"]["region"]["startLine"] == 1

    def test_a_message_without_a_place(self):
        [result] = json.loads(as_sarif([Diagnostic("error", "too many errors")]))["runs"][0]["results"]
        assert result["locations"] == []


class TestGithub:
    def test_annotation(self, run, capsys):
        run("--format", "github", "broken, too.cl")
        out = capsys.readouterr().out
        assert out.startswith("::error file=broken%2C too.cl,line=3,col=12,title=cl2cuda check::")
        assert out.count("\n") == 1

    def test_nothing_found_prints_nothing(self, run, capsys):
        run("--format", "github", "fine.cl")
        assert capsys.readouterr().out == ""

    def test_what_would_end_a_command_is_escaped(self):
        found = Diagnostic("warning", "100% wrong\nhere", Position("a:b.cl", 1, 2))
        assert as_github([found]) == "::warning file=a%3Ab.cl,line=1,col=2,title=cl2cuda check::100%25 wrong%0Ahere"

    def test_notes_go_along(self):
        found = Diagnostic("error", "twice", Position("b.cl", 3, 4), notes=(Diagnostic("note", "declared here", Position("a.cl", 1, 2)),))
        assert as_github([found]).endswith("::twice%0Aa.cl:1:2: note: declared here")


def test_json_has_no_place_where_there_is_none():
    [found] = json.loads(as_json([Diagnostic("error", "too many errors")]))
    assert found["file"] is found["line"] is found["column"] is None
