/** Demands that a checkpoint is signed by a named key, and cosigned by as many witnesses as a policy requires. */
import type * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import type * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Error for a checkpoint that the named key did not sign. */
export class SignatureWrong extends Schema.TaggedError<SignatureWrong>("@backstitch/runtime/SignatureWrong")(
  "SignatureWrong",
  { checkpoint: Schema.optionalKey(Schema.String), by: Schema.String, origin: Schema.String }
) {
  override get message(): string {
    const { by, origin } = this
    const checkpoint = this.checkpoint ?? `The checkpoint of ${origin}`
    if (by !== origin) {
      const said = `${checkpoint} is of the log ${origin}, and the given key is that of ${by}: give the key of ${origin}`
      return `${said}. Nothing was compared with it`
    }
    return `${checkpoint} is not signed by the key of ${by}, or was changed since. Nothing was compared with it`
  }
}

/** The signatures that a checkpoint must have. Without any, every checkpoint is trusted. */
export interface RequiredSignatures {
  /** A key of the log, in the form that `checkpoint` prints. */
  readonly by?: string | undefined
  readonly policy?: WitnessPolicy.WitnessPolicy | undefined
}

/** Fails unless a checkpoint is trusted, and answers its cosigners. Messages call it by `name`, or else by its log. */
export const check = Effect.fn("TreeCheckpointTrust.check")(function* (
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  name: string | undefined,
  { by, policy }: RequiredSignatures
) {
  if (by !== undefined) {
    // Loading the curve takes longer than verifying a run that needs no curve.
    const { checkLog } = yield* Effect.promise(() => import("@backstitch/transparency/SignedNote"))
    if ((yield* Effect.fromResult(checkLog(by, checkpoint))) !== "Signed") {
      const called = name === undefined ? {} : { checkpoint: name }
      return yield* new SignatureWrong({ ...called, by: by.split("+")[0] ?? by, origin: checkpoint.origin })
    }
  }
  if (policy === undefined) return []
  const witnesses = yield* Effect.promise(() => import("@backstitch/transparency/WitnessPolicy"))
  return yield* Effect.fromResult(witnesses.check(policy, checkpoint))
})
