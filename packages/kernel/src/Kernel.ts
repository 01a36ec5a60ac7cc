/**
 * The kernel: decides what is committed of each proposal, answer and request of a run.
 *
 * A kernel is a set of fold parts and one pure function, `decide`. From the state and a command, `decide` answers the
 * transitions to commit and the question to ask the world next. It has no clock, no store and no tools. So the same
 * command in the same state is always decided the same way, and every recorded decision can be made again.
 */
import * as Expression from "@backstitch/expressions/Expression"
import type * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import { defined } from "@backstitch/trace/Defined"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import * as BreakGlass from "./approval/BreakGlass.ts"
import * as BudgetSettlement from "./budget/BudgetSettlement.ts"
import * as ConflictResolution from "./claims/ConflictResolution.ts"
import * as NameRefused from "./claims/NameRefused.ts"
import type { Command } from "./decision/Command.ts"
import * as CommitContent from "./decision/CommitContent.ts"
import { type Decided, type Decider, type Decision, drafted, end, go, lookAt } from "./decision/Decision.ts"
import * as DecisionRules from "./decision/DecisionRules.ts"
import * as Interpreter from "./decision/Interpreter.ts"
import * as Proposal from "./decision/Proposal.ts"
import * as ForkDecision from "./fork/ForkDecision.ts"
import * as ForwardRecovery from "./forward/ForwardRecovery.ts"
import * as Annotate from "./intent/Annotate.ts"
import { takingOver } from "./intent/adoption.ts"
import * as ImportIntent from "./intent/ImportIntent.ts"
import * as Propose from "./intent/Propose.ts"
import { withFacts } from "./intent/proposalFacts.ts"
import type * as Payload from "./payload/Payload.ts"
import * as Resolution from "./resolution/Resolution.ts"
import * as DepthPolicy from "./review/DepthPolicy.ts"
import * as Absorb from "./revision/Absorb.ts"
import * as StandardFold from "./StandardFold.ts"
import * as LateEvidence from "./settlement/LateEvidence.ts"
import * as LocalTransaction from "./settlement/LocalTransaction.ts"
import * as Precheck from "./settlement/Precheck.ts"
import * as Settle from "./settlement/Settle.ts"
import * as StagedSettlement from "./settlement/StagedSettlement.ts"
import * as VerificationBudget from "./settlement/VerificationBudget.ts"
import * as WebhookDelivery from "./settlement/WebhookDelivery.ts"
import * as DecisionTerms from "./state/DecisionTerms.ts"
import * as ConsumerCheck from "./undo/ConsumerCheck.ts"
import * as SubtaskRollback from "./undo/SubtaskRollback.ts"
import * as Undo from "./undo/Undo.ts"
import * as UndoProgress from "./undo/undoProgress.ts"

/** A kernel: the fold of its parts, and the rules by which it decides. */
export interface Kernel extends Decider {
  readonly parts: ReadonlyArray<Part.Any>
  /** Older sets of parts that stored runs pin, the oldest first. */
  readonly earlier?: ReadonlyArray<ReadonlyArray<Part.Any>> | undefined
  /** Types of embedders, in namespaces of their own. */
  readonly vocabularies?: ReadonlyArray<Vocabulary.Vocabulary> | undefined
  /** The rules of decision. A run pins their version. */
  readonly rules: DecisionRules.DecisionRules
}

/** Version of the stored format. `run.started` pins it. */
export const format = 1

/** The kernel with the standard fold. */
export const standard: Kernel = {
  parts: StandardFold.parts,
  earlier: StandardFold.earlier,
  decide: (...asked) => decide(...asked),
  rules: DecisionRules.standard
}

/** A kernel whose fold has further parts. They are pinned in `run.started`. */
export const withParts = (self: Kernel, ...parts: ReadonlyArray<Part.Any>): Kernel => ({
  ...self,
  parts: [...self.parts, ...parts]
})

/**
 * A kernel that also accepts types of embedders. Runs pin their namespaces. Throws `VocabularyInvalid` if a namespace
 * occurs twice.
 */
export const withTypes = (self: Kernel, ...added: ReadonlyArray<Vocabulary.Vocabulary>): Kernel => {
  const vocabularies = Vocabulary.all([...(self.vocabularies ?? []), ...added])
  return {
    ...self,
    vocabularies,
    decide: (terms, state, command) => self.decide({ ...terms, vocabularies }, state, command)
  }
}

/** Decides a command. Pure. */
export const decide = (terms: DecisionTerms.DecisionTerms, state: State, command: Command): Decided => {
  const turns = command.learnt?.turns ?? terms.turns
  const known = { ...terms, turns, consumers: ConsumerCheck.met(command) }
  const decision = ConsumerCheck.asking(
    known,
    state,
    command,
    decided(known, state, ConflictResolution.informed(command))
  )
  const first = command._tag === "ClaimRefused" ? command.command : command
  return { ...drafted(terms, decision), again: ConflictResolution.again(first, decision) }
}

const decided = (terms: DecisionTerms.DecisionTerms, state: State, command: Command): Decision => {
  const misfit = "proposal" in command ? Proposal.misfit(command.proposal) : undefined
  if (misfit !== undefined) return end({ _tag: "Refused", tick: undefined, checks: [misfit] })
  switch (command._tag) {
    case "Start":
      return started(terms, state, command)
    case "Migrate":
      return migrated(terms, state, command)
    case "Propose":
      return proposed(terms, state, command)
    case "Resolve":
      return ForwardRecovery.obliged(terms, state, Resolution.decide(terms, state, command))
    case "Import":
      return ImportIntent.decide(terms, state, command)
    case "Answered":
      return LateEvidence.isOf(terms, state, command.action)
        ? LateEvidence.decide(terms, state, { ...command, _tag: "LateEvidence" })
        : StagedSettlement.stage(terms, state, asking(terms, state, Settle.answered(terms, state, command)))
    case "ReadBack":
      return LateEvidence.isOf(terms, state, command.action)
        ? LateEvidence.decide(terms, state, { ...command, _tag: "LateEvidence", via: "readback" })
        : StagedSettlement.stage(terms, state, asking(terms, state, Settle.readBack(terms, state, command)))
    case "LateEvidence":
      return LateEvidence.decide(terms, state, command)
    case "ReadInside":
      return asking(terms, state, LocalTransaction.judge(terms, state, command))
    case "ReadBefore":
      return asking(terms, state, Precheck.decide(terms, state, command))
    case "Recover":
      return asking(terms, state, recovered(terms, state, command))
    case "Deliver":
      return asking(terms, state, WebhookDelivery.decide(terms, state, command))
    case "Undo":
      return command.rollback === undefined
        ? Undo.begin(terms, state, command.wanted)
        : SubtaskRollback.begin(terms, state, command.wanted, command.rollback)
    case "Absorb":
      return Absorb.decide(terms, state, command)
    case "Compensate":
      return asking(terms, state, UndoProgress.proceed(terms, state, command.original))
    case "Complete":
      return asking(terms, state, ForwardRecovery.proceed(terms, state, command))
    case "ClaimRefused":
      return NameRefused.decide(terms, state, command, (again) => keyOf(terms, state, again))
    case "Slice":
      return ForkDecision.give(terms, state, command)
    case "Fork":
      return ForkDecision.begin(terms, state, command)
    case "Annotate":
      return Annotate.decide(terms, state, command)
  }
}

/** The key under which a command would be begun here. */
const keyOf = (terms: DecisionTerms.DecisionTerms, state: State, command: Command): string | undefined =>
  Interpreter.rehearse({ decide }, terms, state, command).names?.begins?.key

/** Looks up the actions that a proposal cites, before it is decided. Takes the act over if another run has done it. */
const proposed = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: Command & { readonly _tag: "Propose" }
): Decision => {
  const informed = withFacts(terms, state, command)
  return informed._tag === "Propose"
    ? takingOver(terms, state, Propose.decide(terms, state, informed), informed)
    : lookAt(command, informed)
}

/**
 * Recovers an action. A step behind a pivot may wait, and a kept delivery may answer before the world is asked again.
 */
const recovered = (terms: DecisionTerms.DecisionTerms, state: State, about: { readonly action: string }): Decision =>
  ForwardRecovery.instead(terms, state, about) ??
  WebhookDelivery.reopened(terms, state, about) ??
  Settle.recover(terms, state, about)

/**
 * Completes a decision: obligations, broken glass, budgets, the count of questions, reviews and freezes, in this order.
 */
const asking = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const settled = BudgetSettlement.settle(
    terms,
    state,
    BreakGlass.hold(state, ForwardRecovery.carry(terms, state, decision))
  )
  return DepthPolicy.apply(terms, state, VerificationBudget.spend(terms, state, settled))
}

/** Everything that the trace depends on is named in its first transition. */
const started = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  command: Command & { readonly _tag: "Start" }
): Decision => {
  // A run begins once. If another process began it first, that beginning counts.
  if (Object.keys(state.kernel).length > 0) {
    const adopted = { run: terms.run.id, tick: 1 }
    return end({ _tag: "Done", tick: 1, output: null, basis: "recorded", adopted })
  }
  const { clauses, enforcement, fold, goal, initial, pack, rules, source, text } = command
  const { engine = Expression.engine, namespaces = {}, ontology = Ontology.first } = command
  const [follows, impure, seeds] = [filled(command.follows), filled(command.impure), filled(command.seeds)]
  const data = {
    clauses,
    engine,
    fold,
    format,
    goal: text,
    initial,
    ontology,
    tenant: terms.run.tenant,
    ...(Object.keys(namespaces).length === 0 ? {} : { namespaces }),
    ...defined({ enforcement, follows, impure, pack, rules, seeds, source })
  } as Payload.Of<"run.started">
  const begun = end(
    { _tag: "Done", tick: terms.tick, output: data, basis: "committed" },
    CommitContent.records(DecisionTerms.draft(terms, { author: "kernel", data, goal, type: "run.started" }))
  )
  // Between the beginning and the revision, the run would work for the goal that the revision replaces.
  return follows === undefined ? begun : { ...begun, flush: "later" }
}

/** A run that was decided by other rules records the tick from which these rules decide. */
const migrated = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { rules }: { readonly rules: number }
): Decision => {
  const isCurrent = DecisionRules.of(state) === rules
  const done = {
    _tag: "Done",
    tick: DecisionTerms.standsAt(terms, isCurrent ? 0 : 1),
    output: { rules },
    basis: "committed"
  } as const
  const content = isCurrent
    ? CommitContent.nothing
    : CommitContent.records(DecisionTerms.draft(terms, { author: "kernel", data: { rules }, type: "run.migrated" }))
  return go({ _tag: "End", outcome: done }, content)
}

/** An empty list is not committed. */
const filled = <A>(list: ReadonlyArray<A> | undefined): ReadonlyArray<A> | undefined =>
  list?.length === 0 ? undefined : list
