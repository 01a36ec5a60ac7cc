/**
 * The codes of the obstacles to an undo plan.
 *
 * @source docs/decisions/0027
 */
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"
import * as ActionState from "../machine/ActionState.ts"

const { closed } = Payload
const { String: Text } = Schema

/** Codes, with their arguments. */
export const codes = {
  /** An action is not settled: its outcome is asked for before anything is undone. */
  "undo.unsettled": closed({ state: ActionState.State }),
  /** Another scope has changed a field of `working` since. */
  "undo.overwritten": closed({ by: Text, path: Text }),
  /** A pivot has committed. */
  "undo.pivot": Payload.Nothing,
  /** Another plan of the run is open. */
  "undo.plan_open": closed({ plan: Text }),
  /** A step behind the pivot was sent, and has no key under which it may be sent again. */
  "undo.resend_unsafe": closed({ pivot: Text }),
  /** The time in which the action could be undone is over. */
  "undo.too_late": Payload.Nothing,
  /** No call was registered that would undo the action. */
  "undo.unregistered": Payload.Nothing
} as const satisfies FindingForm.Codes

/** Makes a finding. */
export const make = FindingForm.maker(codes)
