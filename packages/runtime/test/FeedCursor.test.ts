import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SampleCommits from "../../conformance/src/store/SampleCommits.ts"
import * as Limits from "../src/Limits.ts"
import * as FeedCursor from "../src/projections/FeedCursor.ts"

const { tenant } = Run.make("any", "acme")
const day = 86_400_000
const services = Layer.merge(TraceStore.layerMemory, Notes.layerMemory)
const run = (id: string): Run.Run => Run.make(id, "acme")
const write = (id: string, tenant = "acme") =>
  Effect.flatMap(TraceStore.TraceStore, (store) =>
    SampleCommits.write(store, Run.make(id, tenant), SampleCommits.noted("x"))
  )
const notes = Effect.flatMap(Notes.Notes, (each) => each.list({ kind: "feed.cursor" }))

describe("FeedCursor", () => {
  it.effect("names the place behind each commit, and a reader goes on from there", () =>
    Effect.gen(function* () {
      for (const id of ["one", "two", "two"]) yield* write(id)
      const place = yield* FeedCursor.begin(tenant, "now", new FeedCursor.Bases())
      assert.deepStrictEqual([...place.positions].sort(), [
        [run("one").id, 2],
        [run("two").id, 3]
      ])
      const cursor = yield* FeedCursor.pass(place, run("three").id, 1)
      yield* FeedCursor.pass(place, run("two").id, 3)
      const resumed = yield* FeedCursor.resume(tenant, cursor)
      assert.deepStrictEqual(Object.fromEntries(resumed.positions), { one: 2, two: 3, three: 2 })
      assert.deepStrictEqual([...(yield* FeedCursor.begin(tenant, "first", new FeedCursor.Bases())).positions], [])
    }).pipe(Effect.provide(services))
  )

  it.effect("stays short however many runs move, and notes no place twice", () =>
    Effect.gen(function* () {
      yield* write("one")
      const [place, other] = [
        yield* FeedCursor.begin(tenant, "now", new FeedCursor.Bases()),
        yield* FeedCursor.begin(tenant, "now", new FeedCursor.Bases())
      ]
      assert.strictEqual(FeedCursor.textOf(place), FeedCursor.textOf(other))
      assert.lengthOf(yield* notes, 1)
      let last = ""
      for (let index = 0; index < 300; index++) {
        last = yield* FeedCursor.pass(place, run(`a-run-with-a-name-of-some-length-${index}`).id, 7)
        assert.isAtMost(last.length, Limits.pacing.cursorLengthMax)
        assert.strictEqual(yield* FeedCursor.pass(other, run(`a-run-with-a-name-of-some-length-${index}`).id, 7), last)
      }
      assert.isAtMost((yield* notes).length, 40)
      const resumed = yield* FeedCursor.resume(tenant, last)
      assert.strictEqual(resumed.positions.size, 301)
      assert.isTrue([...resumed.positions].every(([id, next]) => next === (id === "one" ? 2 : 8)))
    }).pipe(Effect.provide(services))
  )

  it.effect("begins at the last note of the process, however often it begins", () =>
    Effect.gen(function* () {
      const bases = new FeedCursor.Bases()
      yield* write("one")
      yield* FeedCursor.begin(tenant, "now", bases)
      for (let index = 0; index < 40; index++) {
        yield* write(`a-run-with-a-name-of-some-length-${index % 10}`)
        const place = yield* FeedCursor.begin(tenant, "now", bases)
        const resumed = yield* FeedCursor.resume(tenant, FeedCursor.textOf(place))
        assert.deepStrictEqual([...resumed.positions].sort(), [...place.positions].sort())
      }
      assert.lengthOf(yield* notes, 1)
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses what it has not made, what another tenant has, and what is no longer kept (L15)", () =>
    Effect.gen(function* () {
      yield* write("one")
      const cursor = FeedCursor.textOf(yield* FeedCursor.begin(tenant, "now", new FeedCursor.Bases()))
      const refused = (by: Run.Tenant, text: string) => Effect.flip(FeedCursor.resume(by, text))
      const other = Run.make("any", "beta").tenant
      for (const [by, text] of [
        [other, cursor],
        [tenant, "14"],
        [tenant, `${cursor},one`],
        [tenant, cursor.replace(/.$/, "g")],
        [tenant, `1970-01-01/${"0".repeat(64)}`]
      ] as const) {
        assert.strictEqual((yield* refused(by, text))._tag, "CursorUnknown", text)
      }
      yield* FeedCursor.expire(0)
      yield* FeedCursor.resume(tenant, cursor)
      yield* FeedCursor.expire(day)
      assert.include((yield* refused(tenant, cursor)).message, "Begin without it")
      assert.deepStrictEqual(yield* notes, [])
    }).pipe(Effect.provide(services))
  )
})
