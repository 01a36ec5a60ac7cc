/**
 * The sentences that a user may be told about a run: one for each action that changes the world, and one for all of
 * them.
 *
 * Every sentence comes from `@backstitch/reconciliation/Reporting`, a total function of how the action was reconciled
 * (L8). A held action is reported with the reason and with what has to happen next.
 *
 * @source Action Verification, "Reporting Invariant"
 */
import type { Check } from "@backstitch/kernel/Check"
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as UndoStep from "@backstitch/kernel/UndoStep"
import * as UndoStop from "@backstitch/kernel/UndoStop"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as Obligations from "@backstitch/ledger/Obligations"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type * as EmergencyActions from "../approvals/EmergencyActions.ts"
import * as OpenActionStatus from "../approvals/OpenActionStatus.ts"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as ErrorText from "./ErrorText.ts"

/** The part of a report about one action. `pointer` is the tick of the transition on which the sentence is based. */
export interface Told {
  readonly action: string
  readonly tool: string
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly say: string
  readonly pointer: number
  /** Checks of its class that its contract omits. */
  readonly unchecked: ReadonlyArray<string>
  /** The person who accepts the tool's answer although nothing can be checked, and the reason. */
  readonly word: { readonly by: string; readonly why: string } | null
  /** Steps that the planner may take next. */
  readonly may: ReadonlyArray<string>
  /** The later contradiction of its settlement, until a person has looked; `null` without one. */
  readonly disputed: string | null
}

/** An action that is not settled: the reason, and what has to happen. */
export interface Held {
  readonly action: string
  readonly tool: string
  readonly why: string
  readonly next: Next
  readonly discrepancy: string | null
  readonly decision: string | null
  readonly target: string | null
  /** Why verification asks a person to look at it, in the words of the depth table. */
  readonly triggers: ReadonlyArray<string>
}

/**
 * A report, as plain JSON. `say` is the one sentence about the whole run, and `unfinished` says why the run is not
 * done, if it is not.
 */
export interface Report {
  readonly run: string
  readonly tick: number
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly say: string
  readonly unfinished: string | null
  readonly actions: ReadonlyArray<Told>
  readonly held: ReadonlyArray<Held>
  readonly waits: ReadonlyArray<Waits>
  /** Settled actions that verification asks a person to look at. */
  readonly reviews: ReadonlyArray<Held>
  /** Effects that remain of actions that were undone, or that a plan was to undo; one sentence for each. */
  readonly residue: ReadonlyArray<string>
  /** Requests that another run had made before, if no key can tell whether they are one act or two. */
  readonly repeated: ReadonlyArray<Repeated>
  /** Actions that were started without their required approval. */
  readonly glass: ReadonlyArray<EmergencyActions.EmergencyActions>
  /** Steps that remain to be done behind a pivot. */
  readonly remaining: ReadonlyArray<Remaining>
}

/** An action whose request another run had made before: the earlier action, and its time in ISO form. */
export interface Repeated {
  readonly action: string
  readonly tool: string
  readonly before: { readonly run: string; readonly action: string; readonly tick: number; readonly at: string }
  readonly say: string
}

/** Steps of a subtask that remain behind its pivot: who completes them, and what has to happen. */
export interface Remaining {
  readonly subtask: string
  readonly pivot: string
  readonly steps: ReadonlyArray<string>
  readonly state: Obligations.Obligation["state"]
  readonly say: string
  readonly next: Next
}

/**
 * An intent that waits for a person. Nothing of it has begun, unless `after` names the action for which the glass was
 * broken, which waits to be accepted.
 */
export interface Waits {
  readonly review: string
  readonly tool: string
  readonly needs: ReadonlyArray<string>
  readonly tick: number
  readonly after: string | null
  readonly next: Next
}

/** Reports a run, with its actions in the order of their requests. */
export const of = Effect.fn("Report.of")(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const at = yield* OpenActionStatus.head(run)
  const transitions = yield* history.transitions(run, { to: at.tick })
  return yield* library.folding(() => make(at, transitions))
})

/** Reports a run from its transitions and its folded state. */
export const make = (at: OpenActionStatus.Standpoint, transitions: Iterable<Transition>): Report => {
  const { run } = at
  const known = OpenActionStatus.known(transitions)
  const { glass, histories } = known
  const reports = Reporting.reportRun(histories)
  const waits = waitsOf(run, at.state)
  const held = heldIn(at, known, blocksIn(transitions))
  const isReached = Goal.of(at.state).completedAt !== undefined
  const remaining = remainingOf(at)
  const isEnded = isReached && held.length + remaining.length === 0
  const isWaiting = waits.length > 0 || remaining.some(({ state }) => state === "review_required")
  const standing = Reporting.ofRun(reports, { isEnded, isWaiting })
  return {
    run: run.id,
    tick: at.tick,
    standing,
    say: Wording.status(standing).user,
    unfinished: isReached ? null : unfinishedOf(transitions),
    remaining,
    actions: reports.map(({ action, planner, standing }) => ({
      action,
      tool: planner.tool,
      standing,
      say: Wording.status(standing).user,
      pointer: planner.pointer,
      unchecked: histories.get(action)?.unchecked ?? [],
      word: histories.get(action)?.word ?? null,
      may: planner.may,
      disputed: disputeOf(at.state, action) ?? null
    })),
    held,
    waits,
    reviews: reviewsOf(at, histories),
    residue: residueOf(transitions, histories),
    repeated: repeatedIn(transitions),
    glass: [...glass.values()]
  }
}

/**
 * Tells whether the run may be called done: the goal was declared reached, every mutation is a reconciled success,
 * and nothing is held, waiting or disputed (L8).
 */
export const isDone = ({ actions, held, remaining, standing, waits }: Report): boolean =>
  standing === "success" &&
  held.length + remaining.length + waits.length === 0 &&
  actions.every(({ disputed }) => disputed === null)

/**
 * The evidence that contradicts the settlement of an action; `undefined` if there is none, or if a person has looked
 * since.
 */
export const disputeOf = (state: State, action: string): string | undefined => {
  const found = Reviews.standing(state).find(
    ([, { action: of, why }]) =>
      of === action && (why?.code === "verification.disputed" || why?.code === "verification.contradicted")
  )
  return found === undefined ? undefined : Wording.tell(found[1].why)
}

/** Names the actions with disputed settlements, in a sentence that comes before all others; `null` without any. */
export const disputes = ({ actions }: Pick<Report, "actions">): string | null => {
  const found = actions.flatMap(({ action, disputed, tool }) => (disputed === null ? [] : [`${tool} (${action})`]))
  if (found.length === 0) return null
  return `What came since contradicts how ${found.join(", ")} was settled: a person has to look before it is relied on.`
}

/** Lists the steps that remain behind the pivots of a state, with a sentence for each subtask. */
export const remainingOf = (at: OpenActionStatus.Standpoint): Report["remaining"] =>
  Obligations.all(at.state).map(({ failed, pivot, skeleton, state, steps }) => ({
    subtask: skeleton,
    pivot,
    steps,
    state,
    say: `${steps.join(", ")} ${steps.length === 1 ? "remains" : "remain"} of ${skeleton}: ${pivot} cannot be undone.`,
    next:
      state === "review_required"
        ? OpenActionStatus.resolve(at, failed?.action ?? pivot)
        : OpenActionStatus.resume(at.run)
  }))

/**
 * The sentence about an action: first what contradicts its settlement, then the settlement, the person who accepts
 * its tool's word, and the checks that its contract omits.
 */
export const sentence = ({
  disputed = null,
  say,
  unchecked,
  word
}: Pick<Told, "say" | "unchecked" | "word"> & { readonly disputed?: Told["disputed"] }): string =>
  [
    ...(disputed === null ? [] : [`This is disputed: ${disputed}. Until then:`]),
    say,
    ...(word === null ? [] : [`${word.by} accepts its tool's own word: ${word.why}.`]),
    ...(unchecked.length === 0 ? [] : [`Its contract leaves unchecked: ${unchecked.join(", ")}.`])
  ].join(" ")

/** Why the goal was not reached: the planner's last refusal, and that it did not declare the goal. */
const unfinishedOf = (transitions: Iterable<Transition>): string => {
  const last = [...transitions].findLast(({ body }) => !isAside(body))
  const declared = "The goal was not declared reached."
  if (last === undefined) return declared
  const { awaits, checks: [check] = [] } = Payload.of(last.body, "policy.decision") ?? {}
  if (awaits !== undefined) {
    const found = check && Wording.check(check as Check)?.found
    return `${declared} The last proposal waits since tick ${last.tick}: ${found ?? ""}`
  }
  const reason = Wording.kept(Payload.of(last.body, "intent.refused")?.checks)
  return reason !== undefined ? `${declared} The last proposal was refused at tick ${last.tick}: ${reason}` : declared
}

/**
 * A refusal of a person is no refusal of the planner, and an exhausted budget belongs to the refusal that reports it.
 */
const isAside = (body: Transition["body"]): boolean =>
  body.type === "budget.exhausted" || Payload.of(body, "intent.refused")?.proposed === "review.decided"

/**
 * Without a key, a repetition cannot be told from one more of the same act, so a reader has to know about the other
 * one.
 */
const repeatedIn = (transitions: Iterable<Transition>): Report["repeated"] =>
  [...transitions].flatMap(({ body }) => {
    const { goal, lineage } = Payload.of(body, "action.request")?.met ?? {}
    const same = lineage ?? goal
    if (body.action === undefined || same === undefined) return []
    const { action, run, startedAt, tick } = same
    const { id, tool = "" } = body.action
    const before = { run, action, tick, at: new Date(startedAt).toISOString() }
    const say =
      `${tool} (${id}): run ${run} made the same request at tick ${tick} (${action}, ${before.at}). ` +
      "Without a key nothing tells whether that is one act or two."
    return [{ action: id, tool, before, say }]
  })

/** A compensation is no inverse: fees and notices remain, and the user has to know. */
const residueOf = (
  transitions: Iterable<Transition>,
  histories: ActionHistories.ActionHistories
): Report["residue"] => {
  const undone = [...transitions].flatMap(({ body }) => Payload.of(body, "recovery.restored")?.residue ?? [])
  return [...histories.values()].flatMap((history) => {
    const { givenUp, id, kept, tool, undoneBy } = history
    const reversal = undoneBy === undefined ? undefined : histories.get(undoneBy)
    const by = reversal === undefined ? "" : ` by ${reversal.tool} (${reversal.id})`
    if (history.undo === "undo_abandoned") {
      const who = givenUp === undefined ? "" : ` ${givenUp.by} gave that up: ${givenUp.evidence}`
      return [`${tool} (${id}) was to be undone${by} and was not, so what it did may remain.${who}`]
    }
    if (undone.includes(id)) {
      return [`${tool} (${id}) was undone${by}, which ${remains(reversal)}.`]
    }
    if (history.undo === "doubtful") {
      return [`${tool} (${id}) was taken back${by} in part, or on that tool's own word, so what it did may remain.`]
    }
    if (history.decision === "mark_dirty") {
      return [`${tool} (${id}) failed, and what it worked in is dirty: ${history.target ?? "nothing names it"}.`]
    }
    // A reversal that kept something is reported, too: nobody declared that, and money is missing.
    return kept !== undefined && history.undoes !== undefined && !undone.includes(history.undoes)
      ? [`${tool} (${id}) kept ${kept.currency} ${kept.amount}.`]
      : []
  })
}

const remains = (reversal: ActionHistory.ActionHistory | undefined): string =>
  reversal?.kept === undefined
    ? "takes back its effect but not all of its consequences"
    : `kept ${reversal.kept.currency} ${reversal.kept.amount}`

/** Lists settled actions that a person has to look at. They hold up nothing. */
const reviewsOf = (at: OpenActionStatus.Standpoint, histories: ActionHistories.ActionHistories): Report["reviews"] =>
  Reviews.standing(at.state).flatMap(([, { action, tool, why }]) => {
    if (OpenActions.of(at.state)[action] !== undefined) return []
    const triggers = triggersOf(at.state, action)
    const { decision, discrepancy, target } = histories.get(action) ?? {}
    return [
      {
        action,
        tool,
        why:
          why === undefined
            ? `it is settled, and verification wants it looked at: ${triggers.join(", ")}`
            : Wording.tell(why),
        next: OpenActionStatus.note(at.run, action),
        discrepancy: discrepancy ?? null,
        decision: decision ?? null,
        target: target ?? null,
        triggers
      }
    ]
  })

const triggersOf = (state: State, action: string): ReadonlyArray<string> => [
  ...new Set(Reviews.standing(state).flatMap(([, each]) => (each.action === action ? (each.triggers ?? []) : [])))
]

const waitsOf = (run: Run, state: State): Report["waits"] =>
  Reviews.pending(state).map(([review, { after = null, needs, tick, tool }]) => ({
    review,
    tool,
    needs,
    tick,
    after,
    next: OpenActionStatus.decide(run, { review, needs })
  }))

const heldIn = (
  at: OpenActionStatus.Standpoint,
  known: OpenActionStatus.Known,
  blocks: ReadonlyArray<string>
): Report["held"] => [
  ...undoingOf(at, known.histories, blocks),
  ...owingOf(at, known.histories),
  ...doubtsOf(at, known.histories),
  ...Object.entries(OpenActions.of(at.state)).flatMap(([action, open]) =>
    open === undefined || open.class === "read_only" || isUndone(at.state, action)
      ? []
      : [heldOf(at, open, { action, known })]
  )
]

/** Lists steps behind a pivot that wait for a person although none of their actions is open. */
const owingOf = (at: OpenActionStatus.Standpoint, histories: ActionHistories.ActionHistories): ReadonlyArray<Held> =>
  Obligations.all(at.state).flatMap(({ failed, pivot, skeleton, state, steps }) => {
    const action = failed?.action ?? pivot
    if (state !== "review_required" || OpenActions.of(at.state)[action] !== undefined) return []
    const { decision = null, discrepancy = null, tool = "" } = histories.get(action) ?? {}
    const why = `${steps.join(", ")} of ${skeleton} remains behind ${pivot} and could not be completed`
    const triggers = triggersOf(at.state, action)
    return [
      { action, tool, why, next: OpenActionStatus.resolve(at, action), discrepancy, decision, target: null, triggers }
    ]
  })

/**
 * Lists actions that a planner took back in part, or on the tool's word alone. A person finds out how much of each
 * remains.
 */
const doubtsOf = (at: OpenActionStatus.Standpoint, histories: ActionHistories.ActionHistories): ReadonlyArray<Held> =>
  SettledActions.inOrder(at.state).flatMap(([action, { tool, undo, undoneBy }]) => {
    if (undo !== "doubtful") return []
    const by = undoneBy === undefined ? "" : ` by ${histories.get(undoneBy)?.tool ?? "a call"} (${undoneBy})`
    const why = `it was taken back${by} in part, or on that tool's own word: what is left of it is not known`
    const { decision = null, discrepancy = null } = histories.get(action) ?? {}
    const triggers = triggersOf(at.state, action)
    return [
      { action, tool, why, next: OpenActionStatus.resolve(at, action), discrepancy, decision, target: null, triggers }
    ]
  })

/** The reasons against the requested undoing, at the last decision about it. */
const blocksIn = (transitions: Iterable<Transition>): ReadonlyArray<string> => {
  const decided = [...transitions].flatMap(({ body }) => Payload.of(body, "recovery.decided") ?? [])
  const { blocks = [] } = decided.findLast(({ wanted }) => wanted !== undefined) ?? {}
  return blocks.map(({ why }) => Wording.tell(why))
}

/** An undoing that failed, or that cannot begin, holds the run although its action is settled. */
const undoingOf = (
  at: OpenActionStatus.Standpoint,
  histories: ActionHistories.ActionHistories,
  blocks: ReadonlyArray<string>
): ReadonlyArray<Held> => {
  const undoing = OpenActionStatus.undoing(at)
  if (undoing === undefined) return []
  const { action, isWaiting, next } = undoing
  const open = UndoPlan.open(at.state)
  const { decision = null, discrepancy = null, target, tool = "" } = histories.get(action) ?? {}
  const because = ErrorText.text(Wording.tell(open?.because ?? UndoPlan.wanted(at.state)?.because))
  return [
    {
      action,
      tool,
      why:
        open === undefined
          ? [`${because}; what was done before cannot be undone yet`, ...blocks].join(": ")
          : `${because}; ${isWaiting ? "it is to be undone, and that has not begun" : Wording.tell(UndoStop.stopped(open))}`,
      next,
      discrepancy,
      decision,
      // A settled action no longer holds its target.
      target: OpenActions.of(at.state)[action] === undefined ? null : (target ?? null),
      triggers: triggersOf(at.state, action)
    }
  ]
}

const stoppedAt = (open: UndoPlan.Open): string | undefined => (open.status === "stopped" ? open.failed : undefined)

/** The action is reported as part of its undoing. */
const isUndone = (state: State, action: string): boolean => {
  const open = UndoPlan.open(state)
  return open !== undefined && stoppedAt(open) === action
}

const heldOf = (
  at: OpenActionStatus.Standpoint,
  open: OpenAction.OpenAction,
  { action, known }: { readonly action: string; readonly known: OpenActionStatus.Known }
): Held => {
  const { decision, discrepancy } = known.histories.get(action) ?? {}
  const { isPersons, next, since, stands } = OpenActionStatus.of(at, action, known)!
  const due = isPersons && !RecoveryAction.needsPerson(decision) && decision !== undefined ? "review" : decision
  const isUnsent = open.deferred === true || open.due === true || UndoStep.isWithheld(at.state, open)
  const why =
    (discrepancy !== undefined && !isUnsent && open.resend !== true ? Wording.discrepancy(discrepancy) : undefined) ??
    `it ${stands}, since tick ${since}`
  const elsewhere = OpenActionStatus.isAnothers(open, decision)
    ? "; another run did it, and it is not reversed from here"
    : ""
  const told = open.told === undefined ? "" : `; its provider says meanwhile that it is ${open.told.outcome}`
  // Decisions before a person had it sent again no longer apply.
  const prescribed = open.resend !== true && due !== undefined ? Wording.recovery(due) : undefined
  const meant = prescribed === undefined ? "" : `: ${prescribed}`
  return {
    action,
    tool: open.tool,
    why: `${why}${elsewhere}${told}${meant}`,
    next,
    discrepancy: discrepancy ?? null,
    decision: decision ?? null,
    target: open.target ?? null,
    triggers: triggersOf(at.state, action)
  }
}
