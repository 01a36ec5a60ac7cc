/**
 * What the data of a transition says of an action, where it says it in the way that is expected.
 *
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as ActionHistory from "../ActionHistory.ts"

export const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

export const keptOf = (value: Json | undefined): Pick<ActionHistory.ActionHistory, "kept"> => {
  if (!Canonical.isObject(value)) return {}
  const { amount, currency } = value
  return { kept: { amount: String(amount), currency: String(currency) } }
}

export const wordOf = (value: Json | undefined): Pick<ActionHistory.ActionHistory, "word"> => {
  if (!Canonical.isObject(value)) return {}
  const { by, why } = value
  return { word: { by: String(by), why: String(why) } }
}

export const approvalOf = (value: Json | undefined): ActionHistory.Approval | undefined => {
  if (!Canonical.isObject(value)) return undefined
  const { approver, expiresAt, id, payloadHash } = value
  return {
    id: text(id) ?? null,
    approver: text(approver) ?? null,
    payloadHash: text(payloadHash) ?? null,
    expiresAt: typeof expiresAt === "number" ? expiresAt : null
  }
}
