/** Compares the present secret with the one that the store knows, or replaces the store's. */
import * as RunSecret from "@backstitch/runtime/RunSecret"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as TenantSecret from "../../program/TenantSecret.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./secret.ts"

const { stores } = English.words

const compare = Effect.fnUntraced(function* (globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const found = yield* TenantSecret.find(globals)
  const compared = yield* SecretFingerprint.compare(found?.secret, tenant)
  const { is, known, own } = compared
  const place = found?.place ?? TenantSecret.placeOf(globals)
  const isUsable = SecretFingerprint.refusalOf(compared) === undefined
  const fingerprint = own === undefined ? "there is none" : `fingerprint=${own.slice(0, 12)}…`
  const wayOut = is === "unvouched" ? ": set BACKSTITCH_SECRET to the one of then, or accept one with --accept" : ""
  const said = `tenant=${tenant} | ${place} | ${fingerprint} | ${stores.secrets[is]}${wayOut}`
  const label = (isUsable ? Terminal.good : Terminal.bad)("SECRET:")
  const document = { tenant, place, is, known: known ?? null, own: own ?? null }
  return Printer.answer(document, () => Terminal.print(`${label} ${said}`), ExitCode.of(isUsable))
})

const accept = Effect.fnUntraced(function* (globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  const { place, secret } = yield* TenantSecret.make(globals)
  const { before, runs } = yield* Effect.provide(
    RunSecret.accept(secret, tenant),
    SqlNotes.layerFromAddress(globals.store)
  )
  const own = SecretFingerprint.of(secret, tenant)
  const cost = before === undefined || before === own ? "" : ` | ${stores.secretReplaced}`
  const foreign = runs.length === 0 ? "" : ` | ${stores.keysUnderived(runs)}`
  const said = `tenant=${tenant} | ${place} | fingerprint=${own.slice(0, 12)}…${cost}${foreign}`
  return Printer.answer({ tenant, place, is: "same", known: own, own, before: before ?? null, runs }, () =>
    Terminal.print(`${Terminal.bold("ACCEPTED:")} ${said}`)
  )
})

/** Says whether the present secret is the store's, or makes it so. */
export const handler: Handler<Input> = (input, globals) =>
  (input.accept ? accept : compare)(globals).pipe(Effect.provide(StoreSession.reading(globals)))
