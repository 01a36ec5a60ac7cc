/**
 * The nineteen states of an action, and every move between them.
 *
 * Accepted is not committed, partly committed is not success, unknown is not failure, and compensated is not rolled
 * back. Each of them permits different reports to the user, different retries and different recoveries. So a state
 * changes only along an edge of {@link edges}, and each edge names who may use it.
 *
 * The table of states comes from Action Verification. Its diagram has two edges that its table lacks, and neither has
 * a row that leads to Rolled Back or Abandoned. Added edges are marked, with the reason.
 *
 * @source Action Verification, "Technical System States and Transitions" and the diagram before it
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The states, in the order of Action Verification. */
export const states = [
  "proposed",
  "validated",
  "executing",
  "accepted",
  "pending",
  "committed",
  "partially_committed",
  "reconciled_success",
  "reconciliation_failed",
  "failed",
  "verification_timeout",
  "unknown",
  "compensating",
  "compensated",
  "compensation_failed",
  "forward_recovery",
  "rolled_back",
  "review_required",
  "abandoned"
] as const

/** A state of an action. */
export const State = Schema.Literals(states).annotate({ identifier: "state" })

/** A state of an action. */
export type State = (typeof states)[number]

/** Tells whether a value names a state. */
export const isOne = (value: unknown): value is State => states.some((state) => state === value)

/**
 * The authority for a move: the kernel, the retry policy of the contract, or an operator whose decision is on record.
 */
export type Mover = "kernel" | "retry_policy" | "operator"

/** A permitted move. `origin` names the source of the edge; those of ours are in neither the table nor the diagram. */
export interface Edge {
  readonly origin: "table" | "diagram" | "ours"
  readonly by: Mover
}

const table = { origin: "table", by: "kernel" } as const
const diagram = { origin: "diagram", by: "kernel" } as const
const retried = { origin: "table", by: "retry_policy" } as const
const resolved = { origin: "table", by: "operator" } as const
// The local transaction was still open, and was aborted before others could see its changes.
const aborted = { origin: "ours", by: "kernel" } as const
// An operator decided, on record, to stop with the discrepancy unresolved.
const stopped = { origin: "ours", by: "operator" } as const

/**
 * All permitted moves.
 *
 * **Details**
 *
 * Action Verification says that an operator resolves or reopens Review Required, and names no target states. Here
 * resolving leads to success or failure, and reopening to Pending, from where verification continues.
 */
export const edges = {
  proposed: { validated: table, failed: table },
  validated: { executing: table, failed: table, review_required: table },
  executing: {
    accepted: table,
    pending: table,
    committed: table,
    failed: table,
    unknown: table,
    reconciliation_failed: diagram,
    partially_committed: diagram,
    rolled_back: aborted
  },
  accepted: { pending: table, failed: table, unknown: table },
  pending: { committed: table, verification_timeout: table, failed: table, unknown: table },
  committed: { reconciled_success: table, reconciliation_failed: table, partially_committed: table },
  partially_committed: { compensating: table, forward_recovery: table, review_required: table },
  reconciled_success: {},
  reconciliation_failed: {
    compensating: table,
    forward_recovery: table,
    review_required: table,
    failed: table,
    rolled_back: aborted
  },
  failed: { proposed: retried, validated: retried },
  verification_timeout: { unknown: table, review_required: table, compensating: table, forward_recovery: table },
  unknown: { review_required: table, pending: table, reconciliation_failed: table, reconciled_success: table },
  compensating: { compensated: table, compensation_failed: table, review_required: table },
  compensated: {},
  compensation_failed: { review_required: table },
  forward_recovery: { reconciled_success: table, review_required: table, failed: table },
  rolled_back: {},
  review_required: { reconciled_success: resolved, failed: resolved, pending: resolved, abandoned: stopped },
  abandoned: {}
} as const satisfies { readonly [From in State]: { readonly [To in State]?: Edge } }

/** The states that one state may move to, as the compiler knows them. */
export type NextState<From extends State> = keyof (typeof edges)[From] & State

/** Error for a move that no edge permits, or no edge for this mover. The action keeps its state. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>("@backstitch/ledger/MoveRefused")("MoveRefused", {
  from: State,
  to: State,
  by: Schema.Literals(["kernel", "retry_policy", "operator"]),
  needs: Schema.NullOr(Schema.Literals(["kernel", "retry_policy", "operator"])),
  permitted: Schema.Array(State)
}) {
  override get message(): string {
    const { by, from, needs, permitted, to } = this
    if (needs !== null) return `An action cannot go from ${from} to ${to} by ${by}: that is for ${needs} to decide`
    const rest = permitted.length === 0 ? "it is terminal" : `it may go to ${permitted.join(", ")}`
    return `An action cannot go from ${from} to ${to}: ${rest}. Record the evidence and settle it from where it is`
  }
}

/** The edge between two states. */
export const edge = (from: State, to: State): Edge | undefined =>
  (edges as { readonly [From in State]: { readonly [To in State]?: Edge } })[from][to]

/** The states to which a state may move, by any mover or by one. */
export const next = (from: State, by?: Mover): ReadonlyArray<State> =>
  states.filter((to) => {
    const found = edge(from, to)
    return found !== undefined && (by === undefined || found.by === by)
  })

/**
 * Makes one move, or refuses it.
 *
 * **Example** (Refusing to call an accepted action done)
 *
 * ```ts import.meta.vitest
 * import { ActionState } from "@backstitch/ledger"
 * import { Result } from "effect"
 *
 * Result.isSuccess(ActionState.move("accepted", "pending")) // => true
 * Result.isSuccess(ActionState.move("accepted", "reconciled_success")) // => false
 * ```
 */
export const move = (from: State, to: State, by: Mover = "kernel"): Result.Result<State, MoveRefused> => {
  const found = edge(from, to)
  return found?.by === by
    ? Result.succeed(to)
    : Result.fail(new MoveRefused({ from, to, by, needs: found?.by ?? null, permitted: next(from) }))
}

/** Makes a move that the compiler has checked against the table. */
export const step = <const From extends State>(_from: From, to: NextState<From>): State => to

/**
 * The states that a later state implies: a reconciled action was committed before.
 *
 * **Details**
 *
 * A road only names states; moves are permitted by edges. {@link advance} may enter its states on the way, the furthest
 * first, each along an edge. A late report completes by forward recovery, because no edge leads back from
 * Reconciliation Failed. A verification whose time is over is unknown before it continues.
 */
export const roads: { readonly [To in State]?: ReadonlyArray<State> } = {
  executing: ["validated"],
  pending: ["unknown"],
  committed: ["unknown", "pending"],
  partially_committed: ["pending", "committed"],
  reconciled_success: ["forward_recovery", "unknown", "pending", "committed"],
  reconciliation_failed: ["unknown", "pending", "committed"],
  failed: ["forward_recovery", "unknown", "reconciliation_failed"],
  verification_timeout: ["pending"],
  compensating: ["unknown", "verification_timeout", "reconciliation_failed"],
  forward_recovery: ["verification_timeout", "reconciliation_failed"],
  rolled_back: ["unknown", "reconciliation_failed"],
  review_required: ["reconciliation_failed", "unknown", "verification_timeout"]
}

/**
 * Moves to a state along edges only: along one, or along its road. Answers the states entered, in order.
 *
 * **Details**
 *
 * The kernel enters the states on the way; only the last edge has to belong to the mover.
 *
 * **Example** (Learning at once that a pending action is done)
 *
 * ```ts import.meta.vitest
 * import { ActionState } from "@backstitch/ledger"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(ActionState.advance("pending", "reconciled_success")) // => ["committed", "reconciled_success"]
 * ```
 */
export const advance = (
  from: State,
  to: State,
  by: Mover = "kernel"
): Result.Result<ReadonlyArray<State>, MoveRefused> => {
  if (from === to) return stays
  const path = paths[by][from][to]
  // Collecting the evidence for a refusal takes time, so it is done only for a refusal.
  return path ?? Result.map(move(from, to, by), (state) => [state])
}

const stays: Result.Result<ReadonlyArray<State>, MoveRefused> = Result.succeed([])

const walk = (from: State, to: State, by: Mover, road: ReadonlyArray<State>): ReadonlyArray<State> | undefined => {
  if (edge(from, to)?.by === by) return [to]
  const index = road.findLastIndex((via) => edge(from, via)?.by === "kernel")
  const via = road[index]
  const rest = via === undefined ? undefined : walk(via, to, by, road.slice(index + 1))
  return via === undefined || rest === undefined ? undefined : [via, ...rest]
}

type Paths = Partial<Record<State, Result.Result<ReadonlyArray<State>, MoveRefused>>>

const pathsOf = (by: Mover): Readonly<Record<State, Paths>> => {
  const all = {} as Record<State, Paths>
  for (const from of states) {
    all[from] = {}
    for (const to of states) {
      const path = walk(from, to, by, roads[to] ?? [])
      if (path !== undefined) all[from][to] = Result.succeed(path)
    }
  }
  return all
}

/** All paths, computed once. */
const paths: Readonly<Record<Mover, Readonly<Record<State, Paths>>>> = {
  kernel: pathsOf("kernel"),
  retry_policy: pathsOf("retry_policy"),
  operator: pathsOf("operator")
}

/** The terminal states of Action Verification: success, failure, recovery, or waiting for a person. */
export const terminal: ReadonlySet<State> = new Set<State>([
  "reconciled_success",
  "failed",
  "compensated",
  "rolled_back",
  "review_required",
  "abandoned"
])

/** Tells whether the kernel alone does nothing more with an action. */
export const isTerminal = (state: State): boolean => terminal.has(state)

/** Tells whether the effect may have happened, or may still happen, and the action is not settled (L7). */
export const isOpen = (state: State): boolean =>
  state !== "proposed" && state !== "validated" && (state === "review_required" || !isTerminal(state))
