/** The verifier in Python against the library, over exports that were changed in every way we know. */
import { isUtf8 } from "node:buffer"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import type * as Lineage from "@backstitch/trace/Lineage"
import * as Run from "@backstitch/trace/Run"
import type * as Transition from "@backstitch/trace/Transition"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { afterAll } from "vitest"

const script = fileURLToPath(new URL("../verify.py", import.meta.url))
const hasPython = spawnSync("python3", ["--version"]).status === 0

/** Answers one file after another, each as the script does that is started for it alone. */
const serving = `
import base64, contextlib, io, json, runpy, sys
verify = runpy.run_path(sys.argv[1])
for line in sys.stdin:
    asked, said = json.loads(line), io.StringIO()
    sys.argv = ["verify.py", "-", *asked["options"]]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(base64.b64decode(asked["file"]))))
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        try:
            status = verify["main"]()
        except SystemExit as ended:
            status = ended.code
    print(json.dumps({"said": said.getvalue(), "status": status}), flush=True)
`

interface Answer {
  readonly said: string
  readonly status: number | null
}

class Python {
  readonly #process = spawn("python3", ["-c", serving, script], { stdio: ["pipe", "pipe", "inherit"] })
  readonly #answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()

  /** One is asked after the other has answered. */
  readonly ask = async (file: string | Uint8Array, options: ReadonlyArray<string>): Promise<Answer> => {
    this.#process.stdin.write(`${JSON.stringify({ file: Buffer.from(file).toString("base64"), options })}\n`)
    const { done, value } = await this.#answers.next()
    if (done === true) throw new Error("the script ended")
    return JSON.parse(value) as Answer
  }

  readonly stop = (): void => {
    this.#process.stdin.end()
  }
}

let python: Python | undefined
afterAll(() => python?.stop())

const judged = ({ said, status }: Answer) => ({
  said: said.trim(),
  status,
  tick: Number(/tick (\d+)/.exec(said)?.[1])
})

const check = async (file: string | Uint8Array, ...options: ReadonlyArray<string>) => {
  python ??= new Python()
  return judged(await python.ask(file, options))
}

/** Starts the script as a user would. */
const started = (file: string | Uint8Array, ...options: ReadonlyArray<string>) => {
  const { status, stdout } = spawnSync("python3", [script, "-", ...options], { input: file, encoding: "utf8" })
  return judged({ said: stdout, status })
}

type Parts = Pick<Transition.Sealed, "body" | "stamp" | "envelope">

/** Chains parts as they are, canonical or not, as a forger would who rewrites a trace. */
const chain = (from: HashChain.Head, parts: ReadonlyArray<Parts>): ReadonlyArray<Transition.Sealed> => {
  let { link, story, tick } = from
  return parts.map((part) => {
    const body = Digest.ofBytes(part.body)
    const rest = [body, Digest.ofBytes(part.stamp), Digest.ofBytes(part.envelope)]
    link = Digest.ofText("backstitch.link.1", [link, ...rest].join("\n"))
    story = Digest.ofText("backstitch.story.1", `${story}\n${body}`)
    return { tick: ++tick, link, story, ...part }
  })
}

const run = Run.make("trip-42", "acme")
const genesis = HashChain.genesis(run)

const values: ReadonlyArray<Canonical.Json> = [
  [0, -1.5, 1e21, 1e-7, 5e-324, 333333333.3333333, 123456789012345680000],
  { "\ufb33": 1, "😀": 2, 1: 3, 10: 4, 2: 5 },
  'line\nquote"\u0001\u2028\u007f',
  null
]

const pack = "backstitch.pack.1\npack: é\n"
const packDigest = Digest.ofBytes(pack)

const begun = { format: 1, ontology: 1, pack: packDigest, tenant: run.tenant }

const parts: ReadonlyArray<Parts> = values.map((value, index) => ({
  body:
    index === 0
      ? Canonical.encode({ author: "kernel", data: { ...begun, value }, type: "run.started" })
      : Canonical.encode({ author: "agent", data: { value }, type: "observation.add" }),
  stamp: Canonical.encode({ asOf: index, state: Digest.zero }),
  envelope: Canonical.encode({ ts: index })
}))

const exportOf = (transitions: ReadonlyArray<Transition.Sealed>): Export.Export => ({
  run,
  ontology: 1,
  lineage: [],
  head: transitions.length === 0 ? genesis : HashChain.headOf(transitions.at(-1)!),
  transitions,
  blobs: new Map(transitions.length === 0 ? [] : [[packDigest, pack]])
})

const sealed = chain(genesis, parts)
const good = exportOf(sealed)

/** Reads and verifies the bytes of a file as an import does. */
const takes = (bytes: Buffer): boolean =>
  isUtf8(bytes) && Result.isSuccess(Result.flatMap(Export.decode(bytes.toString("utf8")), Export.verify))

const text = Export.encode(good)
const replaced = (from: string, to: string): string => {
  assert.include(text, from)
  return text.replace(from, to)
}

/** Other bytes that would be read as the same file, and additions that no digest covers. */
const lineDamage: Readonly<Record<string, string | Uint8Array>> = {
  "a byte that is no UTF-8": Buffer.from(replaced("é", "\u0000"), "utf8").map((byte) => (byte === 0 ? 0xff : byte)),
  "a lone surrogate in a blob": replaced("é", "\\ud800"),
  "a byte order mark": `\ufeff${text}`,
  "lines that end as on Windows": text.replaceAll("\n", "\r\n"),
  "no last newline": text.trimEnd(),
  "an empty line in the middle": replaced("\n", "\n\n"),
  "an empty line at the end": `${text}\n`,
  "a leading space": ` ${text}`,
  "a space within": replaced('"tick":3', '"tick": 3'),
  "a version twice": replaced('"version":1', '"version":2,"version":1'),
  "a tick twice": replaced('"tick":3}', '"tick":99,"tick":3}'),
  "a body twice": replaced('{"body"', '{"body":"lie","body"'),
  "a tick as a fraction": replaced('"tick":3}', '"tick":3.0}'),
  "a tick with an exponent": replaced('"tick":3}', '"tick":3e0}'),
  "a version as a fraction": replaced('"version":1', '"version":1.0'),
  "a version as text": replaced('"version":1', '"version":"1"'),
  "a version that is true": replaced('"version":1', '"version":true'),
  "another field in the header": replaced('"version":1}', '"version":1,"word":"paid"}'),
  "another field of the run": replaced('"tenant":"acme"}', '"tenant":"acme","word":"paid"}'),
  "another field of the head": replaced('"tick":4},', '"tick":4,"word":"paid"},'),
  "another field of a transition": replaced('"tick":3}', '"tick":3,"word":"paid"}'),
  "another field of a blob": replaced('{"blob"', '{"a":"paid","blob"'),
  "no ancestors": replaced('"ontology":1', '"lineage":[],"ontology":1'),
  "a count of no blobs": Export.encode({ ...good, blobs: new Map() }).replace('{"format"', '{"blobs":0,"format"'),
  "a tenant that is no name": replaced('"tenant":"acme"}', `"tenant":"${"a".repeat(101)}"}`),
  "keys in another order": replaced(
    '"ontology":1,"run":{"id":"trip-42","tenant":"acme"}',
    '"run":{"id":"trip-42","tenant":"acme"},"ontology":1'
  ),
  "a blob twice": `${text.replace('{"blobs":1', '{"blobs":2')}${text.split("\n").at(-2)}\n`,
  "a line that nests too deep": `${text}${"[".repeat(600)}${"]".repeat(600)}\n`
}

/** Chains that hold, with false claims about their run. */
const claimDamage = async (): Promise<Readonly<Record<string, string>>> => {
  const saying = (data: object) =>
    Export.encode(
      exportOf(
        chain(
          genesis,
          parts.with(0, {
            ...parts[0]!,
            body: Canonical.encode({ author: "kernel", data: { ...begun, ...data }, type: "run.started" })
          })
        )
      )
    )
  const root = Run.make("trip-1", "acme")
  const link = chain(HashChain.genesis(root), parts)[1]!.link
  const left = (data: object, lineage: ReadonlyArray<Lineage.Ancestor> = [{ id: root.id, tick: 2 }]) => {
    const body = Canonical.encode({
      author: "kernel",
      data: { at: 2, child: run.id, link, parent: root.id, ...data },
      type: "run.fork"
    })
    const transitions = chain(
      lineage.length === 0 ? genesis : HashChain.genesis(root),
      parts.with(2, { ...parts[2]!, body })
    )
    return Export.encode({ ...exportOf(transitions), lineage })
  }
  assert.strictEqual((await check(left({}))).status, 0)
  const ghost = Run.make("trip-9").id
  const loose = "backstitch.pack.1\nword: paid\n"
  const stamped = (index: number, stamp: Canonical.JsonObject) =>
    Export.encode(exportOf(chain(genesis, parts.with(index, { ...parts[index]!, stamp: Canonical.encode(stamp) }))))
  const erasing = (of: string, data: Canonical.Json) => {
    const about = { by: "Ada", reach: "tenant", reason: "asked", values: [of] }
    const bodies = [
      { author: "agent", data, type: "observation.add" },
      { author: "user", data: about, type: "sealed.erased" }
    ]
    const [first, second, third, fourth] = parts.map((part, index) => {
      const body = bodies[index - 2]
      return body === undefined ? part : { ...part, body: Canonical.encode(body) }
    }) as [Parts, Parts, Parts, Parts]
    return Export.encode(exportOf(chain(genesis, [first, second, third, fourth])))
  }
  assert.strictEqual((await check(erasing(packDigest, { at: { $sealed: packDigest } }))).status, 0)
  const deep = `{"author":"agent","data":{"value":${"[".repeat(499)}${"]".repeat(499)}},"type":"observation.add"}`
  return {
    "another tenant": saying({ tenant: "evil" }),
    "another format": saying({ format: 2 }),
    "a format that is true": saying({ format: true }),
    "another ontology": saying({ ontology: 0 }),
    "a namespace of the ontology": saying({ namespaces: { kernel: 1 } }),
    "a second beginning": Export.encode(exportOf(chain(genesis, parts.with(3, parts[0]!)))),
    "another link of the parent": left({ link: Digest.zero }),
    "a fork that is none": left({}, []),
    "an ancestor that left later": left({}, [
      { id: ghost, tick: 3 },
      { id: root.id, tick: 2 }
    ]),
    "an ancestor twice": left({}, [
      { id: root.id, tick: 1 },
      { id: root.id, tick: 2 }
    ]),
    "a run that is its own ancestor": left({}, [{ id: run.id, tick: 2 }]),
    "an ancestor beyond the head": left({}, [{ id: root.id, tick: 4 }]),
    "a blob that nothing names": Export.encode({
      ...good,
      blobs: new Map([...good.blobs, [Digest.ofBytes(loose), loose]])
    }),
    "a body that nests too deep": Export.encode(exportOf(chain(genesis, parts.with(2, { ...parts[2]!, body: deep })))),
    "a time that goes back": stamped(2, { asOf: 0, state: Digest.zero }),
    "a time before all others": stamped(0, { asOf: -1, state: Digest.zero }),
    "a time that is text": stamped(2, { asOf: "2", state: Digest.zero }),
    "no time": stamped(2, { state: Digest.zero }),
    "a commit that was cut": stamped(3, { asOf: 3 }),
    "a last state that is none": stamped(3, { asOf: 3, state: "0" }),
    "an erasure of what was never there": erasing(packDigest, {}),
    "an erasure of what is sealed in no form": erasing("0123", { at: { $sealed: "0123" } }),
    "a body that is a list": Export.encode(exportOf(chain(genesis, parts.with(2, { ...parts[2]!, body: "[]" }))))
  }
}

describe.skipIf(!hasPython)("verify.py", () => {
  it("accepts an export that the library wrote, plain and gzip", async () => {
    const text = Export.encode(good)
    for (const { said, status } of [started(text), await check(text), await check(gzipSync(text))]) {
      assert.strictEqual(said, `consistent, unanchored: run trip-42, 4 ticks, head ${good.head.link}`)
      assert.strictEqual(status, 0)
    }
    assert.strictEqual((await check(Export.encode(exportOf([])))).status, 0)
  })

  it("accepts every golden trace, with the head that is pinned", async () => {
    const folder = new URL("../../packages/runtime/test/histories/", import.meta.url)
    const pinned = JSON.parse(readFileSync(new URL("digests.golden.json", folder), "utf8")) as {
      readonly [name: string]: { readonly link: string }
    }
    assert.isAbove(Object.keys(pinned).length, 3)
    for (const [name, { link }] of Object.entries(pinned)) {
      const { said, status } = await check(readFileSync(new URL(name, folder), "utf8"), "--head", link)
      assert.deepStrictEqual([name, status], [name, 0], said)
      assert.include(said, "consistent, anchored at tick")
    }
  })

  it("accepts a fork from the genesis of its root", async () => {
    const root = Run.make("trip-1", "acme")
    const link = chain(HashChain.genesis(root), parts)[1]!.link
    const data = { at: 2, child: run.id, link, parent: root.id }
    const left = { ...parts[2]!, body: Canonical.encode({ author: "kernel", data, type: "run.fork" }) }
    const shared = chain(HashChain.genesis(root), parts.with(2, left))
    const fork = { ...exportOf(shared), lineage: [{ id: root.id, tick: 2 }] }
    assert.strictEqual((await check(Export.encode(fork))).status, 0)
    assert.include(await check(Export.encode({ ...fork, lineage: [] })), { status: 1, tick: 1 })
    const renamed = { ...fork, run: Run.make("trip-43", "acme") }
    assert.include(await check(Export.encode(renamed)), { status: 1, tick: 3 })
    const unnamed = { ...exportOf(chain(HashChain.genesis(root), parts)), lineage: fork.lineage }
    assert.include(await check(Export.encode(unnamed)), { status: 1, tick: 3 })
    const other = { ...exportOf(chain(HashChain.genesis(root), parts.slice(0, 2))), lineage: fork.lineage }
    assert.include(await check(Export.encode(other)), { status: 1 })
  })

  it("anchors to a head that was kept elsewhere, with or without its tick", async () => {
    const text = Export.encode(good)
    const [, second] = sealed as [Transition.Sealed, Transition.Sealed]
    assert.include((await check(text, "--head", good.head.link)).said, "anchored at tick 4")
    assert.include((await check(text, "--head", second.link)).said, "anchored at tick 2")
    assert.include((await check(text, "--head", `2:${second.link}`)).said, "anchored at tick 2")
    assert.include(await check(text, "--head", `3:${second.link}`), { status: 1, tick: 3 })
    for (const { status } of [started(text, "--head", "abc"), await check(text, "--head", "abc")]) {
      assert.strictEqual(status, 2)
    }
    assert.include(started(text, "--head", `3:${second.link}`), { status: 1, tick: 3 })
  })

  it("counts the blobs, and reads no ontology that there never was", async () => {
    const text = Export.encode(good)
    assert.include((await check(text.replace('"blobs":1,', ""))).said, "it holds 1 blobs, and its header counts 0")
    assert.include(
      (await check(text.replace('"ontology":1', '"ontology":0'))).said,
      "this verifier reads version 1, ontologies 1 to 3"
    )
  })

  it("calls a trace that was rewritten to its end consistent, and refuses it against the kept head (L3)", async () => {
    const rewritten = Export.encode(exportOf(chain(genesis, parts.with(1, parts[2]!))))
    assert.include((await check(rewritten)).said, "consistent, unanchored")
    assert.include(await check(rewritten, "--head", good.head.link), { status: 1, tick: 4 })
    assert.include(await check(rewritten, "--head", `2:${sealed[1]!.link}`), { status: 1, tick: 2 })
  })

  it("names the same first bad tick as the library for every kind of change (L3)", async () => {
    const [one, two, three, four] = sealed as [
      Transition.Sealed,
      Transition.Sealed,
      Transition.Sealed,
      Transition.Sealed
    ]
    const flip = (text: string) => (text.endsWith("0") ? `${text.slice(0, -1)}1` : `${text.slice(0, -1)}0`) as never
    const changes: Readonly<Record<string, readonly [ReadonlyArray<Transition.Sealed>, number]>> = {
      body: [[one, two, { ...three, body: three.body.replace("agent", "user") }, four], 3],
      stamp: [[one, { ...two, stamp: '{"asOf":9}' }, three, four], 2],
      envelope: [[one, two, three, { ...four, envelope: '{"ts":9}' }], 4],
      link: [[{ ...one, link: flip(one.link) }, two, three, four], 1],
      story: [[one, { ...two, story: flip(two.story) }, three, four], 2],
      dropped: [[one, two, four], 3],
      reordered: [[one, three, two, four], 2],
      doubled: [[one, one, two, three, four], 2],
      inserted: [[one, two, { ...one, tick: 3 }, three, four], 3],
      swapped: [[one, { ...two, body: three.body }, { ...three, body: two.body }, four], 2],
      renumbered: [[one, { ...two, tick: 7 }, three, four], 2]
    }
    for (const [name, [transitions, tick]] of Object.entries(changes)) {
      const changed = { ...good, transitions }
      assert.include(await check(Export.encode(changed)), { status: 1, tick }, name)
      const found = HashChain.verify(genesis, transitions)
      assert.isTrue(Result.isFailure(found) && found.failure.tick === tick, `HashChain, ${name}`)
      const exported = Export.verify(changed)
      assert.isTrue(Result.isFailure(exported) && "tick" in exported.failure && exported.failure.tick === tick, name)
    }
  })

  it("names the end when transitions are missing from it or added to it", async () => {
    assert.include(await check(Export.encode({ ...good, transitions: sealed.slice(0, 3) })), { status: 1, tick: 4 })
    assert.include(await check(Export.encode({ ...good, head: HashChain.headOf(sealed[2]!) })), { status: 1, tick: 4 })
  })

  it("refuses hashed text that is not canonical, as the library does", async () => {
    const loose = ['{"b":1,"a":2}', '{"a":1.0}', '{"a":1e21 }', '{"a":-0}', '{"a":"\\u0041"}', '{"a":1,"a":1}', "{a:1}"]
    loose.push('{"a":1E400}', '{"a":NaN}', '{"a":9007199254740993}', '{"a":0.10}', '{"a":"\\ud800"}', '{"a":"\\/"}')
    for (const stamp of loose) {
      const changed = exportOf(chain(genesis, parts.with(2, { ...parts[2]!, stamp })))
      assert.include(await check(Export.encode(changed)), { status: 1, tick: 3 }, stamp)
      assert.deepInclude(Export.verify(changed), { _tag: "Failure" }, stamp)
    }
  })

  it("refuses hashed text that nests too deep, and the library gives the same answer", async () => {
    const stamp = `{"asOf":${"[".repeat(500)}${"]".repeat(500)}}`
    const changed = exportOf(chain(genesis, parts.with(2, { ...parts[2]!, stamp })))
    assert.include(await check(Export.encode(changed)), { status: 1, tick: 3 })
    const said = [
      Result.getOrThrow(Result.flip(Export.verify(changed))).message,
      Result.getOrThrow(Result.flip(Result.try(() => TransitionCheck.openUntrusted(changed.transitions[2]!)))) as Error
    ].map(String)
    for (const each of said) {
      assert.include(each, "nested more than 500 levels deep")
      assert.notInclude(each, "canonical")
    }
  })

  it("refuses a blob that was changed, and a file that it cannot read", async () => {
    const text = Export.encode(good)
    assert.include((await check(text.replace("pack: é", "pack: e"))).said, "blob")
    for (const file of ["", "{}\n", text.replace('"version":1', '"version":2'), text.slice(0, 900), "\u0000"]) {
      const { said, status } = await check(file)
      assert.strictEqual(status, 1)
      assert.include(said, "unreadable")
    }
  })

  it("says in a sentence that compressed bytes are damaged, and that a head is none", async () => {
    const text = Export.encode(good)
    const zipped = gzipSync(text)
    for (let at = 10; at < zipped.length; at += 7) {
      const changed = Uint8Array.from(zipped)
      changed[at] = changed[at]! ^ 0x55
      const { said, status } = await check(changed)
      assert.strictEqual(status, 1, `byte ${at}`)
      assert.match(said, /^(unreadable|broken): /, `byte ${at}`)
    }
    const { link } = good.head
    for (const head of [
      `²:${link}`,
      `-1:${link}`,
      `${"9".repeat(5000)}:${link}`,
      ":",
      link.toUpperCase(),
      `:${link}`
    ]) {
      assert.strictEqual((await check(text, "--head", head)).status, 2, head)
    }
  })

  it("refuses an invalid moment, like an import", async () => {
    for (const wrong of ["8640000000000001", "9007199254740991", "-1", "1.5", '"1"', "null", "true"]) {
      for (const part of [{ envelope: `{"ts":${wrong}}` }, { stamp: `{"asOf":${wrong}}` }]) {
        const changed = exportOf(chain(genesis, parts.with(2, { ...parts[2]!, ...part })))
        assert.include(await check(Export.encode(changed)), { status: 1, tick: 3 }, JSON.stringify(part))
      }
    }
  })

  it("hands a state proof to the verifier beside it", async () => {
    const proof = `${Canonical.encode({ format: "backstitch-state-proof", version: 2 })}\n`
    for (const options of [[], ["--head", good.head.link]]) {
      const { said, status } = await check(proof, ...options)
      assert.deepStrictEqual([said, status], ["unreadable: -: it is no state proof of version 1", 1])
    }
  })

  it("judges every damaged file like an import", async () => {
    for (const [name, file] of Object.entries({
      ...lineDamage,
      ...(await claimDamage()),
      sound: Export.encode(good)
    })) {
      const bytes = Buffer.from(file)
      const isTaken = takes(bytes)
      assert.deepStrictEqual([name, isTaken], [name, name === "sound"])
      const { said, status } = await check(bytes)
      assert.deepStrictEqual([name, status], [name, isTaken ? 0 : 1], said)
    }
  })
})
