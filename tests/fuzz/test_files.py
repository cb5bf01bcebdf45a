"""The fuzzer of damaged files: damage that is plain data, and clusters that are wrong."""

import base64
import copy
import json
import resource

import files
import pytest


@pytest.fixture(autouse=True)
def memory_of_this_process(monkeypatch):
    """Later tests of this process start browsers and servers, which need more."""
    monkeypatch.setattr(files, "limit_memory", lambda: None)
    before = resource.getrlimit(resource.RLIMIT_AS)
    yield
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_damage_never_puts_a_list_into_itself():
    """Seed 777008280 inserted a list of VALUES, descended into it and inserted it once more."""
    before = copy.deepcopy(files.VALUES)
    case = files.make(777008280)
    json.loads(base64.b64decode(case["model"]).decode(errors="surrogatepass"))
    for seed in range(300):
        files.make(seed)
    assert repr(files.VALUES) == repr(before)


def whole(name: str, model: str) -> dict:
    def packed(data: bytes) -> str:
        return base64.b64encode(data).decode()

    args = ["predict", "MODEL", "DATA"]
    data, text = packed(files.tables()[name]), packed(files.models()[model].encode())
    return {"args": args, "name": name, "data": data, "model": text, "memory": 0}


@pytest.mark.parametrize("model", ["plain", "words", "dates", "pairs"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t3.parquet", "s.arrow", "t.json"])
def test_the_clusters_of_whole_files_are_compared(name, model):
    files.COUNTED.clear()
    assert files.check(whole(name, model)) is None
    assert files.COUNTED["answers: of the model's JSON"] == 1
    assert files.COUNTED["answers: of from_json"] == 1


def test_clusters_that_are_wrong(monkeypatch):
    import json_model

    walk = json_model.walk
    monkeypatch.setattr(json_model, "walk", lambda *args: 1 - walk(*args))
    assert files.check(whole("t.csv", "plain")).startswith("predict gives other clusters: ")
