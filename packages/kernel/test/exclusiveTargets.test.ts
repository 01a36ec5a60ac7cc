import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Claims from "@backstitch/trace/Claims"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Decided } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import { Bench, bookOf } from "./lab.ts"

/** Two seats, two travellers, two prices: what is proposed collides most of the time. */
const Move = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("book"),
    flight: Schema.Literals(["LX1", "lx-1", "LX2"]),
    traveller: Schema.Literals(["Ada", " ada", "Bob"]),
    price: Schema.Literals([70, 80]),
    occurrence: Schema.Literals([1, 2])
  }),
  Schema.Struct({ do: Schema.Literal("fax"), to: Schema.Literals(["1", "2"]) }),
  Schema.Struct({
    do: Schema.Literals(["answer", "status", "readback"]),
    nth: Schema.Literals([0, 1, 2]),
    evidence: Schema.Literals(["ok", "other", "error", "none", "pending", "lost"])
  }),
  Schema.Struct({ do: Schema.Literal("recover"), nth: Schema.Literals([0, 1, 2]) }),
  Schema.Struct({ do: Schema.Literal("wait"), millis: Schema.Literals([1000, 5000, 3_600_000]) })
])
const Moves = Schema.Array(Move).check(Schema.isMaxLength(24))

const evidenceOf = (kind: string): Evidence => {
  switch (kind) {
    case "ok":
      return { _tag: "Ok", output: { id: "B", price: 80 } }
    case "other":
      return { _tag: "Ok", output: { id: "B", price: 1 } }
    case "error":
      return { _tag: "Error", error: "no" }
    case "none":
      return { _tag: "NotFound" }
    case "pending":
      return { _tag: "Pending" }
    default:
      return { _tag: "Unknown", reason: "lost" }
  }
}

const play = (bench: Bench, move: typeof Move.Type): Decided | undefined => {
  // Answers may come late and twice: also for what is settled.
  const actions = bench.transitions.flatMap(({ body }) => (body.type === "action.request" ? [body.action!.id] : []))
  switch (move.do) {
    case "book":
      return bench.proposes({
        ...bookOf(move.flight, move.price, { traveller: move.traveller }),
        occurrence: move.occurrence,
        occurrenceBy: "plan"
      })
    case "fax":
      return bench.proposes({ tool: "fax", params: { to: move.to } })
    case "wait":
      bench.now += move.millis
      return undefined
    default: {
      const action = actions[move.nth]
      if (action === undefined) return undefined
      if (move.do === "recover") return bench.does({ _tag: "Recover", action })
      const evidence = evidenceOf(move.evidence)
      if (move.do === "readback") return bench.readsBack(action, evidence)
      return bench.answers(action, evidence, move.do === "answer" ? "call" : "status")
    }
  }
}

/** The index of taken names, kept as a store keeps it; a second taker is a failure. */
const index = (bench: Bench, transitions: ReadonlyArray<Transition>): ReadonlyMap<string, string> => {
  const held = new Map<string, Claims.HeldClaim>()
  for (const transition of transitions) {
    const { release, take } = Claims.of(bench.run, transition)
    for (const { name } of release) held.delete(`target ${name}`)
    for (const claim of take) {
      const name = `${claim.namespace} ${claim.name}`
      assert.isTrue(Claims.mayTake(bench.run, claim, held.get(name)), `${name} was taken twice`)
      held.set(name, { ...claim, run: bench.run, tick: transition.tick })
    }
  }
  return new Map([...held].map(([name, { owner }]) => [name, owner]))
}

const changes = { budgets: {}, violations: [] }

describe("exclusion", () => {
  it.effect("is tried by moves that reach every outcome and every question", () =>
    Effect.gen(function* () {
      const sampled = yield* Arbitrary.sampleEffect(Arbitrary.schema(Moves), { count: 300, size: 24, seed: 7 })
      const reached = new Set<string>()
      for (const moves of sampled) {
        const bench = new Bench({ changes })
        for (const move of moves) {
          const next = play(bench, move)?.next
          if (next !== undefined) reached.add(next._tag === "End" ? next.outcome._tag : next._tag)
        }
      }
      assert.deepStrictEqual([...reached].sort(), [
        "Ask",
        "Call",
        "Done",
        "Failed",
        "Held",
        "ReadBack",
        "Refused",
        "Wait"
      ])
    })
  )

  it.prop(
    "holds a target from action.started to settlement, for one action at a time, whatever is proposed and answered (L7)",
    [Moves],
    ([moves]) => {
      const bench = new Bench({ changes })
      for (const move of moves) play(bench, move)
      const held = index(bench, bench.transitions)
      const open = Object.entries(OpenActions.of(bench.state)).filter(([, each]) => each?.target !== undefined)
      assert.deepStrictEqual(
        new Map(open.map(([id, each]) => [`target ${each?.target}`, id])),
        new Map([...held].filter(([name]) => name.startsWith("target ")))
      )
    },
    { arbitrary: { runs: 400 } }
  )

  it.prop(
    "sends nothing before its key, request hash and target are durable, and always what was made durable (L5)",
    [Moves],
    ([moves]) => {
      const bench = new Bench({ changes })
      for (const move of moves) {
        const decision = play(bench, move)
        if (decision?.next._tag !== "Call") continue
        assert.strictEqual(decision.flush, "now")
        const { action, key } = decision.next.request
        const started = bench.transitions.findLast(
          ({ body }) => body.type === "action.started" && body.action?.id === action
        )
        assert.strictEqual(started?.stamp.key, key)
        assert.strictEqual(started?.tick, bench.at.head.tick)
        assert.match(started?.body.action?.requestHash ?? "", /^[0-9a-f]{64}$/)
        assert.isDefined(started?.body.action?.target)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "starts one action for each key, and sends one request under it, however often it is sent (L6)",
    [Moves],
    ([moves]) => {
      const bench = new Bench({ changes })
      for (const move of moves) play(bench, move)
      const byKey = new Map<string, string>()
      for (const { body, stamp } of bench.transitions) {
        if (body.type !== "action.started" || stamp.key === undefined) continue
        const asked = `${body.action?.id} ${body.action?.requestHash}`
        assert.strictEqual(byKey.get(stamp.key) ?? asked, asked)
        byKey.set(stamp.key, asked)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "believes a mutation at action.reconciled alone, and settles each action at most once (L7, L14)",
    [Moves],
    ([moves]) => {
      const bench = new Bench({ changes })
      let { world } = bench.state
      for (const move of moves) {
        const { tick } = bench.at.head
        play(bench, move)
        if (bench.state.world !== world) assert.include(bench.types(tick), "action.reconciled")
        world = bench.state.world
      }
      const settled = bench.transitions.flatMap(({ body }) =>
        body.type === "action.reconciled" ? [body.action?.id] : []
      )
      assert.strictEqual(new Set(settled).size, settled.length)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "decides the same again from the recorded state, and leaves what it was given as it was (decision 0045)",
    [Moves],
    ([moves]) => {
      const bench = new Bench({ changes })
      // The bench decides each command twice; frozen states and terms prove that the first leaves nothing behind.
      for (const move of moves) {
        freeze(bench.state.kernel)
        Object.freeze(bench.state.world)
        Object.freeze(bench.state.working)
        play(bench, move)
      }
      const again = new Bench({ changes })
      for (const move of moves) play(again, move)
      assert.strictEqual(again.at.head.link, bench.at.head.link)
    },
    { arbitrary: { runs: 300 } }
  )
})

/** Freezes plain values. Tables keep digests that they have computed, and are left alone. */
const freeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype) return
  Object.freeze(value)
  for (const each of Object.values(value)) freeze(each)
}
