/** The file of a private key with which checkpoints are signed. */
import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as Effect from "effect/Effect"
import * as FileProblem from "../../input/FileProblem.ts"
import { Usage } from "../../terminal/Failure.ts"

/** Reads the key of a file, or makes one there that its owner alone can read. */
export const signer = Effect.fnUntraced(function* (file: string, name: string) {
  const pem = yield* attempt(() => readFile(file, "utf8")).pipe(
    Effect.catch((cause) => (cause.code === "ENOENT" ? made(file) : Effect.fail(cause))),
    Effect.mapError((cause) => new Usage({ problem: `${file} cannot be used: ${FileProblem.say(cause)}` }))
  )
  return yield* Effect.mapError(
    Effect.fromResult(SignedNote.signer(name, pem)),
    () => new Usage({ problem: `${file} is no private Ed25519 key in PEM without a password. Name another --key` })
  )
})

const made = Effect.fnUntraced(function* (file: string) {
  const pem = SignedNote.toKey(randomBytes(32))
  yield* attempt(() => writeFile(file, pem, { flag: "wx", mode: 0o600 }))
  return pem
})

const attempt = <A>(does: () => Promise<A>): Effect.Effect<A, NodeJS.ErrnoException> =>
  Effect.tryPromise({ try: does, catch: (cause) => cause as NodeJS.ErrnoException })
