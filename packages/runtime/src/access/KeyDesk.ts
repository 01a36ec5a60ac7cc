/**
 * Makes and revokes the keys of a tenant for its admins. Each act is on record before it is carried out.
 *
 * @see {@link ApiKeys} for the keys themselves
 */
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as AdministrationLog from "./AdministrationLog.ts"
import * as CallerKeys from "./CallerKeys.ts"

/** A request of an admin for a key. */
export interface AdminRequest extends Omit<CallerKeys.KeyRequest, "tenant"> {
  readonly by: string
}

/**
 * Puts on record that an admin makes a key, and answers it with its text, which is shown this once. It is in force once
 * `CallerKeys.keep` has kept it. Whoever keeps an answer to be repeated does so before: if the process ends in between,
 * there is no key that nobody has.
 */
export const make = Effect.fn("KeyDesk.make")(function* (tenant: Tenant, { by, ...asked }: AdminRequest) {
  const { key, text } = yield* CallerKeys.make({ ...asked, tenant })
  const { capacities, id, name, role } = key
  yield* AdministrationLog.record(tenant, { act: "key.create", by, about: { key: id, holder: name, role, capacities } })
  return { key: CallerKeys.told(key), text }
})

/** Makes a key in the name of an admin, which is in force at once, and answers it with its text. */
export const create = Effect.fn("KeyDesk.create")(function* (tenant: Tenant, asked: AdminRequest) {
  const made = yield* make(tenant, asked)
  yield* CallerKeys.keep(tenant, made)
  return made
})

/** Revokes a key in the name of an admin, and answers it. One that is revoked already stays as it is. */
export const revoke = Effect.fn("KeyDesk.revoke")(function* (
  tenant: Tenant,
  { by, key: id }: { readonly by: string; readonly key: string }
) {
  const found = yield* (yield* ApiKeys.ApiKeys).find(id)
  if (found?.tenant !== tenant) return yield* new CallerKeys.KeyUnknown({ tenant, key: id })
  if (found.revoked !== null) return CallerKeys.told(found)
  yield* AdministrationLog.record(tenant, { act: "key.revoke", by, about: { key: id } })
  return CallerKeys.told(yield* CallerKeys.revoke(tenant, id))
})
