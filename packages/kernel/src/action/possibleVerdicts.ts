/** What a person may decide of an action that waits for them, so that every verdict leads somewhere. */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Subject } from "./ActionInFlight.ts"

/** Something can still be learnt of what its tool did: it can be asked or read, or its provider tells. */
export const canBeVerified = (contract: ToolContract.ToolContract): boolean =>
  ToolContract.isVerifiable(contract) || contract.webhook !== undefined

/** It was begun here, and is no reversal, whose plan sends it again by itself. */
export const canBeResent = ({ open }: Subject): boolean => open.adopted !== true && open.undoes === undefined
