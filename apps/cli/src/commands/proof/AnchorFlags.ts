/** Flags that name a tree checkpoint, its log, and its required signatures, for `verify` and `prove`. */

import { dirname, join } from "node:path"
import * as HeadLog from "@backstitch/runtime/HeadLog"
import * as HeadLogFile from "@backstitch/runtime/HeadLogFile"
import * as TreeCheckpointTrust from "@backstitch/runtime/TreeCheckpointTrust"
import type * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as StoreAddress from "../../input/StoreAddress.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Terminal from "../../terminal/Terminal.ts"

/** The flags for the signatures. */
export interface FlagValues {
  readonly by: string | undefined
  readonly policy: string | undefined
  readonly witness: ReadonlyArray<string>
  readonly quorum: number | undefined
}

/** The place of the log: the given file, or one beside a store that is a file. */
export const logOf = (log: string | undefined, globals: Globals): Effect.Effect<string, Usage> => {
  const store = StoreAddress.fileOf(globals.store)
  if (log !== undefined) return Effect.succeed(log)
  if (store !== undefined) return Effect.succeed(join(dirname(store), `heads-${globals.tenant}.jsonl`))
  return Effect.fail(
    new Usage({ problem: `The store ${globals.store} has no folder for a log. Name a file with --log` })
  )
}

/** Reads the tree checkpoint of `--against` and its log, both unchecked. */
export const covered = Effect.fnUntraced(function* (
  { against, log }: { readonly against: string; readonly log: string | undefined },
  globals: Globals
) {
  const { tenant } = globals
  return yield* HeadLogFile.covered({ checkpoint: against, log: yield* logOf(log, globals), tenant })
})

/** Reads the entries that the tree checkpoint of `--against` anchors, after its signatures and the log were checked. */
export const anchored = Effect.fnUntraced(function* (
  options: FlagValues & { readonly against: string; readonly log: string | undefined },
  globals: Globals
) {
  const { checkpoint, entries } = yield* covered(options, globals)
  tell(yield* TreeCheckpointTrust.check(checkpoint, options.against, yield* trust(options)))
  return yield* Effect.fromResult(HeadLog.under(entries, checkpoint.head))
})

/** Reads the flags that demand signatures. */
export const trust = Effect.fnUntraced(function* ({ by, ...typed }: FlagValues) {
  const isWitnessed = typed.policy !== undefined || typed.quorum !== undefined || typed.witness.length > 0
  if (!isWitnessed) return { by } satisfies TreeCheckpointTrust.RequiredSignatures
  // Loading the curve takes longer than verifying a run that needs no curve.
  const WitnessFlags = yield* Effect.promise(() => import("./WitnessFlags.ts"))
  return { by, policy: yield* WitnessFlags.policy(typed) } satisfies TreeCheckpointTrust.RequiredSignatures
})

/** Says which witnesses cosigned, and when. */
export const tell = (cosigned: ReadonlyArray<WitnessPolicy.Cosigned>): void => {
  for (const { seconds, witness } of cosigned) {
    Terminal.note(`COSIGNED: witness=${witness} | at=${ShownText.moment(seconds * 1000)}`)
  }
}
