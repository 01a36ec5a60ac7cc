/**
 * Records administrative acts, such as a new key, as a trace of their own: one run of the tenant, with a transition for
 * each act, before the act is made.
 *
 * The run is like any other: its chain is verified, anchored and exported, and nobody takes an act out of it unseen.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Coordinator from "../run/Coordinator.ts"

/** Names the run in which the administrative acts of a tenant are recorded. */
export const runOf = (tenant: Run.Tenant): Run.Run => Run.make("administration", tenant)

/** An administrative act: what is done to what, and by whom. */
export interface AdministrativeAct {
  readonly act: "key.create" | "key.revoke" | "webhook.create" | "webhook.remove"
  readonly by: string
  readonly about: JsonObject
}

/** Records an act. */
export const record = Effect.fn("AdministrationLog.record")(function* (
  tenant: Run.Tenant,
  { about, act, by }: AdministrativeAct
) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(runOf(tenant), { goal: "administration" })
  yield* handle.propose({ type: "message.received", author: "user", data: { content: { act, by, ...about } } })
  // An act may follow that nothing of the run waits for.
  yield* handle.flush
}, Effect.scoped)
