/**
 * Keeps answers that show a secret, such as the text of a key, so that a store never has the secret in clear.
 *
 * Such an answer is encrypted under a credential that no store has. A repeated request is answered with the same bytes,
 * as long as the credential is the same.
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import type * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { decrypt, derive, encrypt } from "../sealing/sealingCipher.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"

/** Error for a repeated request that comes with another credential than the first. */
export class AnswerSealed extends Schema.TaggedError<AnswerSealed>("@backstitch/runtime/AnswerSealed")("AnswerSealed", {
  request: Schema.String
}) {
  override get message(): string {
    return (
      `The request "${this.request}" was carried out. Its answer shows a secret, and was sealed under a token or a ` +
      "secret of the server that has changed since. Undo what it made, and make the request under another name"
    )
  }
}

/** Carries a request out, unless it was before, and answers as then. Its answer is encrypted under the credential. */
export const once = Effect.fn("SecretAnswers.once")(function* <E, R>(
  request: WriteAnswers.Named,
  credential: Redacted.Redacted<string>,
  act: Effect.Effect<WriteAnswers.WriteAnswer, E, R>
): Effect.fn.Return<
  WriteAnswers.WriteAnswer,
  E | AnswerSealed | TraceStoreError | RepeatedWrites.IdempotencyDiffers | RepeatedWrites.IdempotencyUnderway,
  R | WriteAnswers.WriteAnswers
> {
  const bound = JSON.stringify([request.tenant, request.name, request.digest])
  const key = derive(Buffer.from(Redacted.value(credential)), "answer", bound)
  const sealing = Effect.map(act, ({ body, status }) => ({ status, body: encrypt(key, Buffer.from(body), bound) }))
  const { body, status } = yield* RepeatedWrites.once(request, () => true, sealing)
  const plain = decrypt(key, body, bound)
  return plain === undefined
    ? yield* new AnswerSealed({ request: request.name })
    : { status, body: plain.toString("utf8") }
})
