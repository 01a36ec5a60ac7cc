/**
 * Checks a proof of a field, and states whether it is anchored: its head is known from elsewhere, or trusted keys
 * signed the checkpoint that logs it.
 */

import * as Effect from "effect/Effect"
import * as KnownHead from "./KnownHead.ts"
import * as StateProof from "./StateProof.ts"
import * as TreeCheckpointTrust from "./TreeCheckpointTrust.ts"

/** The known head, in the form that {@link KnownHead.parse} reads, and the signatures that the checkpoint needs. */
export interface Options extends TreeCheckpointTrust.RequiredSignatures {
  readonly head?: string | undefined
}

/** The claim of a valid proof. `value` is `null` if the place had no value. It is JSON already. */
export interface Checked extends Omit<StateProof.Proven, "checkpoint"> {
  readonly verdict: "proven, anchored" | "proven, unanchored"
  readonly value: NonNullable<StateProof.Proven["value"]> | null
  readonly isAbsent: boolean
  /** Cosignatures of the checkpoint by trusted witnesses. */
  readonly cosigned: Effect.Success<ReturnType<typeof TreeCheckpointTrust.check>>
}

/** Checks the text of a proof; fails if it does not hold, or lacks the head or the signatures that are demanded. */
export const check = Effect.fn("ProofCheck.check")(function* (text: string, { head, ...trust }: Options = {}) {
  const known = head === undefined ? undefined : yield* Effect.fromResult(KnownHead.parse(head))
  const { checkpoint, ...proven } = yield* Effect.fromResult(StateProof.check(text))
  if (known !== undefined && !KnownHead.is(known, proven.head)) {
    return yield* new StateProof.StateProofBroken({ reason: `its head is ${proven.head.tick}:${proven.head.link}` })
  }
  const isTrusting = trust.by !== undefined || trust.policy !== undefined
  if (isTrusting && checkpoint === undefined) {
    return yield* new StateProof.StateProofBroken({ reason: "it has no checkpoint that anybody could have signed" })
  }
  const cosigned = checkpoint === undefined ? [] : yield* TreeCheckpointTrust.check(checkpoint, undefined, trust)
  const { value } = proven
  const checked: Checked = {
    verdict: known === undefined && !isTrusting ? "proven, unanchored" : "proven, anchored",
    ...proven,
    value: value ?? null,
    isAbsent: value === undefined,
    cosigned
  }
  return checked
})
