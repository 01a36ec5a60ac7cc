/** Gate 4: each failure was injected, recognised, and never reported as a success. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as GateVerdict from "./GateVerdict.ts"

/**
 * Failures to inject, with the classes as which each may be recognised.
 *
 * **Details**
 *
 * - `stale_read`: the reads stay stale, and show no effect.
 * - `partial_commit`: a part is missing. If the contract names no parts, that is a value that differs.
 * - `ignored`: the tool answers and does nothing.
 * - `no_op`: the effect was there before.
 * - `stale_version`: somebody else changed the target before anything was sent.
 * - `unreversed`: the reversal is refused.
 */
export const faults = {
  stale_read: ["propagation_delay", "no_op_failure"],
  timeout: ["unknown_state", "unverifiable_state"],
  duplicate: ["duplicate_side_effect"],
  wrong_tenant: ["wrong_target_modified"],
  partial_commit: ["partial_application", "value_mismatch"],
  ignored: ["no_op_failure"],
  no_op: ["no_op_success"],
  stale_version: ["stale_state"],
  unreversed: ["compensation_required"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Discrepancy.Class>>>

/** Name of a failure to inject. */
export type Fault = keyof typeof faults

/**
 * The failures that are possible for a tool under its pack: an earlier effect is seen only by a read before, and only
 * a reversal can fail to reverse.
 */
export const faultsOf = (tool: string, pack: TaskPack.TaskPack): ReadonlyArray<Fault> => {
  const contract = TaskPack.tool(pack, tool)
  const { before, version } = contract.readback ?? {}
  const isLocal = ToolContract.isLocal(contract)
  const never = new Set<Fault>([
    // A wrong effect inside a transaction is rolled back, and never seen outside.
    ...(isLocal ? (["ignored"] as const) : []),
    ...(isLocal || before === undefined ? (["no_op"] as const) : []),
    ...(isLocal || before === undefined || version === undefined ? (["stale_version"] as const) : []),
    ...(isLocal || !ToolContract.isReversible(contract) ? (["unreversed"] as const) : [])
  ])
  return (Object.keys(faults) as ReadonlyArray<Fault>).filter((fault) => !never.has(fault))
}

/** A failure that was injected into a recorded action. */
export interface Injection {
  readonly fault: Fault
  readonly found: Discrepancy.Class | "success"
  /** The action into which it was injected, if known. */
  readonly of?: string
  /** The times that the world was changed. Default: 1. */
  readonly effects?: number
}

/** The conditions of the injections. All but the failures are empty by default. */
export interface FaultConditions {
  /** The failures that can happen under the contracts. Default: all. */
  readonly possible?: ReadonlyArray<Fault> | undefined
  /** The outcomes of actions that failed although nothing was injected. */
  readonly failedAlone?: ReadonlyArray<{ readonly of: string; readonly outcome: string }>
  /** Tools that change the world and were not played, and that nobody has excepted. */
  readonly untried?: ReadonlyArray<string>
}

/**
 * Objects to failures that are possible and were not injected, that were not recognised, or under which the world was
 * changed twice; and to tools that do not even succeed without one, or that were not played.
 */
export const judge = (
  report: ReadonlyArray<Injection>,
  { failedAlone = [], possible = Object.keys(faults) as ReadonlyArray<Fault>, untried = [] }: FaultConditions = {}
): GateVerdict.GateVerdict =>
  GateVerdict.make("failure_injection", report.length, [
    ...possible
      .filter((fault) => !report.some((one) => one.fault === fault))
      .map((fault) => ({ code: "fault_untried", fault }) as const),
    ...report
      .filter(({ fault, found }) => !(faults[fault] as ReadonlyArray<string>).includes(found))
      .map(({ effects: _, ...one }) => ({ code: "fault_mistaken", ...one }) as const),
    ...failedAlone.map((one) => ({ code: "fails_alone", ...one }) as const),
    ...report.flatMap(
      ({ effects = 1, fault, of = "" }): ReadonlyArray<Objection> =>
        effects > 1 ? [{ code: "effects_repeated", effects, fault, of }] : []
    ),
    ...untried.map((tool) => ({ code: "tool_untried", tool }) as const)
  ])
