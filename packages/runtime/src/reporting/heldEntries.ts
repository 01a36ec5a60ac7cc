/**
 * The entries of a report about what waits for a person, each with the reason and the next step: actions, and a
 * topology at its alarm or with its question.
 */
import * as Finding from "@backstitch/kernel/Finding"
import * as Goal from "@backstitch/kernel/Goal"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as UndoStep from "@backstitch/kernel/UndoStep"
import * as UndoStop from "@backstitch/kernel/UndoStop"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Obligations from "@backstitch/ledger/Obligations"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type { State } from "@backstitch/reducer/State"
import * as Alarms from "@backstitch/topology/Alarms"
import * as Crack from "@backstitch/topology/Crack"
import * as TopologyEvent from "@backstitch/topology/TopologyEvent"
import type { Transition } from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as CrackQuestion from "../topology/CrackQuestion.ts"
import * as ErrorText from "./ErrorText.ts"
import * as Residues from "./residues.ts"

/** An action that is not settled: the reason, and what has to happen. */
export interface HeldEntry {
  readonly action: string
  readonly tool: string
  readonly why: string
  readonly next: Next
  readonly discrepancy: string | null
  readonly decision: string | null
  /** The incident that recovery opened about it. */
  readonly incident: string | null
  readonly target: string | null
  /** Why verification asks a person to look at it, in the words of the depth table. */
  readonly triggers: ReadonlyArray<string>
}

/** Lists what holds the run: an undoing, steps behind a pivot, doubtful undos, open actions, and its topology. */
export const heldIn = (
  at: OpenActionStatus.Standpoint,
  known: OpenActionStatus.ActionFacts,
  transitions: ReadonlyArray<Transition>
): ReadonlyArray<HeldEntry> => [
  ...undoingsOf(at, known.histories, transitions),
  ...owingOf(at, known.histories),
  ...doubtsOf(at, known.histories),
  ...Object.entries(OpenActions.of(at.state)).flatMap(([action, open]) =>
    open === undefined || open.class === "read_only" || isUndone(at.state, action)
      ? []
      : [heldOf(at, open, { action, known })]
  ),
  ...topologyOf(at, transitions)
]

/** Lists steps behind a pivot that wait for a person although none of their actions is open. */
const owingOf = (
  at: OpenActionStatus.Standpoint,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<HeldEntry> =>
  Obligations.all(at.state).flatMap(({ failed, pivot, skeleton, state, steps }) => {
    const action = failed?.action ?? pivot
    if (state !== "review_required" || OpenActions.of(at.state)[action] !== undefined) return []
    const { decision = null, discrepancy = null, incident = null, tool = "" } = histories.get(action) ?? {}
    const why = at.words.reports.incomplete({ pivot, skeleton, steps })
    const triggers = triggersOf(at.state, action)
    return [
      {
        ...{ action, tool, why, next: OpenActionStatus.resolve(at, action) },
        ...{ discrepancy, decision, incident, target: null, triggers }
      }
    ]
  })

/**
 * Lists actions that a planner took back in part, or on the tool's word alone. A person finds out how much of each
 * remains.
 */
const doubtsOf = (
  at: OpenActionStatus.Standpoint,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<HeldEntry> =>
  SettledActions.inOrder(at.state).flatMap(([action, { tool, undo, undoneBy }]) => {
    if (undo !== "doubtful") return []
    const why = at.words.reports.doubtful(
      Residues.of({ id: action, tool, ...(undoneBy === undefined ? {} : { undoneBy }) }, histories)
    )
    const { decision = null, discrepancy = null, incident = null } = histories.get(action) ?? {}
    const triggers = triggersOf(at.state, action)
    return [
      {
        ...{ action, tool, why, next: OpenActionStatus.resolve(at, action) },
        ...{ discrepancy, decision, incident, target: null, triggers }
      }
    ]
  })

/**
 * Lists an undoing that failed, or that cannot begin, which holds the run although its action is settled, and another
 * one that waits for the end of the open plan.
 */
const undoingsOf = (
  at: OpenActionStatus.Standpoint,
  histories: ActionHistories.ActionHistories,
  transitions: ReadonlyArray<Transition>
): ReadonlyArray<HeldEntry> => {
  const { state, words } = at
  const open = UndoPlan.open(state)
  const entryOf = (
    undoing: OpenActionStatus.Undoing | undefined,
    plan: UndoPlan.OpenPlan | undefined
  ): ReadonlyArray<HeldEntry> => {
    if (undoing === undefined) return []
    const { action, isWaiting, next } = undoing
    const blocks = undoing.blocks.map((why) => Wording.tell(why, words))
    const { decision = null, discrepancy = null, incident = null, target, tool = "" } = histories.get(action) ?? {}
    const because = ErrorText.text(Wording.tell((plan ?? UndoPlan.wanted(state))?.because, words), words)
    const why = undoingSaid(words, { because, blocks, isWaiting, open: plan })
    // A settled action no longer holds its target.
    const held = OpenActions.of(state)[action] === undefined ? null : (target ?? null)
    const triggers = triggersOf(state, action)
    return [{ action, tool, why, next, discrepancy, decision, incident, target: held, triggers }]
  }
  return [
    ...entryOf(OpenActionStatus.undoing(at, transitions), open),
    ...entryOf(OpenActionStatus.queued(at, transitions), undefined)
  ]
}

const undoingSaid = (
  words: Words,
  about: {
    readonly because: string
    readonly blocks: ReadonlyArray<string>
    readonly isWaiting: boolean
    readonly open: UndoPlan.OpenPlan | undefined
  }
): string => {
  const { undoing } = words.reports
  const { because, blocks, isWaiting, open } = about
  if (isWaiting) return undoing.waiting(because)
  return open === undefined || blocks.length > 0
    ? undoing.blocked({ because, blocks })
    : undoing.stopped({ because, why: Wording.tell(UndoStop.stopped(open), words) })
}

const stoppedAt = (open: UndoPlan.OpenPlan): string | undefined => (open.status === "stopped" ? open.failed : undefined)

/** The action is reported as part of its undoing. */
const isUndone = (state: State, action: string): boolean => {
  const open = UndoPlan.open(state)
  return open !== undefined && stoppedAt(open) === action
}

const heldOf = (
  at: OpenActionStatus.Standpoint,
  open: OpenAction.OpenAction,
  { action, known }: { readonly action: string; readonly known: OpenActionStatus.ActionFacts }
): HeldEntry => {
  const { decision, discrepancy, incident } = known.histories.get(action) ?? {}
  const { isPersons, next, since, stands } = OpenActionStatus.of(at, action, known)!
  const due = isPersons && !RecoveryAction.needsPerson(decision) && decision !== undefined ? "review" : decision
  const isUnsent = open.deferred === true || open.due === true || UndoStep.isWithheld(at.state, open)
  const { words } = at
  const found = discrepancy === undefined || isUnsent || open.resend === true ? undefined : discrepancy
  // Decisions before a person had it sent again no longer apply.
  const prescribed = open.resend === true || due === undefined ? undefined : Wording.recovery(due, words)
  const why = words.reports.held({
    anothers: OpenActionStatus.isAnothers(open, decision),
    prescribed,
    told: open.told?.outcome,
    why: (found && Wording.discrepancy(found, words)) ?? words.reports.stands({ since, stands })
  })
  return {
    action,
    tool: open.tool,
    why,
    next,
    discrepancy: discrepancy ?? null,
    decision: decision ?? null,
    incident: incident ?? null,
    target: open.target ?? null,
    triggers: triggersOf(at.state, action)
  }
}

/** Lists settled actions that a person has to look at. They hold up nothing. */
export const reviewsOf = (
  at: OpenActionStatus.Standpoint,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<HeldEntry> =>
  Reviews.ofVerification(at.state).flatMap(([, { action, tool, why }]) => {
    if (OpenActions.of(at.state)[action] !== undefined) return []
    const triggers = triggersOf(at.state, action)
    const { decision, discrepancy, incident, target } = histories.get(action) ?? {}
    return [
      {
        action,
        tool,
        why: why === undefined ? at.words.reports.reviewed(triggers) : Wording.tell(why, at.words),
        next: OpenActionStatus.answer(at.run, action, { why }),
        discrepancy: discrepancy ?? null,
        decision: decision ?? null,
        incident: incident ?? null,
        target: target ?? null,
        triggers
      }
    ]
  })

const triggersOf = (state: State, action: string): ReadonlyArray<string> => [
  ...new Set(Reviews.ofVerification(state).flatMap(([, each]) => (each.action === action ? (each.triggers ?? []) : [])))
]

/** Lists what a topology waits for: nothing, or one entry, which is named after its crack. To resume is to answer. */
const topologyOf = (
  { pack, run, state, words }: OpenActionStatus.Standpoint,
  transitions: ReadonlyArray<Transition>
): ReadonlyArray<HeldEntry> => {
  const topology = pack?.topology
  if (topology === undefined || Goal.isReached(state)) return []
  const all = [...transitions]
  const entry = { tool: topology.kind, discrepancy: null, decision: null, incident: null, target: null, triggers: [] }
  const alarm = topology.holds === true ? unheardIn(all) : undefined
  if (alarm !== undefined) {
    const predicate = Crack.predicateOf(alarm.crack)
    const why = Wording.tell(Finding.make("alarm.unheard", { predicate, since: alarm.at }), words)
    return [{ ...entry, action: predicate, why, next: { verb: "resume", run: run.id, past: predicate } }]
  }
  const asked = CrackQuestion.openIn(all)
  if (asked === undefined) return []
  const { crack } = asked.why.args
  const why = Wording.tell(asked.why, words)
  return [{ ...entry, action: `topology.${crack}`, why, next: { verb: "resume", run: run.id } }]
}

/** The first alarm behind the last word of a person. */
const unheardIn = (transitions: ReadonlyArray<Transition>): ReturnType<typeof Alarms.recordedIn> => {
  const heard = transitions.findLastIndex(({ body }) => TopologyEvent.isWord(body))
  for (const { body } of transitions.slice(heard + 1)) {
    const recorded = Alarms.recordedIn(body)
    if (recorded !== undefined) return recorded
  }
  return undefined
}
