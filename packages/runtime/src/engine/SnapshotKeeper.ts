/**
 * Keeps snapshots of an open run when its dial says so, and makes staged steps durable before a call for which the
 * dial asks it.
 *
 * A snapshot that cannot be kept only makes a later fold longer: the commit does not depend on it.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import type { Draft } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Limits from "../Limits.ts"

/** Keeps the snapshots of an open run. */
export interface SnapshotKeeper {
  /** Run after every commit. */
  readonly committed: Effect.Effect<void>
  /** Run before a tool is called: tells whether staged steps should be flushed first. */
  readonly beforeCall: (
    tool: string,
    staged: ReadonlyArray<Pick<Draft, "stamp">>
  ) => Effect.Effect<{ readonly flush: boolean; readonly after: Effect.Effect<void> }, History.HistoryError>
}

/**
 * Makes the keeper of a run that is open in this scope.
 *
 * **Details**
 *
 * It counts the ticks since the snapshot that the run was folded from, and not those since the run was opened. So the
 * ticks to fold do not pile up in a run that many processes open and each continues a little. When the scope closes, a
 * snapshot is kept once more, unless there are few ticks since the last one.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly run: Run
  readonly dial: SnapshotDial.SnapshotDial
  readonly at: () => History.At
}) {
  const { at, dial, run } = options
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const opened = at().head.tick
  let whole = at().whole ?? opened
  let since = 0
  /** The state of the last snapshot that this keeper wrote. */
  let kept: State | undefined

  const snapshot = Effect.suspend(() => {
    const position = at()
    if (position.head.tick === whole) return Effect.void
    const keeping = Effect.map(history.snapshot(run, position, kept), () => {
      kept = position.state
      whole = position.head.tick
      since = 0
    })
    return Effect.ignore(keeping)
  })

  const committed = Effect.suspend(() => {
    const { tick } = at().head
    const moment = { _tag: "Committed", folded: tick - whole, own: tick - opened } as const
    return SnapshotDial.decide(dial, moment) === "full" ? snapshot : Effect.void
  })

  const beforeCall: SnapshotKeeper["beforeCall"] = (tool, staged) => {
    const { head, state } = at()
    return Effect.map(library.inForce(state, head.tick + 1), (pack) => {
      const write = SnapshotDial.decide(dial, {
        _tag: "BeforeCall",
        contract: pack === undefined ? undefined : TaskPack.tool(pack, tool),
        tokens: staged.reduce((sum, { stamp }) => sum + Number(stamp.spent?.["tokens"] ?? 0), 0),
        likelihood: likelihoodOf(BudgetUse.of(state)),
        since
      })
      if (write !== "nothing") since++
      return { flush: write !== "nothing" && staged.length > 0, after: write === "full" ? snapshot : Effect.void }
    })
  }

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      dial._tag === "Never" || at().head.tick - whole < Limits.pacing.closingTicksMin ? Effect.void : snapshot
    )
  )

  const keeper: SnapshotKeeper = { committed, beforeCall }
  return keeper
})

/** Estimates the probability of a failure from the calls that had to be sent again. */
const likelihoodOf = ({ calls, retries = 0 }: BudgetUse.BudgetUse): number => {
  if (retries === 0) return 0
  const called = Object.values(calls).reduce<number>((sum, count) => sum + Number(count), 0)
  return Math.min(1, retries / Math.max(1, called))
}
