/**
 * The contract of the example under other times, so that trials wait for tenths of seconds instead of seconds.
 *
 * Everything but `sendWithin`, `settleAfter` and the deadline of the readback is read from pack.yaml as it is.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Result from "effect/Result"

/**
 * Times of every mutation of the contract.
 *
 * @category models
 * @since 0.1.0
 */
export interface Times {
  readonly sendWithinMillis: number
  readonly settleAfterMillis: number
  readonly readWithinMillis: number
}

const file = fileURLToPath(new URL("../pack.yaml", import.meta.url))
const packs = new Map<string, TaskPack.TaskPack>()

/**
 * The contract under given times.
 *
 * @category constructors
 * @since 0.1.0
 */
export const under = (times: Times): TaskPack.TaskPack => {
  const name = JSON.stringify(times)
  const known = packs.get(name)
  if (known !== undefined) return known
  const text = readFileSync(file, "utf8")
    .replaceAll(
      /sendWithin: \w+, settleAfter: \w+/g,
      `sendWithin: ${times.sendWithinMillis}ms, settleAfter: ${times.settleAfterMillis}ms`
    )
    .replaceAll(/within: \d+s/g, `within: ${times.readWithinMillis}ms`)
  const pack = Result.getOrThrow(PackFile.parse(text, { file, read: (path) => readFileSync(path, "utf8") }))
  packs.set(name, pack)
  return pack
}
