import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Revising from "../src/revisions/Revising.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"
import { Desk, definition, hire, invite, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const reached = { author: "agent", type: "goal.complete" } as const

/** Acts, and reports on what came of it. */
const reported = <E, R>(act: (handle: RunHandle.RunHandle) => Effect.Effect<unknown, E, R>, changes?: object) =>
  Effect.gen(function* () {
    const process = processOf(yield* lab.shared, new Desk())
    yield* lab.elapsing(lab.as(process)(Effect.flatMap(opened(changes), act)))
    return yield* lab.as(process)(
      Effect.all({ report: Report.of(lab.trip), receipt: Receipt.make(lab.trip, undefined) })
    )
  })

/** A hall that nobody takes back, for a goal that wants it in one city. */
const forBern = {
  tools: { ...definition.tools, hire: { ...definition.tools.hire, undo: "X" } }
}

const moved = (handle: RunHandle.RunHandle, city: string) =>
  Effect.andThen(
    Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: city }] }),
    Revising.absorb(handle)
  )

describe("ClauseVerdicts of a goal that was declared reached", () => {
  it.effect("hold, and the run is done", () =>
    Effect.gen(function* () {
      const { receipt, report } = yield* reported((handle) => proposes(handle, hire("Casino"), reached))
      assert.deepStrictEqual([report.unmet, receipt.unmet], [[], []])
      assert.deepStrictEqual([Report.isDone(report), Receipt.isDone(receipt)], [true, true])
    })
  )

  it.effect("do not hold: the run is not called done, although each act is a verified success", () =>
    Effect.gen(function* () {
      const { receipt, report } = yield* reported((handle) => proposes(handle, hire("Casino", "Bern", 600), reached))
      const unmet = {
        clause: "budget",
        condition: "world.spent <= clause.budget",
        holds: false,
        say: "Clause budget of the goal does not hold: world.spent <= clause.budget"
      }
      assert.deepStrictEqual([report.unmet, receipt.unmet], [[unmet], [unmet]])
      assert.deepStrictEqual([report.standing, receipt.status], ["success", "done"])
      assert.deepStrictEqual([Report.isDone(report), Receipt.isDone(receipt)], [false, false])
    })
  )

  it.effect("cannot be evaluated: nobody can tell, and the run is not called done", () =>
    Effect.gen(function* () {
      const specification = { city: { holds: "world.halls['Casino'] == 'hired'" } }
      const tools = { look: definition.tools.look, write: definition.tools.write }
      const { report } = yield* reported((handle) => proposes(handle, reached), { specification, tools, reducers: {} })
      assert.deepInclude(report.unmet[0], { clause: "city", holds: "unknown" })
      assert.match(report.unmet[0]?.say ?? "", /^Nobody can tell whether clause city of the goal holds \(/)
      assert.isFalse(Report.isDone(report))
    })
  )

  it.effect("demand nothing if nobody has given their value", () =>
    Effect.gen(function* () {
      const specification = { date: { holds: "clause.date == 'Friday'", value: "string" } }
      const tools = { look: definition.tools.look, write: definition.tools.write }
      const { report } = yield* reported((handle) => proposes(handle, reached), { specification, tools, reducers: {} })
      assert.deepStrictEqual(report.unmet, [])
    })
  )

  it.effect("are no matter before the goal is declared reached: an agent is still at work on them", () =>
    Effect.gen(function* () {
      const { receipt, report } = yield* reported((handle) => proposes(handle, hire("Casino", "Bern", 600)))
      assert.deepStrictEqual([report.unmet, receipt.unmet], [[], []])
    })
  )
})

describe("an act that a revision has lost", () => {
  it.effect("is told with the clauses to which it is contrary, until they hold again", () =>
    Effect.gen(function* () {
      const lost = yield* reported(
        (handle) => Effect.andThen(proposes(handle, hire("Casino")), moved(handle, "Basel")),
        forBern
      )
      const [hall] = lost.report.actions
      assert.deepStrictEqual(hall?.lost, ["city"])
      assert.match(Report.sentence(hall!), /It does not fit the revised goal \(city\), and was not undone\./)
      const back = yield* reported(
        (handle) =>
          proposes(handle, hire("Casino")).pipe(
            Effect.andThen(moved(handle, "Basel")),
            Effect.andThen(moved(handle, "Bern"))
          ),
        forBern
      )
      assert.isNull(back.report.actions[0]?.lost)
    })
  )

  it.effect("leaves its clause unmet, although no field of the state shows that: the run is not called done", () =>
    Effect.gen(function* () {
      const { receipt, report } = yield* reported(
        (handle) =>
          proposes(handle, hire("Casino")).pipe(
            Effect.andThen(moved(handle, "Basel")),
            Effect.andThen(proposes(handle, reached))
          ),
        forBern
      )
      const unmet = {
        clause: "city",
        condition: "true",
        holds: false,
        say: "Clause city of the goal was revised: hire (a2) does not fit it, and was not undone."
      }
      assert.deepStrictEqual([report.unmet, receipt.unmet], [[unmet], [unmet]])
      assert.deepStrictEqual([Report.isDone(report), Receipt.isDone(receipt)], [false, false])
    })
  )

  it.effect("is told by the receipt of an agent that has ended without a word about the goal", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      const acts = (handle: RunHandle.RunHandle) =>
        Effect.andThen(proposes(handle, hire("Casino")), moved(handle, "Basel"))
      yield* lab.elapsing(lab.as(process)(Effect.flatMap(opened(forBern), acts)))
      const receipt = yield* lab.as(process)(Receipt.make(lab.trip, undefined, { isOver: true }))
      assert.deepStrictEqual([receipt.status, receipt.unmet.map(({ clause }) => clause)], ["done", ["city"]])
      assert.isFalse(Receipt.isDone(receipt))
    })
  )

  it.effect("is told without a clause if it was given up with an act that was undone", () =>
    Effect.gen(function* () {
      const { report } = yield* reported((handle) =>
        proposes(handle, hire("Casino"), invite("ada", "Casino")).pipe(
          Effect.andThen(Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Basel" }] })),
          Effect.andThen(Revising.absorb(handle, { widen: true }))
        )
      )
      const told = report.actions.find(({ tool }) => tool === "invite")
      assert.deepStrictEqual(told?.lost, [])
      assert.match(Report.sentence(told!), /A revision gave it up with others that do not fit the goal/)
    })
  )
})
