/** Reads the private key with which checkpoints are signed, or makes one that only its owner can read. */
import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileProblem from "./FileProblem.ts"

/** Error for a file that holds no key, or whose key can be neither read nor made. */
export class SigningKeyUnfit extends Schema.TaggedError<SigningKeyUnfit>("@backstitch/runtime/SigningKeyUnfit")(
  "SigningKeyUnfit",
  { file: Schema.String, problem: Schema.optionalKey(Schema.String) }
) {
  override get message(): string {
    return this.problem === undefined
      ? `${this.file} is no private Ed25519 key in PEM without a password. Name another`
      : `${this.file} cannot be used: ${this.problem}. Name a key that may be read, or a file in a folder that is there`
  }
}

/** Answers the signer of a file under a name. If there is no file, a random key is made there. */
export const signer = Effect.fn("SigningKeyFile.signer")(function* (file: string, name: string) {
  const pem = yield* attempt(() => readFile(file, "utf8")).pipe(
    Effect.catch((cause) => (cause.code === "ENOENT" ? made(file) : Effect.fail(cause))),
    Effect.mapError((cause) => new SigningKeyUnfit({ file, problem: FileProblem.say(cause) }))
  )
  return yield* Effect.mapError(Effect.fromResult(SignedNote.signer(name, pem)), () => new SigningKeyUnfit({ file }))
})

const made = Effect.fnUntraced(function* (file: string) {
  const pem = SignedNote.toKey(randomBytes(32))
  yield* attempt(() => writeFile(file, pem, { flag: "wx", mode: 0o600 }))
  return pem
})

const attempt = <A>(does: () => Promise<A>): Effect.Effect<A, NodeJS.ErrnoException> =>
  Effect.tryPromise({ try: does, catch: (cause) => cause as NodeJS.ErrnoException })
