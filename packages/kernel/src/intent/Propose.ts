/**
 * The commit path of a proposal, from authorship to the durable start.
 *
 * Each step is one condition, evaluated in order and kept with its finding, so that a refusal can say what would make
 * it pass. Nothing here touches the world: the answer is a list of transitions to commit and the next question.
 *
 * @source docs/ARCHITECTURE.md, "The life of a mutation"; Dendrer, section 4.4
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Guard from "@backstitch/contracts/Guard"
import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import * as IdempotencyKey from "@backstitch/ledger/IdempotencyKey"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Reversal from "../action/Reversal.ts"
import { admitted, approved } from "../admission/admission.ts"
import { halted, holderOf, recovering, refusedBy, schema, taken, undoing } from "../admission/callChecks.ts"
import * as GuardBasis from "../admission/guardBasis.ts"
import { refuse } from "../admission/refusal.ts"
import { start } from "../admission/start.ts"
import * as Approvers from "../approval/Approvers.ts"
import { asking } from "../approval/approvalRequest.ts"
import * as IntentApproval from "../approval/IntentApproval.ts"
import * as BudgetCheck from "../budget/BudgetCheck.ts"
import * as BudgetSettlement from "../budget/BudgetSettlement.ts"
import * as StepCap from "../budget/StepCap.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import { end } from "../decision/Decision.ts"
import { described, intent, spentOf, steps, usage, versionOf } from "../decision/intentBody.ts"
import { type Proposal, toolless } from "../decision/Proposal.ts"
import * as KeylessAct from "../identity/KeylessAct.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import { breached } from "../review/breach.ts"
import * as Reviews from "../review/Reviews.ts"
import { otherQuestion, verdictChecks } from "../review/reviewVerdict.ts"
import * as Injection from "../revision/Injection.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Enforcement from "../state/Enforcement.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as ForkPolicy from "../state/ForkPolicy.ts"
import * as Goal from "../state/Goal.ts"
import * as HandledCommands from "../state/HandledCommands.ts"
import { overstep, trust } from "./authorship.ts"
import * as Checklist from "./Checklist.ts"
import { context } from "./contextCheck.ts"
import * as Deduplication from "./Deduplication.ts"
import * as ExtensionCheck from "./extensionCheck.ts"
import * as Messages from "./Messages.ts"
import * as PivotGuard from "./PivotGuard.ts"
import * as RepeatedCommand from "./RepeatedCommand.ts"
import * as RunTypes from "./RunTypes.ts"

/** Decides a proposal. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly proposal: Proposal
    readonly context?: Digest | undefined
    readonly generation?: number | undefined
    readonly before?: Transition | undefined
    readonly cited?: boolean | undefined
    readonly standings?: MessageReport.Standings | undefined
    readonly toolsDone?: ReadonlyArray<string> | undefined
    readonly met?: KeylessAct.ActsBefore | undefined
    /** A person asked for exactly this act, and knows that another run made the same request. */
    readonly isWanted?: boolean | undefined
  }
): Decision => {
  const { proposal } = command
  const type = proposal.type ?? "action.request"
  const author = proposal.author ?? "agent"
  const unknown = RunTypes.unknown(terms, state, type)
  if (unknown !== undefined) {
    const spent = limits(terms, state, { proposal })
    return refuse(terms, state, { proposal, checks: [unknown, ...Check.failing(spent)] })
  }
  // The kernel decides and never proposes, so no proposal may name it as author.
  if (author === "kernel" || !RunTypes.authors(terms, type).includes(author)) {
    return overstep(terms, proposal, type, author)
  }
  const handled = proposal.command === undefined ? undefined : HandledCommands.find(state, proposal.command)
  if (handled !== undefined) {
    const checks = author === "agent" ? Check.failing(limits(terms, state, { proposal })) : []
    const taken = command.before && RepeatedCommand.taken(terms, proposal, command.before)
    if (taken !== undefined) return refuse(terms, state, { proposal, checks: [...checks, taken] })
    const repeated = Deduplication.ofCommand(terms, state, { handled, proposal, before: command.before })
    return checks.length === 0 || CommitContent.size(repeated.content) === 0
      ? repeated
      : refuse(terms, state, { proposal, checks })
  }
  if (type === "action.request") return call(terms, state, command)
  return record(terms, state, { ...command, type: type as Ontology.TypeName, author })
}

/** Decides a proposal that calls no tool: checks it, and commits it as it is. */
const record = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly proposal: Proposal
    readonly type: Ontology.TypeName
    readonly author: Ontology.Author
    readonly context?: Digest | undefined
    readonly cited?: boolean | undefined
    readonly standings?: MessageReport.Standings | undefined
    readonly toolsDone?: ReadonlyArray<string> | undefined
  }
): Decision => {
  const { author, proposal, standings = {}, toolsDone = [], type } = command
  const other = type === "review.decided" ? otherQuestion(terms.run, state, proposal) : undefined
  if (other !== undefined) return end({ _tag: "Refused", tick: undefined, checks: [other] })
  const checks: Array<Check.Check> = [Check.pass("authorship", type)]
  const extended =
    type === "policy.contract_extension" ? ExtensionCheck.completed(terms, proposal.data ?? {}) : undefined
  const given = extended ?? proposal.data ?? {}
  const completion = type === "goal.complete" ? Goal.complete(terms, state, given) : undefined
  const injection = type === "revision.injected" ? Injection.judge(terms, state, given) : undefined
  const content = completion?.data ?? injection?.data ?? given
  const message = MessageReport.isMessage({ data: content, type })
    ? Messages.judge(terms, content, standings)
    : undefined
  const data = message?.data ?? content
  checks.push(...(completion?.checks ?? []), ...(injection?.checks ?? []), ...(message?.checks ?? []))
  if (type === "review.decided") checks.push(...verdictChecks(state, data))
  if (completion !== undefined) {
    const checklist = Checklist.of(terms.pack, proposal)
    checks.push(...Goal.owing(state), ...Checklist.checks(checklist, toolsDone), ...Goal.revised(state))
  }
  if (extended !== undefined) checks.push(...ExtensionCheck.checks(terms, state, extended))
  const declared = terms.pack?.transitions[type]?.data
  if (declared !== undefined) checks.push(...schema(Field.object(declared), data, type, { closed: false }))
  if (author === "agent") checks.push(...common(terms, state, { subjects: [type], args: data, proposal }))
  const hash = context(terms, state, { subjects: [type], action: data, command })
  checks.push(...hash.checks)
  const applied = Enforcement.applied(state, [type], checks)
  if (!applied.every(Check.isOk)) return refuse(terms, state, { proposal, checks: applied })
  const observed = Enforcement.observed(applied)
  const noted = trust(state, type, data, command.cited)
  // Data that do not fit the payload of their type are refused at every stage of enforcement.
  const misfit = RunTypes.misfit(terms, { data: noted, type }) ?? unheld(type, command.cited)
  if (misfit !== undefined) return refuse(terms, state, { proposal, checks: [...applied, misfit] })
  const body: Body = {
    ...described(proposal, author),
    data: noted,
    ...intent(proposal, hash.hash),
    ...(observed.observed === undefined
      ? {}
      : { policy: { checks: steps(applied), decision: "allow", ...observed, version: versionOf(terms) } }),
    type
  }
  // The payload was checked against the schema of its type.
  const draft = DecisionTerms.draft(terms, body as Payload.Body, usage(proposal))
  const done = end(
    { _tag: "Done", tick: terms.tick, output: noted as Json, basis: "committed" },
    CommitContent.records(draft)
  )
  return { ...done, context: hash.hash }
}

/** Refuses the erasure of values that the trace holds no commitment to, because it could not be verified afterwards. */
const unheld = (type: Ontology.TypeName, cited: boolean | undefined): Check.Check | undefined =>
  type === "sealed.erased" && cited !== true ? Check.fail("schema", type, "erasure.uncommitted", {}) : undefined

/** Decides a tool call on the whole commit path. `completes` names the obligation for which the kernel asks. */
export const call = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: {
    readonly proposal: Proposal
    readonly context?: Digest | undefined
    readonly generation?: number | undefined
    readonly completes?: string | undefined
    readonly met?: KeylessAct.ActsBefore | undefined
    readonly isWanted?: boolean | undefined
  }
): Decision => {
  const { completes, isWanted, met, proposal } = command
  const tool = proposal.tool ?? ""
  const contract = TaskPack.tool(terms.pack, tool)
  if (!contract.known) return unknownTool(terms, state, command, contract)
  const isMutating = ToolContract.isMutating(contract)
  const input = Field.object(contract.input)
  const params = Quantise.value(input, proposal.params ?? {})
  const subjects = [tool, "action.request"] as const
  const evaluated: Array<Check.Check> = [
    counted(proposal),
    Check.pass("contract", tool),
    ...schema(input, params, tool)
  ]
  const fits = evaluated.every(Check.isOk)
  const cost = fits ? BudgetSettlement.expected(state, contract, params) : Result.succeed({})
  if (Result.isFailure(cost)) evaluated.push(cost.failure)
  const reserved = Result.getOrElse(cost, () => ({}))
  evaluated.push(...common(terms, state, { subjects, args: params, proposal, tool, reserved }))
  if (isMutating) {
    evaluated.push(...halted(terms, state, tool), ...undoing(state), ...Goal.revised(state))
    if (fits) evaluated.push(...PivotGuard.refusals(terms, state, { contract, params }))
  }
  evaluated.push(...ForkPolicy.checks(state, { tool, args: params }))
  const hash = context(terms, state, { subjects, action: { params, tool }, command })
  const checks = [...Enforcement.applied(state, subjects, [...evaluated, ...hash.checks])]
  if (!checks.every(Check.isOk)) return refuse(terms, state, { proposal, checks })

  const keyed = identified(terms, state, {
    contract,
    params,
    occurrence: proposal.occurrence ?? 1,
    generation: command.generation ?? 0
  })
  if (keyed._tag === "Refused") return refuse(terms, state, { proposal, checks: [...checks, keyed.check] })
  const used = keyed.key === undefined ? undefined : UsedKeys.find(state, keyed.key)
  if (used !== undefined) {
    const repeated = Deduplication.ofKey(terms, state, { proposal, used, requestHash: keyed.requestHash })
    if (Result.isFailure(repeated)) return refuse(terms, state, { proposal, checks: [...checks, repeated.failure] })
    if (repeated.success !== undefined) return repeated.success
  }
  const found = isMutating ? Reversal.of(state, { contract, params }) : undefined
  const reverses = found?.reversal
  const relied = found?.reliance ?? (reverses && terms.turns?.relied[reverses.action])
  if (reverses !== undefined && relied !== undefined) {
    const check = Check.fail("policy", reverses.action, "act.relied", { ...relied, undoes: reverses.action })
    return refuse(terms, state, { proposal, checks: [...checks, check], holder: relied })
  }
  const begun = recovering(terms, state, { contract, params })
  if (begun.length > 0) return refuse(terms, state, { proposal, checks: [...checks, ...begun] })
  checks.push(...besideOpen(terms, state, { completes, isMutating, keyed, params, subjects }))
  if (!checks.every(Check.isOk)) return refuse(terms, state, { proposal, checks })

  const isCounted = isMutating && keyed.key === undefined
  const act = isCounted ? { act: KeylessAct.of(terms, state, keyed.requestHash, met), met, isWanted } : {}
  const passed = { proposal, contract, params, keyed, hash: hash.hash, checks, reserved, completes, reverses, ...act }
  return admitted(terms, state, passed)
}

/**
 * Refuses a call beside actions that are open: one holds its target or has crossed a boundary, or a guard may refuse it
 * because of them.
 */
const besideOpen = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: {
    readonly completes: string | undefined
    readonly isMutating: boolean
    readonly keyed: RequestIdentity.Derived
    readonly params: Json
    readonly subjects: ReadonlyArray<string>
  }
): ReadonlyArray<Check.Check> => {
  const { completes, isMutating, keyed, params, subjects } = call
  const holder = keyed.target === undefined ? undefined : holderOf(state, keyed.target)
  if (holder !== undefined) return [taken(keyed.target!, holder)]
  // A step behind a pivot has to be taken, whatever else is under way.
  if (completes !== undefined) return []
  const breaches = isMutating ? breached(terms, state) : []
  const guards = GuardBasis.unsettled(terms, state, { args: params, subjects })
  return Enforcement.applied(state, subjects, [...breaches, ...guards])
}

/**
 * Derives the identity of a call. An act that has failed by its settlement, and was done by what came since, is refused
 * until somebody has looked.
 */
const identified: typeof RequestIdentity.derive = (terms, state, call) => {
  const keyed = RequestIdentity.derive(terms, state, call)
  for (const { action, started: tick, status } of keyed._tag === "Derived" ? (keyed.ended ?? []) : []) {
    const since = status === "error" ? Reviews.dispute(state, action)?.tick : undefined
    if (since === undefined) continue
    const why = { action, run: terms.run.id, since, tick }
    return { _tag: "Refused", check: Check.fail("key", action, "act.disputed", why) }
  }
  return keyed
}

/** Refuses a further occurrence that has no accountable author: a model in a loop would count on for ever. */
const counted = ({ occurrence = 1, occurrenceBy }: Proposal): Check.Check =>
  occurrence === 1 || occurrenceBy !== undefined
    ? Check.pass("authorship", "action.request")
    : Check.fail("authorship", "occurrence", "occurrence.author", { occurrence })

/** Checks an intent of an agent by guards and budgets. The context check covers required state. */
const common = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    readonly subjects: ReadonlyArray<string>
    readonly args: Json
    readonly proposal: Proposal
    readonly tool?: string | undefined
    readonly reserved?: Amount.Amounts
  }
): ReadonlyArray<Check.Check> => {
  if (terms.pack === undefined) return []
  const concerned = terms.pack.guards.filter((guard) => guard.on.some((subject) => about.subjects.includes(subject)))
  if (concerned.length === 0) return limits(terms, state, about)
  const scope = ExpressionScope.bindings(state, { args: about.args })
  const guards = about.subjects.flatMap((subject) => Guard.refusals(concerned, subject, scope)).map(refusedBy)
  const held = concerned
    .filter((guard) => !guards.some((check) => check.id === guard.id))
    .map((guard) => Check.pass("guard", guard.id))
  return [...guards, ...held, ...limits(terms, state, about)]
}

/** Checks the cost of a proposal against the budgets. */
const limits = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    readonly proposal: Proposal
    readonly tool?: string | undefined
    readonly reserved?: Amount.Amounts | undefined
  }
): ReadonlyArray<Check.Check> =>
  terms.pack === undefined
    ? []
    : [
        ...BudgetCheck.checks(terms.pack.budget, {
          state,
          now: terms.now,
          asks: Amount.total(spentOf(about.proposal), about.reserved ?? {}),
          tool: about.tool
        }),
        ...(about.tool === undefined ? [] : StepCap.checks(terms.pack, state))
      ]

/**
 * Decides a call of a tool without a contract. It may change anything, so a person decides each time, and each
 * request costs budget.
 */
const unknownTool = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { proposal }: { readonly proposal: Proposal },
  contract: ToolContract.ToolContract
): Decision => {
  if (proposal.tool === undefined) return end({ _tag: "Refused", tick: undefined, checks: [toolless] })
  const { name: tool } = contract
  const params = proposal.params ?? {}
  const subjects = [tool, "action.request"] as const
  const checks = Enforcement.applied(state, subjects, common(terms, state, { subjects: [], args: {}, proposal, tool }))
  if (!checks.every(Check.isOk)) return refuse(terms, state, { proposal, checks })
  const more = [
    ...halted(terms, state, tool),
    ...breached(terms, state),
    ...ForkPolicy.checks(state, { tool, args: params })
  ]
  const all = [...checks, ...Enforcement.applied(state, subjects, more)]
  if (!all.every(Check.isOk)) return refuse(terms, state, { proposal, checks: all })
  const keyed: RequestIdentity.Derived = {
    _tag: "Derived",
    key: undefined,
    requestHash: IdempotencyKey.requestHash(tool, params),
    target: undefined
  }
  const unnamed = { ...(terms.pack === undefined ? {} : { contract: versionOf(terms) }), tool }
  const passed = { proposal, contract, params, keyed, hash: undefined, checks: all }
  if (Enforcement.isObserved(state, subjects)) {
    const noted = Check.fail("contract", tool, "tool.unknown", unnamed)
    return start(terms, state, { ...passed, checks: [...all, ...Enforcement.applied(state, subjects, [noted])] })
  }
  const request = asking(passed, { needs: [Approvers.byDefault], why: Finding.make("tool.unknown", unnamed) })
  return approved(terms, state, passed, { request, answer: IntentApproval.of(terms, state, request) })
}
