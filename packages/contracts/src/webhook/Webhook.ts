/**
 * Deliveries in which a provider reports the outcome of a request, signed with a secret that both sides know.
 *
 * A delivery is evidence, like an answer: it may end a wait, and its content is read back. The contract names the
 * form of the signature, the secrets, and how old a delivery may be. The secrets themselves are in the environment
 * and in no trace.
 *
 * A delivery counts once. It is identified by the name that its provider signs, or that the contract finds in the
 * body; without one, by the body itself.
 *
 * @source Action Verification, HS-03 and "Pending"
 */

import * as Expression from "@backstitch/expressions/Expression"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as CalendarDate from "../time/calendarDate.ts"
import type { Signed, WebhookForm } from "./WebhookForm.ts"

/**
 * The meaning of a delivery, as expressions over `body`.
 *
 * **Details**
 *
 * `secrets` names environment variables: one, or two while a secret is being replaced. `key` is the idempotency key
 * of the reported request, `done` tells whether it took effect, and `failed` whether it never will. If neither holds,
 * it is under way. `sent` is the time in the body at which it was written, in seconds since the epoch or as an ISO
 * 8601 time with its offset. `id` is the provider's name of the delivery. A form that signs a time or a name needs
 * neither.
 */
export interface Webhook {
  readonly form: WebhookForm
  readonly secrets: ReadonlyArray<string>
  /** The largest distance of its time from now; `none` if the contract says that there is no time to compare. */
  readonly toleranceMillis: number | "none"
  /** The header of the form `hmac`, in lower case. */
  readonly header?: string
  readonly key: Expression.Expression
  readonly done: Expression.Expression
  readonly failed?: Expression.Expression
  readonly output?: Expression.Expression
  readonly sent?: Expression.Expression
  readonly id?: Expression.Expression
}

/**
 * Tells whether a delivery was sent about now, by each time that is known: the signed one, and the one that the
 * contract reads from the body. A time that the contract reads and the body lacks is never timely. Without any time
 * the delivery is timely if the contract says so: then only its name keeps it from counting twice.
 */
export const isTimely = (
  self: Webhook,
  about: { readonly body: Json; readonly now: number; readonly signed: Signed }
): boolean => {
  const { body, now, signed } = about
  const { toleranceMillis } = self
  if (toleranceMillis === "none") return true
  const said = self.sent === undefined ? [] : [millisOf(evaluated(self.sent, body))]
  const times = signed.sentAt === undefined ? said : [signed.sentAt, ...said]
  return times.length > 0 && times.every((time) => time !== undefined && Math.abs(now - time) <= toleranceMillis)
}

/** The provider's name of a delivery, as its form signs it or as the body has it; `undefined` if there is none. */
export const idOf = (self: Webhook, about: { readonly body: Json; readonly signed: Signed }): string | undefined => {
  const said = self.id === undefined ? undefined : evaluated(self.id, about.body)
  const named = typeof said === "string" && said !== "" ? said : undefined
  return about.signed.id ?? named
}

const evaluated = (expression: Expression.Expression, body: Json): Json | undefined => {
  const found = Expression.evaluate(expression, { body })
  return Result.isFailure(found) ? undefined : found.success
}

const millisOf = (value: Json | undefined): number | undefined => {
  if (typeof value === "number") return value * 1000
  const read = typeof value === "string" ? CalendarDate.read(value) : undefined
  if (read?.time === undefined || read.offset === undefined) return undefined
  return Date.parse(CalendarDate.instant({ ...read, time: read.time }))
}
