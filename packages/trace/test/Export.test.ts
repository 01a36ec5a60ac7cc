import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "../src/bytes/Canonical.ts"
import * as Digest from "../src/bytes/Digest.ts"
import * as HashChain from "../src/chain/HashChain.ts"
import * as Lineage from "../src/chain/Lineage.ts"
import * as Run from "../src/chain/Run.ts"
import * as Export from "../src/file/Export.ts"
import type { Draft, Sealed } from "../src/transition/Transition.ts"

const run = Run.make("trip-42", "acme")

const draft = (text: string, at: number): Draft => ({
  body: { author: "agent", data: { text, at: at / 7 }, type: "observation.add" },
  stamp: { asOf: at, state: Digest.zero },
  envelope: { latencyMillis: 1e-7, ts: at }
})

const sealAll = (from: HashChain.Head, drafts: ReadonlyArray<Draft>): ReadonlyArray<Sealed> => {
  const sealed: Array<Sealed> = []
  let head = from
  for (const next of drafts) {
    sealed.push(HashChain.seal(head, next))
    head = HashChain.headOf(sealed.at(-1)!)
  }
  return sealed
}

/** A draft that begins a run and pins blobs. */
const started = (pack: string, initial: string): Draft => ({
  body: {
    author: "kernel",
    data: { clauses: {}, engine: "e", fold: "f", format: 1, goal: "g", initial, ontology: 1, pack, tenant: "acme" },
    type: "run.started"
  },
  stamp: { asOf: 0, state: Digest.zero },
  envelope: { ts: 0 }
})

const exportOf = (
  texts: ReadonlyArray<string>,
  options: { readonly lineage?: ReadonlyArray<Lineage.Ancestor>; readonly blobs?: ReadonlyArray<string> } = {}
): Export.Export => {
  const { lineage = [] } = options
  const blobs = (options.blobs ?? []).map((text) => `backstitch.pack.1\n${text}`)
  const genesis = Export.genesis({ run, lineage })
  // One blob names all the others, so that whatever is in the file belongs to the run.
  const manifest = `backstitch.initial.1\n${blobs.map((text) => Digest.ofBytes(text)).join(" ")}`
  const first = blobs.length === 0 ? [] : [started(Digest.ofBytes(blobs[0]!), Digest.ofBytes(manifest))]
  const transitions = sealAll(genesis, [...first, ...texts.map(draft)])
  const last = transitions.at(-1)
  return {
    run,
    ontology: 1,
    lineage,
    head: last === undefined ? genesis : HashChain.headOf(last),
    transitions,
    blobs: new Map((blobs.length < 2 ? blobs : [...blobs, manifest]).map((text) => [Digest.ofBytes(text), text]))
  }
}

/** Shares one transition with the root of its lineage, and begins as its data says. */
const forkOf = (
  data: { readonly at: number; readonly child: string; readonly parent: string },
  lineage: ReadonlyArray<Lineage.Ancestor>
): Export.Export => {
  const shared = sealAll(Export.genesis({ run, lineage }), [draft("shared", 0)])
  const link = shared[0]!.link
  const begun = { ...draft("", 1), body: { author: "kernel", data: { ...data, link }, type: "run.fork" } } as const
  const transitions = [...shared, ...sealAll(HashChain.headOf(shared[0]!), [begun])]
  return { ...exportOf([], { lineage }), transitions, head: HashChain.headOf(transitions[1]!) }
}

const three = exportOf(["two\n\u2028", "dreißig 😀"], { blobs: ["pack: 1\n"] })
const lines = [...Export.lines(three)]
const fromLines = (changed: ReadonlyArray<string>) => Export.decode(`${changed.join("\n")}\n`)

const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isSuccess(result)) throw new Error("it was accepted")
  return result.failure
}

describe("Export", () => {
  it.prop(
    "reads its own output, byte for byte (L2)",
    [Schema.Array(Schema.String), Schema.Array(Schema.String)],
    ([texts, blobs]) => {
      const wellFormed = texts.filter((text) => text.isWellFormed())
      const written = exportOf(wellFormed, { blobs: blobs.filter((text) => text.isWellFormed()) })
      const read = Result.getOrThrow(Export.decode(Export.encode(written)))
      assert.deepStrictEqual(read, written)
      assert.deepStrictEqual(Export.verify(read), Result.succeed(written.head))
    }
  )

  it("reads lines as well as text; the last line ends in a newline, too", () => {
    const text = Export.encode(three)
    assert.deepStrictEqual(Export.decode(lines), Export.decode(text))
    assert.include(failure(Export.decode(text.trimEnd())), { _tag: "ExportTruncated", what: "blobs", line: 5 })
  })

  it("verifies a fork from the genesis of its root, and its name by its own first transition (L3)", () => {
    const [one, two] = [Run.RunId.make("trip-1"), Run.RunId.make("trip-2")]
    const lineage = [{ id: one, tick: 1 }]
    const fork = forkOf({ at: 1, child: run.id, parent: one }, lineage)
    assert.isTrue(Result.isSuccess(Export.verify(fork)))
    assert.include(failure(Export.verify({ ...fork, lineage: [{ id: two, tick: 1 }] })), { tick: 1, found: "link" })
    assert.include(failure(Export.verify({ ...fork, run: { ...run, id: two } })), { tick: 2, found: "fork" })
    for (const wrong of [{ child: two }, { parent: two }, { at: 2 }]) {
      const named = forkOf({ at: 1, child: run.id, parent: one, ...wrong }, lineage)
      assert.include(failure(Export.verify(named)), { tick: 2, found: "fork" })
    }
    assert.include(failure(Export.verify(exportOf(["shared", "own"], { lineage }))), { tick: 2, found: "fork" })
    // A file that ends before the fork would begin is not the fork's, whatever it is called.
    assert.include(failure(Export.verify(exportOf(["shared"], { lineage }))), { tick: 1, found: "lineage" })
    assert.include(failure(Export.verify(exportOf([], { lineage }))), { tick: 1, found: "lineage" })
    // The child of a child that left before the child itself began shares nothing of its first transition.
    const early = [
      { id: one, tick: 1 },
      { id: two, tick: 1 }
    ]
    assert.isTrue(Result.isSuccess(Export.verify(forkOf({ at: 1, child: run.id, parent: two }, early))))
  })

  it("stops at more ancestors and transitions than it was told to take, before it reads them", () => {
    const decoder = (limits?: Export.Limits) => {
      const made = new Export.Decoder(limits)
      return (line: string) => {
        made.push(line)
        return failure(made.finish())
      }
    }
    const header = (about: object) => Canonical.encode({ ...JSON.parse(lines[0]!), ...about })
    const lineage = Array.from({ length: 100_001 }, (_, tick) => ({ id: `r${tick}`, tick }))
    assert.include(decoder()(header({ lineage })), { _tag: "ExportExceeds", limit: "lineage", max: 1000 })
    assert.include(decoder()(header({ head: { ...three.head, tick: 1e9 } })), { limit: "transitions", max: 2e5 })
    const few = new Export.Decoder({ lineage: 1, transitions: 1 })
    few.push(header({ head: { ...three.head, tick: 1 } }))
    for (const line of lines.slice(1, 3)) few.push(line)
    assert.include(failure(few.finish()), { _tag: "ExportExceeds", limit: "transitions", line: 3 })
  })

  it("finds the forks of a long lineage in one pass", () => {
    let asked = 0
    const lineage = Array.from({ length: 5_000 }, (_, index) => {
      const ancestor = { id: Run.RunId.make(`r${index}`) }
      const get = () => {
        asked++
        return index
      }
      return Object.defineProperty(ancestor, "tick", { get }) as Lineage.Ancestor
    })
    const long = { ...three, lineage, head: { ...three.head, tick: 5_000 } }
    assert.include(failure(Export.verify(long)), { tick: 1, found: "link" })
    assert.isBelow(asked, 4 * lineage.length)
  })

  it("refuses more blobs than the header counts, and an ontology that there never was", () => {
    const uncounted = fromLines(lines.with(0, lines[0]!.replace('"blobs":1,', "")))
    assert.include(failure(uncounted), { _tag: "ExportMalformed", line: 5 })
    const none = fromLines(lines.with(0, lines[0]!.replace('"ontology":1', '"ontology":0')))
    assert.include(failure(none), { _tag: "ExportMalformed", line: 1 })
  })

  it("refuses text that is no export, and an export of another version", () => {
    for (const text of ['{"format":"parquet"}\n', "[]\n", "not json\n"]) {
      assert.strictEqual(failure(Export.decode(text))._tag, "ExportUnsupported")
    }
    const newer = lines.with(0, lines[0]!.replace('"version":1', '"version":2'))
    assert.include(failure(fromLines(newer)).message, "backstitch-trace 2")
    const ontology = lines.with(0, lines[0]!.replace('"ontology":1', '"ontology":99'))
    assert.include(failure(fromLines(ontology)).message, "ontology 99")
  })

  it("names the line that is malformed", () => {
    const malformed = [
      fromLines(lines.with(2, "{}")),
      fromLines(lines.with(2, lines[2]!.replace(three.transitions[1]!.link, "0123"))),
      fromLines(lines.with(2, lines[2]!.slice(0, -1))),
      fromLines(lines.with(2, lines[2]!.replace('"tick"', "'tick'")))
    ]
    for (const result of malformed) assert.include(failure(result), { _tag: "ExportMalformed", line: 3 })
    assert.include(failure(fromLines([...lines, lines[1]!])), { _tag: "ExportMalformed", line: 6 })
    assert.include(failure(fromLines([lines[0]!, "", lines[1]!])), { _tag: "ExportMalformed", line: 2 })
    assert.include(failure(fromLines([lines[0]!, "null"])), { _tag: "ExportMalformed", line: 2 })
  })

  it("tells a file that was cut short from a malformed one, wherever it was cut", () => {
    const text = Export.encode(three)
    for (let length = 0; length < text.length - 1; length++) {
      const result = Export.decode(text.slice(0, length))
      if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, three)
      else if (length > 0) assert.strictEqual(result.failure._tag, "ExportTruncated", `at ${length}`)
    }
    assert.include(failure(Export.decode("")), { what: "header" })
    assert.include(failure(fromLines(lines.slice(0, 2))), { what: "transitions", found: 1, expected: 3 })
    assert.include(failure(fromLines(lines.slice(0, 4))), { what: "blobs", found: 0, expected: 1 })
  })

  it("names the first bad tick of a file that was changed (L3)", () => {
    const [one, two, third] = three.transitions as [Sealed, Sealed, Sealed]
    const changed = (transitions: ReadonlyArray<Sealed>, head = three.head) =>
      failure(Export.verify({ ...three, transitions, head }))
    assert.include(changed([one, { ...two, stamp: '{"asOf":2}' }, third]), { tick: 2, found: "link" })
    assert.include(changed([one, { ...two, story: one.story }, third]), { tick: 2, found: "story" })
    assert.include(changed([one, third]), { tick: 2, found: "tick" })
    assert.include(changed([one, one, two, third]), { tick: 2, found: "tick" })
    assert.include(changed([one, two]), { tick: 3, found: "tick" })
    assert.include(changed([one, two, third], HashChain.headOf(two)), { tick: 3, found: "end" })
    assert.include(changed([one, two, third], { ...three.head, link: one.link }), { tick: 3, found: "end" })
  })

  it("names a part that was hashed without being canonical", () => {
    const loose = '{"type":"observation.add","author":"agent"}'
    const genesis = Export.genesis(three)
    const parts = [loose, "{}", "{}"].map((text) => Digest.ofBytes(text))
    const sealed: Sealed = {
      tick: 1,
      link: Digest.ofText("backstitch.link.1", [genesis.link, ...parts].join("\n")),
      story: Digest.ofText("backstitch.story.1", [genesis.story, parts[0]].join("\n")),
      body: loose,
      stamp: "{}",
      envelope: "{}"
    }
    const result = Export.verify({ ...three, transitions: [sealed], head: HashChain.headOf(sealed) })
    assert.include(failure(result), { tick: 1, found: "bytes" })
  })

  it("names a blob that was changed", () => {
    const digest = [...three.blobs.keys()][0]!
    const found = (blobs: Export.Export["blobs"]) => failure(Export.verify({ ...three, blobs }))
    assert.deepInclude(found(new Map(three.blobs).set(digest, "pack: 2\n")), {
      _tag: "BlobCorrupt",
      digest,
      found: "digest"
    })
    const loose = "backstitch.pack.1\nnote: paid\n"
    const name = Digest.ofBytes(loose)
    assert.deepInclude(found(new Map(three.blobs).set(name, loose)), { digest: name, found: "unbound" })
    const bare = Digest.ofBytes("note: paid\n")
    assert.deepInclude(found(new Map(three.blobs).set(bare, "note: paid\n")), {
      digest: bare,
      found: "domain"
    })
  })

  it("refuses every other spelling of a line, which would be a second file of one head", () => {
    const second = lines[2]!
    const spelled: ReadonlyArray<readonly [number, string, string]> = [
      [1, `\ufeff${lines[0]}`, "byte order mark"],
      [1, lines[0]!.replace('"version":1', '"version":1,"version":1'), "character"],
      [1, lines[0]!.replace('"version":1', '"version":1.0'), ".0"],
      [1, lines[0]!.replace('"version":1', '"version":1,"word":"paid"'), "word"],
      [1, lines[0]!.replace('"id"', '"a":1,"id"'), "a"],
      [1, lines[0]!.replace('"ontology"', '"lineage":[],"ontology"'), "lineage"],
      [3, ` ${second}`, "character 1"],
      [3, `${second}\r`, "\\r"],
      [3, second.replace('"tick":2', '"tick":2,"tick":2'), "character"],
      [3, second.replace('{"body"', '{"body":"lie","body"'), "lie"],
      [3, second.replace('"tick":2', '"tick":2e0'), "e0"],
      [3, second.replace('"tick":2', '"tick":2,"word":1'), "word"],
      [5, lines[4]!.replace("pack: 1", "lone \\ud800"), "lone surrogate"],
      [5, lines[4]!.replace('{"blob"', '{"a":1,"blob"'), "a"]
    ]
    for (const [line, text, says] of spelled) {
      const found = failure(fromLines(lines.with(line - 1, text)))
      assert.include(found, { _tag: "ExportMalformed", line }, text)
      assert.include(found.message, says)
    }
  })

  it("reads each lineage in one form: no run twice, none that no byte names (L3)", () => {
    const [one, two, other] = [Run.RunId.make("trip-1"), Run.RunId.make("trip-2"), Run.RunId.make("trip-3")]
    const of = (...pairs: ReadonlyArray<readonly [Run.RunId, number]>) => pairs.map(([id, tick]) => ({ id, tick }))
    const good = forkOf({ at: 1, child: run.id, parent: two }, of([one, 1], [two, 1]))
    assert.isTrue(Result.isSuccess(Export.verify(good)))
    for (const lineage of [
      of([one, 5], [two, 1]),
      of([one, 99], [two, 1]),
      of([one, 1], [other, 1], [two, 1]),
      of([one, 1], [one, 1]),
      of([one, 1], [run.id, 1]),
      of([one, 1], [two, 2])
    ]) {
      assert.include(failure(Export.verify({ ...good, lineage })), { tick: 1, found: "lineage" })
      assert.include(failure(Export.decode(Export.encode({ ...good, lineage }))), { _tag: "ExportMalformed", line: 1 })
    }
    const left = of([one, 5], [other, 4], [two, 1])
    assert.deepStrictEqual(Lineage.normal(left), of([one, 1], [two, 1]))
    assert.deepStrictEqual(Lineage.normal(Lineage.normal(left)), Lineage.normal(left))
  })

  it("refuses a run that says otherwise of itself than the file does (L15)", () => {
    const said = (data: object, before: ReadonlyArray<Draft> = []) => {
      const begun = started(Digest.zero, Digest.zero)
      const body = { ...begun.body, data: { ...begun.body.data, ...data } }
      const transitions = sealAll(HashChain.genesis(run), [...before, { ...begun, body }])
      return Export.verify({ ...exportOf([]), transitions, head: HashChain.headOf(transitions.at(-1)!) })
    }
    assert.isTrue(Result.isSuccess(said({})))
    for (const data of [{ tenant: "evil" }, { format: 2 }, { ontology: 0 }, { namespaces: { kernel: 1 } }]) {
      assert.include(failure(said(data)), { tick: 1, found: "run" })
    }
    assert.include(failure(said({}, [draft("earlier", 0)])), { tick: 2, found: "run" })
    const lineage = [{ id: Run.RunId.make("trip-1"), tick: 1 }]
    const fork = forkOf({ at: 1, child: run.id, parent: "trip-1" }, lineage)
    const body = { author: "kernel", data: { at: 1, child: run.id, link: Digest.zero, parent: "trip-1" } } as const
    const wrong = HashChain.seal(HashChain.headOf(fork.transitions[0]!), {
      ...draft("", 1),
      body: { ...body, type: "run.fork" }
    })
    const unbound = { ...fork, transitions: [fork.transitions[0]!, wrong], head: HashChain.headOf(wrong) }
    assert.include(failure(Export.verify(unbound)), { tick: 2, found: "run" })
    const [shared, again] = sealAll(HashChain.genesis(run), [
      draft("", 0),
      { ...draft("", 1), body: { ...body, type: "run.fork" } }
    ])
    const none = { ...exportOf([]), transitions: [shared!, again!], head: HashChain.headOf(again!) }
    assert.include(failure(Export.verify(none)), { tick: 2, found: "run" })
  })
})
