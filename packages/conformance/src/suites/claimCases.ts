/** Names: claimed and released by the append itself, and refused with their holder's name. */
import * as Claims from "@backstitch/trace/Claims"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SampleCommits from "../store/SampleCommits.ts"

const one = Run.make("one", "claims")
const two = Run.make("two", "claims")
const elsewhere = Run.make("one", "claims-elsewhere")

/** Tests that names are exclusive across the runs of a tenant, and in no other one. */
export const claims = <E>(layer: Layer.Layer<TraceStore, E>) => {
  const isolated = Effect.provide(layer, { local: true })

  it.effect("refuses a target that another run holds, names the holder, and keeps nothing of the commit (L7)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.began, SampleCommits.started("a-1", "seat/12"))
      yield* SampleCommits.write(store, two, SampleCommits.began)
      const before = yield* Effect.all([store.info(two), store.read(two), store.claims(two.tenant)])

      const drafts = [
        SampleCommits.noted("thinking"),
        SampleCommits.started("b-0", "seat/9"),
        SampleCommits.started("b-1", "seat/12")
      ]
      const refused = yield* Effect.flip(SampleCommits.write(store, two, ...drafts))
      assert.include(refused, { _tag: "ClaimRefused", namespace: "target", claim: "seat/12" })
      assert.deepStrictEqual("holder" in refused && refused.holder, { run: one.id, owner: "a-1", tick: 2 })
      assert.deepStrictEqual(yield* Effect.all([store.info(two), store.read(two), store.claims(two.tenant)]), before)

      // The refused run continues, and can claim the name once it is free.
      yield* SampleCommits.write(store, two, SampleCommits.noted("waiting"))
      yield* SampleCommits.write(store, one, SampleCommits.settled("a-1", "seat/12"))
      yield* SampleCommits.write(store, two, SampleCommits.started("b-1", "seat/12"))
      const held = yield* store.claims(two.tenant, { namespace: "target" })
      assert.deepStrictEqual(held, [{ namespace: "target", name: "seat/12", owner: "b-1", run: two, tick: 3 }])
    }).pipe(isolated)
  )

  it.effect("refuses a first commit whose names are taken, and then does not know the run (L7)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.began, SampleCommits.started("a-1", "seat/12"))
      const refused = yield* Effect.flip(
        SampleCommits.write(store, two, SampleCommits.began, SampleCommits.started("b-1", "seat/12"))
      )
      assert.strictEqual(refused._tag, "ClaimRefused")
      assert.isUndefined(yield* store.info(two))
      assert.strictEqual((yield* store.claims(two.tenant, { namespace: "run" })).length, 1)
      yield* SampleCommits.write(store, two, SampleCommits.began)
    }).pipe(isolated)
  )

  it.effect("lets the holder take its name again, and no other action of the same run (L7)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.started("a-1", "seat/12", "key-1"))
      yield* SampleCommits.write(store, one, SampleCommits.started("a-1", "seat/12", "key-1"))
      const other = yield* Effect.flip(SampleCommits.write(store, one, SampleCommits.started("a-2", "seat/12")))
      assert.strictEqual(other._tag, "ClaimRefused")
      // The settlement of another action does not release the name.
      yield* SampleCommits.write(store, one, SampleCommits.settled("a-2", "seat/12"))
      assert.deepStrictEqual(
        (yield* store.claims(one.tenant)).map(({ name, owner, tick }) => [name, owner, tick]),
        [
          ["key-1", "a-1", 1],
          ["seat/12", "a-1", 1]
        ]
      )
    }).pipe(isolated)
  )

  it.effect("takes all names of an act without a key or none of them, for ever", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.acted("a-1", "goal/1", "lineage/1"))
      yield* SampleCommits.write(store, one, SampleCommits.settled("a-1", "seat/12"))
      const refused = yield* Effect.flip(
        SampleCommits.write(store, two, SampleCommits.acted("b-1", "lineage/2", "goal/1"))
      )
      assert.include(refused, { _tag: "ClaimRefused", namespace: "act", claim: "goal/1" })
      yield* SampleCommits.write(store, two, SampleCommits.acted("b-1", "lineage/2"))
      assert.deepStrictEqual(
        (yield* store.claims(one.tenant, { namespace: "act" })).map(({ name, owner }) => [name, owner]),
        [
          ["goal/1", "a-1"],
          ["lineage/1", "a-1"],
          ["lineage/2", "b-1"]
        ]
      )
    }).pipe(isolated)
  )

  it.effect("gives a turn once, to its own holder no second time (L7)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.adopted("a-1", "turn/1"))
      for (const run of [two, one]) {
        const refused = yield* Effect.flip(SampleCommits.write(store, run, SampleCommits.adopted("a-1", "turn/1")))
        assert.include(refused, { _tag: "ClaimRefused", namespace: "turn", claim: "turn/1" })
      }
      yield* SampleCommits.write(store, one, SampleCommits.settled("a-1", "seat/12"))
      yield* SampleCommits.write(store, two, SampleCommits.adopted("b-1", "turn/2"))
      assert.deepStrictEqual(
        (yield* store.claims(one.tenant, { namespace: "turn" })).map(({ name, owner }) => [name, owner]),
        [
          ["turn/1", "a-1"],
          ["turn/2", "b-1"]
        ]
      )
    }).pipe(isolated)
  )

  it.effect("never frees a key, so it serves one action for ever (L6)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, one, SampleCommits.started("a-1", "seat/12", "key-1"))
      yield* SampleCommits.write(store, one, SampleCommits.settled("a-1", "seat/12"))
      assert.deepStrictEqual(yield* store.claims(one.tenant, { namespace: "target" }), [])
      const refused = yield* Effect.flip(
        SampleCommits.write(store, two, SampleCommits.started("b-1", "seat/12", "key-1"))
      )
      assert.include(refused, { _tag: "ClaimRefused", namespace: "key", claim: "key-1" })
      assert.deepStrictEqual(yield* store.claims(one.tenant, { namespace: "target" }), [])
    }).pipe(isolated)
  )

  it.effect("takes and releases in the order of the transitions of one commit", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const { settled, started } = SampleCommits
      yield* SampleCommits.write(
        store,
        one,
        started("a-1", "seat/1"),
        settled("a-1", "seat/1"),
        started("a-2", "seat/1")
      )
      yield* SampleCommits.write(
        store,
        one,
        settled("a-2", "seat/1"),
        started("a-3", "seat/1"),
        started("a-4", "seat/2")
      )
      yield* SampleCommits.write(
        store,
        one,
        settled("a-3", "seat/1"),
        settled("a-4", "seat/2"),
        started("a-5", "seat/2")
      )
      const held = yield* store.claims(one.tenant)
      assert.deepStrictEqual(held, [{ namespace: "target", name: "seat/2", owner: "a-5", run: one, tick: 9 }])
      const refused = yield* Effect.flip(
        SampleCommits.write(store, two, started("b-1", "seat/1"), settled("b-1", "seat/1"), started("b-2", "seat/2"))
      )
      assert.include(refused, { _tag: "ClaimRefused", claim: "seat/2" })
      assert.deepStrictEqual(yield* store.claims(one.tenant), held)
    }).pipe(isolated)
  )

  it.effect("keeps the names of tenants apart (L15)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      for (const run of [one, elsewhere]) {
        yield* SampleCommits.write(store, run, SampleCommits.began, SampleCommits.started("a-1", "seat/12", "key-1"))
      }
      yield* SampleCommits.write(store, elsewhere, SampleCommits.settled("a-1", "seat/12"))
      const names = (run: Run.Run, filter = {}) =>
        Effect.map(store.claims(run.tenant, filter), (held) => held.map(({ name }) => name))
      assert.deepStrictEqual(yield* names(one), ["key-1", "one", "seat/12"])
      assert.deepStrictEqual(yield* names(elsewhere), ["key-1", "one"])
      assert.deepStrictEqual(yield* names(one, { name: "seat/12" }), ["seat/12"])
      assert.deepStrictEqual(yield* names(one, { name: "seat/12", namespace: "key" }), [])
    }).pipe(isolated)
  )

  it.effect("gives a name to exactly one of many runs that race for it (L7)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const runs = Array.from({ length: 16 }, (_, index) => Run.make(`racer-${index}`, "race"))
      yield* Effect.forEach(runs, (run) => SampleCommits.write(store, run, SampleCommits.began), {
        concurrency: "unbounded"
      })
      const winners: Array<string> = []
      for (const seat of ["seat/1", "seat/2", "seat/3"]) {
        const answers = yield* Effect.forEach(
          runs,
          // Each claims two names, and nobody else holds the second: a loser must return it.
          (run) =>
            Effect.result(
              SampleCommits.write(store, run, SampleCommits.started(`${seat}!`, seat, `${seat}-${run.id}`))
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter(Result.isSuccess).length, 1)
        for (const answer of answers) {
          if (Result.isFailure(answer)) assert.include(answer.failure, { _tag: "ClaimRefused", claim: seat })
        }
        const held = yield* store.claims(runs[0]!.tenant, { name: seat })
        winners.push(held[0]!.run.id)
      }
      const keys = yield* store.claims(runs[0]!.tenant, { namespace: "key" })
      assert.deepStrictEqual(
        keys.map(({ name }) => name),
        winners.map((id, index) => `seat/${index + 1}-${id}`)
      )
    }).pipe(isolated)
  )

  it.effect("keeps names of any characters apart, and lists them in order", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const names = ["a", "A", "é", "e\u0301", "\u0000", "\\u0000", '"', "\\", "seat/1", "ｱ", "😀", " a", "a "]
      const drafts = names.map((name, index) => SampleCommits.started(`a-${index}`, name))
      yield* SampleCommits.write(store, one, ...drafts)
      const held = yield* store.claims(one.tenant)
      assert.deepStrictEqual(
        held.map(({ name }) => name),
        [...names].sort()
      )
      for (const [index, name] of names.entries()) {
        const refused = yield* Effect.flip(SampleCommits.write(store, two, SampleCommits.started("b", name)))
        assert.include(refused, { _tag: "ClaimRefused", claim: name })
        yield* SampleCommits.write(store, one, SampleCommits.settled(`a-${index}`, name))
      }
      assert.deepStrictEqual(yield* store.claims(one.tenant), [])
    }).pipe(isolated)
  )
}

/** The held names according to the traces alone. */
export const foldOf = Effect.fnUntraced(function* (store: SampleCommits.Store, tenant: Run.Tenant) {
  const held: Array<Claims.HeldClaim> = []
  for (const { parent, run } of yield* store.runs(tenant)) {
    for (const sealed of yield* store.read(run, { from: (parent?.tick ?? 0) + 1 })) {
      const { release, take } = Claims.of(run, Transition.open(sealed))
      const isOf = (other: Claims.HeldClaim, claim: Claims.Claim) =>
        Run.same(other.run, run) && other.namespace === claim.namespace && other.name === claim.name
      for (const claim of take) {
        if (!held.some((other) => isOf(other, claim))) held.push({ ...claim, run, tick: sealed.tick })
      }
      for (const claim of release) {
        const index = held.findIndex((other) => isOf(other, claim) && other.owner === claim.owner)
        if (index >= 0) held.splice(index, 1)
      }
    }
  }
  return held.sort((left, right) => (`${left.namespace}/${left.name}` < `${right.namespace}/${right.name}` ? -1 : 1))
})
