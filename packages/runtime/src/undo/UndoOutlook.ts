/**
 * The outlook of an undo on which a plan counts: whether it was ever exercised, how much time is left for it, and
 * whether another run relies on the effect, so that nothing undoes it.
 *
 * A plan that undoes an effect shows this, whatever the plan is for.
 */
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import { relianceOn } from "./reliance.ts"
import * as UndoProof from "./UndoProof.ts"
import * as UndoWindow from "./UndoWindow.ts"

/** The outlook of an undo. Without `endsAt` its contract sets no time. */
export interface UndoOutlook extends Partial<UndoWindow.UndoWindow> {
  readonly proof?: UndoProof.Proof
  /** The run that relies on the effect. */
  readonly reliedOnBy?: string
}

/** The proofs of a run's pack and the windows of its effects, at a time in epoch milliseconds. */
export interface UndoFacts {
  readonly now: number
  readonly proofs: ReadonlyArray<UndoProof.UndoProof>
  readonly windows: ReadonlyArray<UndoWindow.OfAction>
  readonly relied: ReadonlyMap<string, string>
}

/** Collects what is known of the undos of a run. Whether other runs rely on an action is asked of `actions` alone. */
export const known = Effect.fnUntraced(function* (run: Run, actions: ReadonlyArray<string> = []) {
  const history = yield* History.History
  const { state } = yield* history.at(run)
  const now = yield* Clock.currentTimeMillis
  const relied = new Map<string, string>()
  for (const action of actions) {
    const found = yield* relianceOn(run, state, action)
    if (found !== undefined) relied.set(action, found.run)
  }
  const found: UndoFacts = {
    now,
    proofs: yield* UndoProof.ofRun(run, now),
    windows: UndoWindow.inState(state, now),
    relied
  }
  return found
})

/** The outlook of undoing an action. `endsAt` counts for an effect that is not settled yet. */
export const of = (
  { now, proofs, relied, windows }: UndoFacts,
  { action, endsAt, tool }: { readonly action: string; readonly tool: string; readonly endsAt?: number | undefined }
): UndoOutlook => {
  const reliedOnBy = relied.get(action)
  const proof = proofs.find((each) => each.tool === tool)
  const settled = windows.find((each) => each.action === action)
  const window = settled ?? (endsAt === undefined ? undefined : UndoWindow.make(endsAt, now))
  return {
    ...(window === undefined ? {} : { endsAt: window.endsAt, leftMillis: window.leftMillis }),
    ...(proof === undefined ? {} : { proof: proof.standing }),
    ...(reliedOnBy === undefined ? {} : { reliedOnBy })
  }
}
