/**
 * The machine of actions: which states follow from which fact. The fold, commits and histories all use it.
 *
 * A fact claims states. An action enters them along {@link ActionState.edges}, or keeps its state. The fold of open
 * actions moves by this function, a commit reports the refused moves, and a history is the log of its answers.
 *
 * | a fact | claims of its action |
 * | --- | --- |
 * | `action.request` | Validated or Failed, by its verdict; with a key it was done elsewhere, so Unknown here |
 * | the same, of an action that was requested before | Proposed, to which no edge leads |
 * | `action.started` | Executing; after Failed and after Forward Recovery, another attempt by the retry policy |
 * | `action.result` | Pending, of a read or a recording Committed; Accepted; Failed; Unknown; Reconciliation Failed |
 * | the same with `transaction` or `told` | none: nobody sees it, or a person decides about the action |
 * | `action.verified` | Committed; Verification Timeout; Reconciliation Failed or Partially Committed |
 * | the same with `before`, `remains`, or a `verdict` to commit | none: the settlement decides |
 * | `action.reconciled` | Reconciled Success, Failed, Reconciliation Failed or Review Required |
 * | `recovery.decided` with `freezes`, `review.requested` | Review Required |
 * | `review.decided` | Review Required, and from there the person's decision |
 * | `action.result` with `state` | Forward Recovery, or a person's decision: its settlement decides the rest |
 * | any other with `state` | that state |
 *
 * A fact about an action that was never requested is refused, whatever it claims.
 *
 * An action that another one undoes is Compensating from the request of its reversal on. The end of the reversal
 * makes it Compensated or Compensation Failed. A reconciled success keeps its state: whether its effect stands is a
 * relation to another action, and no state.
 *
 * @source Action Verification, "Technical System States and Transitions"
 */
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Draft } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionState from "../machine/ActionState.ts"
import * as Payload from "../payload/Payload.ts"

type State = ActionState.State

/**
 * The fields of an action that its moves depend on. An action that is `over` is settled, and facts about other
 * actions no longer move it.
 */
export interface MovingAction {
  readonly class: string
  readonly state: State
  readonly isOver?: boolean | undefined
  readonly undoes?: string | undefined
}

/** The actions that are known before a fact, and which of them undoes which. */
export interface Actions {
  readonly get: (action: string) => MovingAction | undefined
  readonly reversalOf: (action: string) => string | undefined
}

/** The states that an action enters by a fact, in order, or the reason why it enters none. */
export interface Move {
  readonly action: string
  readonly states: ReadonlyArray<State>
  readonly refused?: ActionState.MoveRefused | NotRequested
}

/** A move that was refused. */
export interface RefusedMove extends Move {
  readonly refused: ActionState.MoveRefused | NotRequested
}

/** Error for a fact about an action that was never requested. */
export class NotRequested extends Schema.TaggedError<NotRequested>("@backstitch/ledger/NotRequested")("NotRequested", {
  action: Schema.String,
  type: Schema.String
}) {
  override get message(): string {
    return `${this.type} is about ${this.action}, which nothing before it requests`
  }
}

/** Tells whether a move was refused. */
export const isRefused = (move: Move): move is RefusedMove => move.refused !== undefined

/** A state that a fact claims, and the mover. */
type Claim = State | readonly [State, ActionState.Mover]

const none: ReadonlyArray<Claim> = []

/** The moves of one fact: first of its own action, then of the related actions. */
export const next = (actions: Actions, { body, stamp }: Pick<Draft, "body" | "stamp">): ReadonlyArray<Move> => {
  const id = body.action?.id
  if (id === undefined) return []
  const self = actions.get(id)
  if (self === undefined) {
    if (body.type === "action.request") return requested(actions, id, { body, stamp })
    return facts.has(body.type)
      ? [{ action: id, states: [], refused: new NotRequested({ action: id, type: body.type }) }]
      : []
  }
  const mine = own(id, self, body)
  const moves = isMove(mine) ? [mine] : []
  const after = mine.states.at(-1)
  if (body.type !== "review.decided" && (self.undoes === undefined || after === undefined)) return moves
  return [
    ...moves,
    ...(after === undefined ? [] : undoneBy(actions, self, after)),
    ...(body.type === "review.decided" ? reversalBy(actions, id, body) : [])
  ].filter(isMove)
}

/** Types that are facts about an action. Other types may name an action, but do not change its state. */
const facts: ReadonlySet<string> = new Set<Ontology.Type>([
  "action.asked",
  "action.reconciled",
  "action.result",
  "action.started",
  "action.verified",
  "intent.dropped",
  "recovery.decided",
  "review.decided",
  "review.requested"
])

/** The move that a fact claims for its own action; possibly none. */
export const own = (action: string, self: MovingAction, body: Body): Move =>
  isBarred(self, body)
    ? { action, states: [], refused: refusalOf(self.state, claimed(self, body)) }
    : owned(action, self, claimed(self, body))

/**
 * Tells whether a fact may not move its action, because it is a second request, or an answer that claims a settled
 * state.
 */
const isBarred = (self: MovingAction, body: Body): boolean => {
  if (body.type === "action.request") return true
  const { state } = Payload.of(body, "action.result") ?? {}
  return state !== undefined && state !== "forward_recovery" && state !== self.state
}

const requested = (
  actions: Actions,
  id: string,
  { body, stamp }: Pick<Draft, "body" | "stamp">
): ReadonlyArray<Move> => {
  const states: ReadonlyArray<State> = ["proposed", ...moved(id, "proposed", asked(body, stamp.key)).states]
  return [{ action: id, states }, ...compensating(actions, body.action?.undoes, states)].filter(isMove)
}

/** Moves an action by the claims of a fact, or refuses all of them if the action is over. */
const owned = (action: string, { isOver, state }: MovingAction, claims: ReadonlyArray<Claim>): Move =>
  isOver === true && claims.length > 0
    ? { action, states: [], refused: refusalOf(state, claims) }
    : moved(action, state, claims)

const isMove = ({ refused, states }: Move): boolean => refused !== undefined || states.length > 0

/** Either all claims of a fact hold, or none. */
const moved = (action: string, from: State, claims: ReadonlyArray<Claim>): Move => {
  const states: Array<State> = []
  let at = from
  for (const claim of claims) {
    const [to, by] = partsOf(claim)
    const path = ActionState.advance(at, to, by)
    if (Result.isFailure(path)) return { action, states: [], refused: refusalOf(from, claims) }
    states.push(...path.success)
    at = to
  }
  return { action, states }
}

const refusalOf = (from: State, claims: ReadonlyArray<Claim>): ActionState.MoveRefused => {
  const [to, by] = partsOf(claims.at(-1)!)
  const leads = ActionState.edge(from, to)?.by
  const needs = leads === undefined || leads === by ? null : leads
  return new ActionState.MoveRefused({ from, to, by, needs, permitted: ActionState.next(from) })
}

const partsOf = (claim: Claim): readonly [State, ActionState.Mover] =>
  typeof claim === "string" ? [claim, "kernel"] : claim

/** A key on a request means that the act was done elsewhere and is taken over here. */
const asked = ({ policy }: Body, key: string | undefined): ReadonlyArray<Claim> =>
  policy?.decision === "deny"
    ? ["failed"]
    : key !== undefined
      ? ["validated", "executing", "unknown"]
      : policy?.decision === "allow"
        ? ["validated"]
        : none

const claimed = (self: MovingAction, body: Body): ReadonlyArray<Claim> => {
  switch (body.type) {
    case "action.request":
      return ["proposed"]
    case "policy.decision":
      return judged(self, body)
    case "intent.dropped":
      return ["failed"]
    case "action.started":
      return started(self)
    case "action.result":
      return answered(self, body)
    case "action.verified":
      return verified(self, body)
    case "action.reconciled":
      return [Payload.of(body, "action.reconciled")?.state ?? settledBy[body.result?.status ?? "unknown"]]
    case "recovery.decided": {
      const { freezes, state } = Payload.of(body, "recovery.decided") ?? {}
      return [...(freezes === true ? (["review_required"] as const) : []), ...(state === undefined ? [] : [state])]
    }
    case "review.requested": {
      const { subject } = Payload.of(body, "review.requested") ?? {}
      return subject === "verification" || self.state === "reconciled_success" ? none : ["review_required"]
    }
    case "review.decided":
      return decided(self, body)
    default:
      return none
  }
}

const judged = ({ state }: MovingAction, { policy }: Body): ReadonlyArray<Claim> =>
  policy?.decision === "deny" ? ["failed"] : policy?.decision === "allow" && state === "proposed" ? ["validated"] : none

const settledBy = {
  ok: "reconciled_success",
  error: "failed",
  mismatch: "reconciliation_failed",
  unknown: "review_required"
} as const satisfies Record<string, State>

/** Answers the claims of a start. A repetition under the same key changes no state. A failed action begins anew. */
const started = ({ state }: MovingAction): ReadonlyArray<Claim> => {
  switch (state) {
    case "forward_recovery":
      return ["failed", ["validated", "retry_policy"], "executing"]
    case "failed":
      return [["validated", "retry_policy"], "executing"]
    default:
      return resent.has(state) ? none : ["executing"]
  }
}

/** States in which the effect may have happened: a repetition under the same key is the same effect. */
const resent: ReadonlySet<State> = new Set<State>([
  "executing",
  "accepted",
  "pending",
  "committed",
  "partially_committed",
  "reconciliation_failed",
  "verification_timeout",
  "unknown"
])

const answered = ({ class: sideEffect, state }: MovingAction, body: Body): ReadonlyArray<Claim> => {
  const { stage, state: named, told, transaction, verify } = Payload.of(body, "action.result") ?? {}
  if (told !== undefined) return none
  if (named !== undefined) return [named]
  // Reads and recorded effects have no durable start, so their answer is their first fact.
  const begins = state === "proposed" || state === "validated"
  const begun: ReadonlyArray<Claim> = begins ? ["executing"] : none
  const { basis, status = "unknown" } = body.result ?? {}
  // In forward recovery, the answer counts only after verification.
  if (transaction !== undefined || (state === "forward_recovery" && status !== "error")) return begun
  if (status === "ok" && stage === "accepted") {
    // Accepted is not committed. It is pending once there is a schedule to verify it.
    const taken = begins || state === "executing" ? (["accepted"] as const) : none
    return [...begun, ...taken, ...(verify === undefined ? none : (["pending"] as const))]
  }
  return [...begun, status === "ok" && (sideEffect === readOnly || basis === "recorded") ? "committed" : saidBy[status]]
}

/** The class whose actions are settled by their answer. */
const readOnly = "read_only"

const saidBy = {
  ok: "pending",
  error: "failed",
  unknown: "unknown",
  mismatch: "reconciliation_failed"
} as const satisfies Record<string, State>

const verified = ({ state }: MovingAction, body: Body): ReadonlyArray<Claim> => {
  const { absent, before, discrepancy, remains, verdict } = Payload.of(body, "action.verified") ?? {}
  if (absent === true || before !== undefined || remains !== undefined) return none
  const status = body.result?.status ?? "unknown"
  // Inside a transaction, a match is proven only by the commit; a mismatch is known at once.
  if (verdict !== undefined) return verdict !== "commit" && status === "mismatch" ? ["reconciliation_failed"] : none
  switch (status) {
    case "ok":
      return [completed.has(state) ? "forward_recovery" : "committed"]
    case "unknown":
      return polled.has(state) ? ["verification_timeout"] : none
    default:
      if (recovering.has(state)) return none
      return [discrepancy === "partial_application" ? "partially_committed" : "reconciliation_failed"]
  }
}

/** States from which a late confirmation leads through Forward Recovery. */
const completed: ReadonlySet<State> = new Set<State>([
  "reconciliation_failed",
  "partially_committed",
  "forward_recovery"
])

/** States in which a read without an answer means that verification timed out. In other states it changes nothing. */
const polled: ReadonlySet<State> = new Set<State>(["executing", "accepted", "pending"])

/** States in which a mismatch is already under recovery, so that another one changes nothing. */
const recovering: ReadonlySet<State> = new Set<State>([
  "compensating",
  "forward_recovery",
  "partially_committed",
  "review_required"
])

/** Answers the claims of a person's decision. They pass through Review Required, even if no review was requested. */
const decided = (self: MovingAction, body: Body): ReadonlyArray<Claim> => {
  const { reopens, state, undo } = Payload.of(body, "review.decided") ?? {}
  if (reopens !== undefined || undo === "attested") return reopened(self)
  return state === undefined || state === self.state ? none : ["review_required", [state, "operator"]]
}

/**
 * Answers the claims for an action whose reversal is to be verified again, or that a person attests as undone: it is
 * Compensating again.
 */
const reopened = ({ isOver, state }: MovingAction): ReadonlyArray<Claim> =>
  isOver === true || state === "reconciled_success" || state === "compensating"
    ? none
    : ["review_required", ["pending", "operator"], "compensating"]

/** The action that a call undoes. */
const compensating = (
  actions: Actions,
  undoes: string | undefined,
  states: ReadonlyArray<State>
): ReadonlyArray<Move> => (states.includes("failed") ? [] : related(actions, undoes, () => ["compensating"]))

/** Answers the move of an undone action when its reversal enters a state. */
const undoneBy = (actions: Actions, { undoes }: MovingAction, after: State): ReadonlyArray<Move> =>
  related(actions, undoes, ({ state }) => {
    if (after === "reconciled_success") return ["compensated"]
    return state === "compensating" && failing.has(after) ? ["compensation_failed"] : none
  })

/** States of a reversal that has not undone its original. */
const failing: ReadonlySet<State> = new Set<State>(["failed", "reconciliation_failed", "review_required", "abandoned"])

/** Answers the move of a reversal when a person decides about its original: it is reopened, or closed. */
const reversalBy = (actions: Actions, undone: string, body: Body): ReadonlyArray<Move> => {
  const { plan, reopens, undo } = Payload.of(body, "review.decided") ?? {}
  if (plan === undefined) return []
  return related(actions, actions.reversalOf(undone), ({ state }, reversal) => {
    if (reopens === reversal) return stopped.has(state) ? ["review_required", ["pending", "operator"]] : none
    if (undo === "attested") {
      return state === "failed" ? none : ["review_required", ["reconciled_success", "operator"]]
    }
    if (undo === "undo_abandoned") return ["review_required", ["abandoned", "operator"]]
    return state === "review_required" ? [["failed", "operator"]] : none
  })
}

const stopped: ReadonlySet<State> = new Set<State>(["review_required", "reconciliation_failed"])

/** Answers the move of an action that undoes the fact's action, or is undone by it. */
const related = (
  actions: Actions,
  action: string | undefined,
  claims: (subject: MovingAction, action: string) => ReadonlyArray<Claim>
): ReadonlyArray<Move> => {
  const subject = action === undefined ? undefined : actions.get(action)
  return action === undefined || subject === undefined || subject.isOver === true
    ? []
    : [moved(action, subject.state, claims(subject, action))]
}
