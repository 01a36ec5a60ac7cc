/**
 * The absorption of a revision by a run, planned before anything is done: acts that are kept, undone and lost.
 *
 * The acts are those of the run's transitions, each with its verdict under the revised clauses. The kernel may not undo
 * an act behind a passed pivot, one that another run relies on, or one whose undoing could not be verified; and it
 * could not undo one of which a value was erased. Such an act counts as one that nothing undoes, and the plan is made
 * again.
 *
 * All pending revisions are absorbed by one plan, as one change: from the goal before the first of them to the goal
 * after the last. The `keeps` and `widens` of the last one count, since they were given for that plan.
 *
 * @source Revisable by Design, algorithm 1; docs/decisions/0057
 */
import * as Absorption from "@backstitch/absorber/Absorption"
import type * as Act from "@backstitch/absorber/Act"
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as RevisionPolicy from "@backstitch/contracts/RevisionPolicy"
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import * as SagaSteps from "../action/SagaSteps.ts"
import type { Command } from "../decision/Command.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"
import * as Undo from "../undo/Undo.ts"
import * as ClauseVerdict from "./clauseVerdict.ts"
import * as Injection from "./Injection.ts"
import type * as RunActs from "./RunActs.ts"
import * as WorkingRestore from "./workingRestore.ts"

/** A run at its head: its acts, its state, and the terms of the next decision. */
export interface Judging {
  readonly acts: RunActs.RunActs
  readonly state: State
  readonly terms: DecisionTerms.DecisionTerms
}

/** Plans an absorption of acts. */
export type Planner = (acts: ReadonlyArray<Act.Act>, options: Absorption.Options) => Absorption.Absorption

/**
 * Options of a plan. `answers` are those to its questions, by action; with `widen` an act that would block the plan is
 * given up as lost; `barred` are acts that the kernel would not undo when the plan was carried out, because another run
 * relies on them; `by` is another planner, for comparisons. With `keepsNotes` the notes of the agent are left alone, as
 * earlier versions did whose decisions are made again.
 */
export interface Options {
  readonly answers?: ReadonlyMap<string, Absorption.ActAnswer> | undefined
  readonly widen?: boolean | undefined
  readonly barred?: ReadonlyArray<string> | undefined
  readonly by?: Planner | undefined
  readonly keepsNotes?: boolean | undefined
}

/**
 * The reason why an act stays although its contract names a reversal.
 *
 * | the reason | the act |
 * | --- | --- |
 * | `erased` | has values that its undoing would need, and that were erased |
 * | `forbidden` | is of a subtask that no machine may undo |
 * | `late` | could be undone up to a time that is over |
 * | `owner` | was done by the run that was forked, which alone may undo it |
 * | `pivot` | has a pivot behind it, and the contract does not permit its undoing there |
 * | `relied` | is one on which another run relies |
 * | `undoing` | has an undoing that was begun, and is not known to be complete |
 * | `unverifiable` | has an undoing of which nobody could tell whether it worked, or was needed |
 */
export type Binding = "erased" | "forbidden" | "late" | "owner" | "pivot" | "relied" | "undoing" | "unverifiable"

/** An act of a run. */
export interface RunAct extends Act.Act {
  readonly bound?: Binding | undefined
}

/** A plan for a run: its acts with their verdicts, the absorption, and the checks that forbid it. */
export interface RunAbsorption {
  readonly acts: ReadonlyArray<RunAct>
  readonly absorption: Absorption.Absorption
  /** The ticks of the revisions; empty for a revision that was not injected yet. */
  readonly revisions: ReadonlyArray<number>
  /** Acts that may not be undone, although their contracts name a reversal. */
  readonly barred: ReadonlyArray<string>
  /** The reasons why the plan cannot be carried out as it is. */
  readonly obstacles: ReadonlyArray<Check.Check>
}

/** Plans the one absorption of all pending revisions; `undefined` if none is pending. */
export const plan = (judging: Judging, options: Options = {}): RunAbsorption | undefined => {
  const goal = Goal.of(judging.state)
  if (goal.pending === undefined) return undefined
  const { before, keeps = [], widens } = goal.pending
  const kept = keeps.map((action) => [action, "compatible"] as const)
  const answers = new Map([...kept, ...(options.answers ?? [])])
  return planned(judging, before, goal, { ...options, answers, widen: options.widen === true || widens })
}

/** Plans the absorption of a revision as if it were injected now, with those that are pending. */
export const preview = (
  judging: Judging,
  changes: ReadonlyArray<RevisedSpecification.RevisionChange>,
  options: Options = {}
): RunAbsorption | undefined => {
  const goal = Goal.of(judging.state)
  const { pack } = judging.terms
  return pack && planned(judging, goal.pending?.before ?? goal, Injection.preview(pack, goal, changes), options)
}

/**
 * Lists the acts of a finished run that no longer fit the goal of the run that follows it. The finished run undoes
 * nothing any more, and no other run may undo them as its own.
 */
export const unfit = (
  judging: Judging,
  before: RevisedSpecification.RevisedClauses,
  after: RevisedSpecification.RevisedClauses
): ReadonlyArray<Absorption.Conflict> => {
  const { pack } = judging.terms
  if (pack === undefined) return []
  const { reversible, rule } = pack.revisions ?? RevisionPolicy.standard
  return Absorption.plan(actsOf(judging, ClauseVerdict.revision(pack, before, after)), { reversible, rule }).conflicts
}

const planned = (
  judging: Judging,
  before: RevisedSpecification.RevisedClauses,
  after: RevisedSpecification.RevisedClauses,
  { answers, barred: given = [], by = Absorption.plan, widen }: Options
): RunAbsorption | undefined => {
  const { pack } = judging.terms
  if (pack === undefined) return undefined
  const { reversible, rule } = pack.revisions ?? RevisionPolicy.standard
  const all = actsOf(judging, ClauseVerdict.revision(pack, before, after))
  const barred = new Map<string, Binding | undefined>(given.map((action) => [action, "relied"]))
  for (;;) {
    const acts = all.map(
      (act): RunAct => (barred.has(act.action) ? { ...act, reversal: undefined, bound: barred.get(act.action) } : act)
    )
    const absorption = by(acts, { rule, reversible, answers, widen })
    const found = forbidden(judging, absorption)
    const more = found.filter(({ action }) => action !== undefined && !barred.has(action))
    if (more.length === 0) {
      const revisions = Goal.of(judging.state).pending?.ticks ?? []
      const obstacles = [...unsettled(judging.state), ...found.map(checked), ...open(absorption)]
      return { acts, absorption, revisions, barred: [...barred.keys()].sort(), obstacles }
    }
    for (const { action = "", why } of more) barred.set(action, bindings[why.code])
  }
}

/** The reasons of obstacles. An act with another one is told as one that nothing undoes. */
const bindings: { readonly [code: string]: Binding | undefined } = {
  "act.relied": "relied",
  "undo.forbidden": "forbidden",
  "undo.pivot": "pivot",
  "undo.resend_unsafe": "pivot",
  "undo.undecidable": "unverifiable",
  "undo.unsettled": "undoing",
  "undo.unverifiable": "unverifiable"
}

/** The acts of a run with their verdicts. A call by which the planner took back another one is no act of its own. */
const actsOf = (judging: Judging, revision: ClauseVerdict.JudgedRevision): ReadonlyArray<RunAct> => {
  const settled = SettledActions.of(judging.state)
  const reversals = new Set([...settled].map(([, { undoneBy }]) => undoneBy))
  return [...judging.acts.calls.values()].flatMap((call) => {
    const { action, contract, owner, settledAt } = call
    if (settledAt === undefined || reversals.has(action)) return []
    const effect = settled.get(owner === undefined ? action : `${owner}/${action}`)
    const isRead = !ToolContract.isMutating(contract)
    const stands = isRead ? call.isOk : effect !== undefined && !EffectStatus.isGone(effect)
    const reversal = isRead || effect === undefined ? {} : reversalOf(judging, effect, call)
    const isCalledOff = reversal.reversal !== undefined && mayGoAgain(judging, action)
    const act: RunAct = {
      action,
      tool: contract.name,
      tick: call.tick,
      settledAt,
      class: isRead ? "I" : classOf(effect?.class ?? contract.undo.class),
      stands,
      ...reversal,
      reads: call.reads,
      writes: [...call.writes],
      verdict: ClauseVerdict.of(revision, call),
      ...(judging.acts.discarded.has(action) && !isCalledOff ? { isDiscarded: true } : {})
    }
    return [act]
  })
}

/** Tells whether an act that an earlier plan was to undo may be undone by another one: no plan is still to undo it. */
const mayGoAgain = ({ state }: Judging, action: string): boolean =>
  DecisionRules.binds(state, DecisionRules.calledOffIsUndone) &&
  UndoPlan.open(state)?.steps.some(({ undoes }) => undoes === action) !== true &&
  UndoPlan.wanted(state)?.actions.includes(action) !== true

const classOf = (text: string): ToolContract.Reversibility =>
  text === "I" || text === "R" || text === "K" ? text : "X"

/** The call that undoes an effect, if it may still be made by this run. */
const reversalOf = (
  { acts, state, terms }: Judging,
  settled: SettledActions.Settled,
  call: RunActs.RequestedCall
): Pick<RunAct, "bound" | "reversal"> => {
  const { by, owner, undo, with: params } = settled
  if (by === undefined || params === undefined) return {}
  if (owner !== undefined) return { bound: "owner" }
  if (undo !== "standing") return { bound: "undoing" }
  if (SettledActions.isTooLate(settled, terms.now)) return { bound: "late" }
  // Its own record is read before it is undone.
  const needed = [
    ...Sensitive.neededBy(call.contract, call),
    ...Sensitive.neededBy(TaskPack.tool(terms.pack, by), { params })
  ]
  const isErased = needed.some((commitment) => acts.erased.has(commitment))
  if (isErased && DecisionRules.binds(state, DecisionRules.erasedActsStay)) return { bound: "erased" }
  return { reversal: { tool: by, params, residue: settled.class !== "R" } }
}

/** Lists what forbids the undoing of a plan's acts. */
const forbidden = (judging: Judging, { undo }: Absorption.Absorption): ReadonlyArray<UndoPlan.Obstacle> => {
  if (undo.length === 0) return []
  const { state, terms } = judging
  const behind = undo.flatMap(({ undoes }): ReadonlyArray<UndoPlan.Obstacle> => {
    const settled = SettledActions.of(state).get(undoes)
    return settled !== undefined && isBehindPivot(judging, undoes, settled)
      ? [{ action: undoes, why: Finding.make("undo.pivot", {}) }]
      : []
  })
  const verdict = Undo.judge(
    terms,
    state,
    wanted(
      undo.map(({ undoes }) => undoes),
      []
    ),
    stepsOf(judging, undo)
  )
  return [...behind, ...(verdict._tag === "Blocked" ? verdict.blocks : [])]
}

const isBehindPivot = ({ state, terms }: Judging, action: string, settled: SettledActions.Settled): boolean =>
  SagaSteps.instancesOf(terms, settled).some((instance) => {
    if (settled.by !== undefined && instance.skeleton.undoBehindPivot.includes(settled.by)) return false
    return SagaSteps.pivotBehind(SagaSteps.of(terms, state, [instance]), action) !== undefined
  })

const stepsOf = (
  { state, terms }: Pick<Judging, "state" | "terms">,
  undo: ReadonlyArray<{ readonly undoes: string }>
) => {
  const actions = new Set(undo.map(({ undoes }) => undoes))
  return SagaSteps.all(terms, state).filter(({ action }) => actions.has(action))
}

/** The undoing that an absorption asks for. */
const wanted = (actions: ReadonlyArray<string>, revisions: ReadonlyArray<number>): UndoPlan.UndoRequest => ({
  actions,
  because: Finding.make("cause.revised", { revisions }),
  cause: "revision"
})

/** Lists the changes of the world that are under way: their outcome is asked for first, and never assumed (L5). */
const unsettled = (state: State): ReadonlyArray<Check.Check> =>
  Object.entries(OpenActions.of(state)).flatMap(([action, open]) =>
    open === undefined || open.class === "read_only"
      ? []
      : [Check.fail("policy", action, "undo.unsettled", { state: open.state })]
  )

const checked = ({ action = "undo", why }: UndoPlan.Obstacle): Check.Check => Check.found("policy", action, why)

/** Lists the blocks of a plan, and its questions without an answer. */
const open = ({ blocks, questions }: Absorption.Absorption): ReadonlyArray<Check.Check> => [
  ...blocks.map(({ action, by, keys }) => Check.fail("policy", action, "revision.blocked", { action, by, keys })),
  ...questions.map((question) => Check.fail("policy", question.action, "revision.unanswered", question))
]

/**
 * The tick from which the notes of the agent go with a plan: that of the act at which the kept context ends. By
 * `earliest_conflict` alone is there such an act.
 */
const notesFrom = ({ absorption, acts }: RunAbsorption, { keepsNotes }: Options): number | undefined =>
  keepsNotes === true || absorption.rule !== "earliest_conflict"
    ? undefined
    : acts.find(({ tick }) => tick > absorption.keptTo)?.tick

/** Writes a plan as the payload of its transition. */
export const says = (planned: RunAbsorption, options: Options): Payload.Of<"revision.absorbed"> => {
  const { absorption, barred, revisions } = planned
  const { answers, widen } = options
  const { conflicts, discarded, keptTo, lost, reversible, rule, stale, undo } = absorption
  return {
    ...(answers === undefined || answers.size === 0 ? {} : { answers: Object.fromEntries(answers) }),
    ...(barred.length === 0 ? {} : { barred }),
    conflicts,
    discarded,
    keptTo,
    lost,
    reversible,
    revisions,
    rule,
    stale,
    ...(notesFrom(planned, options) === undefined ? {} : { truncated: true }),
    undo: undo.map(({ undoes }) => undoes),
    ...(widen === true ? { widened: true } : {})
  }
}

/** Makes the command that carries a plan out at the head of the run. */
export const command = (
  { acts, state }: Pick<Judging, "acts" | "state">,
  planned: RunAbsorption,
  options: Options = {}
): Command & { readonly _tag: "Absorb" } => ({
  _tag: "Absorb",
  at: acts.tick,
  says: says(planned, options),
  patch: WorkingRestore.patch(
    acts,
    { actions: new Set(planned.absorption.discarded), notesFrom: notesFrom(planned, options) },
    state
  )
})
