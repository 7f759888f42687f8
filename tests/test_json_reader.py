"""The reference's JSON reader: what it keeps, and where it says that a text is wrong."""

from __future__ import annotations

import json
import random

import pytest

from transcodec.reference.json_reader import (
    InvalidJson,
    JsonArray,
    JsonNumber,
    JsonObject,
    JsonString,
    read_json,
)

FAULTS = [
    (b"", "invalid_json", 0),
    (b"  ", "invalid_json", 2),
    (b"tru}", "invalid_json", 3),
    (b"tru", "invalid_json", 3),
    (b"nulL", "invalid_json", 3),
    (b"01", "invalid_json", 1),
    (b"-", "invalid_json", 1),
    (b"-a", "invalid_json", 1),
    (b"-01", "invalid_json", 2),
    (b"1.", "invalid_json", 2),
    (b"[1.]", "invalid_json", 3),
    (b"1e+", "invalid_json", 3),
    (b"[1e]", "invalid_json", 3),
    (b"+1", "invalid_json", 0),
    (b".5", "invalid_json", 0),
    (b"1 x", "invalid_json", 2),
    (b'"\\x"', "invalid_json", 2),
    (b'"\\u12g4"', "invalid_json", 5),
    (b'"\\u12', "invalid_json", 5),
    (b'"\\', "invalid_json", 2),
    (b'"cut', "invalid_json", 4),
    (b'"a\nb"', "invalid_json", 2),
    (b'"a\x00b"', "invalid_json", 2),
    (b'{"a":1,}', "invalid_json", 7),
    (b'{"a":1', "invalid_json", 6),
    (b'{"a" 1}', "invalid_json", 5),
    (b'{"a":}', "invalid_json", 5),
    (b"{,}", "invalid_json", 1),
    (b"{a:1}", "invalid_json", 1),
    (b"{]", "invalid_json", 1),
    (b"[1,]", "invalid_json", 3),
    (b"[,1]", "invalid_json", 1),
    (b"[1}", "invalid_json", 2),
    (b"[1 2]", "invalid_json", 3),
    (b"{}{}", "invalid_json", 2),
    (b"\xef\xbb\xbf{}", "invalid_json", 0),
    ('{"a":1}é'.encode(), "invalid_json", 7),
    (b'"\xe2\x28"', "invalid_utf8", 2),
    (b'"\xe2\x82\x28"', "invalid_utf8", 3),
    (b'"\xe2\x82', "invalid_utf8", 3),
    (b'"\xff"', "invalid_utf8", 1),
    (b'"\x80"', "invalid_utf8", 1),
    (b'"\xc0\x80"', "invalid_utf8", 1),
    (b'"\xe0\x80\x80"', "invalid_utf8", 2),
    (b'"\xed\xa0\x80"', "invalid_utf8", 2),
    (b'"\xf4\x90\x80\x80"', "invalid_utf8", 2),
    (b'"\xf5\x80\x80\x80"', "invalid_utf8", 1),
    (b"[\xff]", "invalid_utf8", 1),
    (b'"\x01\xff"', "invalid_json", 1),
    (b'"\xff\x01"', "invalid_utf8", 1),
    (b"[" * 129, "nesting_too_deep", 128),
    (b'{"a":' * 129, "nesting_too_deep", 128 * 5),
    (b"[" * 128, "invalid_json", 128),
]


@pytest.mark.parametrize(("text", "code", "at"), FAULTS)
def test_a_fault_stands_at_the_first_byte_that_no_json_could_have(text: bytes, code: str, at: int) -> None:
    with pytest.raises(InvalidJson) as caught:
        read_json(text)
    assert (caught.value.code, caught.value.at) == (code, at)


def test_depth_of_128_is_fine() -> None:
    read_json(b"[" * 128 + b"]" * 128)


def test_spelling_and_places_are_kept() -> None:
    text = b' {"\\u0061" : [1.50, -0e1, "\\u00e9\\/"] , "b":null} '
    root = read_json(text)
    assert isinstance(root, JsonObject)
    assert root.raw == text[1:-1]
    numbers = root.get("a")
    assert isinstance(numbers, JsonArray)
    assert [item.raw for item in numbers.items] == [b"1.50", b"-0e1", b'"\\u00e9\\/"']
    last = numbers.items[-1]
    assert isinstance(last, JsonString)
    assert (last.value, last.body) == ("é/", b"\\u00e9\\/")
    assert [(member.key, member.key_at) for member in root] == [("a", 2), ("b", text.index(b'"b"'))]


def test_duplicates_are_kept_and_found() -> None:
    root = read_json(b'{"a":1,"b":2,"\\u0061":3,"a":4}')
    assert isinstance(root, JsonObject)
    assert (root.second("a"), root.second("b")) == (13, None)
    value = root.get("a")
    assert isinstance(value, JsonNumber)
    assert value.raw == b"4"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\ud83d"', "\ud83d"),
        (rb'"\ude00\ud83d"', "\ude00\ud83d"),
        (rb'"\ud83dx\ude00"', "\ud83dx\ude00"),
        (rb'"\ud83d\ud83d\ude00"', "\ud83d\U0001f600"),
    ],
)
def test_surrogates(text: bytes, value: str) -> None:
    node = read_json(text)
    assert isinstance(node, JsonString)
    assert node.value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"0", 0),
        (b"18446744073709551615", 2**64 - 1),
        (b"18446744073709551616", None),
        (b"9" * 5000, None),
        (b"-0", None),
        (b"1.0", None),
        (b"1e3", None),
    ],
)
def test_unsigned(text: bytes, value: int | None) -> None:
    node = read_json(text)
    assert isinstance(node, JsonNumber)
    assert node.unsigned() == value


def plain(node: object) -> object:
    """The value that `json.loads` gives."""
    if isinstance(node, JsonObject):
        return {member.key: plain(member.value) for member in node}
    if isinstance(node, JsonArray):
        return [plain(item) for item in node.items]
    if isinstance(node, JsonNumber):
        return json.loads(node.raw)
    return node.value  # type: ignore[attr-defined]  # strings and literals


def refuse_constant(name: str) -> object:
    raise ValueError(name)


def is_a_beginning(text: bytes) -> bool:
    """Whether nothing but the end is wrong with a text, if anything is."""
    try:
        read_json(text)
    except InvalidJson as fault:
        return fault.at == len(text)
    return True


def test_mutants_are_read_or_refused_as_the_standard_library_does() -> None:
    seeds = [
        rb'{"a":[1,-2.5e+3,0,true,false,null],"b\n":{"c":"x\ud83d\ude00y","d":""},"e":[]}',
        '[{"é":"\U0001f600\\u12aB"},"\\"",[[]],{}, 10.25E-2 ]'.encode(),
    ]
    random_bytes = random.Random(7)
    accepted = 0
    for _ in range(20_000):
        text = bytearray(random_bytes.choice(seeds))
        for _ in range(random_bytes.randint(1, 3)):
            at = random_bytes.randrange(len(text))
            if random_bytes.random() < 0.5:
                text[at] = random_bytes.choice(b'{}[]:,"\\ue019.-+tfn \n\x1f\xc3\xff')
            else:
                del text[at]
        mutant = bytes(text)
        try:
            expected = json.loads(mutant.decode("utf-8"), parse_constant=refuse_constant)
        except ValueError:
            with pytest.raises(InvalidJson) as caught:
                read_json(mutant)
            assert 0 <= caught.value.at <= len(mutant)
            assert is_a_beginning(mutant[: caught.value.at])
        else:
            assert plain(read_json(mutant)) == expected
            accepted += 1
    assert accepted > 1_000
