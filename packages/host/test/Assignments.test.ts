import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Limits from "../src/Limits.ts"
import * as Assignments from "../src/work/Assignments.ts"

describe("Assignments", () => {
  it.effect("lists the open ones of all tenants, however many pages they fill, and no run that has ended", () =>
    Effect.gen(function* () {
      const runs = Array.from({ length: Limits.pacing.notePageMax + 3 }, (_, index) =>
        Run.make(`trip-${index}`, index % 2 === 0 ? "acme" : "globex")
      )
      for (const run of runs) yield* Assignments.assign(run, "travel")
      const [first, ...rest] = runs
      yield* Assignments.close({ run: first!, agent: "travel", round: 1 }, { how: "ended", at: 1 })
      const open = (yield* Assignments.all).map(({ run }) => `${run.tenant}/${run.id}`)
      assert.deepStrictEqual(open.sort(), rest.map(({ id, tenant }) => `${tenant}/${id}`).sort())
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are listed without those of which the note cannot be read", () =>
    Effect.gen(function* () {
      const notes = yield* Notes.Notes
      const [one, torn, other] = ["one", "torn", "other"].map((id) => Run.make(id))
      for (const run of [one!, other!]) yield* Assignments.assign(run, "travel")
      yield* notes.put({ tenant: torn!.tenant, kind: Assignments.kind, name: torn!.id, text: '{"agent":' })
      assert.deepStrictEqual((yield* Assignments.all).map(({ run }) => run.id).sort(), ["one", "other"])
      const refused = yield* Effect.flip(Assignments.find(torn!))
      assert.strictEqual(refused._tag, "TraceStoreError")
      assert.include(refused.message, "assignment torn")
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("tell the end of a run, until it is assigned again", () =>
    Effect.gen(function* () {
      const run = Run.make("trip")
      assert.isUndefined(yield* Assignments.find(run))
      const assignment = yield* Assignments.assign(run, "travel")
      const ending = { how: "cancelled", at: 1, by: "Ada", reason: "off" } as const
      yield* Assignments.close(assignment, ending)
      yield* Assignments.close(assignment, ending)
      assert.deepStrictEqual(yield* Assignments.find(run), { ...assignment, ending })
      yield* Assignments.assign(run, "other")
      assert.deepStrictEqual(yield* Assignments.find(run), { run, agent: "other", round: 2 })
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are not closed by the end of an earlier round, which comes late from another process", () =>
    Effect.gen(function* () {
      const run = Run.make("trip")
      const [first, ending] = [yield* Assignments.assign(run, "travel"), { how: "failed", at: 1 } as const]
      const second = yield* Assignments.assign(run, "travel")
      yield* Assignments.close(first, ending)
      assert.deepStrictEqual(yield* Assignments.find(run), second)
      assert.lengthOf(yield* Assignments.all, 1)
      yield* Assignments.close(second, { how: "ended", at: 2 })
      yield* Assignments.close(first, ending)
      // The next round has a number of its own: a cluster carries each round out once.
      assert.strictEqual((yield* Assignments.assign(run, "travel")).round, 3)
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are closed although their wait was noted at the same moment, and stay if made anew then", () =>
    Effect.gen(function* () {
      const notes = yield* Notes.Notes
      const run = Run.make("trip")
      const first = yield* Assignments.assign(run, "travel")
      /** Does something just before the note of the open assignment is removed. */
      const closing = (before: Effect.Effect<unknown, unknown, Notes.Notes>) => {
        let isDone = false
        const remove: typeof notes.remove = (place) =>
          Effect.suspend(() => {
            if (isDone) return notes.remove(place)
            isDone = true
            return Effect.andThen(Effect.orDie(before), notes.remove(place))
          }).pipe(Effect.provideService(Notes.Notes, notes))
        return Assignments.close(first, { how: "ended", at: 1 }).pipe(
          Effect.provideService(Notes.Notes, { ...notes, remove })
        )
      }
      yield* closing(Assignments.rest(first, { tick: 8, at: 1 }))
      assert.strictEqual((yield* Assignments.find(run))?.ending?.how, "ended")
      const second = yield* Assignments.assign(run, "travel")
      assert.strictEqual(second.round, 2)
      yield* closing(Effect.void)
      assert.deepStrictEqual(yield* Assignments.find(run), second)
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("begin with the first, or with the next one if somebody has assigned the run meanwhile", () =>
    Effect.gen(function* () {
      const [own, taken] = [Run.make("own"), Run.make("taken")]
      assert.deepStrictEqual(yield* Assignments.assignFirst(own, "travel"), { run: own, agent: "travel", round: 1 })
      yield* Assignments.assign(taken, "other")
      const next = yield* Assignments.assignFirst(taken, "travel")
      assert.deepStrictEqual(next, { run: taken, agent: "travel", round: 2 })
      assert.deepStrictEqual(yield* Assignments.find(taken), next)
      assert.strictEqual((yield* Assignments.find(own))?.round, 1)
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are of different rounds if they are made at one moment, of an open run and of a closed one", () =>
    Effect.gen(function* () {
      const notes = yield* Notes.Notes
      const run = Run.make("trip")
      // All look before one of them writes.
      const find: typeof notes.find = (place) => Effect.tap(notes.find(place), () => Effect.yieldNow)
      const both = Effect.all(
        ["left", "right"].map((agent) => Assignments.assign(run, agent)),
        { concurrency: 2 }
      ).pipe(Effect.provideService(Notes.Notes, { ...notes, find }))
      const rounds = (made: ReadonlyArray<Assignments.Assignment>) => made.map(({ round }) => round).sort()
      assert.deepStrictEqual(rounds(yield* both), [1, 2])
      const open = yield* both
      assert.deepStrictEqual(rounds(open), [3, 4])
      assert.deepStrictEqual(
        yield* Assignments.find(run),
        open.find(({ round }) => round === 4)
      )
      yield* Assignments.close(open.find(({ round }) => round === 4)!, { how: "ended", at: 1 })
      assert.deepStrictEqual(rounds(yield* both), [5, 6])
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("note the last wait of a run, and none of an assignment that was closed or made anew", () =>
    Effect.gen(function* () {
      const run = Run.make("trip")
      const rest = { tick: 8, at: 1 }
      const first = yield* Assignments.assign(run, "travel")
      yield* Assignments.rest(first, rest)
      assert.deepStrictEqual(yield* Assignments.find(run), { ...first, rest })
      const second = yield* Assignments.assign(run, "travel")
      yield* Assignments.rest(first, rest)
      assert.deepStrictEqual(yield* Assignments.find(run), second)
      const ending = { how: "ended", at: 2 } as const
      yield* Assignments.close(second, ending)
      yield* Assignments.rest(second, rest)
      assert.deepStrictEqual(yield* Assignments.find(run), { ...second, ending })
      assert.deepStrictEqual(yield* Assignments.all, [])
    }).pipe(Effect.provide(Notes.layerMemory))
  )
})
