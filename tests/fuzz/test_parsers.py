"""Readers of text and of models: random damage, without the guidance of ``make fuzz-parsers``."""

import base64
import random

import files
import parsers
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("parser", sorted(parsers.PARSERS))
@pytest.mark.parametrize("seed", range(5))
def test_damaged_bytes(parser, seed):
    chance = random.Random(f"{parser} {seed}")
    whole = parsers._seeds(parser)
    for _ in range(20):
        data = files.damage(chance, chance.choice(whole), chance.choice(whole))
        case = {"parser": parser, "data": base64.b64encode(data).decode()}
        assert parsers.check(case) is None


def test_whole_bytes_are_read(monkeypatch):
    """What is refused is nothing wrong to ``check``; so here is what may not be refused."""
    from agathis import export
    from agathis._io import read_table

    for parser, module, name in (
        ("table", read_table, "read_table"),
        ("model", export, "from_json"),
    ):
        read, real = [], getattr(module, name)

        def reader(*args, real=real, read=read, **options):
            read.append(real(*args, **options))
            return read[-1]

        monkeypatch.setattr(module, name, reader)
        seeds = parsers._seeds(parser)
        for data in seeds:
            case = {"parser": parser, "data": base64.b64encode(data).decode()}
            assert parsers.check(case) is None
        assert len(read) >= len(seeds) > 2


def test_a_reader_that_raises_is_a_failure(monkeypatch):
    monkeypatch.setitem(parsers.PARSERS, "table", lambda data: data.decode())
    case = {"parser": "table", "data": base64.b64encode(b"\xff").decode()}
    assert parsers.check(case).startswith("table raises UnicodeDecodeError: ")
    assert parsers.unpack(parsers.pack(case)) == case
    less = parsers.smaller({**case, "data": "AAEC"})
    assert [base64.b64decode(one["data"]) for one in less] == [b"\1\2", b"\0\2", b"\0\1"]


def test_damage_depends_on_the_seed_alone():
    model = b'{"nodes": {"left": [1, null, null]}, "names": ["a", "b"]}'
    first = [files.json_damage(random.Random(seed), model) for seed in range(300)]
    assert [files.json_damage(random.Random(seed), model) for seed in range(300)] == first
