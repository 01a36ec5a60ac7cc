import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Latch, type Rules } from "../src/index.ts"
import * as Lab from "./lab.ts"

const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(4))
const Key = Schema.Literals(["a", "b", "c"])
const Move = Schema.Union([
  Schema.Struct({ set: Schema.Struct({ limit: Small }) }),
  Schema.Struct({ put: Schema.Record(Key, Small) }),
  Schema.Struct({ append: Small })
])
const Moves = Schema.Array(Move).check(Schema.isMaxLength(20))

const bodies = (moves: typeof Moves.Type) => [Lab.started, Lab.did({ set: { limit: 3 } }), ...moves.map(Lab.did)]

/** The first tick at which it held when every tick is looked at, with nothing left out. */
const scan = (predicate: Rules.Predicate, moves: typeof Moves.Type): number | undefined => {
  const states = Lab.states(Lab.fold(), bodies(moves))
  for (const transition of Lab.transitions(bodies(moves))) {
    const [before, after] = [states[transition.tick - 1]!, states[transition.tick]!]
    const state = predicate.window === "before" ? before : after
    if (predicate.each === undefined) {
      if (predicate.holds({ after, before, state, transition })) return transition.tick
      continue
    }
    for (const [key, row] of (state.world["rows"] ?? []) as Iterable<readonly [string, number]>) {
      if (predicate.holds({ after, before, key, row, state, transition })) return transition.tick
    }
  }
  return undefined
}

const fails = (): never => {
  throw new Error("no such field")
}

const latch = (predicate: Rules.Predicate, moves: typeof Moves.Type) =>
  Latch.of(Lab.head(Lab.fold([predicate]), bodies(moves)))[predicate.id]

const equalsScan = (name: string, predicate: Rules.Predicate) =>
  it.prop(
    `equals the first tick of a linear scan: ${name} (L2)`,
    [Moves],
    ([moves]) => {
      assert.strictEqual(latch(predicate, moves), scan(predicate, moves))
    },
    { arbitrary: { runs: 300 } }
  )

describe("Latch", () => {
  const limit = (holds: (limit: number) => boolean, options: Partial<Rules.Predicate> = {}) =>
    Lab.predicate({
      id: "limit",
      holds: ({ state }) => holds(Number(state.working["limit"] ?? 3)),
      reads: ["working.limit"],
      ...options
    })

  equalsScan(
    "over a field, wherever it recovers",
    limit((value) => value === 1)
  )
  equalsScan(
    "over the state before",
    limit((value) => value === 1, { window: "before" })
  )
  equalsScan(
    "over fields that it does not name",
    limit((value) => value === 1, { reads: undefined })
  )
  equalsScan(
    "over changed rows",
    Lab.predicate({ id: "row", each: "world.rows", holds: ({ row }) => row === 4, reads: ["world.rows"] })
  )
  equalsScan(
    "over rows and another field that may change alone",
    Lab.predicate({
      id: "row",
      each: "world.rows",
      holds: ({ row, state }) => Number(row) > Number(state.working["limit"]),
      reads: ["working.limit", "world.rows"]
    })
  )
  equalsScan(
    "over rows of the state before",
    Lab.predicate({
      id: "row",
      each: "world.rows",
      holds: ({ row }) => row === 4,
      reads: ["world.rows"],
      window: "before"
    })
  )

  equalsScan(
    "over a whole section",
    limit((value) => value === 1, { reads: ["working"] })
  )
  equalsScan(
    "over what is no part of the state",
    limit((value) => value === 1, { reads: ["args.price"] })
  )

  it.prop(
    "stays once it is set",
    [Moves],
    ([moves]) => {
      let known: number | undefined
      for (const state of Lab.states(Lab.fold([limit((value) => value === 1)]), bodies(moves))) {
        const now = Latch.of(state)["limit"]
        if (known !== undefined) assert.strictEqual(now, known)
        known = now
      }
    },
    { arbitrary: { runs: 200 } }
  )

  it("latches a predicate that cannot be evaluated as an error, once, and goes on evaluating it", () => {
    let calls = 0
    const broken = Lab.predicate({
      id: "broken",
      holds: () => {
        calls++
        throw new Error("no such field")
      }
    })
    const moves = [Lab.started, Lab.did({ append: 1 }), Lab.did({ append: 2 })]
    assert.deepStrictEqual(Latch.of(Lab.head(Lab.fold([broken]), moves)), { "error:broken": 1 })
    assert.deepStrictEqual(Latch.read(Latch.failureOf("broken")), { predicate: "broken", isAnswered: false })
    assert.deepStrictEqual(Latch.read("broken"), { predicate: "broken", isAnswered: true })
    assert.strictEqual(calls, moves.length)
  })

  it("is silent without a state before: when a run begins, or another contract takes over (E5)", () => {
    const before = [undefined, new Set(["run.started"]), new Set(["run.fork"])].map((scope, index) =>
      Lab.predicate({
        id: `p${index}`,
        holds: ({ state }) => Number(state.working["limit"]) > (state.working["limit"] === undefined ? fails() : 2),
        scope,
        window: "before"
      })
    )
    const begun = { ...Lab.started, data: { ...Lab.started.data, rules: 2 } }
    const initial = { ...Lab.rules(before), initial: { world: {}, working: { limit: 1 } } }
    const other = { author: "kernel", data: { pack: "cd".repeat(32) }, type: "run.fork" } as const
    const moves = [begun, Lab.did({ append: 1 }), Lab.did({ set: { limit: 3 } }), other, Lab.did({ append: 2 })]
    const latched = (bodies: typeof moves) => Latch.of(Lab.head(Lab.foldOf(initial), bodies))
    assert.deepStrictEqual(latched(moves), { p0: 5 })
    // A fork under the same contract has a state before.
    assert.deepStrictEqual(latched([...moves.slice(0, 3), { author: "kernel", type: "run.fork" }]), { p0: 4, p2: 4 })
    // Runs that say nothing of rules are folded as they were.
    assert.deepStrictEqual(latched([Lab.started]), { "error:p0": 1, "error:p1": 1 })
  })

  it("looks at the ticks of its scope alone, by type or by tool", () => {
    const always = (scope: string) => Lab.predicate({ id: scope, holds: () => true, scope: new Set([scope]) })
    const request = { action: { id: "a1", tool: "pay" }, author: "agent" as const, type: "action.request" as const }
    const state = Lab.head(Lab.fold(["plan.update", "pay", "goal.complete"].map(always)), [
      Lab.started,
      { author: "agent", type: "plan.update" },
      request
    ])
    assert.deepStrictEqual(Latch.of(state), { "plan.update": 2, pay: 3 })
  })

  it("does not evaluate a predicate whose fields did not change", () => {
    let calls = 0
    const counted = limit(() => {
      calls++
      return false
    })
    Lab.head(Lab.fold([counted]), [
      Lab.started,
      Lab.did({ set: { limit: 2 } }),
      ...Array.from({ length: 10 }, (_, append) => Lab.did({ append }))
    ])
    // Once when the contract begins to bind, once when the field changes.
    assert.strictEqual(calls, 2)
  })

  it("evaluates a predicate over rows for changed rows alone", () => {
    const seen: Array<unknown> = []
    const watched = Lab.predicate({
      id: "rows",
      each: "world.rows",
      holds: ({ key }) => {
        seen.push(key)
        return false
      },
      reads: ["world.rows"]
    })
    Lab.head(Lab.fold([watched]), [
      Lab.started,
      Lab.did({ put: { a: 1, b: 1 } }),
      Lab.did({ put: { b: 2 } }),
      Lab.did({ append: 1 })
    ])
    assert.sameMembers(seen.slice(0, 2), ["a", "b"])
    assert.deepStrictEqual(seen.slice(2), ["b"])
  })

  it("tells which predicates began to hold in a step", () => {
    const on = Lab.fold([limit((value) => value === 1), Lab.predicate({ id: "always", holds: () => true })])
    const states = Lab.states(on, [Lab.started, Lab.did({ set: { limit: 1 } }), Lab.did({ set: { limit: 1 } })])
    assert.deepStrictEqual(Latch.fresh(states[0]!, states[1]!), ["always"])
    assert.deepStrictEqual(Latch.fresh(states[1]!, states[2]!), ["limit"])
    assert.deepStrictEqual(Latch.fresh(states[2]!, states[3]!), [])
  })

  it("takes ids that every object inherits for ids", () => {
    const named = ["constructor", "toString", "__proto__"].map((id) => Lab.predicate({ id, holds: () => true }))
    const latches = Latch.of(Lab.head(Lab.fold(named), [Lab.started]))
    assert.sameMembers(Object.keys(latches), ["constructor", "toString", "__proto__"])
  })
})
