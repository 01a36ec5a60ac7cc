/**
 * What the data of a transition says of an action, where it says it in the way that is expected.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as ActionHistory from "../ActionHistory.ts"

export const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

export const keptOf = (value: Json | undefined): Pick<ActionHistory.ActionHistory, "kept"> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {}
  const { amount, currency } = value as JsonObject
  return { kept: { amount: String(amount), currency: String(currency) } }
}

export const approvalOf = (value: Json | undefined): ActionHistory.Approval | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const { approver, expiresAt, id, payloadHash } = value as JsonObject
  return {
    id: text(id) ?? null,
    approver: text(approver) ?? null,
    payloadHash: text(payloadHash) ?? null,
    expiresAt: typeof expiresAt === "number" ? expiresAt : null
  }
}
