/**
 * Asks witnesses over HTTP to cosign a checkpoint.
 *
 * @source C2SP tlog-witness
 */

import type { Digest } from "@backstitch/trace/Digest"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import type * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as WitnessRequest from "@backstitch/transparency/WitnessRequest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"

/** The answer of one witness: its cosignatures, or the reason why there are none. */
export interface Answer {
  readonly witness: string
  readonly signatures: ReadonlyArray<TreeCheckpoint.Signature>
  readonly problem?: string
}

/** Asks each witness that has an address to cosign a checkpoint, with the leaves of the log. */
export const cosign = (
  parties: ReadonlyArray<WitnessPolicy.Party>,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  leaves: ReadonlyArray<Digest>
): Effect.Effect<ReadonlyArray<Answer>> =>
  Effect.forEach(
    parties.filter(({ url }) => url !== undefined),
    ({ name: witness, url = "", verifier }) =>
      ask(url, checkpoint, leaves).pipe(
        Effect.flatMap((signatures) => own(verifier, checkpoint, signatures)),
        Effect.map((signatures): Answer => ({ witness, signatures })),
        Effect.catch((problem) => Effect.succeed<Answer>({ witness, signatures: [], problem }))
      ),
    { concurrency: "unbounded" }
  )

/** Keeps only the cosignatures of the witness itself: it cannot sign for another. */
const own = Effect.fnUntraced(function* (
  verifier: string,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
) {
  const body = yield* reading(TreeCheckpoint.format({ ...checkpoint, signatures: [] }))
  const kept: Array<TreeCheckpoint.Signature> = []
  for (const signature of signatures) {
    const found = yield* reading(Cosignature.check(verifier, body, [signature]))
    if (found._tag === "Cosigned") kept.push(signature)
  }
  return kept.length > 0 ? kept : yield* Effect.fail("its answer holds no cosignature of its key")
})

/** A witness that is asked about another size answers the size of the log that it knows. */
const ask = Effect.fnUntraced(function* (
  url: string,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  leaves: ReadonlyArray<Digest>
) {
  const first = yield* post(url, checkpoint, leaves, 0)
  if (first.status !== 409) return yield* cosignatures(first)
  const known = yield* reading(WitnessRequest.parseSize(first.text))
  if (known > leaves.length) {
    return yield* Effect.fail(
      `it has cosigned ${known} entries, and the log has ${leaves.length}: restore it from a copy`
    )
  }
  return yield* Effect.flatMap(post(url, checkpoint, leaves, known), cosignatures)
})

interface Reply {
  readonly status: number
  readonly text: string
}

const post = Effect.fnUntraced(function* (
  url: string,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  leaves: ReadonlyArray<Digest>,
  old: number
) {
  const proof = TreeHead.consistencyProof(leaves, old)
  const body = yield* reading(WitnessRequest.format({ old, proof, checkpoint }))
  return yield* Effect.tryPromise({
    try: async (): Promise<Reply> => {
      const signal = AbortSignal.timeout(Limits.pacing.witnessMillis)
      const place = new URL("add-checkpoint", url.endsWith("/") ? url : `${url}/`)
      const response = await fetch(place, { method: "POST", body, redirect: "error", signal })
      return { status: response.status, text: await textWithin(response) }
    },
    catch: (cause) => `it cannot be asked: ${causeOf(cause)}`
  })
})

const cosignatures = ({ status, text }: Reply): Effect.Effect<ReadonlyArray<TreeCheckpoint.Signature>, string> =>
  status === 200
    ? reading(WitnessRequest.parseAnswer(text))
    : Effect.fail(`it answers ${status}, ${statuses[status] ?? "and no cosignature"}`)

/** Meanings of the HTTP statuses of a witness. */
const statuses: Readonly<Record<number, string>> = {
  400: "as to a request that is malformed",
  403: "as to a log whose key it does not know, or to a wrong signature",
  404: "as to a log that it does not know",
  409: "as another checkpoint came in between: ask again",
  422: "as to a log that has not only grown since it was last cosigned"
}

const textWithin = async (response: Response): Promise<string> => {
  let text = ""
  const decoder = new TextDecoder("utf-8", { fatal: true })
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > Limits.refusing.witnessCharactersMax) throw new Error("its answer is too long")
  }
  return text + decoder.decode()
}

const causeOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}

const reading = <A>(result: Result.Result<A, { readonly message: string }>): Effect.Effect<A, string> =>
  Effect.fromResult(Result.mapError(result, ({ message }) => message))
