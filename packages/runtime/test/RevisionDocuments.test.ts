import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as RevisionDocuments from "../src/revisions/RevisionDocuments.ts"
import * as UndoOutlook from "../src/undo/UndoOutlook.ts"
import * as lab from "./lab.ts"
import { book, Desk, hire, invite, look, opened, packOf, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const toBasel = [{ change: "set", clause: "city", value: "Basel" }] as const

const partyOf = Effect.gen(function* () {
  const process = processOf(yield* lab.shared, new Desk())
  yield* lab.elapsing(
    lab.as(process)(
      Effect.flatMap(opened(), (handle) =>
        proposes(handle, look("Bern"), hire("Casino"), book("Trio"), invite("ada", "Casino"))
      )
    )
  )
  return process
})

describe("RevisionDocuments", () => {
  it.effect("shows what a stored run keeps, undoes and loses, its price, and what blocks it", () =>
    Effect.gen(function* () {
      const process = yield* partyOf
      const planned = yield* lab.as(process)(Revising.stored(lab.trip, toBasel))
      assert.strictEqual(planned._tag, "Planned")
      if (planned._tag !== "Planned") return
      const shown = RevisionDocuments.plan(planned.planned)
      assert.deepStrictEqual([shown.possible, shown.waits], [false, false])
      assert.deepStrictEqual([shown.kept, shown.price.total], [{ acts: 2, to: 14 }, 3])
      assert.deepStrictEqual(
        shown.undo.map(({ by, residue, tool }) => [tool, by, residue]),
        [["hire", "cancel", true]]
      )
      const known = yield* lab.as(process)(UndoOutlook.known(lab.trip))
      assert.deepStrictEqual(
        RevisionDocuments.withOutlook(shown, known).undo.map(({ proof, tool }) => [tool, proof]),
        [["hire", "never"]]
      )
      assert.deepStrictEqual(
        shown.obstacles.map(({ code }) => code),
        ["revision.blocked"]
      )
      assert.include(shown.obstacles[0]?.says, "world.halls")
      const widened = yield* lab.as(process)(Revising.stored(lab.trip, toBasel, { widen: true }))
      assert.strictEqual(widened._tag, "Planned")
      if (widened._tag !== "Planned") return
      const wide = RevisionDocuments.plan(widened.planned)
      assert.deepStrictEqual(
        [wide.possible, wide.lost.map(({ tool }) => tool), wide.discarded.length],
        [true, ["invite"], 2]
      )
    })
  )

  it.effect("plans what is pending without changes, and says where nothing is, or what is refused", () =>
    Effect.gen(function* () {
      const process = yield* partyOf
      assert.strictEqual((yield* lab.as(process)(Revising.stored(lab.trip, undefined)))._tag, "Nothing")
      const none = [{ change: "set", clause: "town", value: 1 }] as const
      const refused = yield* lab.as(process)(Revising.stored(lab.trip, none))
      assert.strictEqual(refused._tag, "Refused")
      if (refused._tag !== "Refused") return
      const { message } = new Revising.RevisionRefused({ run: "trip", checks: refused.checks })
      assert.include(message, "town: found town, expected a clause that is in force")
    })
  )

  it.effect("shows the clauses in force with their verdicts, and each revision as it is typed", () =>
    Effect.gen(function* () {
      const process = yield* partyOf
      const changes = [
        { change: "set", clause: "budget", value: 100 },
        { change: "add", clause: "quiet", holds: "size(world.bands) == 0" },
        { change: "withdraw", clause: "music" },
        { change: "prioritise", clauses: ["quiet", "budget"] }
      ] as const
      const shown = yield* lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* opened()
          yield* Revising.inject(handle, { by: "ada", changes, said: "cheaper, and quiet" })
          const { state } = yield* handle.position
          const history = yield* History.History
          return RevisionDocuments.specification(packOf(), { state, transitions: yield* history.transitions(lab.trip) })
        })
      )
      assert.deepStrictEqual(
        shown.clauses.map(({ added, clause, holds }) => [clause, holds, added]),
        [
          ["quiet", false, true],
          ["budget", false, false],
          ["city", true, false]
        ]
      )
      assert.deepStrictEqual(shown.withdrawn, ["music"])
      const [revision] = shown.revisions
      assert.deepInclude(revision, { absorbed: false, by: "ada", kind: "substitutive", said: "cheaper, and quiet" })
      assert.deepStrictEqual(revision?.changes, [
        "set budget=100",
        "add quiet: size(world.bands) == 0",
        "withdraw music",
        "first quiet, budget"
      ])
    })
  )
})
