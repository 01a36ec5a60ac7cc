/** Compares the secret at hand with the one that the store knows, or takes it in that one's place. */
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as Secret from "../../program/Secret.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./secret.ts"

const told = {
  same: "it is the one that the store knows",
  another: "the store knows another one",
  missing: "there is none, and the store knows one",
  unvouched: "the store holds keys, and does not know whether they are derived from it",
  unknown: "the store knows none yet"
} as const

const compare = Effect.fnUntraced(function* (globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const store = yield* TraceStore.TraceStore
  const known = yield* store.fingerprint(tenant)
  const found = Secret.find(globals)
  const own = found === undefined ? undefined : SecretFingerprint.of(found.secret, tenant)
  const unknown = (yield* SecretFingerprint.unvouched(tenant)) > 0 ? "unvouched" : "unknown"
  const is = known === undefined ? unknown : own === undefined ? "missing" : own === known ? "same" : "another"
  const place = found?.place ?? Secret.placeOf(globals)
  if (globals.json) Terminal.document({ tenant, place, is, known: known ?? null, own: own ?? null })
  else {
    const print = is === "same" || is === "unknown" ? Terminal.good : Terminal.bad
    const fingerprint = own === undefined ? "none" : `${own.slice(0, 12)}…`
    Terminal.print(`${print("SECRET:")} tenant=${tenant} | ${place} | fingerprint=${fingerprint} | ${told[is]}`)
  }
  return is === "same" || is === "unknown" ? 0 : 1
})

const accept = Effect.fnUntraced(function* (globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const { place, secret } = yield* Secret.make(globals)
  const before = yield* SecretFingerprint.accept(secret, tenant)
  const own = SecretFingerprint.of(secret, tenant)
  const isNew = before !== own
  if (globals.json) Terminal.document({ tenant, place, is: "same", known: own, own, before: before ?? null })
  else {
    const cost = isNew && before !== undefined ? " | acts of before are no longer recognised" : ""
    Terminal.print(
      `${Terminal.bold("ACCEPTED:")} tenant=${tenant} | ${place} | fingerprint=${own.slice(0, 12)}…${cost}`
    )
  }
  return 0
})

/** Says whether the secret at hand is the store's, or makes it so. */
export const handler: Handler<Input> = (input, globals) =>
  (input.accept ? accept : compare)(globals).pipe(Effect.provide(StoreSession.reading(globals)))
