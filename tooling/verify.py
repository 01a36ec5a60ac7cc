#!/usr/bin/env python3
"""Checks an exported trace without any of Backstitch's code (docs/FORMAT.md).

usage: verify.py FILE [--head LINK | --head TICK:LINK]

FILE is the output of `backstitch export`, plain or gzip, or - for standard
input. Checked are the canonical form of every part (RFC 8785), both chains,
the ticks, the head and the forks that the file names, its blobs, and that
only values are called erased which the trace has committed to before. The
answer is relative to --head, a link that was kept elsewhere: without one, a
file that was rewritten from some tick on is consistent too.
Exit code: 0 the trace is good, 1 it is not or cannot be read, 2 usage.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys

DIGEST = re.compile(r"[0-9a-f]{64}\Z")
PARTS = ("body", "stamp", "envelope")
TEXTS = (*PARTS, "link", "story")


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


def canonical(value):
    """RFC 8785."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(key) + ":" + canonical(value[key]) for key in keys) + "}"


def is_canonical(text):
    """Tells whether text is in canonical form. Every number is a double, as it is for ECMAScript."""
    try:
        return canonical(json.loads(text, parse_int=float, parse_constant=int)) == text
    except (ValueError, RecursionError):
        return False


def lines(name):
    """The lines of a file as (number, JSON object)."""
    stream = sys.stdin.buffer if name == "-" else open(name, "rb")
    with stream:
        source = gzip.open(stream) if stream.peek(2)[:2] == b"\x1f\x8b" else stream
        for at, line in enumerate(source, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line.decode("utf-8"), parse_constant=int)
            except ValueError as problem:
                raise Unreadable(f"line {at} is not JSON: {problem}") from None
            if not isinstance(value, dict):
                raise Unreadable(f"line {at} is not an object")
            yield at, value


def read_header(value):
    if value.get("format") != "backstitch-trace":
        raise Unreadable("the first line is not the header of a trace")
    if value.get("version") != 1 or value.get("ontology") != 1:
        raise Unreadable(f"it is of version {value.get('version')}, and this verifier reads version 1, ontology 1")
    run, head, lineage = value.get("run"), value.get("head"), value.get("lineage", [])
    try:
        root = canonical({"id": lineage[0]["id"] if lineage else run["id"], "tenant": run["tenant"]})
        ids, ticks = [each["id"] for each in lineage] + [run["id"]], [each["tick"] for each in lineage]
        # Links of a fork extend its parent's, so its first own transition has to name it.
        left = [at < min(ticks[n + 1 :], default=at + 1) for n, at in enumerate(ticks)]
        forks = {at + 1: ["run.fork", at, ids[n], ids[n + 1]] for n, at in enumerate(ticks) if left[n]}
        return root, (head["tick"], head["link"], head["story"]), run["id"], forks, value.get("blobs", 0)
    except (TypeError, KeyError, IndexError):
        raise Unreadable("its header names no run or no head") from None


def follow(head, row):
    """Checks one transition after a head (tick, link, story), and answers the head that it ends in."""
    tick = head[0] + 1
    if row["tick"] != tick:
        raise Bad(f"tick {tick} is missing, doubled or out of order")
    digests = []
    for part in PARTS:
        try:
            digests.append(sha256(row[part]))
        except UnicodeEncodeError:
            raise Bad(f"tick {tick}: its {part} holds a lone surrogate") from None
    if row["link"] != sha256("\n".join(["backstitch.link.1", head[1], *digests])):
        raise Bad(f"tick {tick} does not hash to its link")
    if row["story"] != sha256("\n".join(["backstitch.story.1", head[2], digests[0]])):
        raise Bad(f"tick {tick} does not hash to its story")
    for part in PARTS:
        if not is_canonical(row[part]):
            raise Bad(f"tick {tick}: its {part} is not canonical JSON (RFC 8785)")
    return tick, row["link"], row["story"]


def commitments(value):
    """The commitments to sealed values in a JSON value."""
    if isinstance(value, list):
        return {found for each in value for found in commitments(each)}
    if not isinstance(value, dict):
        return set()
    if isinstance(value.get("$sealed"), str) and DIGEST.match(value["$sealed"]):
        return {value["$sealed"]}
    return {found for each in value.values() for found in commitments(each)}


def seal(row, sealed, erased):
    """Takes in what a transition commits to, and what it calls erased."""
    if '"$sealed"' not in row["body"] and '"sealed.erased"' not in row["body"]:
        return
    body = json.loads(row["body"])
    sealed |= commitments(body)
    if body["type"] != "sealed.erased":
        return
    values = body.get("data", {}).get("values")
    if not isinstance(values, list) or not sealed.issuperset(values):
        raise Bad(f"tick {row['tick']} erases what the trace has not committed to")
    erased |= set(values)


def verify(name, anchor):
    source = lines(name)
    root, expected, run, forks, count = read_header(next(source, (1, {}))[1])
    head = (0, sha256("backstitch.genesis.1\n" + root), "0" * 64)
    blobs, passed, sealed, erased = {}, {head[1]: 0}, set(), set()
    for at, row in source:
        if "blob" in row:
            blobs[row["blob"]] = row.get("text")
            continue
        if blobs or type(row.get("tick")) is not int or not all(isinstance(row.get(key), str) for key in TEXTS):
            raise Unreadable(f"line {at} is not a transition in its place")
        head = follow(head, row)
        seal(row, sealed, erased)
        if head[0] in forks:
            body = json.loads(row["body"])
            if [body["type"], *map(body.get("data", {}).get, ("at", "parent", "child"))] != forks[head[0]]:
                raise Bad(f"tick {head[0]} is not the fork that the name and the ancestors of the run call for")
        if anchor and head[1] == anchor[1]:
            passed[head[1]] = head[0]
    if head != expected or max(forks, default=0) > head[0]:
        tick = min(head[0], expected[0]) + (head[0] != expected[0])
        raise Bad(f"tick {tick} is not as the header says, which names {expected[0]} ticks, their head and forks")
    anchored = passed.get(anchor[1]) if anchor else None
    if anchor and (anchored is None or anchor[0] not in (None, anchored)):
        raise Bad(f"tick {anchor[0] or head[0]} is not the transition that the given head names")
    if len(blobs) != count:
        raise Unreadable(f"it holds {len(blobs)} blobs, and its header counts {count}")
    for digest, text in blobs.items():
        if not isinstance(text, str) or sha256(text) != digest:
            raise Bad(f"blob {digest} holds text of another digest")
    how = f"anchored at tick {anchored}" if anchor else "unanchored"
    kept = f", {len(sealed)} sealed values, {len(erased)} of them erased" if sealed else ""
    return f"consistent, {how}: run {run}, {head[0]} ticks, head {head[1]}{kept}"


def main():
    parser = argparse.ArgumentParser(description="Checks an exported trace.")
    parser.add_argument("file")
    parser.add_argument("--head", metavar="[TICK:]LINK", help="a link that was kept elsewhere")
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)
    tick, _, link = (given.head or "").rpartition(":")
    if given.head is not None and (not DIGEST.match(link) or (tick and not tick.isdigit())):
        parser.error("--head takes 64 hex digits, or TICK: and 64 hex digits")
    anchor = (int(tick) if tick else None, link) if given.head else None
    try:
        print(verify(given.file, anchor))
        return 0
    except Bad as problem:
        print(f"broken: {problem}")
        return 1
    except (Unreadable, OSError, EOFError, LookupError, TypeError, AttributeError) as problem:
        print(f"unreadable: {given.file}: {problem}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
