/**
 * Decides for each step whether a snapshot is worth its cost.
 *
 * The trace is complete without snapshots; they only shorten the fold after a crash. So two costs are compared:
 * writing now, and folding again later. Before a call that changes something, nothing is compared: all that precedes
 * it has to be durable, so a snapshot is written.
 *
 * @source Crash Recovery, "Checkpoint design" and "The performance-vs-recoverability dial"; Action Verification,
 * verification depth
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"

/** The form of snapshots: whole each time, as differences, or as differences with a whole one every `every`. */
export type Strategy =
  | { readonly _tag: "Full" }
  | { readonly _tag: "Delta" }
  | { readonly _tag: "Hybrid"; readonly every: number }

/** A policy. A snapshot is due once a crash would lose work that cost `costMax`. */
export interface SnapshotPolicy {
  readonly strategy: Strategy
  readonly costMax: number
}

/**
 * The next step, and the work that a crash at it would lose.
 *
 * **Details**
 *
 * `cost` was spent since the last snapshot, in the unit of `costMax`: the runtime counts tokens. `likelihood` is the
 * probability of a crash at this step, between 0 and 1: the runtime has in its place the share of calls that were sent
 * again. `since` is the number of snapshots since the last whole one.
 */
export interface StepAtRisk {
  readonly contract: ToolContract.ToolContract | undefined
  readonly cost: number
  readonly likelihood: number
  readonly since: number
}

/** A decision: to keep a whole snapshot, to keep the difference from the last one, or to keep nothing. */
export type SnapshotChoice = "full" | "delta" | "nothing"

/** Decides whether to write a snapshot before a step, and in which form. */
export const decide = (policy: SnapshotPolicy, step: StepAtRisk): SnapshotChoice => {
  const { contract } = step
  if (contract !== undefined && ToolContract.isMutating(contract)) return shape(policy, step)
  const exposed = step.cost * (1 + Math.min(1, Math.max(0, step.likelihood)))
  return exposed >= policy.costMax ? shape(policy, step) : "nothing"
}

const shape = ({ strategy }: SnapshotPolicy, step: StepAtRisk): "full" | "delta" => {
  switch (strategy._tag) {
    case "Full":
      return "full"
    case "Delta":
      return "delta"
    case "Hybrid":
      return step.since + 1 >= strategy.every ? "full" : "delta"
  }
}
