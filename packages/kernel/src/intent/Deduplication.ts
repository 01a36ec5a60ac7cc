/**
 * Deduplication: a repeated proposal is answered from the record and not from the world.
 *
 * A repetition is recognised in two ways: by its command, which the proposer names, and by its key, which the contract
 * derives from the intent. The answer is committed like any other decision and uses budgets, so that a planner that
 * goes in circles stops.
 */

import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import type { Adopted } from "../decision/CommandFacts.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import { described, intent, usage } from "../decision/intentBody.ts"
import type { Done } from "../decision/Outcome.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import type * as HandledCommands from "../state/HandledCommands.ts"
import * as RepeatedCommand from "./RepeatedCommand.ts"

/** Decides a command that was carried out before. */
export const ofCommand = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    readonly handled: HandledCommands.HandledCommand
    readonly proposal: Proposal
    /** The request that has its name, if it was read. */
    readonly before?: Transition | undefined
  }
): Decision => {
  const { before, handled, proposal } = about
  const open = handled.action === undefined ? undefined : OpenActions.of(state)[handled.action]
  if (handled.action !== undefined && open !== undefined) return begun(handled.action, open)
  const action = handled.action === undefined ? {} : { action: handled.action }
  const adopted = { ...action, run: terms.run.id, tick: handled.tick }
  const differs = before !== undefined && RepeatedCommand.isReworded(before, proposal)
  return answered(terms, proposal, { by: "command", adopted, differs })
}

/**
 * Decides a key that was used before: the same request is answered from the record or settled first; another request
 * is refused by the check that this answers (L6).
 */
export const ofKey = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: { readonly proposal: Proposal; readonly used: UsedKeys.Used; readonly requestHash: string }
): Result.Result<Decision | undefined, Check.Check> => {
  const { proposal, requestHash, used } = about
  if (used.requestHash !== requestHash) {
    const { action, started: tick } = used
    const sealed = sealedIn(state, proposal)
    return Result.fail(Check.fail("key", action, "key.reused", { action, ...sealed, tick }))
  }
  if (used.settled !== undefined) {
    const adopted = { action: used.action, run: terms.run.id, tick: used.settled }
    return Result.succeed(answered(terms, proposal, { by: "key", adopted }))
  }
  const open = OpenActions.of(state)[used.action]
  // For an action that the parent had begun at the fork, the index of names is asked, because the parent may have
  // settled it since.
  return Result.succeed(open === undefined ? undefined : begun(used.action, open))
}

/**
 * Tells of a request that is not the one under its key whether it has sealed values: once a value was erased, the same
 * value is another one.
 */
export const sealedIn = (state: State, { params }: Pick<Proposal, "params">): { readonly sealed?: true } =>
  DecisionRules.binds(state, DecisionRules.sealedRequestsAreTold) && SealedValue.commitments(params).length > 0
    ? { sealed: true }
    : {}

/** Decides an act that another run did and that this run was seeded with. */
export const ofOther = (
  terms: DecisionTerms.DecisionTerms,
  proposal: Proposal,
  { action, output = null, run, tick }: Adopted
): Decision => answered(terms, proposal, { by: "key", adopted: { action, run, tick }, output })

/** Decides an act that is begun and not settled: it has to be settled first. */
export const begun = (action: string, open: OpenAction.OpenAction): Decision =>
  end({
    _tag: "Held",
    tick: open.tick,
    action,
    why: Finding.make("action.begun", { action, since: open.tick, state: open.state })
  })

/**
 * Answers from the record. The answer counts as a step, so a planner that repeats itself visibly uses up its budgets
 * (L13).
 */
const answered = (
  terms: DecisionTerms.DecisionTerms,
  proposal: Proposal,
  {
    adopted,
    by,
    differs = false,
    output = null
  }: {
    readonly by: "command" | "key"
    readonly adopted: NonNullable<Done["adopted"]>
    readonly differs?: boolean
    readonly output?: Json
  }
): Decision => {
  const { run, ...own } = adopted
  const body: Payload.BodyOf<"intent.adopted"> = {
    ...described(proposal, "kernel"),
    data: {
      // In a fork, a tick of the shared history belongs to the fork, too.
      adopted: run === terms.run.id ? own : { ...own, run },
      by,
      proposed: proposal.type ?? "action.request",
      ...(proposal.tool === undefined ? {} : { params: proposal.params ?? {}, tool: proposal.tool })
    },
    ...intent(proposal, undefined),
    type: "intent.adopted"
  }
  const told = differs ? ({ ...adopted, differs } as const) : adopted
  const repeated = CommitContent.records(DecisionTerms.draft(terms, body, usage(proposal)))
  return end({ _tag: "Done", tick: adopted.tick, output, basis: "recorded", adopted: told }, repeated)
}
