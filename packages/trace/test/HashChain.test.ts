import * as Crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HashChain from "../src/chain/HashChain.ts"
import * as Run from "../src/chain/Run.ts"
import type { Draft, Sealed } from "../src/transition/Transition.ts"

const run = Run.make("trip-42")
const genesis = HashChain.genesis(run)
const columns = ["link", "story", "body", "stamp", "envelope"] as const

// Few notes on purpose: traces with equal neighbours are the ones in which a swap could go unseen.
const Notes = Schema.Array(Schema.Literals(["sun", "rain", "é 😀"])).check(Schema.isMinLength(1), Schema.isMaxLength(8))
const Position = Schema.Natural
const settings = { arbitrary: { runs: 300 } }

const draft = (note: string): Draft => ({
  body: { author: "agent", data: { note }, type: "observation.add" },
  stamp: { asOf: 1_700_000_000_000 },
  envelope: { ts: 1_700_000_000_123 }
})

const sealAll = (drafts: ReadonlyArray<Draft>, from = genesis): ReadonlyArray<Sealed> => {
  let head = from
  return drafts.map((draft) => {
    const sealed = HashChain.seal(head, draft)
    head = HashChain.headOf(sealed)
    return sealed
  })
}
const traceOf = (notes: ReadonlyArray<string>) => sealAll(notes.map(draft))

const firstBad = (trace: ReadonlyArray<Sealed>): number | undefined => {
  const verified = HashChain.verify(genesis, trace)
  return Result.isFailure(verified) ? verified.failure.tick : undefined
}

const sha256 = (text: string) => Crypto.createHash("sha256").update(text).digest("hex")

describe("HashChain", () => {
  it.prop(
    "verifies sealed transitions, and answers the head (L3)",
    [Notes],
    ([notes]) => {
      const trace = traceOf(notes)
      assert.deepStrictEqual(
        HashChain.verify(genesis, trace),
        Result.succeed(HashChain.headOf(trace[trace.length - 1]!))
      )
    },
    settings
  )

  it.prop(
    "names the tick of any character that was changed, in any column (L3)",
    [Notes, Position, Schema.Literals(columns), Position],
    ([notes, where, column, at]) => {
      const trace = [...traceOf(notes)]
      const index = where % trace.length
      const text = trace[index]![column]
      const place = at % text.length
      const changed = text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1)
      trace[index] = { ...trace[index]!, [column]: changed }
      assert.strictEqual(firstBad(trace), index + 1)
    },
    settings
  )

  it.prop(
    "names the tick where a transition was dropped (L3)",
    [Notes, Position],
    ([notes, where]) => {
      const trace = traceOf([...notes, "last"])
      const index = where % (trace.length - 1)
      assert.strictEqual(firstBad(trace.toSpliced(index, 1)), index + 1)
      // Renumbering what follows hides the gap from the ticks, and not from the links.
      const renumbered = trace.toSpliced(index, 1).map((sealed, at) => ({ ...sealed, tick: at + 1 }))
      assert.strictEqual(firstBad(renumbered), index + 1)
    },
    settings
  )

  it.prop(
    "names the first tick that was moved (L3)",
    [Notes, Position, Position],
    ([notes, one, other]) => {
      const trace = [...traceOf([...notes, "last"])]
      const left = one % trace.length
      const right = other % trace.length
      if (left === right) return
      const swapped = trace.with(left, trace[right]!).with(right, trace[left]!)
      assert.strictEqual(firstBad(swapped), Math.min(left, right) + 1)
      const renumbered = swapped.map((sealed, at) => ({ ...sealed, tick: at + 1 }))
      assert.strictEqual(firstBad(renumbered), Math.min(left, right) + 1)
    },
    settings
  )

  it.prop(
    "names the tick where a transition was inserted (L3)",
    [Notes, Position, Position],
    ([notes, where, from]) => {
      const trace = traceOf(notes)
      const index = where % (trace.length + 1)
      const before = index === 0 ? genesis : HashChain.headOf(trace[index - 1]!)
      const doubled = trace.toSpliced(index, 0, trace[from % trace.length]!)
      if (from % trace.length !== index) assert.strictEqual(firstBad(doubled), index + 1)
      // A well-sealed stranger fits where it stands; what follows it does not.
      const stranger = HashChain.seal(before, draft("stranger"))
      assert.strictEqual(firstBad(trace.toSpliced(index, 0, stranger)), index === trace.length ? undefined : index + 2)
    },
    settings
  )

  it.prop(
    "finds nothing wrong with a shortened or rewritten end, which a head kept elsewhere shows (L3)",
    [Notes],
    ([notes]) => {
      const trace = traceOf([...notes, "last"])
      const anchor = HashChain.headOf(trace[trace.length - 1]!)
      const shortened = Result.getOrThrow(HashChain.verify(genesis, trace.slice(0, -1)))
      assert.notDeepEqual(shortened, anchor)
      const rewritten = Result.getOrThrow(HashChain.verify(genesis, traceOf([...notes, "other"])))
      assert.strictEqual(rewritten.tick, anchor.tick)
      assert.notStrictEqual(rewritten.link, anchor.link)
    },
    settings
  )

  it.prop(
    "seals equal drafts to equal bytes, in any order of their keys (L2)",
    [Notes],
    ([notes]) => {
      const reversed = notes.map((note): Draft => {
        const { body, envelope, stamp } = draft(note)
        return { envelope, stamp, body: { type: body.type, data: body.data!, author: body.author } }
      })
      assert.deepStrictEqual(sealAll(reversed), traceOf(notes))
    },
    settings
  )

  it.prop(
    "tells the same story of two runs exactly as long as they did the same (L2)",
    [Notes, Notes],
    ([left, right]) => {
      const later = right.map((note): Draft => ({ ...draft(note), stamp: { asOf: 5, key: "k" }, envelope: { ts: 6 } }))
      const one = traceOf(left)
      const other = sealAll(later, HashChain.genesis(Run.make("another", "elsewhere")))
      let agrees = true
      for (let index = 0; index < Math.min(one.length, other.length); index++) {
        agrees &&= left[index] === right[index]
        assert.strictEqual(one[index]!.story === other[index]!.story, agrees)
        assert.notStrictEqual(one[index]!.link, other[index]!.link)
      }
    },
    settings
  )

  it("binds the run's name, and that of its tenant", () => {
    const links = [Run.make("a", "t"), Run.make("b", "t"), Run.make("a", "u")].map((run) => HashChain.genesis(run).link)
    assert.strictEqual(new Set(links).size, 3)
    assert.strictEqual(firstBad(sealAll([draft("x")], HashChain.genesis(Run.make("a")))), 1)
  })

  it("chains as docs/FORMAT.md writes it, computed here by hand (decision 0002)", () => {
    let link = sha256('backstitch.genesis.1\n{"id":"trip-42","tenant":"default"}')
    let story = "0".repeat(64)
    assert.deepStrictEqual({ ...genesis }, { tick: 0, link, story } as typeof genesis)
    for (const sealed of traceOf(["sun", "é 😀"])) {
      const [body, stamp, envelope] = [sealed.body, sealed.stamp, sealed.envelope].map(sha256)
      link = sha256(`backstitch.link.1\n${link}\n${body}\n${stamp}\n${envelope}`)
      story = sha256(`backstitch.story.1\n${story}\n${body}`)
      assert.deepStrictEqual([sealed.link, sealed.story], [link, story] as Array<typeof sealed.link>)
    }
  })

  it("gives these bytes and digests for ever", () => {
    const [sealed] = traceOf(["é 😀"])
    assert.deepEqual(sealed, {
      tick: 1,
      link: "3352bb051a2b1f8617ee1ecd3b8d2df0910356d86f43a276257f3a673998a52e",
      story: "5fe714d20a6ba7bf8d8f95bcf0b1c8460d0aad2654e4b51f60d0ec80e8090daf",
      body: '{"author":"agent","data":{"note":"é 😀"},"type":"observation.add"}',
      stamp: '{"asOf":1700000000000}',
      envelope: '{"ts":1700000000123}'
    })
  })
})
