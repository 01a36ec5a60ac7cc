/** Checks the address of a store before anything is opened or made there. */
import { statSync } from "node:fs"
import * as DatabaseFile from "@backstitch/runtime/DatabaseFile"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as StorePlace from "@backstitch/sql/StorePlace"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Usage } from "../terminal/Failure.ts"
import type { Globals } from "./Globals.ts"
import { fileOf, isServer } from "./StoreAddress.ts"

/** Error for a missing store that a command has to read. */
export class StoreMissing extends Schema.TaggedError<StoreMissing>("@backstitch/cli/StoreMissing")("StoreMissing", {
  store: Schema.String,
  empty: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    const found = this.empty === true ? ": the file is empty" : ""
    return `There is no store at ${this.store}${found}. Begin a run, import one, or name another store with --store or BACKSTITCH_STORE`
  }
}

/** Error for an address at which there is something else. */
export class StoreUnsuited extends Schema.TaggedError<StoreUnsuited>("@backstitch/cli/StoreUnsuited")("StoreUnsuited", {
  store: Schema.String,
  is: Schema.String
}) {
  override get message(): string {
    return (
      `${this.store} is no store: it is ${this.is}. It was left as it is. ` +
      "Name a store with --store, or restore a copy if this was one"
    )
  }
}

/** Refuses a missing store. Only commands that begin or import runs make one. */
export const there = Effect.fnUntraced(function* (globals: Globals) {
  yield* local(globals)
  const { store } = globals
  const found = yield* at(store)
  return found === "nothing" || found === "an empty file"
    ? yield* new StoreMissing({ store, empty: found === "an empty file" })
    : yield* suited(globals)
})

/** Refuses a file without the first bytes of a store, and leaves it unchanged. */
export const suited = Effect.fnUntraced(function* (globals: Globals) {
  yield* local(globals)
  const { store } = globals
  if (StorePlace.isForeign(store)) {
    const is = "the address of something that is neither a file nor postgres://"
    return yield* new StoreUnsuited({ store: told(store), is })
  }
  // A text that cannot be parsed as an address may contain a password anywhere.
  if (fileOf(store) === undefined && isServer(store) && !URL.canParse(store)) {
    return yield* new StoreUnsuited({ store: "postgres://", is: "an address whose host or port cannot be read" })
  }
  const is = yield* at(store)
  if (is in unsuited) return yield* new StoreUnsuited({ store, is: unsuited[is as keyof typeof unsuited] })
})

/** Refuses `--server` here: a server is only read from, and makes its decisions itself. */
const local = ({ server }: Globals) =>
  server === undefined
    ? Effect.void
    : Effect.fail(
        new Usage({
          problem: `This works on a store, and not on the server ${server.address}. Run it where the store is, with --store`
        })
      )

const unsuited = {
  "a folder": "a folder",
  "another file": "a file of something else, or a damaged one",
  "no file": "no file"
} as const

/** Describes what is at an address, if that names a file. */
export const at = (store: string) =>
  Effect.try({
    try: () => {
      const file = StorePlace.isForeign(store) ? undefined : fileOf(store)
      if (file === undefined) return "no address of a file"
      const stat = statSync(file, { throwIfNoEntry: false })
      if (stat === undefined) return "nothing"
      if (stat.isDirectory()) return "a folder"
      if (!stat.isFile()) return "no file"
      if (stat.size === 0) return "an empty file"
      return DatabaseFile.isOne(file) ? "a store" : "another file"
    },
    catch: (cause) => new Usage({ problem: `${store} cannot be looked at: ${FileProblem.say(cause)}` })
  })

/** The place of the runs in a form for messages: the server, or the store. */
export const place = ({ server, store }: Globals): string => server?.address ?? told(store)

/** The address in a form for messages, without user name and password. */
export const told = (address: string): string =>
  fileOf(address) === undefined || StorePlace.isForeign(address)
    ? address.replace(/^(\w+:\/\/)[^/]*@/, "$1").replace(/\?.*$/, "")
    : address
