/**
 * Finds which transition last set a field of a run's state, or all that ever did.
 *
 * Segments between snapshots are folded from the last one backwards, and the search stops at the first segment that
 * set the field. Comparing only snapshots would miss a value that was set and set back between two of them.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Blame from "@backstitch/version-control/Blame"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Steps from "../history/Steps.ts"

/** The settings of a field, the latest first; without `history` only one. */
export interface Blamed {
  readonly run: string
  /** The field, as a JSON pointer. */
  readonly field: string
  /** The tick at which the field is read. */
  readonly tick: number
  /** The value of the field; absent if the field does not exist. */
  readonly value?: Json
  readonly settings: ReadonlyArray<Blame.FieldWrite>
  /** The number of ticks that were folded. */
  readonly folded: number
}

/** Finds the transitions that set a field to its value after a tick. */
export const blame = Effect.fn("Blaming.blame")(function* (
  at: { readonly run: Run; readonly tick?: number | undefined },
  field: string,
  options: { readonly history?: boolean | undefined } = {}
) {
  const { run } = at
  const path = yield* Effect.fromResult(FieldPath.parse(field))
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const { head, state } = yield* history.at(run, at.tick)
  const { tick } = head
  const value = FieldPath.valueAt(state, path)
  const starts = [0, ...(yield* store.snapshotTicks(run)).filter((snapshot) => snapshot < tick)]
  const settings: Array<Blame.FieldWrite> = []
  let folded = 0
  let to = tick
  for (const start of starts.toSorted((left, right) => right - left)) {
    const found: Array<Blame.FieldWrite> = []
    if (start < to) {
      yield* Steps.walk(run, { from: start + 1, to }, (step) => {
        folded++
        const setting = Blame.settingOf(step, path)
        if (setting !== undefined) found.unshift(setting)
      })
    }
    settings.push(...found)
    if (settings.length > 0 && options.history !== true) break
    to = start
  }
  if (settings.length === 0) {
    const names = (section: "world" | "working") => Object.keys(state[section]).map((name) => `${section}.${name}`)
    const known = [...names("world"), ...names("working")].sort()
    const { head } = yield* history.info(run)
    let later: number | undefined
    const look = (step: Step) => {
      if (Blame.settingOf(step, path) !== undefined) later = step.transition.tick
      return later === undefined
    }
    if (tick < head.tick) yield* Steps.walk(run, { from: tick + 1, to: head.tick }, look)
    return yield* new Blame.FieldUnknown({ field, run: run.id, known, upTo: tick, later })
  }
  const blamed: Blamed = {
    run: run.id,
    field: FieldPath.pointer(path),
    tick,
    ...(value === undefined ? {} : { value }),
    settings: options.history === true ? settings : settings.slice(0, 1),
    folded
  }
  return blamed
})
