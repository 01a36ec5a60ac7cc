/**
 * What is at the address of a store, looked at before anything is opened or made there.
 *
 * @since 0.1.0
 */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Globals } from "./Globals.ts"

/**
 * Error for a store that a command wants to read and that is not there.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreMissing extends Schema.TaggedError<StoreMissing>("@backstitch/cli/StoreMissing")("StoreMissing", {
  store: Schema.String,
  empty: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    const found = this.empty === true ? ": the file is empty" : ""
    return `There is no store at ${this.store}${found}. Begin a run, import one, or name another store with --store or BACKSTITCH_STORE`
  }
}

/**
 * Error for an address at which something else is.
 *
 * @category errors
 * @since 0.1.0
 */
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

/**
 * Refuses a store that is not there. One is made by what begins or brings runs, and by nothing that is asked about one.
 *
 * @category combinators
 * @since 0.1.0
 */
export const there = (globals: Globals): Effect.Effect<void, StoreMissing | StoreUnsuited> => {
  const file = fileOf(globals.store)
  if (file === undefined || isForeign(globals.store)) return suited(globals)
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined || (stat.isFile() && stat.size === 0)
    ? Effect.fail(new StoreMissing({ store: globals.store, empty: stat !== undefined }))
    : suited(globals)
}

/**
 * Refuses what is there and does not begin as a store does: it is left alone.
 *
 * @category combinators
 * @since 0.1.0
 */
export const suited = ({ store }: Globals): Effect.Effect<void, StoreUnsuited> =>
  Effect.suspend(() => {
    if (isForeign(store)) {
      const is = "the address of something that is neither a file nor postgres://"
      return Effect.fail(new StoreUnsuited({ store: told(store), is }))
    }
    const file = fileOf(store)
    const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return Effect.void
    if (stat.isDirectory()) return Effect.fail(new StoreUnsuited({ store, is: "a folder" }))
    if (!stat.isFile()) return Effect.fail(new StoreUnsuited({ store, is: "no file" }))
    if (stat.size === 0) return Effect.void
    return isOne(file!)
      ? Effect.void
      : Effect.fail(new StoreUnsuited({ store, is: "a file of something else, or a damaged one" }))
  })

/**
 * The file of a store that is one.
 *
 * @category getters
 * @since 0.1.0
 */
export const fileOf = (address: string): string | undefined =>
  /^postgres(ql)?:\/\//.test(address) || address.endsWith(":memory:") || address === "memory:"
    ? undefined
    : address.replace(/^(sqlite|file):(\/\/(?=\/))?/, "")

/** Taken for a file, it would make a folder that is called "mysql:". */
const isForeign = (address: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(address) && !/^(?:postgres(?:ql)?|sqlite|file):/.test(address)

const magic = "SQLite format 3\0"

/**
 * Tells whether a file that is there begins as a store does.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOne = (file: string): boolean => {
  const opened = openSync(file, "r")
  try {
    const buffer = Buffer.alloc(magic.length)
    return buffer.toString("latin1", 0, readSync(opened, buffer)) === magic
  } finally {
    closeSync(opened)
  }
}

/**
 * The address as it is told to anybody: without the name and the password that it may hold.
 *
 * @category conversions
 * @since 0.1.0
 */
export const told = (address: string): string =>
  fileOf(address) === undefined || isForeign(address)
    ? address.replace(/^(\w+:\/\/)[^/]*@/, "$1").replace(/\?.*$/, "")
    : address
