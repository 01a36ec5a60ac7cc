/**
 * The secret from which keys of actions are derived, in a file that only its owner can read.
 *
 * A secret that exists and cannot be read is refused, and not called missing: under another secret, every earlier act
 * would be done again.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as FileProblem from "./FileProblem.ts"

/** Error for a secret that cannot be read or made at its place. The message reveals nothing of the secret. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>("@backstitch/runtime/SecretUnreadable")(
  "SecretUnreadable",
  { place: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return (
      `The secret ${this.place} cannot be read or made: ${this.problem}. ` +
      "Repeat as the account that owns it, or set BACKSTITCH_SECRET to the same text"
    )
  }
}

/** Reads the secret of a file; `undefined` if there is none. */
export const find = (place: string): Effect.Effect<string | undefined, SecretUnreadable> =>
  attempt(place, () => {
    if (statSync(place, { throwIfNoEntry: false }) === undefined) return undefined
    const secret = readFileSync(place, "utf8").trim()
    return secret === "" ? undefined : secret
  })

/** Makes a random secret in a file. If another process is faster, the secret is that of the other process. */
export const make = (place: string): Effect.Effect<string, SecretUnreadable> =>
  attempt(place, () => {
    mkdirSync(dirname(place), { recursive: true })
    const made = Result.try(() =>
      writeFileSync(place, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 })
    )
    if (Result.isFailure(made) && !existsSync(place)) throw made.failure
    const secret = readFileSync(place, "utf8").trim()
    if (Result.isFailure(made) && secret === "") throw new Error("it is empty")
    return secret
  })

const attempt = <A>(place: string, does: () => A): Effect.Effect<A, SecretUnreadable> =>
  Effect.try({ try: does, catch: (cause) => new SecretUnreadable({ place, problem: FileProblem.say(cause) }) })
