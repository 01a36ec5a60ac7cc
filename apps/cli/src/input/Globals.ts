/** Flags that every command takes. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Printer from "../terminal/Printer.ts"
import * as Environment from "./Environment.ts"
import * as Flags from "./Flags.ts"

/** The flags, read. */
export interface Globals {
  readonly store: string
  /** The server whose runs are meant, in place of a store. */
  readonly server: Server | undefined
  readonly tenant: string
  readonly json: boolean
  readonly printer: Printer.Printer
}

const store = GlobalFlag.Setting("store")({
  flag: Flags.path("store", "file").pipe(
    Flag.withMetavar("STORE"),
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

/** A server, with the key of the caller. */
export interface Server {
  readonly address: string
  readonly key: string
  /** The name of the holder of the key, as the server knows it; empty before it was asked. */
  readonly caller: string
}

const server = GlobalFlag.Setting("server")({
  flag: Flag.String("server").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("Look at the runs of a server, and work there, with the key in BACKSTITCH_KEY"),
    Flag.filter(
      (given) => /^https?:\/\//.test(given) && URL.canParse(given),
      (given) => `--server takes the address of a server, such as http://127.0.0.1:4747, and not "${given}"`
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
export const flags = [store, server, tenant, json, debug] as const

/** The names of the flags that every command takes, with those of the library. */
export const names: ReadonlyArray<string> = ["debug", "help", "json", "server", "store", "tenant", "version"]

/** The flags of the command that runs. */
export const get = Effect.gen(function* () {
  const isForPrograms = yield* json
  const globals: Globals = {
    store: Option.getOrElse(yield* store, () => Environment.get("BACKSTITCH_STORE") || ".backstitch/trace.db"),
    server: Option.getOrUndefined(
      Option.map(yield* server, (address) => ({ address, key: Environment.get("BACKSTITCH_KEY"), caller: "" }))
    ),
    tenant: yield* tenant,
    json: isForPrograms,
    printer: Printer.of({ json: isForPrograms })
  }
  return globals
})
