/**
 * Where the signature of a delivery stands: typed, or among the headers that came with it.
 *
 * @since 0.1.0
 */

import { readFile } from "node:fs/promises"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Effect from "effect/Effect"
import { Usage } from "./Failure.ts"
import * as FileProblem from "./FileProblem.ts"

/**
 * Headers in which providers put a signature of the form that is checked here, HMAC-SHA-256 in hex.
 *
 * @category constants
 * @since 0.1.0
 */
export const usual = ["x-signature", "x-signature-256", "x-hub-signature-256", "x-webhook-signature"] as const

/**
 * What may be typed about a signature.
 *
 * @category models
 * @since 0.1.0
 */
export interface Typed {
  readonly signature: string | undefined
  readonly headers: string | undefined
  readonly signatureHeader: string | undefined
}

/**
 * The signature that was typed, or that a file of headers holds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function* ({ headers: file, signature, signatureHeader }: Typed) {
  if ((signature === undefined) === (file === undefined)) {
    const problem = "Give the signature of the delivery: as it came with --signature, or its headers with --headers"
    return yield* new Usage({ problem })
  }
  if (signature !== undefined) return signature.trim()
  const text = yield* Effect.tryPromise({
    try: () => readFile(file!, "utf8"),
    catch: (cause) => new Usage({ problem: `${file} cannot be read: ${FileProblem.say(cause)}` })
  })
  const headers = parse(text)
  const found = among(headers, signatureHeader)
  if (found !== undefined) return found
  const looked = signatureHeader ?? usual.join(", ")
  const has = headers.size === 0 ? "no header at all" : [...headers.keys()].join(", ")
  return yield* new Usage({
    problem: `${file} has no header ${looked}. It has ${has}. Name the header with --signature-header`
  })
})

/**
 * The signature among headers, by the header that was named or by the usual ones.
 *
 * @category getters
 * @since 0.1.0
 */
export const among = (headers: ReadonlyMap<string, string>, named?: string | undefined): string | undefined => {
  for (const name of named === undefined ? usual : [named.toLowerCase()]) {
    const value = headers.get(name)
    if (value !== undefined) return value.trim()
  }
  return undefined
}

/**
 * Headers by their names in lower case: of one JSON object, or of lines as HTTP has them. What is no header is skipped,
 * as the request line is.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (text: string): ReadonlyMap<string, string> => {
  const named = object(text)
  if (named !== undefined) {
    return new Map(named.flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : [])))
  }
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const]
  })
  return new Map(lines)
}

const object = (text: string): ReadonlyArray<readonly [string, unknown]> | undefined => {
  try {
    const value: unknown = JsonText.read(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}
