/**
 * Compares two runs of a store: finds the tick where they parted from digests, and reads only later ticks.
 *
 * @source Dendrer, section 4.2
 */
import type * as Run from "@backstitch/trace/Run"
import * as Diff from "@backstitch/version-control/Diff"
import * as StatePatch from "@backstitch/version-control/StatePatch"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as Bisecting from "./Bisecting.ts"

/** The parts of a comparison that are kept. */
export interface Options {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly kinds?: ReadonlyArray<Diff.DifferenceKind> | undefined
  /** The tick at which each run is taken to end, if not at its head. */
  readonly ends?: { readonly left?: number | undefined; readonly right?: number | undefined } | undefined
}

/** Error for a range in which nothing can be compared: neither run has its ticks, or it ends before it begins. */
export class RangeInvalid extends Schema.TaggedError<RangeInvalid>("@backstitch/runtime/RangeInvalid")("RangeInvalid", {
  from: Schema.Number,
  to: Schema.Number,
  last: Schema.Natural
}) {
  override get message(): string {
    const said = this.from === this.to ? `tick ${this.from}` : `ticks ${this.from} to ${this.to}`
    return (
      `Nothing can be compared in ${said}. The longer run has ticks 1 to ${this.last}: ` +
      `name a first and a last tick among them, the first not after the last`
    )
  }
}

/** Compares two runs. */
export const diff = Effect.fn("Diffing.diff")(function* (left: Run.Run, right: Run.Run, options: Options = {}) {
  const history = yield* History.History
  const { ends = {}, kinds = [], ...range } = options
  const [leftHead, rightHead] = [(yield* history.info(left)).head.tick, (yield* history.info(right)).head.tick]
  const [leftEnd, rightEnd] = [ends.left ?? leftHead, ends.right ?? rightHead]
  const last = Math.max(leftEnd, rightEnd)
  const { from = 1, to = last } = range
  if (from < 1 || from > to || to > last) return yield* new RangeInvalid({ from, to, last })
  const parted = yield* Bisecting.parted(left, right)
  const shared = Math.min(leftEnd, rightEnd, (parted ?? Number.POSITIVE_INFINITY) - 1)
  const side = Effect.fnUntraced(function* (run: Run.Run, length: number) {
    const to = Math.min(length, range.to ?? length)
    const transitions = shared >= to ? [] : yield* history.transitions(run, { from: shared + 1, to })
    const { state } = yield* history.at(run, to)
    return { run: run.id, length, transitions, state } satisfies Diff.Side
  })
  return Diff.compare(yield* side(left, leftEnd), yield* side(right, rightEnd), {
    ...range,
    shared,
    ...(kinds.length === 0 ? {} : { kinds: new Set(kinds) })
  })
})

/** Commits a comparison to a run, as `diff.summary`. */
export const record = Effect.fn("Diffing.record")(function* (run: Run.Run, diff: Diff.Diff) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  return yield* handle.annotate("diff.summary", Diff.toBody(diff).data)
})

/** The change from the state of one run after a tick to that of the other, as plain JSON. */
export interface StateDiff {
  readonly left: string
  readonly right: string
  readonly tick: number
  /** RFC 6902, over `world` and `working`. */
  readonly patch: ReturnType<typeof StatePatch.between>
}

/** Compares the states of two runs after a tick. */
export const states = Effect.fn("Diffing.states")(function* (left: Run.Run, right: Run.Run, tick: number) {
  const history = yield* History.History
  const { state: before } = yield* history.at(left, tick)
  const { state: after } = yield* history.at(right, tick)
  const compared: StateDiff = { left: left.id, right: right.id, tick, patch: StatePatch.between(before, after) }
  return compared
})
