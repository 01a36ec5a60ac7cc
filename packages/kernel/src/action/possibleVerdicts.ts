/** The verdicts that a person may give on an action that waits for one. Each of them lets the run continue. */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { ActionInFlight } from "./ActionInFlight.ts"

/** Tells whether a person may reopen an action: its outcome can be learnt, or its tool has told it meanwhile. */
export const canBeReopened = ({ contract, open }: ActionInFlight): boolean =>
  ToolContract.canBeLearnt(contract) || open.told !== undefined

/**
 * Tells whether a person may have an action sent again. The action must have begun in this run and must not be a
 * reversal, which its plan sends again.
 */
export const canBeResent = ({ open }: ActionInFlight): boolean => open.adopted !== true && open.undoes === undefined
