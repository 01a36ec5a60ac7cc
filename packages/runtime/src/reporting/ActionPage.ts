/**
 * All that a trace says about one action, on one page: its states, its evidence, and the decisions about it.
 *
 * The ledger entry is for programs and auditors. This page has the same content for a person who asks what happened
 * to one booking, and what may be reported about it.
 *
 * @source Action Verification, "Action Ledger and Auditability"
 */
import * as Readback from "@backstitch/contracts/Readback"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import type * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as EmergencyActions from "../pending/EmergencyActions.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Ledger from "../projections/Ledger.ts"

/** Error for an action that no run has, or that several have. */
export class ActionUnknown extends Schema.TaggedError<ActionUnknown>("@backstitch/runtime/ActionUnknown")(
  "ActionUnknown",
  { action: Schema.String, runs: Schema.Array(Schema.String), searched: Schema.Array(Schema.String) }
) {
  override get message(): string {
    if (this.runs.length > 1) {
      const names = `${this.runs.slice(0, 5).join(", ")}${this.runs.length > 5 ? " and others" : ""}`
      return `${this.runs.length} runs have an action "${this.action}": ${names}. Say in which`
    }
    const where = this.searched.length === 1 ? `Run ${this.searched[0]}` : `None of ${this.searched.length} runs`
    const has = this.searched.length === 1 ? "has no" : "has an"
    return `${where} ${has} action "${this.action}"`
  }

  /** The step that shows the action, or lists the existing ones. */
  get next(): ReadonlyArray<Next> {
    if (this.runs.length > 1) return this.runs.slice(0, 5).map((run) => ({ action: this.action, run, verb: "action" }))
    const [run, ...others] = this.searched
    return [others.length > 0 || run === undefined ? { verb: "list" } : { run, verb: "ledger" }]
  }
}

/** A piece of evidence, or a decision: what one transition says about the action. */
export interface PageLine {
  readonly tick: number
  readonly at: string
  readonly type: string
  readonly status: string | null
  readonly basis: string | null
  readonly trust: number | null
  readonly output: Json
  readonly data: JsonObject
}

/** An expectation of the contract about authoritative state; `held` is `null` if it was not evaluated. */
export interface Expected {
  readonly source: string
  readonly held: boolean | null
}

/** A person's decision about the action or its approval, and the reason. */
export interface PersonsDecision {
  readonly tick: number
  readonly by: string
  readonly role: string | null
  readonly verdict: string
  readonly on: string
}

/** A page, as plain JSON. */
export interface ActionPage {
  readonly run: string
  readonly action: string
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly say: string
  /** Checks of its class that its contract omits. */
  readonly unchecked: ReadonlyArray<string>
  readonly decided: ReadonlyArray<PersonsDecision>
  readonly params: Json
  readonly trust: number
  /** The person who accepts the tool's answer although nothing can be checked, and the reason. */
  readonly word: { readonly by: string; readonly why: string } | null
  readonly undo: EffectStatus.UndoState
  readonly undoes: string | null
  readonly undoneBy: string | null
  /** ISO time until which its effect can be undone, and whether it has passed; `null` if the contract gives none. */
  readonly undoEndsAt: { readonly at: string; readonly isOver: boolean } | null
  /** The emergency in which the action was started without its required approval; `null` for any other action. */
  readonly breakGlass: EmergencyActions.EmergencyAction | null
  readonly states: ReadonlyArray<{ readonly state: string; readonly tick: number; readonly at: string }>
  readonly anomalies: ReadonlyArray<{ readonly tick: number; readonly refused: string }>
  readonly lines: ReadonlyArray<PageLine>
  readonly predicates: ReadonlyArray<Expected>
  readonly entry: ActionLedgerEntry.ActionLedgerEntry
  readonly lacks: ReadonlyArray<string>
}

/** The page of an action, in the given run or in the run of the tenant that has it. */
export const of = Effect.fn("ActionPage.of")(function* (
  action: string,
  where: { readonly tenant: Tenant; readonly run?: Run | undefined }
) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const runs = where.run === undefined ? (yield* store.runs(where.tenant)).map(({ run }) => run) : [where.run]
  const found: Array<Run> = []
  for (const run of runs) {
    // Shared history of a fork belongs to its parent, unless the fork is named.
    const shared = where.run === undefined ? ((yield* history.info(run)).parent?.tick ?? 0) : 0
    if (yield* begins(run, action, shared)) found.push(run)
  }
  const [one, ...others] = found
  if (one === undefined || others.length > 0) {
    return yield* new ActionUnknown({ action, runs: found.map(({ id }) => id), searched: runs.map(({ id }) => id) })
  }
  const transitions = yield* history.transitions(one)
  return make(transitions, action, yield* Ledger.context(one, transitions), yield* Lexicon.Lexicon)
})

/** Tells whether an action begins in a run after a tick. An id that the kernel made tells where to look. */
const begins = Effect.fnUntraced(function* (run: Run, action: string, after: number) {
  const history = yield* History.History
  const tick = ActionId.tickOf(action)
  const { head } = yield* history.info(run)
  if (tick !== undefined && tick > head.tick) return false
  const where = tick === undefined ? { from: after + 1 } : { from: tick, to: tick }
  const transitions = yield* history.transitions(run, where)
  return transitions.some(
    (each) => each.tick > after && each.body.type === "action.request" && each.body.action?.id === action
  )
})

/** Makes the page of an action that a trace names. Throws if the trace does not name it. */
export const make = (
  transitions: ReadonlyArray<Transition>,
  action: string,
  context: ActionLedgerEntry.Context,
  words: Words = English.words
): ActionPage => {
  const self = ActionHistories.of(transitions, action)
  if (self === undefined) {
    throw new ActionUnknown({ action, runs: [], searched: [context.run] })
  }
  const report = Reporting.report(self)
  const entry = ActionLedgerEntry.fromHistory(self, context)
  return {
    run: context.run,
    action,
    standing: report.standing,
    say: Wording.status(report.standing, words).user,
    unchecked: self.unchecked ?? [],
    decided: transitions.flatMap((each) => decidedBy(each, self)),
    params: self.params,
    trust: self.trust,
    word: self.word ?? null,
    undo: self.undo,
    undoes: self.undoes ?? null,
    undoneBy: self.undoneBy ?? null,
    undoEndsAt:
      self.undoEndsAt === undefined
        ? null
        : { at: new Date(self.undoEndsAt).toISOString(), isOver: self.undoEndsAt < (context.now ?? 0) },
    breakGlass: EmergencyActions.all(transitions).get(action) ?? null,
    states: self.visited.map(({ at, state, tick }) => ({ state, tick, at: instant(at) })),
    anomalies: self.refused.map(({ refusal, tick }) => ({ tick, refused: words.openActions.refusedMove(refusal) })),
    lines: transitions.flatMap((each) => (each.body.action?.id === action ? [lineOf(each)] : [])),
    predicates: expected(self, ActionLedgerEntry.verifiedUnder(self, context)?.readback),
    entry,
    lacks: ActionLedgerEntry.missing(entry)
  }
}

const decidedBy = ({ body, tick }: Transition, self: ActionHistory.ActionHistory): ReadonlyArray<PersonsDecision> => {
  const said = Payload.of(body, "review.decided")
  if (said === undefined) return []
  const { action, as = "", by = "", evidence, reason = "", review, role = null, verdict = as } = said
  const isAbout =
    body.action?.id === self.id || action === self.id || (review !== undefined && review === self.approval?.id)
  return isAbout ? [{ tick, by, role, verdict, on: evidence ?? reason }] : []
}

const lineOf = ({ body, stamp, tick }: Transition): PageLine => ({
  tick,
  at: instant(stamp.asOf),
  type: body.type,
  status: body.result?.status ?? null,
  basis: body.result?.basis ?? null,
  trust: body.result?.trust ?? null,
  output: body.result?.output ?? null,
  data: body.data ?? {}
})

/**
 * A read that showed the record names each expectation that did not hold or had no answer. A scope or a version is
 * compared only where the record shows it, so it is not listed.
 */
const expected = (
  { verified }: ActionHistory.ActionHistory,
  readback: Readback.Readback | undefined
): ReadonlyArray<Expected> => {
  const { outcome, unmet } = verified ?? { unmet: [] }
  const isRead = outcome?.status === "mismatch" && (outcome.output ?? null) !== null
  return (readback === undefined ? [] : Readback.predicates(readback)).flatMap((each) => {
    if (each.of === "scope" || each.of === "token" || each.of === "version") return []
    const source = Readback.say(each)
    if (outcome?.status === "ok") return [{ source, held: true }]
    const missed = unmet.find(({ args }) =>
      each.of === "parts" ? args["part"] === each.name : args["source"] === each.source
    )
    const isEvaluated = isRead && missed?.code !== "expectation.unanswered"
    return [{ source, held: isEvaluated ? missed === undefined : null }]
  })
}

const instant = (millis: number): string => (millis === 0 ? "" : new Date(millis).toISOString())
