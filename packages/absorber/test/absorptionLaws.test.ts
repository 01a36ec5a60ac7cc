import { assert, describe, it, vi } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Absorption from "../src/Absorption.ts"
import type * as Act from "../src/Act.ts"
import * as AdaptationCost from "../src/AdaptationCost.ts"
import {
  act,
  actsOf,
  answersOf,
  carriedOut,
  closed,
  conflict,
  conflictOf,
  dependsOn,
  isCostly,
  Moves,
  measureOf,
  undecided,
  ways
} from "./lab.ts"

const runs = { arbitrary: { runs: 500 } }
const earliest = { rule: "earliest_conflict", reversible: "leave" } as const
const closure = { rule: "dependency_closure", reversible: "invert" } as const

const sum = (costs: ReadonlyArray<number>) => costs.reduce((total, each) => total + each, 0)

/** Prices of several acts, from the price of each. None falls if an act is added, and most are no sums. */
const growing: Readonly<Record<string, (costs: ReadonlyArray<number>) => number>> = {
  "the sum": sum,
  "the dearest": (costs) => Math.max(0, ...costs),
  "a fee for all": (costs) => (costs.length === 0 ? 0 : 10),
  "dearer by number": (costs) => costs.length * sum(costs),
  "a discount in bulk": (costs) => Math.min(sum(costs), 30)
}

/** The acts of a random run, with a plan by each of the ways, all questions answered. */
const planned = (moves: typeof Moves.Type) => {
  const [acts, answers] = [actsOf(moves), answersOf(moves)]
  const byAction = new Map(acts.map((each) => [each.action, each]))
  return ways.map((way) => ({ way, acts, answers, byAction, plan: Absorption.plan(acts, { ...way, answers }) }))
}

const named = (acts: Iterable<Act.Act>) => [...acts].map(({ action }) => action).sort()

describe("a plan", () => {
  it.prop(
    "by the earliest conflict costs no more than to go back to any other point that is feasible (theorem 3)",
    [Moves],
    ([moves]) => {
      const measure = measureOf(moves)
      for (const { acts, answers, plan, way } of planned(moves)) {
        if (way.rule !== "earliest_conflict") continue
        const cost = AdaptationCost.of(acts, plan, measure)
        const inConflict = acts.filter((each) => each.stands && conflictOf(each, answers) !== undefined)
        for (let k = 0; k <= acts.length; k++) {
          const prefix = new Set(acts.slice(0, k))
          if (inConflict.some((each) => prefix.has(each) && isCostly(each))) break
          const inverted = way.reversible === "invert" ? inConflict.filter((each) => !isCostly(each)) : []
          const gone = [...closed(acts, inverted), ...acts.slice(k).filter(({ stands }) => stands)]
          const discarded = named(new Set(gone))
          const undo = acts
            .filter((each) => each.class !== "I" && each.reversal !== undefined)
            .map(({ action }) => action)
          const other = AdaptationCost.of(
            acts,
            { discarded, undo: discarded.filter((each) => undo.includes(each)).map((undoes) => ({ undoes })) },
            measure
          )
          assert.isAtMost(cost.total, other.total, `k = ${k}`)
          assert.isAtMost(cost.waste, other.waste, `k = ${k}`)
        }
      }
    },
    runs
  )

  it.prop(
    "by the earliest conflict costs least by any measures that grow with what is undone and discarded (theorem 3)",
    [Moves, Schema.Literals(Object.keys(growing)), Schema.Literals(Object.keys(growing))],
    ([moves, undoing, wasting]) => {
      const [acts, answers] = [actsOf(moves), answersOf(moves)]
      const { discarded, keptTo, undo } = Absorption.plan(acts, { ...earliest, answers })
      const cost = (gone: ReadonlyArray<Act.Act>, compensated: ReadonlyArray<Act.Act>) =>
        growing[undoing]!(compensated.map(({ tick }) => moves[tick - 1]!.undoing)) +
        growing[wasting]!(gone.map(({ tick }) => moves[tick - 1]!.waste))
      const suffix = (k: number) => acts.slice(k).filter(({ stands }) => stands)
      const costOf = (k: number) =>
        cost(
          suffix(k),
          suffix(k).filter((each) => each.class !== "I" && each.reversal !== undefined)
        )
      const at = (action: string) => acts.find((each) => each.action === action)!
      const own = cost(
        discarded.map(at),
        undo.map(({ undoes }) => at(undoes))
      )
      const bad = acts.find((each) => each.stands && isCostly(each) && conflictOf(each, answers) !== undefined)
      assert.strictEqual(keptTo, (bad?.tick ?? acts.length + 1) - 1)
      for (let k = 0; k <= keptTo; k++) {
        assert.isAtMost(own, costOf(k), `k = ${k}`)
        if (suffix(k).length > suffix(keptTo).length) assert.isBelow(discarded.length, suffix(k).length)
      }
    },
    runs
  )

  it.prop(
    "by the closure discards the acts in conflict and all that depend on them, and no other act",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, plan, way } of planned(moves)) {
        if (way.rule !== "dependency_closure") continue
        const seeds = acts.filter(
          (each) =>
            each.stands && conflictOf(each, answers) !== undefined && (isCostly(each) || way.reversible === "invert")
        )
        assert.deepStrictEqual([...plan.discarded].sort(), named(closed(acts, seeds)))
      }
    },
    runs
  )

  it.prop(
    "by the closure discards nothing that one by the earliest conflict keeps (L12)",
    [Moves],
    ([moves]) => {
      const answers = answersOf(moves)
      for (const way of ways) {
        for (const options of [way, { ...way, answers }]) {
          const [first, second] = (["earliest_conflict", "dependency_closure"] as const).map(
            (rule) => Absorption.plan(actsOf(moves), { ...options, rule }).discarded
          )
          assert.includeMembers([...first!], [...second!])
        }
      }
    },
    runs
  )

  it.prop(
    "undoes each discarded act that can be undone, the last first, and never an act that is kept (L12)",
    [Moves],
    ([moves]) => {
      for (const { acts, byAction, plan } of planned(moves)) {
        const undoable = acts.filter((each) => /[RK]/.test(each.class) && each.reversal !== undefined)
        const expected = undoable.filter(({ action }) => plan.discarded.includes(action)).toReversed()
        assert.deepStrictEqual(
          plan.undo.map(({ undoes }) => undoes),
          expected.map(({ action }) => action)
        )
        for (const { undoes, ...reversal } of plan.undo) {
          assert.deepStrictEqual(reversal, byAction.get(undoes)?.reversal)
          assert.isTrue(byAction.get(undoes)?.stands)
        }
      }
    },
    runs
  )

  it.prop(
    "keeps no act in conflict that it does not name as lost or stale (L12)",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, plan, way } of planned(moves)) {
        const told = [...plan.lost.map(({ action }) => action), ...plan.stale]
        const undone = new Set(plan.undo.map(({ undoes }) => undoes))
        for (const each of acts) {
          const clauses = each.stands && !undone.has(each.action) ? conflictOf(each, answers) : undefined
          if (clauses === undefined) continue
          assert.include(told, each.action)
          const lost = plan.lost.find(({ action }) => action === each.action)
          if (lost !== undefined) assert.deepStrictEqual(lost.clauses, clauses)
        }
        if (way.reversible === "invert") assert.deepStrictEqual(plan.stale, [])
      }
    },
    runs
  )

  it.prop(
    "takes no result from an act that stays and fits, unless it is blocked or widened",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, byAction, plan, way } of planned(moves)) {
        for (const { action, by, keys } of plan.blocks) {
          assert.isNotEmpty(keys)
          assert.includeMembers([...byAction.get(by)!.reads], [...keys])
          assert.isTrue(plan.undo.some(({ undoes }) => undoes === action))
          assert.isTrue(plan.lost.some((each) => each.action === by))
        }
        if (way.widen === true) assert.deepStrictEqual(plan.blocks, [])
        const discarded = plan.discarded.map((action) => byAction.get(action)!)
        const undone = plan.undo.map(({ undoes }) => byAction.get(undoes)!)
        for (const each of acts.filter(({ stands }) => stands)) {
          if (!discarded.includes(each)) assert.isFalse(discarded.some((one) => dependsOn(each, one)))
          const isStrict = way.rule === "dependency_closure" && way.widen !== true && plan.blocks.length === 0
          if (!isStrict || undone.includes(each) || each.class === "I") continue
          if (conflictOf(each, answers) === undefined) assert.isFalse(undone.some((one) => dependsOn(each, one)))
        }
      }
    },
    runs
  )

  it.prop(
    "is the same plan widened, without its blocks",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, plan, way } of planned(moves)) {
        const wider = Absorption.plan(acts, { ...way, answers, widen: true })
        assert.deepStrictEqual(wider, { ...plan, blocks: [] })
      }
    },
    runs
  )

  it.prop(
    "discards nothing once it is carried out",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, plan, way } of planned(moves)) {
        const again = Absorption.plan(carriedOut(acts, plan), { ...way, answers })
        assert.deepStrictEqual([again.discarded, again.undo, again.blocks], [[], [], []])
        assert.deepStrictEqual(
          again.lost,
          plan.lost.filter(({ clauses }) => clauses.length > 0)
        )
      }
    },
    runs
  )

  it.prop(
    "costs nothing if no act changed anything, whatever the revision",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, way } of planned(moves)) {
        const reads = acts.map((each) => ({ ...each, class: "I" as const }))
        const { conflicts, lost, questions, ...plan } = Absorption.plan(reads, { ...way, answers })
        assert.deepStrictEqual([conflicts, lost, questions], [[], [], []])
        assert.strictEqual(AdaptationCost.of(reads, plan).total, 0)
        assert.strictEqual(plan.keptTo, acts.length)
      }
    },
    runs
  )
})

describe("the questions of a plan", () => {
  it.prop(
    "are at most one for each act of class K or X, and none once they are answered (L12)",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, way } of planned(moves)) {
        const { questions } = Absorption.plan(acts, way)
        const asked = questions.map(({ action }) => action)
        assert.strictEqual(new Set(asked).size, asked.length)
        assert.isAtMost(asked.length, acts.filter(isCostly).length)
        const given = new Map([...answers].filter(([action]) => asked.includes(action)))
        assert.deepStrictEqual(Absorption.plan(acts, { ...way, answers: given }).questions, [])
      }
    },
    runs
  )

  it.prop(
    "are none where contracts decide",
    [Moves],
    ([moves]) => {
      const decided = moves.filter(({ verdict }) => verdict !== "Undecided")
      for (const way of ways) assert.deepStrictEqual(Absorption.plan(actsOf(decided), way).questions, [])
    },
    runs
  )

  it.prop(
    "are all that the plan depends on: acts that are not asked about change nothing by an answer",
    [Moves],
    ([moves]) => {
      for (const { acts, answers, way } of planned(moves)) {
        const asked = new Set(Absorption.plan(acts, way).questions.map(({ action }) => action))
        const given = new Map([...answers].filter(([action]) => asked.has(action)))
        const costly = new Set(acts.filter(isCostly).map(({ action }) => action))
        const more = new Map([...answers].filter(([action]) => costly.has(action)))
        const [one, other] = [given, more].map((each) => Absorption.plan(acts, { ...way, answers: each }))
        assert.deepStrictEqual(
          [one!.discarded, one!.undo, one!.stale, one!.blocks],
          [other!.discarded, other!.undo, other!.stale, other!.blocks]
        )
      }
    },
    runs
  )

  it.prop(
    "leave the plan as it is if all answers are that acts are compatible",
    [Moves],
    ([moves]) => {
      for (const { acts, way } of planned(moves)) {
        const open = Absorption.plan(acts, way)
        const answers = new Map(open.questions.map(({ action }) => [action, "compatible" as const]))
        assert.deepStrictEqual(Absorption.plan(acts, { ...way, answers }), { ...open, questions: [] })
      }
    },
    runs
  )

  it("are not about an undecided act of class R, which is undone if its contract assumes the clause", () => {
    const acts = [
      act(1, { class: "R", verdict: undecided(["venue"]) }),
      act(2, { class: "R", verdict: undecided(["venue"], []) })
    ]
    const inverted = Absorption.plan(acts, closure)
    assert.deepStrictEqual([inverted.discarded, inverted.questions], [["a1"], []])
    const left = Absorption.plan(acts, { ...closure, reversible: "leave" })
    assert.deepStrictEqual([left.discarded, left.stale, left.questions], [[], [], []])
  })
})

describe("the work of planning", () => {
  /** Counts the operations of one plan: looks into maps, and reads of fields of acts and of entries of their keys. */
  const operations = (acts: ReadonlyArray<Act.Act>, way: Absorption.Options): number => {
    let count = 0
    const counted = <A extends object>(target: A): A =>
      new Proxy(target, {
        get: (self, key, receiver) => {
          count += 1
          const value: unknown = Reflect.get(self, key, receiver)
          return Array.isArray(value) ? counted(value) : value
        }
      })
    const spies = (["get", "has", "set"] as const).map((name) => vi.spyOn(Map.prototype, name))
    const prepared = acts.map(counted)
    Absorption.plan(prepared, way)
    const looked = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
    for (const spy of spies) spy.mockRestore()
    return count + looked
  }

  const shapes: Readonly<Record<string, (tick: number) => Partial<Act.Act>>> = {
    "one key that all read and write": () => ({ class: "R", reads: ["k"], writes: ["k"] }),
    "a part each, and the whole": (tick) => ({ class: "K", reads: ["k"], writes: [`k[${tick}]`] }),
    "a chain": (tick) => ({ class: "K", reads: [`k${tick - 1}`], writes: [`k${tick}`] }),
    "acts that block": (tick) => ({ class: tick % 2 === 0 ? "X" : "K", reads: ["k"], writes: ["k"] }),
    "nothing in common": (tick) => ({ class: "K", reads: [`k[${tick}]`], writes: [`k[${tick}]`] })
  }

  it.each(Object.keys(shapes))("grows with the number of acts and no faster, up to 1,000 acts: %s", (shape) => {
    const traceOf = (length: number) =>
      Array.from({ length }, (_, index) =>
        act(index + 1, { ...shapes[shape]!(index + 1), ...(index % 10 === 0 ? { verdict: conflict("venue") } : {}) })
      )
    for (const way of [earliest, ...ways]) {
      const [some, all] = [operations(traceOf(100), way), operations(traceOf(1000), way)]
      assert.isAbove(some, 100)
      assert.isAtMost(all, 11 * some, JSON.stringify(way))
    }
  })
})
