import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Digest from "../src/Digest.ts"
import * as Export from "../src/Export.ts"
import * as HashChain from "../src/HashChain.ts"
import * as Run from "../src/Run.ts"
import type { Draft, Sealed } from "../src/Transition.ts"

const run = Run.make("trip-42", "acme")

const draft = (text: string, at: number): Draft => ({
  body: { author: "agent", data: { text, at: at / 7 }, type: "observation.add" },
  stamp: { asOf: at },
  envelope: { latency: 1e-7, ts: at }
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

const exportOf = (
  texts: ReadonlyArray<string>,
  options: { readonly lineage?: ReadonlyArray<Export.Ancestor>; readonly blobs?: ReadonlyArray<string> } = {}
): Export.Export => {
  const { blobs = [], lineage = [] } = options
  const genesis = Export.genesis({ run, lineage })
  const transitions = sealAll(genesis, texts.map(draft))
  const last = transitions.at(-1)
  return {
    run,
    ontology: 1,
    lineage,
    head: last === undefined ? genesis : HashChain.headOf(last),
    transitions,
    blobs: new Map(blobs.map((text) => [Digest.ofBytes(text), text]))
  }
}

/** Shares one transition with the root of its lineage, and begins as its data says. */
const forkOf = (
  data: { readonly at: number; readonly child: string; readonly parent: string },
  lineage: ReadonlyArray<Export.Ancestor>
): Export.Export => {
  const begun = { ...draft("", 1), body: { author: "kernel", data, type: "run.fork" } } as const
  const transitions = sealAll(Export.genesis({ run, lineage }), [draft("shared", 0), begun])
  return { ...exportOf([], { lineage }), transitions, head: HashChain.headOf(transitions[1]!) }
}

const three = exportOf(["one", "two\n\u2028", "dreißig 😀"], { blobs: ["pack: 1\n"] })
const lines = [...Export.lines(three)]
const fromLines = (changed: ReadonlyArray<string>) => Export.decode(`${changed.join("\n")}\n`)

const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isSuccess(result)) throw new Error("it was accepted")
  return result.failure
}

describe("Export", () => {
  it.prop(
    "reads what it wrote, byte for byte (L2)",
    [Schema.Array(Schema.String), Schema.Array(Schema.String)],
    ([texts, blobs]) => {
      const wellFormed = texts.filter((text) => text.isWellFormed())
      const written = exportOf(wellFormed, { blobs: blobs.filter((text) => text.isWellFormed()) })
      const read = Result.getOrThrow(Export.decode(Export.encode(written)))
      assert.deepStrictEqual(read, written)
      assert.deepStrictEqual(Export.verify(read), Result.succeed(written.head))
    }
  )

  it("reads lines as well as text, with or without a last line end", () => {
    const text = Export.encode(three)
    assert.deepStrictEqual(Export.decode(lines), Export.decode(text))
    assert.deepStrictEqual(Export.decode(text.trimEnd()), Export.decode(text))
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
    assert.include(failure(Export.verify(exportOf(["shared"], { lineage }))), { tick: 1, found: "fork" })
    assert.include(failure(Export.verify(exportOf([], { lineage }))), { tick: 0, found: "fork" })
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
    const header = (about: object) => JSON.stringify({ ...JSON.parse(lines[0]!), ...about })
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
        return 1
      }
      return Object.defineProperty(ancestor, "tick", { get }) as Export.Ancestor
    })
    assert.include(failure(Export.verify({ ...three, lineage })), { tick: 1, found: "link" })
    assert.isBelow(asked, 4 * lineage.length)
  })

  it("refuses more blobs than the header counts, and an ontology that there never was", () => {
    const uncounted = fromLines(lines.with(0, lines[0]!.replace('"blobs":1', '"globs":1')))
    assert.include(failure(uncounted), { _tag: "ExportMalformed", line: 5 })
    const none = fromLines(lines.with(0, lines[0]!.replace('"ontology":1', '"ontology":0')))
    assert.include(failure(none), { _tag: "ExportMalformed", line: 1 })
  })

  it("refuses what is not an export and what another version wrote", () => {
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
      fromLines(lines.with(2, lines[2]!.slice(0, 40))),
      fromLines(lines.with(2, lines[2]!.replace('"tick"', "'tick'")))
    ]
    for (const result of malformed) assert.include(failure(result), { _tag: "ExportMalformed", line: 3 })
    assert.include(failure(fromLines([...lines, lines[1]!])), { _tag: "ExportMalformed", line: 6 })
    assert.include(failure(fromLines(["", lines[0]!, "", "null"])), { _tag: "ExportMalformed", line: 4 })
  })

  it("tells a file that was cut short from one that is malformed, wherever it was cut", () => {
    const text = Export.encode(three)
    for (let length = 0; length < text.length - 1; length++) {
      const result = Export.decode(text.slice(0, length))
      if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, three)
      else if (length > lines[0]!.length) assert.strictEqual(result.failure._tag, "ExportTruncated", `at ${length}`)
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
    const [digest] = three.blobs.keys()
    const result = Export.verify({ ...three, blobs: new Map([[digest!, "pack: 2\n"]]) })
    assert.strictEqual(failure(result)._tag, "BlobCorrupt")
    assert.include(failure(result).message, digest!)
  })
})
