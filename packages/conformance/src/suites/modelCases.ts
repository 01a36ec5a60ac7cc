/** Random histories of calls, answered by the layer and by the model. */
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Commands, type StoreCall } from "../store/Arbitraries.ts"
import * as Model from "../store/Model.ts"
import type * as SampleCommits from "../store/SampleCommits.ts"
import { foldOf } from "./claimCases.ts"

/** Tests random commands against the model of a store. */
export const model = <E>(layer: Layer.Layer<TraceStore, E>) => {
  it.effect(
    "answers every command as the model does, and its index of names is the fold of all traces (L1, L7, L15)",
    () =>
      Effect.gen(function* () {
        const store = yield* TraceStore
        let cases = 0
        const property = Effect.fnUntraced(function* (commands: ReadonlyArray<StoreCall>) {
          yield* compare(store, commands, `case-${cases++}`)
          return true
        })
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(Commands), property, { runs: 300, size: 25 })
        assert.strictEqual(result._tag, "Passed", JSON.stringify(result, undefined, 2))
        assert.isAtLeast(cases, 300)
      }).pipe(Effect.provide(layer, { local: true })),
    120_000
  )

  it.effect("is sent commands that reach every outcome", () =>
    Effect.gen(function* () {
      const cases = yield* Arbitrary.sampleEffect(Arbitrary.schema(Commands), { count: 300, seed: 1, size: 25 })
      const outcomes = new Set<string>()
      for (const commands of cases) {
        let model = Model.empty
        for (const command of commands) {
          const [answer, next] = Model.step(model, command, "sample")
          const isEmpty = answer.outcome === "Found" && answer.found.length === 0
          const isInherited = answer.outcome === "Head" && next.histories.some(({ parent }) => (parent?.tick ?? 0) > 0)
          outcomes.add(`${command._tag}: ${isEmpty ? "Empty" : answer.outcome}${isInherited ? " beside a fork" : ""}`)
          model = next
        }
      }
      assert.deepStrictEqual([...outcomes].sort(), [
        "Append: ClaimRefused",
        "Append: Head",
        "Append: Head beside a fork",
        "Append: TickConflict",
        "Fork: Head",
        "Fork: Head beside a fork",
        "Fork: TickConflict",
        "Page: Empty",
        "Page: Found",
        "Read: Empty",
        "Read: Found",
        "Repeat: ClaimRefused",
        "Repeat: Head",
        "Repeat: Head beside a fork",
        "Repeat: Nothing",
        "Repeat: TickConflict",
        "Snapshot: Nothing"
      ])
    })
  )
}

const compare = Effect.fnUntraced(function* (
  store: SampleCommits.Store,
  commands: ReadonlyArray<StoreCall>,
  suffix: string
) {
  let model = Model.empty
  for (const command of commands) {
    const [answer, next] = Model.step(model, command, suffix)
    assert.deepStrictEqual(yield* send(store, model, command, suffix), answer)
    model = next
  }
  for (const { parent, run, transitions } of model.histories) {
    assert.deepStrictEqual(yield* store.read(run), transitions)
    const head = HashChain.headOf(transitions[transitions.length - 1]!)
    assert.deepStrictEqual(yield* store.info(run), { run, head, parent })
    const snapshots = Model.snapshotsOf(model, run)
    assert.deepStrictEqual(
      yield* store.snapshotTicks(run),
      snapshots.map(({ tick }) => tick)
    )
    for (const tick of [1, 3]) {
      const nearest = snapshots.findLast((snapshot) => snapshot.tick <= tick)
      assert.deepStrictEqual(yield* store.nearestSnapshot(run, tick), nearest)
    }
  }
  for (const tenant of ["north", "south"]) {
    const { tenant: id } = Run.make("any", `${tenant}-${suffix}`)
    const held = yield* store.claims(id)
    assert.deepStrictEqual(held, yield* foldOf(store, id))
    assert.sameDeepMembers(
      [...held],
      model.held.filter(({ run }) => run.tenant === id)
    )
  }
})

/** Sends a command to the layer and converts the result to the form of the model's answers. */
const send = Effect.fnUntraced(function* (
  store: SampleCommits.Store,
  model: Model.Model,
  command: StoreCall,
  suffix: string
) {
  const commit = Model.commitOf(model, command, suffix)
  if (commit !== undefined) {
    const answer = yield* Effect.result(store.append(commit))
    return Result.isSuccess(answer) ? ({ outcome: "Head", head: answer.success } as const) : refusalOf(answer.failure)
  }
  switch (command._tag) {
    case "Snapshot": {
      const snapshot = { tick: command.tick, text: Model.snapshotText(command) }
      yield* store.putSnapshot(Model.runOf(command, suffix), snapshot)
      return { outcome: "Nothing" } as const
    }
    case "Read":
      return { outcome: "Found", found: yield* store.read(Model.runOf(command, suffix), command) } as const
    case "Page": {
      const { after, limit, tenant } = command
      const run = Run.make("any", `${tenant}-${suffix}`)
      const page = { limit, after: after === null ? undefined : Run.make(after).id }
      return { outcome: "Found", found: yield* store.runs(run.tenant, page) } as const
    }
    default:
      return { outcome: "Nothing" } as const
  }
})

const refusalOf = (failure: Effect.Error<ReturnType<SampleCommits.Store["append"]>>): Model.ModelAnswer => {
  switch (failure._tag) {
    case "TickConflict":
      return { outcome: "TickConflict", expected: failure.expected, actual: failure.actual }
    case "ClaimRefused": {
      const { claim, holder } = failure
      return { outcome: "ClaimRefused", name: claim, holder: holder.owner, tick: holder.tick }
    }
    case "TraceStoreError":
      throw failure
  }
}
