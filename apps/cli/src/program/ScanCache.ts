/**
 * Keeps the results of linear passes beside a store that is a file, so that a repeated question costs nothing.
 *
 * A result is named after its head: once the run continues, it is not found any more.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type * as Bisecting from "@backstitch/runtime/Bisecting"
import type * as Context from "effect/Context"
import * as StoreAddress from "../input/StoreAddress.ts"

/** The folder of a store. A command does not fail because the cache cannot be written. */
export const of = (store: string): Context.Service.Shape<typeof Bisecting.Passes> => {
  const file = StoreAddress.fileOf(store)
  if (file === undefined) return { get: () => undefined, put: () => {} }
  const folder = join(dirname(file), "cache")
  return {
    get: (key) => attempt(() => readFileSync(join(folder, `${key}.json`), "utf8")),
    put: (key, answer) => {
      attempt(() => {
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `${key}.json`), answer)
      })
    }
  }
}

const attempt = <A>(act: () => A): A | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}
