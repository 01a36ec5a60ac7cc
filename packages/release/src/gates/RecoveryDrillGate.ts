/** Gate 5: each way of recovery was executed to its end, and every declared undo can be carried out. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as UndoProof from "@backstitch/runtime/UndoProof"
import type { Objection } from "@backstitch/wording/ReleaseWords"
import * as GateVerdict from "./GateVerdict.ts"

/** Paths to drill, with the states in which each may end. */
export const drills = {
  rollback: ["rolled_back"],
  compensation: ["compensated"],
  compensation_failure: ["review_required", "compensation_failed"],
  forward_recovery: ["reconciled_success"],
  review: ["review_required"]
} as const satisfies Readonly<Record<string, ReadonlyArray<ActionState.State>>>

/** Name of a path to drill. */
export type Path = keyof typeof drills

/**
 * The paths that are possible for a tool under its pack. A local transaction is rolled back before it could need
 * another.
 */
export const pathsOf = (tool: string, pack: TaskPack.TaskPack): ReadonlyArray<Path> => {
  const contract = TaskPack.tool(pack, tool)
  if (ToolContract.isLocal(contract)) return ["rollback"]
  return [
    ...(ToolContract.isReversible(contract) ? (["compensation", "compensation_failure"] as const) : []),
    ...(isSentAgain(tool, pack) || obliges(tool, pack) ? (["forward_recovery"] as const) : []),
    ...(ToolContract.isReversible(contract) ? [] : (["review"] as const))
  ]
}

/** Tells whether a request of a tool that never arrived is sent again under its key. */
export const isSentAgain = (tool: string, pack: TaskPack.TaskPack): boolean => {
  const contract = TaskPack.tool(pack, tool)
  return ToolContract.canBeAsked(contract) && contract.idempotency === "idempotent_write"
}

/** Tells whether a tool is a pivot behind which the kernel completes steps with derived arguments. */
export const obliges = (tool: string, pack: TaskPack.TaskPack): boolean =>
  Object.values(pack.skeletons).some(
    ({ forward, pivot, tools }) =>
      tools.includes(tool) &&
      (pivot.includes(tool) || TaskPack.tool(pack, tool).undo.class === "X") &&
      forward.length > 0 &&
      forward.every((step) => step.tool !== tool && step.with !== undefined)
  )

/** A path that was drilled, and the state in which it ended. */
export interface DrilledPath {
  readonly path: Path
  readonly ended: ActionState.State
}

/** The conditions of the drills. All but the paths are empty by default. */
export interface DrillConditions {
  /** The paths that are possible under the contracts. Default: all. */
  readonly paths?: ReadonlyArray<Path> | undefined
  /** The faults in declared undoings, by {@link undoings}. */
  readonly undoings?: ReadonlyArray<Objection>
  /** Drills that ended as compensated without a reversal in the world. */
  readonly unreversed?: ReadonlyArray<{ readonly fault: string; readonly tool: string }>
  /** Reversing tools that could not be played. */
  readonly unmade?: ReadonlySet<string>
  /** Tools that may be promoted although they could not be played. */
  readonly excepted?: ReadonlyArray<string> | undefined
}

/**
 * Objects to paths that are possible and were not drilled or ended in another state, to faults in declared undoings,
 * and to reversals that the world never saw or that could not be played.
 */
export const judge = (
  report: ReadonlyArray<DrilledPath>,
  {
    excepted = [],
    paths = Object.keys(drills) as ReadonlyArray<Path>,
    undoings: declared = [],
    unmade = new Set(),
    unreversed = []
  }: DrillConditions = {}
): GateVerdict.GateVerdict => {
  const isDrilled = (path: Path) => report.some((one) => one.path === path)
  // A tool that could not be played is not reported twice.
  const due = paths.filter((path) => unmade.size === 0 || !path.startsWith("compensation"))
  return GateVerdict.make("recovery_drill", report.length, [
    ...due.filter((path) => !isDrilled(path)).map((path) => ({ code: "path_undrilled", path }) as const),
    ...report
      .filter(({ ended, path }) => !(drills[path] as ReadonlyArray<string>).includes(ended))
      .map((one) => ({ code: "path_ended", ...one }) as const),
    ...declared,
    ...unreversed.map((one) => ({ code: "reversal_missing", ...one }) as const),
    ...[...unmade]
      .sort()
      .filter((tool) => !excepted.includes(tool))
      .map((tool) => ({ code: "reversal_undrilled", tool }) as const)
  ])
}

/**
 * Lists the faults in declared undoings. A candidate may drop a reversal that nobody has reviewed. A tool may have a
 * reversal although neither a readback nor its status tells whether there is anything to reverse. Without a candidate
 * the recorded packs are judged.
 */
export const undoings = (
  recorded: ReadonlyArray<TaskPack.TaskPack>,
  candidate: TaskPack.TaskPack | undefined,
  reviewed: ReadonlySet<string>
): ReadonlyArray<Objection> => {
  const judged = candidate === undefined ? recorded : [candidate]
  const dropped = candidate === undefined ? [] : recorded.flatMap((pack) => undoDropped(pack, candidate))
  const found: ReadonlyArray<Objection> = [
    ...dropped.filter(({ tool }) => !reviewed.has(tool)).map((each) => ({ code: "undo_dropped", ...each }) as const),
    ...judged.flatMap(undecidable).map((each) => ({ code: "undo_undecidable", ...each }) as const)
  ]
  // Several recorded contracts may have the same fault.
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

/** Tools that could be undone under one pack and cannot be under another that still has them. */
const undoDropped = (before: TaskPack.TaskPack, after: TaskPack.TaskPack): ReadonlyArray<UndoProof.Declared> =>
  UndoProof.declared(before).filter(({ tool }) => {
    const contract = after.tools[tool]
    return contract !== undefined && !ToolContract.isReversible(contract)
  })

/** Tools with a reversal in the contract, although nothing tells whether there is anything to reverse. */
const undecidable = (pack: TaskPack.TaskPack): ReadonlyArray<UndoProof.Declared> =>
  UndoProof.declared(pack).filter(({ tool }) => ToolContract.absenceBy(TaskPack.tool(pack, tool)) === undefined)
