/**
 * Judges a pack, a recovery table or a ledger schema for promotion, by the eight release gates.
 *
 * Recorded runs are decided again. Changes of verification are listed with the actions that they affect. A canary's
 * measures are compared with those of all other runs. The real kernel and runtime are driven against worlds that
 * fail. This module collects the evidence, and the gates judge it: each objection is made by its gate.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as ActionLedgerSchema from "@backstitch/ledger/ActionLedgerSchema"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as History from "@backstitch/runtime/History"
import * as Ledger from "@backstitch/runtime/Ledger"
import * as Lexicon from "@backstitch/runtime/Lexicon"
import * as RunMetrics from "@backstitch/runtime/RunMetrics"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import type { Examination, Objection } from "@backstitch/wording/ReleaseWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as FailureInjectionGate from "./gates/FailureInjectionGate.ts"
import type * as RecoveryDrillGate from "./gates/RecoveryDrillGate.ts"
import * as Limits from "./Limits.ts"
import * as PackTrial from "./PackTrial.ts"
import * as RecoveryDrill from "./RecoveryDrill.ts"
import * as ReleaseGate from "./ReleaseGate.ts"
import type * as SimulatedWorld from "./simulation/SimulatedWorld.ts"

/**
 * A candidate for promotion. Parts that are not given are those in force.
 *
 * **Details**
 *
 * `validate` answers the messages of the schema about an entry, or nothing if it accepts the entry.
 */
export interface ReleaseCandidate {
  readonly pack?: TaskPack.TaskPack | undefined
  readonly table?: RecoveryRow.RecoverySections | undefined
  readonly schema?: unknown
  readonly validate: (entry: ActionLedgerEntry.ActionLedgerEntry) => string | undefined
}

/** Error for a schema of ledger entries that is no JSON Schema. */
export class SchemaInvalid extends Schema.TaggedError<SchemaInvalid>("@backstitch/release/SchemaInvalid")(
  "SchemaInvalid",
  { problem: Schema.String }
) {
  override get message(): string {
    return `The schema of ledger entries is no JSON Schema (2020-12): ${this.problem}`
  }
}

/** The parts of a candidate as they are read from files: a pack, and a recovery table and a ledger schema as JSON. */
export interface Parts {
  readonly pack?: TaskPack.TaskPack | undefined
  readonly table?: unknown
  readonly schema?: unknown
}

/** Makes a candidate. Entries of the ledger are validated by its schema, or else by the one in force. */
export const make = Effect.fnUntraced(function* ({ pack, schema = ActionLedgerSchema.schema, table }: Parts) {
  const { Ajv2020 } = yield* Effect.promise(() => import("ajv/dist/2020.js"))
  const validate = yield* Effect.try({
    try: () => new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema as object),
    catch: (cause) => new SchemaInvalid({ problem: cause instanceof Error ? cause.message : String(cause) })
  })
  const candidate: ReleaseCandidate = {
    pack,
    table: table === undefined ? undefined : yield* Effect.fromResult(RecoveryTable.fromJson(table)),
    schema,
    validate: (entry) => {
      if (validate(entry) === true) return undefined
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join("; ")
    }
  }
  return candidate
})

/** Runs that take part in a canary, and all others. */
export interface Canary {
  readonly canary: ReadonlyArray<TraceStore.RunInfo>
  readonly rest: ReadonlyArray<TraceStore.RunInfo>
}

/**
 * The candidate, and the recorded runs on which the gates are run. `accepted` lists actions as `RUN/ACTION`,
 * `reviewed` tools. Without a canary, its gate does not pass.
 */
export interface Options {
  readonly runs: ReadonlyArray<TraceStore.RunInfo>
  readonly canary?: Canary | undefined
  readonly secret?: string | undefined
  readonly accepted?: ReadonlyArray<string> | undefined
  readonly reviewed?: ReadonlyArray<string> | undefined
  /** Tools that may be promoted without a recorded success, so that no failure can be injected. */
  readonly undrilled?: ReadonlyArray<string> | undefined
  readonly actionsMin?: number | undefined
  readonly slack?: number | undefined
}

/** A verdict, and the evidence that was examined for it: in codes, and in words. */
export interface Gated extends Omit<ReleaseGate.GateVerdict, "against"> {
  readonly objections: ReadonlyArray<Objection>
  /** The objections in words. */
  readonly against: ReadonlyArray<string>
  readonly examination: Examination
  /** The examination in words. */
  readonly ran: string
}

/** Runs all gates, in the order of Action Verification. */
export const judge = Effect.fn("ReleaseCandidate.judge")(function* (candidate: ReleaseCandidate, options: Options) {
  const { table } = candidate
  const kernel: Kernel.Kernel =
    table === undefined
      ? Kernel.standard
      : { ...Kernel.standard, decide: (terms, ...asked) => Kernel.decide({ ...terms, recovery: table }, ...asked) }
  const past = yield* read(options)
  const played = yield* drilled(candidate, kernel, past.subjects)
  const words = yield* Lexicon.Lexicon
  const judged: ReadonlyArray<Judged> = [
    yield* traceReplay(candidate, kernel, options),
    predicateDiff(candidate, past, options),
    yield* canary(candidate, options),
    failureInjection(candidate, past, { played, options }),
    recoveryDrill(candidate, past, { played, options }),
    ledgerSchema(candidate, past),
    falseSuccess(past, played),
    unknownState(candidate, played)
  ]
  return judged.map(({ against, examination, ...verdict }): Gated => {
    return {
      ...verdict,
      objections: against,
      against: against.map((each) => Wording.objection(each, words)),
      examination,
      ran: Wording.examination(examination, words)
    }
  })
})

/** Promotes the candidate if all gates passed; otherwise fails with their findings. */
export const promote = (gated: ReadonlyArray<Gated>) =>
  ReleaseGate.promote(gated.map(({ objections, ...verdict }) => ({ ...verdict, against: objections })))

/** The recorded runs: transitions, ledger entries, contracts and actions to play again. */
interface Past {
  readonly runs: ReadonlyArray<{
    readonly run: string
    readonly transitions: ReadonlyArray<Transition>
    readonly histories: ActionHistories.ActionHistories
    readonly pack: TaskPack.TaskPack | undefined
    readonly entries: Ledger.Ledger
  }>
  readonly subjects: ReadonlyArray<RecoveryDrill.DrilledAction>
}

const read = Effect.fnUntraced(function* (options: Options) {
  const history = yield* History.History
  const subjects = new Map<string, RecoveryDrill.DrilledAction>()
  const others = new Map<string, SimulatedWorld.CallRecord>()
  const runs = yield* Effect.forEach(
    options.runs,
    Effect.fnUntraced(function* ({ parent, run }) {
      const transitions = yield* history.transitions(run)
      const context = yield* Ledger.context(run, transitions)
      for (const each of yield* RecoveryDrill.subjects(run)) {
        subjects.set(each.tool, each)
        for (const other of each.others) others.set(other.tool, other)
      }
      const own = (tick: number) => tick > (parent?.tick ?? 0)
      const histories = new Map([...ActionHistories.all(transitions)].filter(([, each]) => own(each.proposed.tick)))
      const entries = [...histories.values()].map((each) => ActionLedgerEntry.fromHistory(each, context))
      const { pack } = context.termsAt(transitions.length)
      return { run: run.id, transitions, histories, pack, entries }
    })
  )
  const past: Past = {
    runs,
    subjects: [...subjects.values()].map((each) => ({ ...each, others: [...others.values()] }))
  }
  return past
})

/** A verdict, and the evidence that was examined for it. */
interface Judged extends ReleaseGate.GateVerdict {
  readonly examination: Examination
}

const ran = (verdict: ReleaseGate.GateVerdict, examination: Examination): Judged => ({ ...verdict, examination })

const traceReplay = Effect.fnUntraced(function* (candidate: ReleaseCandidate, kernel: Kernel.Kernel, options: Options) {
  const { pack } = candidate
  const tried = yield* Effect.forEach(options.runs, (each) =>
    PackTrial.run(each.run, { pack, kernel, secret: options.secret })
  )
  const outcomes = tried.flatMap((each) => each.outcomes)
  // Evidence is among the outcomes. Proposals and violations count as changes if they come out differently.
  const decisions = tried.flatMap(({ changes }) =>
    changes.flatMap(({ action, is, kind, run, tick, was }) =>
      kind === "recovered" ? [] : [{ action: `${run}/${action ?? tick}`, before: was, after: is }]
    )
  )
  const proposals = tried.reduce((sum, { judged }) => sum + judged, 0) - outcomes.length
  const accepted = new Set(options.accepted)
  const verdict = ReleaseGate.traceReplay([...outcomes, ...decisions], accepted, outcomes.length + proposals)
  return ran(verdict, { code: "trace_replay", evidence: outcomes.length, proposals, runs: tried.length })
})

const predicateDiff = ({ pack }: ReleaseCandidate, past: Past, options: Options): Judged => {
  const reviewed = new Set(options.reviewed)
  const contracts = new Map<
    string,
    { readonly pack: TaskPack.TaskPack; readonly histories: Map<string, ActionHistory.ActionHistory> }
  >()
  for (const each of past.runs) {
    if (each.pack === undefined) continue
    const known = contracts.get(each.pack.digest) ?? { pack: each.pack, histories: new Map() }
    for (const [id, history] of each.histories) known.histories.set(`${each.run}/${id}`, history)
    contracts.set(each.pack.digest, known)
  }
  const recorded = [...contracts.values()]
  const changes = recorded.flatMap(({ histories, pack: before }) =>
    ReleaseGate.predicateChanges(before, pack ?? before, histories)
  )
  const tools = recorded.reduce((sum, { pack: before }) => sum + Object.keys(before.tools).length, 0)
  const verdict = ReleaseGate.predicateDiff(changes, reviewed, tools)
  return ran(verdict, { code: "predicate_diff", packs: contracts.size, tools: verdict.examined })
}

const canary = Effect.fnUntraced(function* ({ pack }: ReleaseCandidate, options: Options) {
  const limits = {
    actionsMin: options.actionsMin ?? Limits.refusing.canaryActionsMin,
    slack: options.slack ?? Limits.refusing.canarySlackShareMax
  }
  if (options.canary === undefined) {
    const verdict = ReleaseGate.canary(undefined, limits)
    return ran(verdict, { code: "no_canary" })
  }
  const [few, rest] = [options.canary.canary, options.canary.rest]
  const canary = (yield* RunMetrics.ofRuns(few)).measures
  const others = (yield* RunMetrics.ofRuns(rest)).measures
  const otherPack: Array<string> = []
  const history = yield* History.History
  for (const { head, run } of pack === undefined ? [] : few) {
    // Committed extensions do not make it another contract.
    const { state } = yield* history.at(run, head.tick)
    if (PackInForce.of(state).pack !== pack?.digest) otherPack.push(run.id)
  }
  const verdict = ReleaseGate.canary({ canary, rest: others, otherPack }, limits)
  const actions = others.verification_success.denominator
  return ran(verdict, { code: "canary", actions, others: rest.length, runs: few.length })
})

/** The ends of the actions that were played, by tool and fault. */
interface Played {
  readonly subject: RecoveryDrill.DrilledAction
  readonly fault: SimulatedWorld.WorldFault
  readonly played: RecoveryDrill.Played
}

const drilled = Effect.fnUntraced(function* (
  { pack }: ReleaseCandidate,
  kernel: Kernel.Kernel,
  subjects: ReadonlyArray<RecoveryDrill.DrilledAction>
) {
  const all: Array<Played> = []
  for (const subject of subjects) {
    const { pack: own, tool } = subject
    const judged = pack ?? own
    const remains = ReleaseGate.obliges(tool, judged) ? (["remains"] as const) : []
    const apart = ToolContract.isReversible(TaskPack.tool(judged, tool)) ? (["apart"] as const) : []
    for (const fault of [
      "none",
      ...ReleaseGate.faultsOf(tool, judged),
      "lost",
      "mismatch",
      ...apart,
      ...remains
    ] as const) {
      all.push({ subject, fault, played: yield* RecoveryDrill.play(subject, { fault, kernel, pack }) })
    }
  }
  return all
})

/** Tools that change the world and cannot be played, because their answers are unknown. */
const unrecorded = ({ pack }: ReleaseCandidate, { runs }: Past, played: ReadonlySet<string>): ReadonlyArray<string> => {
  const packs = pack === undefined ? runs.flatMap((each) => (each.pack === undefined ? [] : [each.pack])) : [pack]
  const mutating = packs.flatMap((each) => Object.values(each.tools).filter(ToolContract.isMutating))
  return [...new Set(mutating.map(({ name }) => name))].filter((name) => !played.has(name)).sort()
}

const failureInjection = (
  candidate: ReleaseCandidate,
  past: Past,
  { options, played: all }: { readonly played: ReadonlyArray<Played>; readonly options: Options }
): Judged => {
  const report: Array<FailureInjectionGate.Injection> = []
  const failedAlone: Array<{ readonly of: string; readonly outcome: string }> = []
  for (const { fault, played, subject } of all) {
    const what = `${subject.tool} (${subject.run}/${subject.action})`
    const { effects, outcome } = played
    if (fault === "none" && outcome._tag !== "Done") failedAlone.push({ of: what, outcome: outcome._tag.toLowerCase() })
    if (isInjected(fault)) report.push({ fault, found: foundOf(fault, played), of: what, effects })
  }
  const tools = new Set(all.map(({ subject }) => subject.tool))
  // A recorded reversal is drilled together with its original.
  const reversals = past.subjects.flatMap(({ others }) => others.map(({ tool }) => tool))
  const unseen = unrecorded(candidate, past, new Set([...tools, ...reversals]))
  const faults = [
    ...new Set(past.subjects.flatMap(({ pack, tool }) => ReleaseGate.faultsOf(tool, candidate.pack ?? pack)))
  ]
  const verdict = ReleaseGate.failureInjection(report, {
    failedAlone,
    possible: past.subjects.length === 0 ? undefined : faults,
    untried: unseen.filter((tool) => options.undrilled?.includes(tool) !== true)
  })
  return ran(verdict, { code: "failure_injection", faults: faults.length, tools: [...tools], unrecorded: unseen })
}

const isInjected = (fault: SimulatedWorld.WorldFault): fault is keyof typeof ReleaseGate.faults =>
  Object.hasOwn(ReleaseGate.faults, fault)

/**
 * Names the failure that the kernel recognised for a fault. A stale read counts as recognised if it was awaited, and
 * an earlier effect if the contract permits it.
 */
const foundOf = (
  fault: SimulatedWorld.WorldFault,
  { history, outcome, shown }: RecoveryDrill.Played
): Discrepancy.Class | "success" => {
  const found = history?.discrepancy
  if (outcome._tag === "Done" && fault === "stale_read" && shown) return "propagation_delay"
  if (outcome._tag === "Done" && !(fault === "no_op" && found === "no_op_success")) return "success"
  return found !== undefined && Discrepancy.isClass(found) ? (found as Discrepancy.Class) : "unknown_state"
}

const recoveryDrill = (
  { pack }: ReleaseCandidate,
  past: Past,
  { options, played: all }: { readonly played: ReadonlyArray<Played>; readonly options: Options }
): Judged => {
  const paths = new Set(past.subjects.flatMap(({ pack: own, tool }) => ReleaseGate.pathsOf(tool, pack ?? own)))
  const report: Array<RecoveryDrillGate.DrilledPath> = []
  const unreversed: Array<{ readonly fault: string; readonly tool: string }> = []
  const unmade = new Set<string>()
  for (const { fault, played, subject } of all) {
    const { tool } = subject
    const judged = pack ?? subject.pack
    const can = ReleaseGate.pathsOf(tool, judged)
    const ended = endOf(played)
    if (fault === "lost" && can.includes("forward_recovery") && ReleaseGate.isSentAgain(tool, judged))
      report.push({ path: "forward_recovery", ended })
    if (fault === "remains") report.push({ path: "forward_recovery", ended: completedAt(played, ended) })
    if (played.unmade.length > 0) {
      for (const each of played.unmade) unmade.add(each)
      continue
    }
    if (fault === "unreversed") report.push({ path: "compensation_failure", ended })
    if (fault !== "mismatch" && fault !== "apart") continue
    if (can.includes("compensation")) report.push({ path: "compensation", ended })
    if (ended === "compensated" && played.reversals === 0) unreversed.push({ fault, tool })
    if (fault === "apart") continue
    if (can.includes("rollback")) report.push({ path: "rollback", ended })
    if (can.includes("review")) report.push({ path: "review", ended })
  }
  const packs = [...new Map(past.runs.flatMap((each) => (each.pack ? [[each.pack.digest, each.pack]] : []))).values()]
  const verdict = ReleaseGate.recoveryDrill(report, {
    paths: [...paths],
    undoings: ReleaseGate.undoings(packs, pack, new Set(options.reviewed)),
    unreversed,
    unmade,
    excepted: options.undrilled
  })
  return ran(verdict, { code: "recovery_drill", paths: [...paths] })
}

/** A pivot is recovered forward once no step remains behind it. */
const completedAt = ({ left, outcome }: RecoveryDrill.Played, ended: ActionState.State): ActionState.State =>
  left.length === 0 && outcome._tag === "Done" ? ended : "review_required"

/**
 * Reads the state in which a drill ended. An action that is held because the recovery table asks for a person is in
 * review.
 */
const endOf = ({ history, outcome }: RecoveryDrill.Played): ActionState.State => {
  if (history === undefined) return "proposed"
  if (history.undo === "undone") return "compensated"
  const decision = history.decision
  const isDecision = decision !== undefined && Object.hasOwn(RecoveryAction.definitions, decision)
  if (outcome._tag !== "Held" || !isDecision) return history.state
  const { leadsTo } = RecoveryAction.definition(decision as RecoveryAction.RecoveryAction)
  return leadsTo === "review_required" ? leadsTo : history.state
}

const ledgerSchema = ({ schema, validate }: ReleaseCandidate, past: Past): Judged => {
  const current = ActionLedgerSchema.schema
  const entries = past.runs.flatMap((each) => each.entries)
  const validated = entries.map((entry) => {
    return { action: entry.action_id, run: entry.workflow_run_id, message: validate(entry) }
  })
  const verdict = ReleaseGate.ledgerSchema(current, schema ?? current, validated)
  return ran(verdict, { code: "ledger_schema", entries: entries.length })
}

const falseSuccess = (past: Past, all: ReadonlyArray<Played>): Judged => {
  const [base] = past.runs.flatMap((each) => [...each.histories.values()])
  const escaped = past.runs.flatMap(({ histories, transitions }) =>
    ActionMetrics.falseSuccesses(transitions, histories)
  )
  const succeeds: Parameters<typeof ReleaseGate.falseSuccess>[0] = (self) =>
    base !== undefined && Reporting.isSuccess(Reporting.report({ ...base, ...self }).user)
  const told = all.flatMap(({ fault, played, subject }) =>
    played.told && played.outcome._tag !== "Done" ? [{ fault, tool: subject.tool }] : []
  )
  const verdict = ReleaseGate.falseSuccess(succeeds, escaped, { examined: all.length, told })
  return ran(verdict, { code: "false_success", drills: all.length, runs: past.runs.length })
}

const unknownState = ({ table }: ReleaseCandidate, all: ReadonlyArray<Played>): Judged => {
  const silent = all.filter(({ fault }) => fault === "timeout")
  const unanswered = silent.map(({ played, subject }) => ({ tool: subject.tool, keys: played.keys }))
  const verdict = ReleaseGate.unknownState(table, unanswered)
  return ran(verdict, { code: "unknown_state", drills: silent.length })
}
