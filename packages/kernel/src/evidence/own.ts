/**
 * Whose effect a record shows, where nobody has answered the call: that it is there is no proof that this call made it.
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type { Subject } from "../action/ActionInFlight.ts"
import * as Confirmation from "./Confirmation.ts"
import { digestOf } from "./classification.ts"

/** A record tells where it is read for certainty, and what was there before is known or it may show the key. */
export const canTell = ({ contract, open }: Subject): boolean => {
  const { readback } = contract
  if (readback === undefined || ToolContract.isLocal(contract)) return false
  const isCertain = readback.consistency !== "eventual" || readback.strong !== undefined
  return isCertain && (open.key !== undefined || typeof open.before?.found === "boolean")
}

/** A record shows the key of the call, or is another one than was there before. */
export const isOwn = ({ open }: Subject, record: Json): boolean => {
  const { found, met, record: before } = open.before ?? {}
  const isNew = found === false || (found === true && met === false && before !== digestOf(record))
  return isNew || Confirmation.bears(record, open.key)
}
