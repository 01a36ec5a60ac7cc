/**
 * Lets a write to a run through only at the tick that its caller has seen.
 *
 * The tick is compared when the write begins, and again where the store makes its first commit to the run. So a commit
 * of another process in between is noticed, and nothing is decided on a state that the caller has not seen.
 */
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"

/** Error for a run that is at another tick than the one for which a write was made. */
export class TickUnmatched extends Schema.TaggedError<TickUnmatched>("@backstitch/runtime/TickUnmatched")(
  "TickUnmatched",
  { run: Schema.String, expected: Schema.Natural, actual: Schema.Natural }
) {
  override get message(): string {
    return `Run ${this.run} is at tick ${this.actual}, and the write was made for tick ${this.expected}. Look again`
  }
}

/** The tick that a write expects of a run, and what became of it. */
interface Expected {
  readonly run: Run.Run
  readonly tick: number
  /** `true` once the write has committed at the tick: what it commits after that is its own affair. */
  isMet: boolean
  /** The later tick at which it would have committed. */
  missed?: number
}

const Expecting = Context.Reference<Expected | undefined>("@backstitch/runtime/ExpectedTick", {
  defaultValue: () => undefined
})

/** Carries a write out if the run is at the tick, also when it is committed; otherwise nothing of it is committed. */
export const at = Effect.fn("ExpectedTick.at")(function* <A, E, R>(
  run: Run.Run,
  tick: number,
  write: Effect.Effect<A, E, R>
) {
  const { head } = yield* (yield* History.History).info(run)
  if (head.tick !== tick) return yield* new TickUnmatched({ run: run.id, expected: tick, actual: head.tick })
  const expected: Expected = { run, tick, isMet: false }
  const exit = yield* Effect.exit(Effect.provideService(write, Expecting, expected))
  const { isMet, missed } = expected
  if (missed !== undefined && !isMet && !Exit.hasInterrupts(exit)) {
    return yield* new TickUnmatched({ run: run.id, expected: tick, actual: missed })
  }
  return yield* exit
})

/** A store that keeps the commits of a write to the tick that is expected. */
export const kept = (store: TraceStore.TraceStore["Service"]): TraceStore.TraceStore["Service"] => ({
  ...store,
  append: Effect.fnUntraced(function* (commit) {
    const expected = yield* Expecting
    const { expected: head, run } = commit
    if (expected === undefined || expected.isMet || !Run.same(expected.run, run)) return yield* store.append(commit)
    if (head.tick !== expected.tick) {
      expected.missed = head.tick
      return yield* new TraceStore.TickConflict({ run: run.id, expected: expected.tick, actual: head.tick })
    }
    return yield* Effect.tap(store.append(commit), () =>
      Effect.sync(() => {
        expected.isMet = true
      })
    )
  })
})

/** Layer of a store that keeps commits to an expected tick, over the store that it is given. */
export const layer: Layer.Layer<TraceStore.TraceStore, never, TraceStore.TraceStore> = Layer.effect(
  TraceStore.TraceStore,
  Effect.map(TraceStore.TraceStore, kept)
)
