import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Bisect, OnsetQuestion, Scan, Step } from "../src/index.ts"
import * as Lab from "./lab.ts"

/** Predicates of every kind that a contract may register: sums, what comes and goes, rows, scopes, both windows. */
const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "lab.coherence",
    version: "1.0.0",
    state: { working: { total: "int", mood: "int", rows: { table: { key: "id", row: { n: "int" } } } } },
    reducers: {
      on: {
        "observation.add": [
          { add: { field: "working.total", value: "args.n" } },
          { set: { field: "working.mood", value: "args.n" } },
          { put: { table: "working.rows", key: "args.key", row: { n: "args.n" } } }
        ]
      }
    },
    violations: [
      { id: "sum", when: "working.total > 40" },
      { id: "mood", when: "working.mood == 7" },
      { id: "jump", when: "after.working.mood > before.working.mood + 5" },
      { id: "row", when: "row.n > 8", each: "working.rows" },
      { id: "scoped", when: "working.mood > 4", scope: ["plan.update"] },
      { id: "before", when: "working.mood > 6", at: "before" },
      { id: "coded", when: { function: "({ working }) => working.total % 9 === 8" } }
    ]
  })
)

const fold = Fold.make({ parts: Fold.base, sources: { rules: () => PackRules.of(pack) } })

const predicates = PackRules.of(pack).predicates

const Event = Schema.Struct({
  n: Schema.Natural.check(Schema.isLessThanOrEqualTo(9)),
  key: Schema.Literals(["a", "b", "c"]),
  plan: Schema.Boolean
})

const bodyOf = ({ key, n, plan }: typeof Event.Type): Transition.Body =>
  plan ? Lab.note("think") : { author: "agent", data: { key, n }, type: "observation.add" }

const folded = (bodies: ReadonlyArray<Transition.Body>, on = fold) => [
  ...Step.walk(on, State.empty, Lab.seal([Lab.started, ...bodies]).map(Transition.open))
]

const bisected = (id: string, steps: ReadonlyArray<Step.Step>, headViolates?: boolean) => {
  const question = OnsetQuestion.predicate(id, new Set([id]))
  return Bisect.run(Bisect.start({ length: steps.length, headViolates }), (tick) =>
    OnsetQuestion.violates(question, Lab.stateAt(steps, tick), tick)
  )
}

describe("Bisect over generated traces", () => {
  it.prop(
    "finds the same onset as a linear scan, for every registered predicate, within the bound",
    { events: Schema.Array(Event) },
    ({ events }) => {
      const steps = folded(events.map(bodyOf))
      for (const predicate of predicates) {
        const search = bisected(predicate.id, steps)
        assert.strictEqual(Bisect.found(search), Scan.run(predicate, steps).onset, predicate.id)
        assert.isAtMost(search.probes.length, Bisect.bound(steps.length))
      }
      const onsets = predicates.flatMap((predicate) => Scan.run(predicate, steps).onset ?? [])
      const kept = Bisect.found(bisected(OnsetQuestion.contractKept, steps))
      assert.strictEqual(kept, onsets.length === 0 ? undefined : Math.min(...onsets))
    },
    { arbitrary: { runs: 300 } }
  )

  it("has traces in which each of these predicates holds, and traces in which it does not", () => {
    const quiet = folded([{ n: 1, key: "a", plan: false } as const].map(bodyOf))
    const loud = folded([1, 7, 9, 9, 9, 9, 8].flatMap((n) => [{ n, key: "a", plan: false } as const].map(bodyOf)))
    const planned = folded([bodyOf({ n: 9, key: "a", plan: false }), Lab.note("x")])
    const eight = folded([bodyOf({ n: 8, key: "a", plan: false })])
    for (const { id } of predicates) {
      assert.isUndefined(Bisect.found(bisected(id, quiet)), id)
      const held = [loud, planned, eight].some((steps) => Bisect.found(bisected(id, steps)) !== undefined)
      assert.isTrue(held, id)
    }
  })
})

describe("the synthetic coherence commitment", () => {
  it("finds the injected fault in 100 of 100 runs of 64 ticks, each in at most six evaluations", () => {
    const over = Lab.predicate({ id: "risk", holds: ({ state }) => Number(state.working["risk"] ?? 0) > 0.75 })
    const on = Lab.fold([over])
    // The same numbers each time, spread over the whole trace.
    let seed = 20_260_101
    const next = (bound: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % bound
    }
    let found = 0
    let most = 0
    for (let run = 0; run < 100; run++) {
      const at = 2 + next(63)
      const bodies = Array.from({ length: 63 }, (_, index) =>
        // After the fault, the risk comes and goes: the latch is what is searched.
        Lab.set({ risk: index + 2 === at ? 0.82 : index + 2 > at ? next(100) / 100 : next(75) / 100 })
      )
      const steps = folded(bodies, on)
      assert.strictEqual(steps.length, 64)
      const search = bisected("risk", steps, true)
      if (Bisect.found(search) === at) found++
      most = Math.max(most, search.probes.length)
    }
    assert.strictEqual(found, 100)
    assert.isAtMost(most, 6)
  })
})

describe("the assumptions of bisect, each removed", () => {
  const risky = Lab.predicate({ id: "risk", holds: ({ state }) => Number(state.working["risk"] ?? 0) > 0.75 })
  const bodies = [0.1, 0.2, 0.9, 0.3, 0.4].map((risk) => Lab.set({ risk }))

  it("a trace that can be changed hides the onset; the chain names the tick that was changed (L3)", () => {
    const sealed = Lab.seal([Lab.started, ...bodies])
    const changed = sealed.map((each) => (each.tick === 4 ? { ...each, body: each.body.replace("0.9", "0.5") } : each))
    const steps = [...Step.walk(Lab.fold([risky]), State.empty, changed.map(Transition.open))]
    assert.isUndefined(Bisect.found(bisected("risk", steps)))
    const head = HashChain.headOf(sealed[2]!)
    const broken = Result.getOrThrow(Result.flip(HashChain.follow(head, changed[3]!)))
    assert.strictEqual(broken.tick, 4)
  })

  it("a reducer that answers differently moves the onset; folds of the same trace under rules do not", () => {
    let calls = 0
    const rules = Lab.rules([risky])
    const impure = Lab.foldOf({
      ...rules,
      apply: (before, transition) => (++calls % 2 === 0 ? before : rules.apply(before, transition))
    })
    const onsetOn = (on: Fold.Fold) => Bisect.found(bisected("risk", folded(bodies, on)))
    assert.notStrictEqual(onsetOn(impure), onsetOn(impure))
    assert.strictEqual(onsetOn(Lab.fold([risky])), 4)
    assert.strictEqual(onsetOn(Lab.fold([risky])), 4)
  })

  it("a predicate that looks elsewhere gives another onset later; a contract refuses it", () => {
    let outside = 0.75
    const external = Lab.predicate({ id: "risk", holds: ({ state }) => Number(state.working["risk"] ?? 0) > outside })
    const before = Bisect.found(bisected("risk", folded(bodies, Lab.fold([external]))))
    outside = 0.15
    assert.notStrictEqual(Bisect.found(bisected("risk", folded(bodies, Lab.fold([external])))), before)
    const refused = TaskPack.make({
      pack: "lab.external",
      version: "1.0.0",
      state: { working: { risk: "int" } },
      violations: [{ id: "risk", when: { function: "({ working }) => working.risk > outside" } }]
    })
    assert.include(Result.getOrThrow(Result.flip(refused)).message, "outside")
  })
})
