/**
 * Facts about subtasks as a trace keeps them: a checkpoint that was reached, and a failure that was observed.
 *
 * They follow from the transitions before them, so every later lift of the run derives the same facts. A checkpoint
 * names a tick and copies nothing.
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Canonical from "@backstitch/trace/Canonical"
import { type SubtaskType, subtaskFacts } from "../decision/Command.ts"
import type * as Payload from "../payload/Payload.ts"

/** A fact, before it is committed. */
export type SubtaskFact = {
  readonly [T in SubtaskType]: { readonly type: T; readonly data: Payload.Of<T> }
}[SubtaskType]

const types: ReadonlySet<string> = new Set(subtaskFacts)

/** Tells whether a type is one of a fact about a subtask. */
export const isOne = (type: string): type is SubtaskType => types.has(type)

/** The fact that a checkpoint was reached. */
export const ofCheckpoint = ({ instance, kind, state, tick }: Checkpoint.Checkpoint): SubtaskFact => ({
  type: `checkpoint.${kind}`,
  data: { ...instance, at: tick, state }
})

/** The fact that a failure was observed, with the action that failed, if one was begun. */
export const ofFailure = ({
  action,
  entity,
  signal,
  state,
  tick,
  tool
}: FailureEvent.FailureEvent & { readonly action?: string | undefined }): SubtaskFact => ({
  type: "failure.observed",
  data: {
    at: tick,
    ...(entity === undefined ? {} : { entity }),
    ...(action === undefined ? {} : { failed: action }),
    signal,
    state,
    tool
  }
})

/** Names a fact; no two facts have the same name. */
export const nameOf = ({ data, type }: { readonly data?: Canonical.JsonObject | undefined; readonly type: string }) =>
  Canonical.encode([type, data ?? {}])
