"""A user's script of the whole public API: it runs, and it leaves out no public name."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest
from helpers.examples import mostly_slow

SCRIPT = Path(__file__).with_name("user_script.py")
sys.path.append(str(Path(__file__).parents[2] / "docs"))

import reference  # noqa: E402

PARTS = [name.partition(".")[2] for name in reference.PUBLIC if "." in name]
LONG = {"side_by_side"}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("user_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("part", mostly_slow(sorted(parts()), *({*parts()} - LONG)))
def test_it_runs(script, part, tmp_path, capsys):
    function = getattr(script, part)
    function(*([tmp_path] if inspect.signature(function).parameters else []))
    assert capsys.readouterr().out or list(tmp_path.iterdir())


def test_no_public_name_is_left_out():
    import agathis

    text = SCRIPT.read_text(encoding="utf-8")
    words = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    dotted = {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert [n for n in agathis.__all__ if n not in words and f"agathis.{n}" not in dotted] == []
    for part in PARTS:
        names = getattr(agathis, part).__all__
        assert [name for name in names if f"{part}.{name}" not in dotted] == []
