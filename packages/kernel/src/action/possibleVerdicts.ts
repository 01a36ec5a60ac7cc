/** The verdicts that a person may give on an action that waits for one. Each of them lets the run continue. */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { ActionInFlight } from "./ActionInFlight.ts"

/**
 * Tells whether the outcome of a call can still be learnt: by status, by readback, or by a delivery of the provider.
 */
export const canBeVerified = (contract: ToolContract.ToolContract): boolean =>
  ToolContract.isVerifiable(contract) || contract.webhook !== undefined

/** Tells whether a person may reopen an action: its outcome can be learnt, or its tool has told it meanwhile. */
export const canBeReopened = ({ contract, open }: ActionInFlight): boolean =>
  canBeVerified(contract) || open.told !== undefined

/**
 * Tells whether a person may have an action sent again. The action must have begun in this run and must not be a
 * reversal, which its plan sends again.
 */
export const canBeResent = ({ open }: ActionInFlight): boolean => open.adopted !== true && open.undoes === undefined
