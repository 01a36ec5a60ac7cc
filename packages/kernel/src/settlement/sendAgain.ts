/** Sends a request again under the original key, as long as that is not blind. */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import { type ActionInFlight, after } from "../action/ActionInFlight.ts"
import { attempt } from "../action/attempt.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import type { Said } from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import { hold } from "../recovery/hold.ts"
import * as UndoStep from "../undo/UndoStep.ts"

/**
 * Sends again under the original key, as long as the key is honoured. Before a reversal is sent again, its original
 * is asked about. The decision to do so is committed, with the recovery that led to it.
 */
export const again = (subject: ActionInFlight, said?: Said<"recovery.decided">): Decision => {
  const { contract, id, open } = subject
  const stop = SendingAgain.blind(subject)
  if (stop === undefined && open.undoes !== undefined) {
    const recovery: Said<"recovery.decided"> = { action: { id }, data: { ...said?.data, due: true } }
    return { ...UndoStep.again(subject), content: { recovery }, flush: "now" }
  }
  const next = after(subject, said === undefined ? 0 : 1)
  const decision =
    stop === undefined ? attempt(next, { isLookedAt: isLookedAt(contract), key: open.key }) : hold(next, stop)
  return said === undefined ? decision : { ...decision, content: { ...decision.content, recovery: said } }
}

/** Repeats the read before a call only if the key had no effect; otherwise the record may show the first attempt. */
const isLookedAt = ({ readback, status }: ToolContract.ToolContract): boolean =>
  status === "by_key" && readback?.before !== undefined
