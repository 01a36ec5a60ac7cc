/** The verdicts that a person may give on an action that waits for them, so that each leads somewhere. */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Subject } from "./ActionInFlight.ts"

/** Tells whether the outcome of a tool's call can still be learnt: it can be asked or read, or its provider tells. */
export const canBeVerified = (contract: ToolContract.ToolContract): boolean =>
  ToolContract.isVerifiable(contract) || contract.webhook !== undefined

/**
 * Tells whether an action can be sent again on a person's word: it was begun here, and is no reversal, which its plan
 * sends again.
 */
export const canBeResent = ({ open }: Subject): boolean => open.adopted !== true && open.undoes === undefined
