/**
 * Asks witnesses over HTTP to cosign a checkpoint.
 *
 * @source C2SP tlog-witness
 */

import type { Digest } from "@backstitch/trace/Digest"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as WitnessRequest from "@backstitch/transparency/WitnessRequest"
import type { WitnessFault } from "@backstitch/wording/ProofWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as HeadLog from "./HeadLog.ts"

/** The answer of one witness: its cosignatures, or the reason why there are none. */
export interface WitnessAnswer {
  readonly witness: string
  readonly signatures: ReadonlyArray<TreeCheckpoint.Signature>
  readonly fault?: WitnessFault
  /** The fault in words. */
  readonly problem?: string
}

/** Asks each witness that has an address to cosign a checkpoint, with the leaves of the log. */
export const cosign = (
  parties: ReadonlyArray<WitnessPolicy.Party>,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  leaves: ReadonlyArray<Digest>
): Effect.Effect<ReadonlyArray<WitnessAnswer>> =>
  Effect.flatMap(Lexicon.Lexicon, (words) =>
    Effect.forEach(
      parties.filter(({ url }) => url !== undefined),
      ({ name: witness, url = "", verifier }) =>
        ask(url, checkpoint, leaves).pipe(
          Effect.flatMap((signatures) => own(verifier, checkpoint, signatures)),
          Effect.map((signatures): WitnessAnswer => ({ witness, signatures })),
          Effect.catch((fault) =>
            Effect.succeed<WitnessAnswer>({
              witness,
              signatures: [],
              fault,
              problem: Wording.witnessFault(fault, words)
            })
          )
        ),
      { concurrency: "unbounded" }
    )
  )

/** A log with its checkpoint. */
export interface Logged {
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
  readonly entries: ReadonlyArray<HeadLog.LoggedHead>
}

/** A checkpoint that enough witnesses have cosigned, and the witnesses that have not. */
export interface Witnessed {
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
  readonly cosigned: ReadonlyArray<WitnessPolicy.Cosigned>
  readonly problems: ReadonlyArray<WitnessRefusal>
}

/** A witness without a cosignature, and the reason. */
export type WitnessRefusal = Required<Omit<WitnessAnswer, "signatures">>

/** Asks the witnesses of a policy to cosign the checkpoint of a log; fails if too few do. `onRefusal` hears of each. */
export const gather = Effect.fn("WitnessClient.gather")(function* (
  policy: WitnessPolicy.WitnessPolicy,
  { checkpoint: bare, entries }: Logged,
  onRefusal: (refusal: WitnessRefusal) => void = () => {}
) {
  const answers = yield* cosign(policy.witnesses, bare, HeadLog.leavesOf(entries))
  const problems = answers.flatMap(({ fault, problem, witness }) =>
    fault === undefined || problem === undefined ? [] : [{ fault, problem, witness }]
  )
  for (const refusal of problems) onRefusal(refusal)
  const signatures = [...bare.signatures, ...answers.flatMap((answer) => answer.signatures)]
  const checkpoint = { ...bare, signatures }
  const cosigned = yield* Effect.fromResult(WitnessPolicy.check(policy, checkpoint))
  const witnessed: Witnessed = { checkpoint, cosigned, problems }
  return witnessed
})

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
  return kept.length > 0 ? kept : yield* failed({ code: "unsigned" })
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
    return yield* failed({ code: "ahead", cosigned: known, entries: leaves.length })
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
    catch: (cause): WitnessFault => ({ code: "unreachable", cause: causeOf(cause) })
  })
})

const cosignatures = ({ status, text }: Reply): Effect.Effect<ReadonlyArray<TreeCheckpoint.Signature>, WitnessFault> =>
  status === 200 ? reading(WitnessRequest.parseAnswer(text)) : failed({ code: "refused", status })

const failed = (fault: WitnessFault): Effect.Effect<never, WitnessFault> => Effect.fail(fault)

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

const reading = <A>(result: Result.Result<A, { readonly message: string }>): Effect.Effect<A, WitnessFault> =>
  Effect.fromResult(Result.mapError(result, ({ message }) => ({ code: "unreadable", message })))
