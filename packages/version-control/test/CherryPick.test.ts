import * as PackExtension from "@backstitch/contracts/PackExtension"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CherryPick } from "../src/index.ts"
import * as orders from "./contracted.ts"

const rich: orders.Fields = { cash: "100000.00", threshold: "MAX", position: 5000, mood: "bold", region: "CH" }

const judge = (target: orders.Fields, options: Parameters<typeof orders.source>[1] = {}) =>
  CherryPick.validate(orders.source(orders.state(rich), options), orders.target(orders.state(target)))

const codes = ({ reasons }: CherryPick.CherryPickVerdict) => reasons.map(({ code, path }) => [code, path])

const Fields = Schema.Struct({
  cash: Schema.Literals(["0.00", "1.50", "100000.00"]),
  threshold: Schema.Literals(["MAX", "MIN"]),
  position: Schema.Literals([0, 1, 5000]),
  mood: Schema.Literals(["bold", "shy"]),
  region: Schema.Literals(["CH", "DE"])
})
const Dependencies = Schema.Array(Schema.Literals(["working.region", "working.mood", "world.cash"]))

describe("CherryPick", () => {
  it.prop(
    "always accepts an intent into the state that it was decided on",
    [Fields, Dependencies],
    ([fields, dependsOn]) => {
      const state = orders.state(fields)
      const {
        accepted,
        fields: compared,
        hash,
        targetHash,
        warnings
      } = CherryPick.validate(orders.source(state, { dependsOn }), orders.target(state))
      assert.deepStrictEqual([accepted, warnings], [true, []])
      assert.strictEqual(targetHash, hash)
      assert.lengthOf(compared, 4)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "accepts an intent exactly if the fields that have to match do",
    [Fields, Fields],
    ([source, target]) => {
      const verdict = CherryPick.validate(orders.source(orders.state(source)), orders.target(orders.state(target)))
      assert.strictEqual(verdict.accepted, source.threshold === target.threshold)
    },
    { arbitrary: { runs: 300 } }
  )

  it("compares by value the fields that have to match, and demands only the presence of the rest", () => {
    const verdict = judge({ ...rich, cash: "500.00", position: 200, threshold: "MIN" })
    assert.isFalse(verdict.accepted)
    assert.deepStrictEqual(codes(verdict), [["context_violation", "world.threshold"]])
    assert.deepStrictEqual(
      verdict.fields.map(({ match, path, problem }) => [path, match, problem]),
      [
        ["working.mood", false, undefined],
        ["world.cash", false, undefined],
        ["world.position", false, undefined],
        ["world.threshold", true, "differs"]
      ]
    )
    const sides = { source: "MAX", target: "MIN" }
    const about = { onto: "fund-b", path: "world.threshold", problem: "differs", run: "fund-a", subject: "order" }
    assert.deepStrictEqual<unknown>(verdict.reasons, [{ code: "context_violation", ...about, ...sides }])
  })

  it("compares every seed by value if the contract does not say which", () => {
    const { match: _, ...order } = orders.definition.transitions!["order"]!
    const strict = Result.getOrThrow(
      TaskPack.make({ ...orders.definition, transitions: { ...orders.definition.transitions, order } })
    )
    const verdict = CherryPick.validate(
      orders.source(orders.state(rich, strict), { pack: strict }),
      orders.target(orders.state({ ...rich, cash: "500.00" }, strict), strict)
    )
    assert.deepStrictEqual(codes(verdict), [["context_violation", "world.cash"]])
  })

  it("names every field that is missing, empty or of another type", () => {
    const { cash: _, ...poor } = rich
    const verdict = judge({ ...poor, threshold: 7, mood: null })
    assert.deepStrictEqual(codes(verdict), [
      ["context_violation", "working.mood"],
      ["context_violation", "world.cash"],
      ["context_violation", "world.threshold"]
    ])
    assert.deepInclude(verdict.reasons[1], { onto: "fund-b", problem: "missing", subject: "order" })
  })

  it("refuses another version, or the same name with another text, before it looks at any field", () => {
    const newer = Result.getOrThrow(TaskPack.make({ ...orders.definition, version: "2.0.0" }))
    const edited = Result.getOrThrow(TaskPack.make({ ...orders.definition, description: "edited" }))
    for (const other of [newer, edited]) {
      const verdict = CherryPick.validate(
        orders.source(orders.state(rich)),
        orders.target(orders.state({ threshold: "MIN" }, other), other)
      )
      assert.deepStrictEqual(codes(verdict), [["contract_mismatch", undefined]])
      assert.deepStrictEqual([verdict.fields, verdict.advisory], [[], []])
    }
  })

  it("refuses a hash that does not cover the fields that an extension has bound since", () => {
    const extension = {
      adds_hash_seeds: ["working.region"],
      approved_by: "ada",
      effective_from_tick: 9,
      target_contract: "order"
    }
    const extended = Result.getOrThrow(PackExtension.extend(orders.pack, extension))
    const verdict = CherryPick.validate(orders.source(orders.state(rich)), orders.target(orders.state(rich), extended))
    assert.deepStrictEqual(codes(verdict), [["hash_underspecified", undefined]])
    const [reason] = verdict.reasons
    assert.isTrue(reason?.code === "hash_underspecified" && reason.isHashed && reason.binds.includes("working.region"))
    const renewed = orders.source(orders.state(rich), { pack: extended })
    assert.isTrue(CherryPick.validate(renewed, orders.target(orders.state(rich), extended)).accepted)
  })

  it("compares nothing across two contracts, and says that nothing binds it", () => {
    const renamed = Result.getOrThrow(TaskPack.make({ ...orders.definition, pack: "acme.others" }))
    const target = orders.target(orders.state(rich, renamed), renamed)
    const verdict = CherryPick.validate(orders.source(orders.state(rich)), target)
    assert.deepStrictEqual(codes(verdict), [["contract_mismatch", undefined]])
    assert.deepInclude(verdict, { accepted: false, bound: false, covered: false, dependsOn: [], fields: [] })
    assert.notProperty(verdict, "targetHash")
  })

  it("refuses an intent whose hash was computed from other fields than it claims", () => {
    const source = orders.source(orders.state(rich))
    const forged = { ...source, intent: { ...source.intent, action: { params: { amount: 9999 }, tool: "order" } } }
    const { contextHash: _, ...unbound } = source.intent
    const binds = ["world.cash", "world.position", "world.threshold"]
    for (const intent of [forged.intent, unbound]) {
      const verdict = CherryPick.validate({ ...source, intent }, orders.target(orders.state(rich)))
      assert.deepStrictEqual(codes(verdict), [["hash_underspecified", undefined]])
      const isHashed = intent === forged.intent
      assert.deepStrictEqual(verdict.reasons, [{ code: "hash_underspecified", binds, isHashed }])
    }
  })

  it("warns of advisory fields that are missing or differ, records it, and goes on", () => {
    const { region: _, ...without } = rich
    const missing = judge(without, { dependsOn: ["working.region"] })
    assert.isTrue(missing.accepted)
    assert.deepStrictEqual(missing.dependsOn, [])
    const path = "working.region"
    assert.deepStrictEqual(missing.warnings, [{ args: { path }, code: "context.missing" }])
    const other = judge({ ...rich, region: "DE" }, { dependsOn: ["working.region"] })
    assert.isTrue(other.accepted)
    assert.deepStrictEqual(other.dependsOn, ["working.region"])
    const data = CherryPick.toData(other)
    assert.deepStrictEqual(other.warnings, [{ args: { path }, code: "context.differs" }])
    assert.deepStrictEqual(data["warnings"], other.warnings)
    assert.deepInclude(data["fields"] as object, { "working.region": { source: "CH", target: "DE" } })
    assert.deepStrictEqual(data["context"], { source: other.hash!, target: other.targetHash! })
    assert.notStrictEqual(other.hash, other.targetHash)
    assert.deepStrictEqual(data["source"], { link: "ab".repeat(32), run: "fund-a", tick: 23 })
  })

  it("warns, and records, that nothing was compared for an act whose contract declares no context", () => {
    const { transitions: _, ...definition } = orders.definition
    const loose = Result.getOrThrow(TaskPack.make(definition))
    const target = orders.target(orders.state({ ...rich, threshold: "MIN" }, loose), loose)
    const verdict = CherryPick.validate(orders.source(orders.state(rich, loose), { pack: loose }), target)
    assert.deepStrictEqual([verdict.accepted, verdict.bound], [true, false])
    assert.deepStrictEqual(verdict.warnings, [{ args: { subject: "order" }, code: "context.unbound" }])
    assert.deepStrictEqual(CherryPick.toData(verdict)["warnings"], verdict.warnings)
    // A note changes nothing, and what the contract governs is compared.
    const note = orders.source(orders.state(rich, loose), {
      pack: loose,
      type: "observation.add",
      data: { text: "hi" }
    })
    assert.deepStrictEqual(CherryPick.validate(note, target).warnings, [])
    assert.isTrue(judge(rich).bound)
  })

  it("accepts an intent that no contract governs", () => {
    const state = orders.state(rich, undefined)
    const verdict = CherryPick.validate(
      orders.source(state, { pack: undefined, type: "observation.add", data: { text: "hi" } }),
      { ...orders.target(state), pack: undefined }
    )
    assert.deepStrictEqual([verdict.accepted, verdict.contract.target, verdict.targetHash], [true, "none", undefined])
  })
})
