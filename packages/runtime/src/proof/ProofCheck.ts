/**
 * Checks a proof of a field, and says what it is worth: it is anchored where its head is known from elsewhere, or
 * where those who are trusted signed the checkpoint that logs it.
 */
import * as StateProof from "@backstitch/version-control/StateProof"
import * as Effect from "effect/Effect"
import * as KnownHead from "./KnownHead.ts"
import * as TreeCheckpointTrust from "./TreeCheckpointTrust.ts"

/** The head that is known, as {@link KnownHead.parse} reads it, and the signatures that the checkpoint has to have. */
export interface Options extends TreeCheckpointTrust.Trust {
  readonly head?: string | undefined
}

/** The claim of a proof that holds. `value` is `null` where nothing stood. It is JSON as it stands. */
export interface Checked extends Omit<StateProof.Proven, "checkpoint"> {
  readonly verdict: "proven, anchored" | "proven, unanchored"
  readonly value: NonNullable<StateProof.Proven["value"]> | null
  readonly isAbsent: boolean
  /** Cosignatures of the checkpoint by witnesses that are trusted. */
  readonly cosigned: Effect.Success<ReturnType<typeof TreeCheckpointTrust.check>>
}

/** Checks the text of a proof; fails where it does not hold, or is not worth what is demanded of it. */
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
  const cosigned =
    checkpoint === undefined
      ? []
      : yield* TreeCheckpointTrust.check(checkpoint, `The checkpoint of ${checkpoint.origin}`, trust)
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
