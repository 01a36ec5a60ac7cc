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
import * as UnfitActs from "@backstitch/kernel/UnfitActs"
import * as Obligations from "@backstitch/ledger/Obligations"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import type * as EmergencyActions from "../pending/EmergencyActions.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as ClauseVerdicts from "../revisions/ClauseVerdicts.ts"
import * as CrackQuestion from "../topology/CrackQuestion.ts"
import * as HeldEntries from "./heldEntries.ts"
import * as RepeatedActs from "./RepeatedActs.ts"
import * as Residues from "./residues.ts"

/** The part of a report about one action. `pointer` is the tick of the transition on which the sentence is based. */
export interface ActionReport {
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
  /**
   * Clauses to which the act is contrary since a revision that did not undo it: none if it was given up with others.
   * `null` for an act that fits.
   */
  readonly lost: ReadonlyArray<string> | null
}

/** An action that a person has to settle or look at. */
export interface HeldEntry extends HeldEntries.HeldEntry {}

/**
 * A report, as plain JSON. `say` is the one sentence about all acts of the run, and `unfinished` says why the run is
 * not done, if it is not. `unmet` are the clauses that do not hold in a run whose goal was declared reached.
 */
export interface Report {
  readonly run: string
  readonly tick: number
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly say: string
  readonly unfinished: string | null
  readonly unmet: ReadonlyArray<ClauseVerdicts.UnmetClause>
  readonly actions: ReadonlyArray<ActionReport>
  readonly held: ReadonlyArray<HeldEntry>
  readonly waits: ReadonlyArray<Waits>
  /** Settled actions that verification asks a person to look at. */
  readonly reviews: ReadonlyArray<HeldEntry>
  /**
   * Effects that remain of actions that were undone, or that a plan was to undo, and actions that a fork left to its
   * parent; one sentence for each.
   */
  readonly residue: ReadonlyArray<string>
  /** Requests that another run had made before, if no key can tell whether they are one act or two. */
  readonly repeated: ReadonlyArray<Repeated>
  /** Acts that were repeated although nobody knew what the first call came to. */
  readonly repeats: ReadonlyArray<RepeatedActs.RepeatedAct>
  /** Actions that were started without their required approval. */
  readonly glass: ReadonlyArray<EmergencyActions.EmergencyAction>
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
export const make = (at: OpenActionStatus.Standpoint, transitions: ReadonlyArray<Transition>): Report => {
  const { run, words } = at
  const known = OpenActionStatus.known(transitions)
  const { glass, histories } = known
  const reports = Reporting.reportRun(histories)
  const waits = waitsOf(run, at.state)
  const held = HeldEntries.heldIn(at, known, transitions)
  const isReached = Goal.isReached(at.state)
  const unfit = UnfitActs.of(at.pack, at.state, transitions)
  const unmet = ClauseVerdicts.unmet(at.pack, at.state, { unfit, words })
  const remaining = remainingOf(at)
  const isEnded = isReached && held.length + remaining.length === 0
  const isWaiting = waits.length > 0 || remaining.some(({ state }) => state === "review_required")
  const standing = Reporting.ofRun(reports, { isEnded, isWaiting })
  return {
    run: run.id,
    tick: at.tick,
    standing,
    say:
      standing === "not_attempted" && reports.length === 0
        ? words.reports.nothing
        : Wording.status(standing, words).user,
    unfinished: isReached ? null : unfinishedOf(at.state, transitions, words),
    unmet: isReached ? unmet : [],
    remaining,
    actions: reports.map(({ action, planner, standing }) => ({
      action,
      tool: planner.tool,
      standing,
      say: Wording.status(standing, words).user,
      pointer: planner.pointer,
      unchecked: histories.get(action)?.unchecked ?? [],
      word: histories.get(action)?.word ?? null,
      may: planner.may,
      disputed: disputeOf(at.state, action, words) ?? null,
      lost: unfit.find((act) => act.action === action)?.clauses ?? null
    })),
    held,
    waits,
    reviews: HeldEntries.reviewsOf(at, histories),
    residue: Residues.said(transitions, histories, words),
    repeated: repeatedIn(transitions, words),
    repeats: RepeatedActs.within(at, transitions),
    glass: [...glass.values()]
  }
}

/**
 * Tells whether the run may be called done: the goal was declared reached and its clauses hold, every mutation is a
 * reconciled success, and nothing is held, waiting or disputed (L8).
 */
export const isDone = ({ actions, held, remaining, standing, unmet, waits }: Report): boolean =>
  standing === "success" &&
  held.length + remaining.length + unmet.length + waits.length === 0 &&
  actions.every(({ disputed }) => disputed === null)

/** Lists the intents that wait for approval before they begin. Calls under broken glass have begun, and are held. */
export const unbegun = ({ waits }: Pick<Report, "waits">): ReadonlyArray<Waits> =>
  waits.filter(({ after }) => after === null)

/**
 * The evidence that contradicts the settlement of an action; `undefined` if there is none, or if a person has looked
 * since.
 */
export const disputeOf = (state: State, action: string, words: Words = English.words): string | undefined => {
  const why = Reviews.dispute(state, action)?.why
  return why === undefined ? undefined : Wording.tell(why, words)
}

/** Names the actions with disputed settlements, in a sentence that comes before all others; `null` without any. */
export const disputes = ({ actions }: Pick<Report, "actions">, words: Words = English.words): string | null => {
  const found = actions.filter(({ disputed }) => disputed !== null)
  return found.length === 0 ? null : words.reports.disputes(found)
}

/** The status of the whole run, or of one action, for a headline: whether it is disputed stands before it. */
export const headline = (
  told: Pick<Report, "actions" | "standing"> | Pick<ActionReport, "disputed" | "standing">,
  words: Words = English.words
): string => {
  const isDisputed = "actions" in told ? told.actions.some(({ disputed }) => disputed !== null) : told.disputed !== null
  return isDisputed ? words.reports.disputed(told.standing) : told.standing
}

/** Lists the steps that remain behind the pivots of a state, with a sentence for each subtask. */
export const remainingOf = (at: OpenActionStatus.Standpoint): Report["remaining"] =>
  Obligations.all(at.state).map(({ failed, pivot, skeleton, state, steps }) => ({
    subtask: skeleton,
    pivot,
    steps,
    state,
    say: at.words.reports.remaining({ pivot, skeleton, steps }),
    next:
      state === "review_required"
        ? OpenActionStatus.resolve(at, failed?.action ?? pivot)
        : OpenActionStatus.resume(at.run)
  }))

/**
 * The sentence about an action: first what contradicts its settlement, then the settlement, the clauses to which it is
 * contrary, the person who accepts its tool's word, and the checks that its contract omits.
 */
export const sentence = (
  told: Pick<ActionReport, "say" | "unchecked" | "word"> & Partial<Pick<ActionReport, "disputed" | "lost">>,
  words: Words = English.words
): string => words.reports.action({ ...told, disputed: told.disputed ?? null, lost: told.lost ?? null })

/**
 * Why the goal is not reached: a revision of it, a question to a person, or that the planner did not declare it, and
 * its last refusal.
 */
const unfinishedOf = (state: State, transitions: ReadonlyArray<Transition>, words: Words): string => {
  const { pending, revisedAt = 0 } = Goal.of(state)
  if (pending !== undefined) return words.reports.unfinished({ code: "pending", tick: revisedAt })
  if (Goal.isRevisedSince(state)) return words.reports.unfinished({ code: "revised", tick: revisedAt })
  const all = [...transitions]
  const asked = CrackQuestion.openIn(all)
  if (asked !== undefined) {
    return words.reports.unfinished({ code: "asked", found: Wording.of(asked.why, words).what, tick: asked.tick })
  }
  const last = all.findLast(({ body }) => !isAside(body))
  if (last === undefined) return words.reports.unfinished(undefined)
  const { body, tick } = last
  const { awaits, checks: [check] = [] } = Payload.of(body, "policy.decision") ?? {}
  if (awaits !== undefined) {
    const found = (check && Wording.check(check as Check, words)?.found) ?? ""
    return words.reports.unfinished({ code: "waits", found, tick })
  }
  const reason = Wording.kept(Payload.of(body, "intent.refused")?.checks, words)
  return words.reports.unfinished(reason === undefined ? undefined : { code: "refused", reason, tick })
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
const repeatedIn = (transitions: ReadonlyArray<Transition>, words: Words): Report["repeated"] =>
  [...transitions].flatMap(({ body }) => {
    const { goal, lineage } = Payload.of(body, "action.request")?.met ?? {}
    const same = lineage ?? goal
    if (body.action === undefined || same === undefined) return []
    const { action, run, startedAt, tick } = same
    const { id, tool = "" } = body.action
    const before = { run, action, tick, at: new Date(startedAt).toISOString() }
    const repeated = { action: id, tool, before }
    return [{ ...repeated, say: words.reports.repeated(repeated) }]
  })

const waitsOf = (run: Run, state: State): Report["waits"] =>
  Reviews.pending(state).map(([review, { after = null, needs, tick, tool }]) => ({
    review,
    tool,
    needs,
    tick,
    after,
    next: OpenActionStatus.decide(run, { review, needs })
  }))
