#!/usr/bin/env python3
"""Checks an exported trace without any of Backstitch's code (docs/FORMAT.md).

FILE is the output of `backstitch export`, plain or gzip, or - for standard input; a state proof is handed to
verify_state.py, beside this. Checked are the canonical form of every line and part (RFC 8785), both chains, the ticks,
the head, the run and the forks that the file names, its blobs, that no time goes back, that only values are called
erased which the trace has committed to before, and that the last tick ends a commit. The answer is relative to --head,
a link that was kept elsewhere: without one, a file that was rewritten from some tick on is consistent too.
Exit code: 0 the trace is good, 1 it is not or cannot be read, 2 usage.
"""

import argparse
import gzip
import hashlib
import json
import re
import subprocess
import sys
import zlib

DIGEST = re.compile(r"[0-9a-f]{64}\Z")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")
SPACE = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
BLOB = re.compile(r"backstitch\.(pack|initial|leaf|branch|list)\.1\n")
PARTS = ("body", "stamp", "envelope")
LINE = {*PARTS, "link", "story", "tick"}
HEADER = {"format", "version", "ontology", "run", "head"}
SEGMENTS = set("""
    act action adapter admission agent anomaly approval artifact backstitch belief bisect budget causal checkpoint
    claim commitment contract diff erasure evidence failure fold fork gate goal head incident instance institution
    intent kernel key lease ledger memory message obligation observation ontology pack plan planner policy predicate
    proof rebase receipt reconciliation recovery reversal review revision run saga sealed server session skeleton
    snapshot state store subject subtask target tenant tool topology trace transition undo user verification webhook
    witness working world
""".split())


class Bad(Exception):
    """The trace is not what it claims to be."""


class Unreadable(Exception):
    """The file is not an export."""


def sha256(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def number(value):
    """Writes a double as ECMAScript does. Python and ECMAScript agree on the digits, not on the layout."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("a number that JSON cannot carry")
    if value == 0:
        return "0"
    sign = "-" * (value < 0)
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = int(exponent or 0) + (len(whole) if whole != "0" else len(fraction.lstrip("0")) - len(fraction))
    count = len(digits := digits.rstrip("0"))
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    return f"{sign}{digits[0]}{'.' * (count > 1)}{digits[1:]}e{'+' if power > 0 else '-'}{abs(power)}"


def string(value):
    value.encode("utf-8")  # a lone surrogate has no UTF-8 form
    return json.dumps(value, ensure_ascii=False)


def canonical(value, depth=0):
    """RFC 8785, at most 500 levels deep."""
    if depth == 500 and isinstance(value, (list, dict)):
        raise ValueError("it nests more than 500 levels deep")
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(each, depth + 1) for each in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(key) + ":" + canonical(value[key], depth + 1) for key in keys) + "}"


def parse(text, is_object=True):
    """Reads canonical text. Every number is a double, as it is for ECMAScript."""
    try:
        value = json.loads(text, parse_int=float, parse_constant=int)
        written = canonical(value)
    except RecursionError:
        raise ValueError("it nests more than 500 levels deep") from None
    if written != text or (is_object and not isinstance(value, dict)):
        raise ValueError("it is no object in canonical JSON (RFC 8785)")
    return value


def is_whole(value):
    return isinstance(value, (int, float)) and value is not True and value == int(value) and 0 <= value < 2**53


def is_digest(value):
    return isinstance(value, str) and DIGEST.match(value)


def lines(name):
    """The lines of a file as (number, JSON object)."""
    stream = sys.stdin.buffer if name == "-" else open(name, "rb")
    with stream:
        source = gzip.open(stream) if stream.peek(2)[:2] == b"\x1f\x8b" else stream
        for at, line in enumerate(source, 1):
            if not line.endswith(b"\n"):
                raise Unreadable(f"line {at} has no newline: the file was cut short")
            try:
                yield at, parse(line[:-1].decode("utf-8"))
            except ValueError as problem:
                raise Unreadable(f"line {at}: {problem}") from None


def check_names(run, lineage, head):
    """The run and its ancestors: named once, in the one order that they have."""
    wrong = set(run) != {"tenant", "id"} or set(head) != {"tick", "link", "story"}
    if wrong or any(len(each) != 2 for each in lineage):
        raise Unreadable("its run, its head or its lineage has other fields")
    ids, ticks = [each["id"] for each in lineage] + [run["id"]], [each["tick"] for each in lineage]
    if not all(NAME.match(each) for each in [*ids, run["tenant"] * 2]) or len(set(ids)) != len(ids):
        raise Unreadable("its tenant or a run of it has no name, or two have one")
    if not all(map(is_whole, [*ticks, head["tick"]])) or not all(map(is_digest, (head["link"], head["story"]))):
        raise Unreadable("its ticks are no whole numbers, or its head has no digests")
    repeats = any(one == third for one, third in zip(ticks, ticks[2:]))
    if repeats or ticks != sorted(ticks) or max(ticks, default=-1) >= head["tick"]:
        raise Unreadable("its lineage is not in its one form")
    # Links of a fork extend its parent's, so its first own transition has to name it.
    return {at + 1: ["run.fork", at, ids[n], ids[n + 1]] for n, at in enumerate(ticks)}


def read_header(value):
    if value.get("format") != "backstitch-trace":
        raise Unreadable("the first line is not the header of a trace")
    if canonical([value.get("version"), value.get("ontology")]) not in ("[1,1]", "[1,2]", "[1,3]"):
        said = f"it is of version {value.get('version')}"
        raise Unreadable(f"{said}, and this verifier reads version 1, ontologies 1 to 3")
    if not HEADER <= set(value) <= HEADER | {"blobs", "lineage"} or not (
        is_whole(value.get("blobs", 1)) and value.get("blobs") != 0 and value.get("lineage") != []
    ):
        raise Unreadable("its header has other fields than a header, or counts nothing")
    try:
        return value, check_names(value["run"], value.get("lineage", []), value["head"])
    except (TypeError, KeyError, IndexError, AttributeError):
        raise Unreadable("its header names no run or no head") from None


def check_claims(body, header, tick, link, fork):
    """What a body says of its run has to be so. Answers the digests that it pins."""
    kind, data = body.get("type"), body.get("data", {})
    if fork and [kind, *map(data.get, ("at", "parent", "child"))] != fork:
        raise Bad(f"tick {tick} is not the fork that the name and the ancestors of the run call for")
    if kind == "run.fork" and (not fork or data.get("link") != link):
        raise Bad(f"tick {tick}: its run.fork begins no fork there, or extends another link")
    if kind == "run.started":
        said = canonical([data.get("tenant"), data.get("format"), data.get("ontology")])
        if tick != 1 or said != canonical([header["run"]["tenant"], 1.0, header["ontology"]]):
            raise Bad(f"tick {tick}: its run.started does not begin the run, or names another tenant or version")
        if not all(SPACE.match(each) and each not in SEGMENTS for each in data.get("namespaces", {})):
            raise Bad(f"tick {tick}: its run.started has a namespace that is no embedder's")
    return [data.get("pack"), data.get("initial")] if kind in ("run.started", "run.fork", "run.migrated") else []


def check_blobs(blobs, pinned):
    """A blob is what its digest says, and something in the file asks for it."""
    for digest, text in blobs.items():
        if sha256(text) != digest or not BLOB.match(text):
            raise Bad(f"blob {digest} holds text of another digest, or no part of a run")
    bound = set()
    while pinned:
        digest = pinned.pop()
        if isinstance(digest, str) and digest in blobs and digest not in bound:
            bound.add(digest)
            pinned += re.findall("[0-9a-f]{64}", blobs[digest])
    if set(blobs) - bound:
        raise Bad(f"blob {min(set(blobs) - bound)} is named by no transition, and by no blob that one names")


def follow(head, row):
    """Checks one transition after a head (tick, link, story). Answers the head that it ends in, and what it says."""
    tick = head[0] + 1
    if row["tick"] != tick:
        raise Bad(f"tick {tick} is missing, doubled or out of order")
    digests = [sha256(row[part]) for part in PARTS]
    if row["link"] != sha256("\n".join(["backstitch.link.1", head[1], *digests])):
        raise Bad(f"tick {tick} does not hash to its link")
    if row["story"] != sha256("\n".join(["backstitch.story.1", head[2], digests[0]])):
        raise Bad(f"tick {tick} does not hash to its story")
    said = {}
    for part in PARTS:
        try:
            said[part] = parse(row[part])
        except ValueError as problem:
            raise Bad(f"tick {tick}: its {part}: {problem}") from None
    return (tick, row["link"], row["story"]), said


def commitments(value):
    """The commitments to sealed values in a JSON value."""
    if isinstance(value, dict) and is_digest(value.get("$sealed")):
        return {value["$sealed"]}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {found for each in inner for found in commitments(each)}


def seal(tick, body, sealed, erased):
    """Takes in what a transition calls erased, and what it commits to."""
    if body.get("type") == "sealed.erased":
        values = body.get("data", {}).get("values")
        if not isinstance(values, list) or not sealed.issuperset(values):
            raise Bad(f"tick {tick} erases what the trace has not committed to")
        erased |= set(values)
    sealed |= commitments(body)


def verify(name, head):
    source = lines(name)
    first = next(source, (1, {}))[1]
    if first.get("format") == "backstitch-state-proof":
        text = "".join(canonical(row) + "\n" for row in [first, *(row for _, row in source)])
        how = [sys.executable, __file__[:-3] + "_state.py", "-", *(["--head", head] if head else [])]
        done = subprocess.run(how, input=text.encode(), stdout=subprocess.PIPE)
        print(done.stdout.decode(), end="")
        sys.exit(done.returncode)
    header, forks = read_header(first)
    tick, _, link = (head or "").rpartition(":")
    anchor = (int(tick) if tick else None, link) if head else None
    run, count = header["run"], header.get("blobs", 0)
    expected = [header["head"][key] for key in ("tick", "link", "story")]
    root = {"id": header.get("lineage", [run])[0]["id"], "tenant": run["tenant"]}
    head = (0, sha256("backstitch.genesis.1\n" + canonical(root)), "0" * 64)
    blobs, passed, sealed, erased, pinned, last, stamp = {}, {head[1]: 0}, set(), set(), [], "", {"asOf": 0}
    for at, row in source:
        if "blob" in row:
            texts = set(row) == {"blob", "text"} and is_digest(row["blob"]) and isinstance(row["text"], str)
            if not texts or row["blob"] <= last:
                raise Unreadable(f"line {at} is not a blob in its place: each stands once, in the order of the digests")
            blobs[row["blob"]], last = row["text"], row["blob"]
            continue
        texts = all(isinstance(row.get(key), str) for key in PARTS) and is_digest(row.get("link"))
        if blobs or set(row) != LINE or not texts or not is_digest(row["story"]) or not is_whole(row["tick"]):
            raise Unreadable(f"line {at} is not a transition in its place")
        before, (head, said) = head, follow(head, row)
        pinned += check_claims(said["body"], header, head[0], before[1], forks.get(head[0]))
        moments = [said["stamp"].get("asOf"), said["envelope"].get("ts")]
        if not all(is_whole(each) and each <= 8.64e15 for each in moments) or moments[0] < stamp["asOf"]:
            raise Bad(f"tick {head[0]} goes back in time, or has none")
        stamp = said["stamp"]
        seal(head[0], said["body"], sealed, erased)
        if anchor and head[1] == anchor[1]:
            passed[head[1]] = head[0]
    if list(head) != expected or max(forks, default=0) > head[0]:
        tick = int(min(head[0], expected[0]) + (head[0] != expected[0]))
        raise Bad(f"tick {tick} is not as the header says, which names {int(expected[0])} ticks, their head and forks")
    if head[0] > 0 and not is_digest(stamp.get("state")):
        raise Bad(f"tick {head[0]} is cut off inside a commit: it has no digest of the state")
    anchored = passed.get(anchor[1]) if anchor else None
    if anchor and (anchored is None or anchor[0] not in (None, anchored)):
        raise Bad(f"tick {anchor[0] or head[0]} is not the transition that the given head names")
    if len(blobs) != count:
        raise Unreadable(f"it holds {len(blobs)} blobs, and its header counts {int(count)}")
    check_blobs(blobs, pinned)
    how = f"anchored at tick {anchored}" if anchor else "unanchored"
    kept = f", {len(sealed)} sealed values, {len(erased)} of them erased" if sealed else ""
    return f"consistent, {how}: run {run['id']}, {head[0]} ticks, head {head[1]}{kept}"


def main():
    parser = argparse.ArgumentParser(description="Checks an exported trace.")
    parser.add_argument("file")
    parser.add_argument("--head", metavar="[TICK:]LINK", help="a link that was kept elsewhere")
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)
    if given.head is not None and not re.fullmatch("([0-9]{1,16}:)?[0-9a-f]{64}", given.head):
        parser.error("--head takes 64 hex digits, or TICK: and 64 hex digits")
    try:
        print(verify(given.file, given.head))
        return 0
    except Bad as problem:
        print(f"broken: {problem}")
        return 1
    except (Unreadable, OSError, EOFError, zlib.error, LookupError, TypeError, AttributeError) as problem:
        print(f"unreadable: {given.file}: {problem}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
