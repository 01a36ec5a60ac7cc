import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as RequestIdentity from "../src/identity/RequestIdentity.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const keyOf = (flight: string, traveller: string, options: { goal?: string; run?: string; ticks?: number } = {}) => {
  const bench = new Bench(options)
  for (let tick = 0; tick < (options.ticks ?? 0); tick++) {
    bench.proposes({ type: "observation.add", data: { text: String(tick) } })
  }
  return call(bench.proposes(bookOf(flight, 80, { traveller }))).key
}

/** Wordings of one act, as models write them. */
const wordings: ReadonlyArray<readonly [flight: string, traveller: string]> = [
  ["LX1234", "Ada Lovelace"],
  ["lx1234", "ada lovelace"],
  ["LX 1234", "Ada  Lovelace"],
  ["LX-1234", " Ada Lovelace "],
  ["lx–1234", "ADA LOVELACE"],
  ["Lx.1234", "Ada\tLovelace"],
  [" LX1234", "ada\nLovelace"]
]

const Case = Schema.Array(Schema.Boolean)
const Tail = Schema.Array(Schema.Literals([" ", "\t", "\n", "x", "é", "-", "."]))

describe("RequestIdentity", () => {
  it("derives one key for all wordings of one act (L6)", () => {
    const keys = new Set(wordings.map(([flight, traveller]) => keyOf(flight, traveller)))
    assert.strictEqual(keys.size, 1)
  })

  it("derives another key for another act, another goal and another tenant's secret", () => {
    const keys = [
      keyOf("LX1234", "Ada Lovelace"),
      keyOf("LX1235", "Ada Lovelace"),
      keyOf("LX1234", "Bob Lovelace"),
      keyOf("LX1234", "Ada Lovelace", { goal: "another" })
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("derives the same key at any position and in any run of the goal (L6)", () => {
    const keys = [{}, { ticks: 7 }, { run: "other" }, { run: "third", ticks: 2 }].map((options) =>
      keyOf("LX1", "Ada", options)
    )
    assert.strictEqual(new Set(keys).size, 1)
  })

  it.prop("ignores case and spacing of a name, and no other difference (L6)", [Case, Tail], ([cases, tail]) => {
    const recased = [..."Ada Lovelace"].map((letter, index) => (cases[index] ? letter.toUpperCase() : letter)).join("")
    assert.strictEqual(keyOf("LX1", recased), keyOf("LX1", "Ada Lovelace"))
    const same = tail.join("").trim() === ""
    assert.strictEqual(keyOf("LX1", `Ada Lovelace ${tail.join("")}`) === keyOf("LX1", "Ada Lovelace"), same)
  })

  it("answers another wording of a settled act from the record (L6)", () => {
    const bench = new Bench()
    bench.books("LX1234")
    const { tick } = bench.at.head
    const again = ends(bench.proposes(bookOf("lx-1234", 80, { traveller: " ADA " })), "Done")
    assert.strictEqual(again.basis, "recorded")
    assert.strictEqual(again.adopted?.action, "a2")
    assert.deepStrictEqual(bench.types(tick), ["intent.adopted"])
  })

  it("refuses the same key with another request (L6)", () => {
    const bench = new Bench()
    bench.books("LX1")
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 70))), ["key a2"])
  })

  it("derives another key for one more of the same, when the proposer asks for it", () => {
    const bench = new Bench()
    bench.books("LX1")
    const first = bench.transitions.find(({ stamp }) => stamp.key !== undefined)?.stamp.key
    const second = call(bench.proposes({ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "plan" }))
    assert.notStrictEqual(second.key, first)
  })

  it("derives another key after a final failure: asking again means a new act", () => {
    const bench = new Bench()
    const first = call(bench.proposes(bookOf("LX1")))
    bench.answers(first.action, { _tag: "Error", error: "sold out" })
    const second = call(bench.proposes(bookOf("LX1")))
    assert.notStrictEqual(second.key, first.key)
    bench.answers(second.action, ok({ id: "B1" }))
    bench.readsBack(second.action, ok({ id: "B1", price: 80 }))
    assert.strictEqual(ends(bench.proposes(bookOf("LX1")), "Done").adopted?.action, second.action)
  })

  it("recognises the key of an act that has failed for good any number of times, and of no other secret", () => {
    const bench = new Bench({ changes: { budgets: { steps: 100 } } })
    for (let failed = 0; failed < 60; failed++) {
      bench.answers(call(bench.proposes(bookOf("LX1"))).action, { _tag: "Error", error: "sold out" })
    }
    const { key = "" } = call(bench.proposes(bookOf("LX1")))
    const { params = null } = bookOf("LX1")
    const derives = (secret: string) =>
      RequestIdentity.derives({ ...bench.terms, secret }, bench.at.state, {
        contract: TaskPack.tool(bench.pack, "book"),
        params,
        occurrence: 1,
        key
      })
    assert.deepStrictEqual([derives(bench.terms.secret), derives("another")], [true, false])
  })

  it("refuses an identity that cannot be normalised", () => {
    assert.deepStrictEqual(failing(new Bench().proposes(bookOf("--"))), ["key flight"])
  })

  it("takes a sealed value without a key for an identity within one lineage alone, and no wider", () => {
    const requested = (scope: string) => {
      const identity = { scope, fields: ["name"] }
      const book = { class: "high_risk_external", input: { name: "string" }, identity }
      const made = TaskPack.make({ pack: "test.air", version: "1", tools: { book } } as Definition.Definition)
      const contract = TaskPack.tool(Result.getOrThrow(made), "book")
      return RequestIdentity.requested(contract, { name: { $sealed: Digest.ofBytes("Ada") } })
    }
    assert.isTrue(Result.isSuccess(requested("run")))
    for (const scope of ["goal", "tenant"]) {
      const refused = requested(scope)
      assert.isTrue(Result.isFailure(refused) && refused.failure.why?.code === "key.sealed")
    }
  })

  it("gives a tool without identity no key", () => {
    const { key } = call(new Bench().proposes({ tool: "look", params: { q: "x" } }))
    assert.isUndefined(key)
  })
})
