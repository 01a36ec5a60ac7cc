/** Gate 7: no message of success without reconciliation, in any state, at any level of trust, and in any history. */
import * as ActionState from "@backstitch/ledger/ActionState"
import type { UndoState } from "@backstitch/ledger/EffectStatus"
import { undos } from "@backstitch/ledger/Payload"
import * as Trust from "@backstitch/ledger/Trust"
import * as GateVerdict from "./GateVerdict.ts"

/** The facts by which a reporter tells a success. */
export interface Reported {
  readonly state: ActionState.State
  readonly trust: number
  readonly undo: UndoState
}

/** The drills of tools, and those that were told as a success although they were not one. */
export interface DrillReports {
  readonly examined: number
  readonly told: ReadonlyArray<{ readonly fault: string; readonly tool: string }>
}

/** Tries a reporter on every combination of facts, and objects to successes that escaped in recorded runs or drills. */
export const judge = (
  succeeds: (self: Reported) => boolean,
  escaped: ReadonlyArray<{ readonly tick: number; readonly action: string }>,
  drills: DrillReports = { examined: 0, told: [] }
): GateVerdict.GateVerdict => {
  const cases = ActionState.states.flatMap((state) =>
    [0, 1, 2, 3, 4].flatMap((trust) => undos.map((undo) => ({ state, trust, undo })))
  )
  const wrong = cases.filter(
    (one) =>
      succeeds(one) && !(one.state === "reconciled_success" && one.trust >= Trust.believable && one.undo === "standing")
  )
  return GateVerdict.make("false_success", cases.length + drills.examined, [
    ...wrong.map((one) => ({ code: "success_early", ...one }) as const),
    ...escaped.map(({ action, tick }) => ({ code: "success_escaped", action, tick }) as const),
    ...drills.told.map((one) => ({ code: "drill_reported", ...one }) as const)
  ])
}
