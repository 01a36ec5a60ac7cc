#!/usr/bin/env python3
"""Checks a state proof without any of Backstitch's code (docs/FORMAT.md, "State proof").

FILE is the output of `backstitch prove`, or - for standard input. Checked are
the chain to its head, the digests from the state down to the field, and, where
the proof has a checkpoint, that its log names the head. The answer is relative
to --head, a link that was kept elsewhere; or to --by, the key that signed the
checkpoint, and to K (default: all) of the witnesses that cosigned it.
Exit code: 0 the proof holds, 1 it does not or cannot be read, 2 usage.
"""

import argparse
import base64
import hashlib
import json
import re
import sys

from verify import DIGEST, Bad, Unreadable, canonical, check_names, is_digest, parse, sha256

SECTIONS = ("kernel", "working", "world")
FIELD = re.compile(r"(value|table|list):([0-9a-f]{64})\Z")
INDEX = re.compile(r"(0|[1-9][0-9]{0,14})\Z")
NOTHING = object()
ASKED = set()
FIELDS = {"format", "version", "run", "head", "at", "field", "chain", "texts", "sections", "fields"}

# Ed25519, RFC 8032: the field, the curve, its base point.
P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def recover(y, sign):
    """The point of a y and the sign of its x, in extended coordinates."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def plus(left, right):
    a, b = (left[1] - left[0]) * (right[1] - right[0]) % P, (left[1] + left[0]) * (right[1] + right[0]) % P
    c, d = 2 * left[3] * right[3] * D % P, 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(factor, point):
    total = (0, 1, 1, 0)
    while factor > 0:
        total = plus(total, point) if factor & 1 else total
        point, factor = plus(point, point), factor >> 1
    return total


BASE = recover(4 * pow(5, P - 2, P) % P, 0)


def is_signed(key, message, signature):
    owner, nonce, scalar = [int.from_bytes(each, "little") for each in (key, signature[:32], signature[32:])]
    owner, nonce = [recover(each & (2**255 - 1), each >> 255) for each in (owner, nonce)]
    if len(signature) != 64 or owner is None or nonce is None or scalar >= Q:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    left, right = times(scalar, BASE), plus(nonce, times(int.from_bytes(digest, "little"), owner))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def whole(value):
    """The value with whole numbers for ticks and positions, as they are counted."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [whole(each) for each in value]
    return {key: whole(each) for key, each in value.items()} if isinstance(value, dict) else value


def text_of(proof, digest):
    ASKED.add(digest)
    text = proof["texts"].get(digest)
    if not isinstance(text, str) or sha256(text) != digest:
        raise Bad(f"the text of {digest} is not in it, or another one")
    return text


def follow(proof):
    """Follows the chain from the genesis of the run to the head, through the forks that it names."""
    run, lineage, chain, head = proof["run"], proof.get("lineage", []), proof["chain"], proof["head"]
    if len(chain) != head["tick"] or not 1 <= proof["at"] <= head["tick"]:
        raise Bad("its ticks are not those of its head")
    forks, root = check_names(run, lineage, head), (lineage or [run])[0]["id"]
    link, story = sha256("backstitch.genesis.1\n" + canonical({"id": root, "tenant": run["tenant"]})), "0" * 64
    for tick, digests in enumerate(chain, 1):
        if len(digests) != 3 or not all(map(DIGEST.match, digests)):
            raise Unreadable(f"tick {tick} has no digests")
        before, link = link, sha256("\n".join(["backstitch.link.1", link, *digests]))
        story = sha256("\n".join(["backstitch.story.1", story, digests[0]]))
        if tick in forks:
            body = parse(text_of(proof, digests[0]))
            if [body["type"], *map(body["data"].get, ("at", "parent", "child", "link"))] != [*forks[tick], before]:
                raise Bad(f"tick {tick} is not the fork that its lineage names")
    if [link, story] != [head["link"], head["story"]] or max(forks, default=0) > head["tick"]:
        raise Bad("the chain leads to another head")


def node(proof, digest, domain):
    first, _, rest = text_of(proof, digest).partition("\n")
    if first not in domain:
        raise Bad(f"{digest} is no node of its tree")
    return first, rest


def place(key):
    """The digits that lead to the row of a key."""
    return sha256("backstitch.row.1\n" + key)


def table_rows(proof, digest, keys, depth=0, path=""):
    """The rows of a table below a node: of one key, or all."""
    if digest == "0" * 64 and depth == 0:
        return {}
    kind, text = node(proof, digest, ("backstitch.leaf.1", "backstitch.branch.1"))
    if kind == "backstitch.leaf.1":
        key, row = json.loads(text)
        if not place(key).startswith(path):
            raise Bad(f"{digest} is a leaf in a wrong place")
        return {key: row}
    slots, wanted = text.split(","), None if keys is None else int(place(keys)[depth], 16)
    if len(slots) != 16:
        raise Bad(f"{digest} is no branch")
    rows = {}
    for digit, slot in enumerate(slots):
        if slot != "-" and wanted in (None, digit):
            rows |= table_rows(proof, slot, keys, depth + 1, path + f"{digit:x}")
    return rows


def list_items(proof, digest, index):
    """The items of a list by their positions: of one, or all."""
    if digest == "0" * 64:
        return {}
    kind, length, top = json.loads(node(proof, digest, ("backstitch.list.1",))[1])
    if kind != "list":
        raise Bad(f"{digest} is no list")
    level = 0
    while 16**level < length:
        level += 1
    items = {}

    def walk(address, depth, start):
        name, *parts = json.loads(node(proof, address, ("backstitch.list.1",))[1])
        span = 16 ** max(depth - 1, 0)
        count = -(-min(length - start, span * 16) // span) if depth else 1
        if name != ("branch" if depth else "item") or len(parts) != count:
            raise Bad(f"{address} is no node in its place")
        if depth == 0:
            items[start] = parts[0]
            return
        for at, part in enumerate(parts):
            begin = start + at * span
            if index is None or begin <= index < begin + span:
                walk(part, depth - 1, begin)

    if index is None or 0 <= index < length:
        walk(top, level, 0)
    return items


def child(value, key):
    if isinstance(value, list):
        return value[int(key)] if INDEX.match(key) and int(key) < len(value) else NOTHING
    return value.get(key, NOTHING) if isinstance(value, dict) else NOTHING


def value_of(proof, digest, keys):
    kind, root = FIELD.match(digest).groups()
    if kind == "value":
        value, rest = parse(text_of(proof, root), False), keys
    elif not keys:
        if kind == "table":
            return table_rows(proof, root, None)
        return [item for _, item in sorted(list_items(proof, root, None).items())]
    elif kind == "table":
        value, rest = table_rows(proof, root, keys[0]).get(keys[0], NOTHING), keys[1:]
    else:
        index = int(keys[0]) if INDEX.match(keys[0]) else -1
        value, rest = list_items(proof, root, index).get(index, NOTHING), keys[1:]
    for key in rest:
        value = child(value, key)
    return value


def check_state(proof):
    """What the state at the tick holds at the field has to be what the proof says."""
    stamp, sections, fields = proof["chain"][proof["at"] - 1][1], proof["sections"], proof["fields"]
    committed = parse(text_of(proof, stamp)).get("state")
    if sha256("backstitch.state.1\n" + "".join(f"{name} {sections[name]}\n" for name in SECTIONS)) != committed:
        raise Bad(f"the state is not that of tick {proof['at']}")
    if not all(isinstance(each, str) and FIELD.match(each) for each in fields.values()):
        raise Unreadable("a field has no digest")
    section, field, *keys = [each.replace("~1", "/").replace("~0", "~") for each in proof["field"].split("/")[1:]]
    names = sorted(fields, key=lambda name: name.encode("utf-16-be"))
    lines = "".join(f"{canonical(name)} {fields[name]}\n" for name in names)
    if section not in SECTIONS or sha256("backstitch.section.1\n" + lines) != sections[section]:
        raise Bad(f"the fields are not those of {section}")
    value = value_of(proof, fields[field], keys) if field in fields else NOTHING
    claimed = proof.get("value", NOTHING)
    if (value is NOTHING) != (claimed is NOTHING) or (value is not NOTHING and plain(value) != plain(claimed)):
        raise Bad("the value is another one")
    return "absent" if value is NOTHING else plain(value)


def plain(value):
    return canonical(json.loads(json.dumps(value), parse_int=float))


def check_log(proof):
    """The log of the checkpoint has to name the head (RFC 9162, section 2.1.3.2)."""
    head, log, run = proof["head"], proof["log"], proof["run"]
    body, _, signatures = log["checkpoint"].partition("\n\n")
    _, size, root = (body + "\n").split("\n")[:3]
    entry = canonical({"head": head["link"], "run": run["id"], "tenant": run["tenant"], "tick": float(head["tick"])})
    if not INDEX.match(size) or not all(map(is_digest, log["proof"])):
        raise Unreadable("the size of its log is no number, or its proof holds what is no digest")
    at, last, digest = log["index"], int(size) - 1, hashlib.sha256(b"\0" + entry.encode()).digest()
    if not 0 <= at <= last:
        raise Bad("the log of the checkpoint is not so long")
    for sibling in map(bytes.fromhex, log["proof"]):
        if last == 0:
            raise Bad("the log of the checkpoint does not name its head")
        if at % 2 == 1 or at == last:
            digest = hashlib.sha256(b"\1" + sibling + digest).digest()
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            digest = hashlib.sha256(b"\1" + digest + sibling).digest()
        at, last = at // 2, last // 2
    if last != 0 or base64.b64encode(digest).decode() != root:
        raise Bad("the log of the checkpoint does not name its head")
    return body + "\n", signatures


def is_by(key, kind, body, signatures):
    """Tells whether a key signed a note, or a witness cosigned it. One wrong signature of a known key refuses it."""
    name, key_id, encoded = key.split("+", 2)
    typed = base64.b64decode(encoded, validate=True)
    digest = hashlib.sha256(name.encode() + b"\n" + typed).hexdigest()
    if digest[:8] != key_id or len(typed) != 33 or typed[0] != kind:
        raise Unreadable(f"{key} is no key of this kind")
    found = False
    for line in signatures.splitlines():
        _, whose, value = line.split(" ")
        data = base64.b64decode(value, validate=True)
        if whose != name or data[:4].hex() != key_id:
            continue
        message, signature = body.encode(), data[4:]
        if kind == 4:
            seconds = int.from_bytes(signature[:8], "big")
            message, signature = f"cosignature/v1\ntime {seconds}\n".encode() + message, signature[8:]
        if not is_signed(typed[1:], message, signature):
            raise Bad(f"a signature is not one of {name}, as it says")
        found = True
    return found


def verify(proof, given):
    if proof.get("format") != "backstitch-state-proof" or json.dumps(proof.get("version")) != "1":
        raise Unreadable("it is no state proof of version 1")
    if not FIELDS <= set(proof) <= FIELDS | {"lineage", "value", "log"} or proof.get("lineage") == []:
        raise Unreadable("it has other fields than a state proof")
    logged = set(proof.get("log", {"checkpoint": "", "index": 0, "proof": []}))
    if set(proof["sections"]) != set(SECTIONS) or logged != {"checkpoint", "index", "proof"}:
        raise Unreadable("its sections or its log have other fields")
    if type(proof["at"]) is not int or type(proof.get("log", {"index": 0})["index"]) is not int:
        raise Unreadable("its tick or its index is no whole number")
    ASKED.clear()
    follow(proof)
    value, head, how = check_state(proof), proof["head"], []
    if set(proof["texts"]) != ASKED:
        raise Unreadable("it has a text that nothing in it asks for")
    tick, _, link = (given.head or "").rpartition(":")
    if given.head and [link, tick or str(head["tick"])] != [head["link"], str(head["tick"])]:
        raise Bad(f"its head is tick {head['tick']}, {head['link']}")
    how += ["anchored"] if given.head else []
    body, signatures = check_log(proof) if "log" in proof else ("", "")
    # A log signs under its own name: the key of another one says nothing of it.
    if given.by and (not is_by(given.by, 1, body, signatures) or given.by.split("+")[0] != body.split("\n")[0]):
        raise Bad(f"no checkpoint of it is signed by {given.by}")
    how += ["signed"] if given.by else []
    witnesses = {key.rpartition("+")[2]: key for key in given.witness}
    count, least = sum(is_by(key, 4, body, signatures) for key in witnesses.values()), given.quorum
    if count < (len(witnesses) if least is None else least):
        raise Bad(f"{count} of the witnesses cosigned it")
    how += [f"cosigned by {count}"] if witnesses else []
    state = f"run {proof['run']['id']}, tick {proof['at']}, {proof['field']} = {value}"
    return f"proven, {', '.join(how) or 'unanchored'}: {state}, head {head['tick']}:{head['link']}"


def main():
    parser = argparse.ArgumentParser(description="Checks a state proof.")
    parser.add_argument("file")
    parser.add_argument("--head", metavar="[TICK:]LINK", help="a link that was kept elsewhere")
    parser.add_argument("--by", metavar="KEY", help="the key that signed the checkpoint")
    parser.add_argument("--witness", metavar="KEY", action="append", default=[], help="a witness that cosigned it")
    parser.add_argument("--quorum", metavar="K", type=int, help="how many witnesses have to have cosigned it")
    given = parser.parse_args()
    if given.quorum is not None and given.quorum < 1:
        parser.error("--quorum takes a number from 1")
    sys.setrecursionlimit(20_000)
    try:
        with sys.stdin.buffer if given.file == "-" else open(given.file, "rb") as stream:
            text = stream.read().decode("utf-8")
        if not text.endswith("\n"):
            raise Unreadable("it does not end in a newline, as one that was cut short")
        print(verify(whole(parse(text[:-1])), given))
        return 0
    except Bad as problem:
        print(f"broken: {problem}")
    except (Unreadable, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        print(f"unreadable: {given.file}: {problem}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
