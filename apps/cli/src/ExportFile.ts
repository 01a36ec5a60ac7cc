/**
 * Reads a run from a file that `backstitch export` wrote, compressed or not.
 *
 * @since 0.1.0
 */
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"
import * as FileProblem from "./FileProblem.ts"

/**
 * Reads and decodes a file. Nothing is verified but the form.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: async () => {
      const bytes = await readFile(file)
      const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
      return (isGzip ? await promisify(gunzip)(bytes) : bytes).toString("utf8")
    },
    catch: (cause) => new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })
  })
  return yield* Effect.fromResult(Export.decode(text))
})

/**
 * Tells whether an address names such a file and no store.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOne = (address: string): boolean => /\.jsonl(\.gz)?$/.test(address)
