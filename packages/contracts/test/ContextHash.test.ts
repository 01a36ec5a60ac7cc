import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ContextHash, PackExtension, TaskPack } from "../src/index.ts"

const contract: ContextHash.Contract = {
  subject: "pay",
  required: {
    "world.limit": { type: "decimal", precision: 2 },
    "working.proof": { type: "string", nullable: true },
    "working.claim": { type: "string" }
  },
  hashSeeds: ["world.limit", "working.proof"],
  advisory: ["working.mood"]
}

interface State {
  readonly world: { readonly limit: string; readonly rows: Table.Table }
  readonly working: {
    readonly proof: string | null
    readonly claim: string
    readonly mood: number
    readonly other: number
  }
}

const state: State = {
  world: { limit: "10.00", rows: Table.from([["a", 1]]) },
  working: { proof: null, claim: "c", mood: 1, other: 1 }
}

const compute = (
  given: object,
  advisory: ReadonlyArray<string> = [],
  governed: ContextHash.Contract | undefined = contract
) => ContextHash.compute({ type: "action.request", contract: governed, state: given as State, advisory })

const hash = (...given: Parameters<typeof compute>) => Result.getOrThrow(compute(...given)).hash

const refusal = (...given: Parameters<typeof compute>) => {
  const computed = compute(...given)
  return Result.isFailure(computed) ? computed.failure : assert.fail("the contract was met")
}

describe("ContextHash", () => {
  it("binds the seeds of the contract, and reports them apart from the added fields", () => {
    const computed = Result.getOrThrow(compute(state, ["mood"]))
    assert.deepStrictEqual(computed.required, { "working.proof": null, "world.limit": "10.00" })
    assert.deepStrictEqual(computed.extra, { "working.mood": 1 })
  })

  it("refuses a state without a required field, with null, or with another type, all at once", () => {
    const broken = { world: { limit: "much" }, working: { claim: null } }
    const { message, violations } = refusal(broken)
    assert.deepStrictEqual(
      violations.map(({ path, problem }) => `${path} ${problem}`),
      ["world.limit type", "working.proof missing", "working.claim null"]
    )
    assert.match(message, /working\.proof is not in the state, expected a string or null/)
  })

  it("accepts null if the contract says so, and hashes it as a value of its own", () => {
    assert.notStrictEqual(hash(state), hash({ ...state, working: { ...state.working, proof: "" } }))
  })

  it("refuses a dependency that the contract does not allow, or that is not there", () => {
    assert.strictEqual(refusal(state, ["working.other"]).violations[0]?.problem, "advisory")
    assert.strictEqual(
      refusal(state, ["working.none"], ContextHash.ungoverned("pay")).violations[0]?.problem,
      "missing"
    )
  })

  it("lets anything be added if nothing is governed", () => {
    const open = ContextHash.ungoverned("note")
    assert.notStrictEqual(hash(state, ["working.other"], open), hash(state, [], open))
    assert.isTrue(Result.isSuccess(ContextHash.compute({ type: "note", state, advisory: [] })))
  })

  it("takes tables by their digest", () => {
    const open = ContextHash.ungoverned("note")
    const other = { ...state, world: { ...state.world, rows: state.world.rows.set("b", 2) } }
    const back = { ...state, world: { ...state.world, rows: other.world.rows.delete("b") } }
    assert.notStrictEqual(hash(state, ["world.rows"], open), hash(other, ["world.rows"], open))
    assert.strictEqual(hash(state, ["world.rows"], open), hash(back, ["world.rows"], open))
  })

  it("tells types, subjects and actions apart", () => {
    const of = (type: string, action: string, subject: string) =>
      Result.getOrThrow(
        ContextHash.compute({ type, action, contract: { ...contract, subject }, state: { ...state }, advisory: [] })
      ).hash
    const hashes = [of("a", "x", "s"), of("b", "x", "s"), of("a", "y", "s"), of("a", "x", "t")]
    assert.strictEqual(new Set(hashes).size, 4)
  })

  const Amount = Schema.Literals(["0.00", "10.00", "99.50"])
  const Names = Schema.Array(Schema.Literals(["mood", "working.mood", "state.mood", "world.limit", "working.claim"]))

  it.prop(
    "changes with every seed, whatever the proposer mentions or leaves out (L4)",
    [Amount, Amount, Names],
    ([before, after, advisory]) => {
      const at = (limit: string) => hash({ ...state, world: { ...state.world, limit } }, advisory)
      return (before === after) === (at(before) === at(after))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is the same for the same dependencies in any order and number (L4)",
    [Names],
    ([advisory]) => hash(state, advisory) === hash(state, [...advisory, ...advisory].reverse()),
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "ignores a field unless the contract or the proposer names it, and then changes with it alone (L4)",
    [Schema.Int, Schema.Int, Schema.Boolean],
    ([one, two, named]) => {
      const at = (mood: number) => hash({ ...state, working: { ...state.working, mood } }, named ? ["mood"] : [])
      const same = at(one) === at(two)
      return named ? same === (one === two) : same
    },
    { arbitrary: { runs: 300 } }
  )

  it("lets an import match every seed, or those that the contract lists", () => {
    assert.deepStrictEqual(ContextHash.matched(contract), ["world.limit", "working.proof"])
    assert.deepStrictEqual(ContextHash.matched({ ...contract, match: ["world.limit"] }), ["world.limit"])
    assert.strictEqual(ContextHash.valueAt(state, "world.limit"), "10.00")
    assert.deepStrictEqual(ContextHash.valueAt(state, "world.rows"), { table: state.world.rows.digest() })
    assert.isUndefined(ContextHash.valueAt(state, "world.nowhere"))
  })

  it("merges the contracts that govern one intent, and never lets one weaken the other (L4)", () => {
    const also = { subject: "action.request", required: {}, hashSeeds: ["working.claim"], match: [] }
    const merged = ContextHash.merge(contract, also)
    assert.strictEqual(merged.subject, "pay")
    assert.deepStrictEqual(merged.hashSeeds, ["working.claim", "working.proof", "world.limit"])
    assert.deepStrictEqual(ContextHash.matched(merged), ["working.proof", "world.limit"])
    const { match: _, ...unlisted } = also
    assert.deepStrictEqual(ContextHash.matched(ContextHash.merge(contract, unlisted)), merged.hashSeeds)
  })

  it("reads the fields that have to match from a pack, extends them, and refuses a field that is no seed", () => {
    const definition = (match: ReadonlyArray<string>) => ({
      pack: "acme.pay",
      version: "1.0.0",
      transitions: {
        pay: { required_state: { limit: "int", claim: "string" } as const, hash_seeds: ["limit"], match }
      },
      tools: { pay: { class: "read_only" as const } },
      violations: [{ id: "none", when: "working.limit < 0" }]
    })
    const pack = Result.getOrThrow(TaskPack.make(definition(["limit"])))
    assert.deepStrictEqual(TaskPack.governing(pack, ["pay", "action.request"]).match, ["working.limit"])
    const grown = PackExtension.extend(pack, {
      adds_hash_seeds: ["claim"],
      approved_by: "ada",
      effective_from_tick: 3,
      target_contract: "pay"
    })
    assert.deepStrictEqual(Result.getOrThrow(grown).transitions["pay"]?.match, ["working.claim", "working.limit"])
    const refused = Result.getOrThrow(Result.flip(TaskPack.make(definition(["claim"]))))
    assert.include(refused.message, "expected one of the hash seeds: working.limit")
  })

  it("has seeds, matches and advisory fields of a pack in order, each once, however they are listed", () => {
    const field = { type: "string", nullable: true } as const
    const definition = {
      pack: "acme.notes",
      version: "1.0.0",
      state: { working: { a: field, b: field, c: field } },
      transitions: {
        "plan.update": {
          required_state: ["working.c"],
          hash_seeds: ["working.c", "working.a", "working.c"],
          match: ["working.c", "working.a"],
          advisory: ["working.c", "working.b", "working.a", "working.b"]
        }
      }
    }
    const pack = Result.getOrThrow(TaskPack.fromJson(definition))
    const { advisory, hashSeeds, match } = TaskPack.contractOf(pack, "plan.update")
    assert.deepStrictEqual(
      [hashSeeds, match, advisory],
      [
        ["working.a", "working.c"],
        ["working.a", "working.c"],
        ["working.a", "working.b", "working.c"]
      ]
    )
  })
})
