/**
 * Makes a proof that a field of a run had a value at a tick, for people who have neither the store nor this program.
 *
 * @source docs/FORMAT.md, "State proof"
 */
import type { Run } from "@backstitch/trace/Run"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RunExport from "../exchange/RunExport.ts"
import * as History from "../history/History.ts"
import * as HeadLog from "./HeadLog.ts"
import * as StateProof from "./StateProof.ts"

/** Error for a tick that no entry under a checkpoint covers. */
export class NotLogged extends Schema.TaggedError<NotLogged>("@backstitch/runtime/NotLogged")("NotLogged", {
  run: Schema.String,
  tick: Schema.Natural
}) {
  override get message(): string {
    return `The checkpoint logs no head of run ${this.run} at tick ${this.tick} or later. Name a later checkpoint`
  }
}

/** The log entry of the head of a proof: a checkpoint, and the entries that it covers. */
export interface Logged {
  readonly checkpoint: TreeCheckpoint.TreeCheckpoint
  readonly entries: ReadonlyArray<HeadLog.LoggedHead>
}

/**
 * Proves the value of a field after a tick; by default the last tick. With `logged`, the proof is under the first
 * head that the checkpoint covers, otherwise under the head of the run.
 */
export const prove = Effect.fn("ProofExport.prove")(function* (
  run: Run,
  options: { readonly field: string; readonly tick?: number | undefined; readonly logged?: Logged | undefined }
) {
  const history = yield* History.History
  const path = yield* Effect.fromResult(FieldPath.parse(options.field))
  const exported = yield* RunExport.exportRun(run)
  const at = options.tick ?? exported.head.tick
  const { state } = yield* history.at(run, at)
  const { logged } = options
  const found = logged === undefined ? undefined : yield* logOf(logged, run, at)
  const to = found?.tick ?? exported.head.tick
  const log = found === undefined ? {} : { log: found.log }
  return yield* Effect.fromResult(StateProof.make({ exported, at, state, path, to, ...log }))
})

/**
 * The names of the fields that a section has at a tick, if the named field is none of them; `undefined` if it is one.
 * A proof that such a field has no value holds, and may be about a name that was mistyped.
 */
export const beside = Effect.fnUntraced(function* (run: Run, field: string, tick: number) {
  const history = yield* History.History
  const path = yield* Effect.fromResult(FieldPath.parse(field))
  const { [path.section]: fields } = (yield* history.at(run, tick)).state
  if (Object.hasOwn(fields, path.field)) return undefined
  return Object.keys(fields)
    .map((name) => `${path.section}.${name}`)
    .sort()
})

const logOf = Effect.fnUntraced(function* ({ checkpoint, entries }: Logged, run: Run, at: number) {
  const index = entries.findIndex((entry) => entry.tenant === run.tenant && entry.run === run.id && entry.tick >= at)
  const entry = entries[index]
  if (entry === undefined) return yield* new NotLogged({ run: run.id, tick: at })
  const text = yield* Effect.fromResult(TreeCheckpoint.format(checkpoint))
  const proof = TreeHead.inclusionProof(HeadLog.leavesOf(entries), index)
  return { tick: entry.tick, log: { checkpoint: text, index, proof } }
})
