/**
 * The idempotency key that a caller passes among the arguments of a call (`idempotency_key`). It tells no two acts
 * apart, so arguments are compared without it.
 */
import * as Canonical from "@backstitch/trace/Canonical"

const keyField = /^(?:x[_-])?(?:idempotency|dedup(?:e|lication)?)[_-]?(?:key|id|token)$/i

/** Arguments without the key in them, and the key. */
export interface Keyed {
  readonly key: string | undefined
  readonly rest: Canonical.Json
}

/** Parts the key of a call from its other arguments. */
export const of = (params: Canonical.Json): Keyed => {
  if (!Canonical.isObject(params)) return { key: undefined, rest: params }
  const keys = Object.keys(params).filter((field) => keyField.test(field))
  const [value] = keys.map((field) => params[field])
  if (typeof value !== "string" || value === "" || keys.length > 1) return { key: undefined, rest: params }
  return { key: value, rest: Object.fromEntries(Object.entries(params).filter(([field]) => !keys.includes(field))) }
}
