/** Flags that every command takes. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Printer from "../terminal/Printer.ts"
import * as Environment from "./Environment.ts"

/** The flags, read. */
export interface Globals {
  readonly store: string
  readonly tenant: string
  readonly json: boolean
  readonly printer: Printer.Printer
}

const store = GlobalFlag.Setting("store")({
  flag: Flag.String("store").pipe(
    Flag.withDescription(
      "The store of traces: a file or a postgres:// address (default: BACKSTITCH_STORE or .backstitch/trace.db)"
    ),
    Flag.filter(
      (given) => given !== "",
      () => "--store needs a value: a file or a postgres:// address"
    ),
    Flag.optional
  )
})

const tenant = GlobalFlag.Setting("tenant")({
  flag: Flag.String("tenant").pipe(Flag.withDescription("Tenant whose runs are meant"), Flag.withDefault("default"))
})

const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON document on stdout and nothing else there"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
})

const debug = GlobalFlag.Setting("debug")({
  flag: Flag.Boolean("debug").pipe(
    Flag.withDescription("Print the stack trace of an error that nobody foresaw"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
})

/** The flags, for the root command. */
export const flags = [store, tenant, json, debug] as const

/** The flags of the command that runs. */
export const get = Effect.gen(function* () {
  const isForPrograms = yield* json
  const globals: Globals = {
    store: Option.getOrElse(yield* store, () => Environment.get("BACKSTITCH_STORE") || ".backstitch/trace.db"),
    tenant: yield* tenant,
    json: isForPrograms,
    printer: Printer.of({ json: isForPrograms })
  }
  return globals
})
