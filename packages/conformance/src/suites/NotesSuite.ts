/**
 * The requirements for every `Notes` layer, as tests.
 *
 * A package with notes calls {@link suite} with its layer in a test file of its own.
 */
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const [one, other] = ["notes-one", "notes-two"].map((tenant) => Run.make("any", tenant).tenant) as [
  Run.Tenant,
  Run.Tenant
]

const Act = Schema.Struct({
  act: Schema.Literals(["put", "remove"]),
  tenant: Schema.Literals([one, other]),
  kind: Schema.Literals(["a", "b"]),
  name: Schema.Literals(["x", "y", "Z"]),
  text: Schema.Literals(["", "{}", "ä\u0001"]),
  expected: Schema.Literals([-1, 0, 1, 2])
})

/** Registers the suite for a layer. Each test begins with the notes of a new layer, which need not be empty. */
export const suite = <E>(name: string, layer: Layer.Layer<Notes.Notes, E>): void => {
  const isolated = Effect.provide(layer, { local: true })
  const emptied = Effect.gen(function* () {
    const notes = yield* Notes.Notes
    for (const kind of ["a", "b"]) {
      for (const tenant of [one, other]) {
        for (const note of yield* notes.list({ kind, tenant })) yield* notes.remove(note)
      }
    }
    return notes
  })

  describe(`Notes (${name})`, () => {
    it.live("keeps a note, and answers it until it is removed", () =>
      Effect.gen(function* () {
        const notes = yield* emptied
        const place = { tenant: one, kind: "a", name: "x" }
        assert.isUndefined(yield* notes.find(place))
        yield* notes.put({ ...place, text: "first" })
        yield* notes.put({ ...place, text: "second" })
        assert.deepStrictEqual(yield* notes.find(place), { ...place, text: "second", revision: 2 })
        assert.isUndefined(yield* notes.find({ ...place, tenant: other }))
        assert.isUndefined(yield* notes.find({ ...place, kind: "b" }))
        assert.isTrue(yield* notes.remove(place))
        assert.isUndefined(yield* notes.find(place))
        assert.isTrue(yield* notes.remove(place))
      }).pipe(isolated)
    )

    it.live("tells the slower of two writers that it was slower, and keeps nothing of it", () =>
      Effect.gen(function* () {
        const notes = yield* emptied
        const place = { tenant: one, kind: "a", name: "x" }
        const answers = yield* Effect.all(
          ["left", "right"].map((text) => notes.put({ ...place, text, expected: 0 })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ _tag }) => _tag).sort(), ["Changed", "Kept"])
        const kept = answers.find((answer) => answer._tag === "Kept")
        assert.deepStrictEqual(yield* notes.find(place), kept?.note)
        assert.isFalse(yield* notes.remove({ ...place, expected: 7 }))
        assert.isTrue(yield* notes.remove({ ...place, expected: 1 }))
      }).pipe(isolated)
    )

    it.live("lists the notes of a kind in order, page by page, of one tenant or of all", () =>
      Effect.gen(function* () {
        const notes = yield* emptied
        for (const tenant of [other, one]) {
          for (const name of ["y", "x", "Z"]) yield* notes.put({ tenant, kind: "a", name, text: name })
        }
        yield* notes.put({ tenant: one, kind: "b", name: "w", text: "" })
        const named = (all: ReadonlyArray<Notes.Note>) => all.map(({ name, tenant }) => `${tenant} ${name}`)
        const all = [one, other].flatMap((tenant) => ["Z", "x", "y"].map((each) => `${tenant} ${each}`))
        const ours = (yield* notes.list({ kind: "a" })).filter(({ tenant }) => tenant === one || tenant === other)
        assert.deepStrictEqual(named(ours), all)
        assert.deepStrictEqual(named(yield* notes.list({ kind: "a", tenant: other })), all.slice(3))
        const [first] = yield* notes.list({ kind: "a", tenant: one, limit: 1 })
        const rest = yield* notes.list({ kind: "a", tenant: one, after: first, limit: 9 })
        assert.deepStrictEqual(named(rest), all.slice(1, 3))
        const across = yield* notes.list({ kind: "a", after: { tenant: one, name: "y" }, limit: 1 })
        assert.deepStrictEqual(named(across), all.slice(3, 4))
      }).pipe(isolated)
    )

    it.live.prop(
      "answers like the specification, whatever is asked",
      [Schema.Array(Act)],
      ([acts]) =>
        Effect.gen(function* () {
          const notes = yield* emptied
          const kept = new Map<string, Notes.Note>()
          for (const { act, expected: said, ...given } of acts) {
            const expected = said < 0 ? undefined : said
            const place = { tenant: given.tenant, kind: given.kind, name: given.name }
            const key = JSON.stringify(place)
            const standing = kept.get(key)
            if (act === "put") {
              const answer = yield* notes.put({ ...given, expected })
              assert.deepStrictEqual(answer, Notes.decide(standing, { ...given, expected }))
              if (answer._tag === "Kept") kept.set(key, answer.note)
            } else {
              const isGone = standing === undefined || expected === undefined || standing.revision === expected
              assert.strictEqual(yield* notes.remove({ ...place, expected }), isGone)
              if (isGone) kept.delete(key)
            }
            assert.deepStrictEqual(yield* notes.find(place), kept.get(key))
          }
        }).pipe(isolated),
      { arbitrary: { runs: 20 } }
    )
  })
}
