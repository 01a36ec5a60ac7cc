/**
 * The nineteen states of an action, and every move between them.
 *
 * Accepted is not committed, partly committed is not success, unknown is not
 * failure, and compensated is not rolled back: each allows other words to the
 * user, other retries and other recoveries. So a state changes by an edge of
 * {@link edges} or not at all, and who may use an edge is part of it.
 *
 * The table of states is Action Verification's. Its diagram has two edges that its table
 * lacks, and no row of either leads to Rolled Back or Abandoned; what was added
 * is marked, with the reason.
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
 * The authority for a move: the kernel by itself, the retry policy of the contract, or an operator whose decision is on
 * record.
 */
export type Mover = "kernel" | "retry_policy" | "operator"

/** A permitted move. `origin` says where the edge comes from; what is ours says why. */
export type Edge =
  | { readonly origin: "table" | "diagram"; readonly by: Mover }
  | { readonly origin: "ours"; readonly by: Mover; readonly why: string }

const table = { origin: "table", by: "kernel" } as const
const diagram = { origin: "diagram", by: "kernel" } as const
const retried = { origin: "table", by: "retry_policy" } as const
const resolved = { origin: "table", by: "operator" } as const
const aborted = {
  origin: "ours",
  by: "kernel",
  why: "no row leads here: the local transaction was still open and was aborted before anybody could see it"
} as const
const stopped = {
  origin: "ours",
  by: "operator",
  why: "no row leads here: an operator decided, on record, to stop with the discrepancy unresolved"
} as const

/**
 * Every move that there is.
 *
 * **Details**
 *
 * Action Verification says of Review Required that an operator resolves or reopens it, and
 * names no targets: resolving is success or failure, reopening is Pending, from
 * where verification goes on.
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
export type Next<From extends State> = keyof (typeof edges)[From] & State

/** Error for a move that no edge permits, or not to this mover. The action stays where it was. */
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

/** The states that a state may move to, by anybody or by one mover. */
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
export const step = <const From extends State>(_from: From, to: Next<From>): State => to

/**
 * The states that a report of a later state implies: a reconciled action was committed before.
 *
 * **Details**
 *
 * A road permits nothing. It names states that {@link advance} may enter on the way, the furthest first, each by an
 * edge. A report that shows up late completes by forward recovery: Reconciliation Failed has no edge back. A
 * verification whose time is over is unknown before it goes on.
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
 * Moves to a state by edges alone: by one, or along its road. Answers the states entered, in order.
 *
 * **Details**
 *
 * States on the way are entered by the kernel; only the last edge has to be one of the mover.
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
  // The evidence of a refusal costs time, and is collected only for a refusal.
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

/** Every way that there is, walked once. */
const paths: Readonly<Record<Mover, Readonly<Record<State, Paths>>>> = {
  kernel: pathsOf("kernel"),
  retry_policy: pathsOf("retry_policy"),
  operator: pathsOf("operator")
}

/** The terminal states of Action Verification: in success, in failure, in recovery, or until a person decides. */
export const terminal: ReadonlySet<State> = new Set<State>([
  "reconciled_success",
  "failed",
  "compensated",
  "rolled_back",
  "review_required",
  "abandoned"
])

/** Tells whether the kernel is done with an action by itself. */
export const isTerminal = (state: State): boolean => terminal.has(state)

/** Tells whether the effect may have happened, or may still happen, and nothing has settled it (L7). */
export const isOpen = (state: State): boolean =>
  state !== "proposed" && state !== "validated" && (state === "review_required" || !isTerminal(state))
