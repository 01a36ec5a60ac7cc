/**
 * The decision about a proposal that needs a name held by another run or another action.
 *
 * | the name is | held by | the proposal is |
 * | --- | --- | --- |
 * | a key | the same act, done | taken over, as `Adopted` says: the proposal is decided again with it |
 * | a key | the same act, done and reversed | refused with the facts |
 * | a key | the same act, partly taken back | refused with the facts: a person finds out |
 * | a key | the same act, which is being undone | waited for within its times, then held |
 * | a key | the same act, whose reversal was given up and may still arrive | waited for until it cannot |
 * | a key | another request | refused (L6) |
 * | a key | the same act, under way | waited for within its times, then held |
 * | a target | an action that is under way | waited for within its times, then refused |
 *
 * A wait is for the holder. Afterwards the proposal asks for the name again.
 *
 * @source docs/decisions/0003, 0018
 */
import * as Backoff from "@backstitch/contracts/Backoff"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { State } from "@backstitch/reducer/State"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import { refuse } from "../admission/refusal.ts"
import type { RefusedName } from "../decision/CommandFacts.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import type { Decision } from "../decision/Decision.ts"
import { commit, end } from "../decision/Decision.ts"
import { described, intent, usage, versionOf } from "../decision/intentBody.ts"
import type { Proposal } from "../decision/Proposal.ts"
import * as Deduplication from "../intent/Deduplication.ts"
import * as Check from "../payload/Check.ts"
import type * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import type { ClaimHolder } from "./ClaimHolder.ts"

/** A refused claim: its names, since when it has been refused, and the facts from the holder's trace. */
export interface ClaimRefusal {
  readonly proposal: Proposal
  readonly requestHash: string | undefined
  readonly refusal: RefusedName
  readonly holder: ClaimHolder | undefined
  /** Epoch milliseconds at which the proposal first met a holder that is under way. */
  readonly since?: number | undefined
}

/** Decides a proposal whose claim was refused and that takes no act over. */
export const decide = (terms: DecisionTerms.DecisionTerms, state: State, command: ClaimRefusal): Decision => {
  const { holder, proposal, refusal } = command
  const later = awaiting(terms, command)
  if (later !== undefined) return later
  const { owner: action, run, tick } = refusal.holder
  const refused = (check: Check.Check): Decision =>
    refuse(terms, state, { proposal, checks: [check], holder: { action, run, tick } })
  if (refusal.namespace === "key" && holder !== undefined && isSameAct(command)) {
    return isUnderWay(holder) ? held(terms, { ...command, holder }) : refused(ended(refusal, holder))
  }
  return refused(taken(state, command))
}

const isSameAct = ({ holder, requestHash }: ClaimRefusal): boolean => holder?.requestHash === requestHash

/** Tells whether a holder is neither finally done nor finally undone. Its own run has to settle it. */
const isUnderWay = ({ settled, undoing, undone }: ClaimHolder): boolean =>
  settled === undefined || (undoing !== undefined && undone === undefined)

/**
 * Waits for a holder that was begun recently, as long as its contract allows; `undefined` if it was begun earlier
 * than that.
 */
const awaiting = (terms: DecisionTerms.DecisionTerms, command: ClaimRefusal): Decision | undefined => {
  const { holder, proposal, refusal, since = terms.now } = command
  const isAct = refusal.namespace === "key" && isSameAct(command)
  const arrives = isAct && holder !== undefined ? arrivesUntil(terms, holder, proposal.tool) : undefined
  if (arrives !== undefined) return lookAgain(terms, since, arrives)
  if (holder === undefined || !isUnderWay(holder) || holder.run === terms.run.id) return undefined
  if (!isAct && refusal.namespace !== "target") return undefined
  const { startedAt, undoing } = holder
  const until =
    undoing === undefined
      ? Math.min(since, startedAt) + patience(terms, proposal.tool)
      : Math.min(since, undoing.at) + patience(terms, proposal.tool) + patience(terms, reversalOf(terms, proposal))
  return terms.now >= until ? undefined : lookAgain(terms, since, until)
}

const lookAgain = ({ now }: DecisionTerms.DecisionTerms, since: number, until: number): Decision => {
  const untilMillis = Math.min(until, Backoff.next(Backoff.standard, { since, now }))
  return commit(CommitContent.nothing, { _tag: "Await", since, untilMillis })
}

/** The moment until which the abandoned reversal of an act may still take effect; `undefined` if none may. */
export const arrivesUntil = (
  { now, pack }: Pick<DecisionTerms.DecisionTerms, "now" | "pack">,
  { arriving }: ClaimHolder,
  tool = ""
): number | undefined => {
  if (arriving === undefined) return undefined
  const reversal = TaskPack.tool(pack, TaskPack.tool(pack, tool).undo.by ?? "")
  const until = ArrivalWindow.closesAt(reversal, arriving)
  return now < until ? until : undefined
}

/**
 * Names the tool that undoes a call. An undoing reads the original's record first, so it takes the time of both
 * calls.
 */
const reversalOf = ({ pack }: DecisionTerms.DecisionTerms, { tool = "" }: Proposal): string | undefined =>
  TaskPack.tool(pack, tool).undo.by

/**
 * Calculates the time within which a call of the tool is settled if every system answers: sending, becoming visible,
 * and readback.
 */
const patience = ({ pack }: DecisionTerms.DecisionTerms, tool = ""): number => {
  const contract = TaskPack.tool(pack, tool)
  return ArrivalWindow.millisOf(contract) + (contract.readback?.withinMillis ?? 0)
}

/** Holds the proposal: its act may be done or not, and the holder's run has to find out. */
const held = (
  terms: DecisionTerms.DecisionTerms,
  { holder, proposal, refusal }: ClaimRefusal & { readonly holder: ClaimHolder }
): Decision => {
  const { action, run, tick, undoing } = holder
  const check =
    undoing === undefined
      ? Check.fail("key", refusal.claim, "act.unsettled", { action, run, tick })
      : Check.fail("key", refusal.claim, "act.undoing", { action, run, tick: undoing.tick })
  const body: Payload.BodyOf<"policy.decision"> = {
    ...described(proposal, "kernel"),
    data: {
      awaits: { action, run, tick },
      checks: [check],
      proposed: proposal.type ?? "action.request",
      ...(proposal.tool === undefined ? {} : { params: proposal.params ?? {}, tool: proposal.tool })
    },
    ...intent(proposal, undefined),
    policy: { checks: ["key"], decision: "escalate", version: versionOf(terms) },
    type: "policy.decision"
  }
  const why = Check.findingOf(check)!
  const awaited = DecisionTerms.draft(terms, body, usage(proposal))
  return end({ _tag: "Held", tick: terms.tick, action, run, why }, CommitContent.records(awaited))
}

/**
 * Makes the check that refuses the proposal because of the holder's end: reversed, perhaps in part, disputed, given
 * up, or failed for good.
 */
const ended = ({ claim }: RefusedName, holder: ClaimHolder): Check.Check => {
  const { action, doubtful, run, settled, undone } = holder
  const taken = undone ?? doubtful
  if (taken !== undefined) {
    const { action: reversal, tick: reversed } = taken
    const code = undone === undefined ? "act.doubtful" : "act.reversed"
    return Check.fail("key", claim, code, { action, reversal, reversed, run, tick: settled ?? holder.tick })
  }
  const { disputed, status, told } = holder
  const act = { action, run, tick: holder.tick }
  if (disputed !== undefined) return Check.fail("key", claim, "act.disputed", { ...act, since: disputed })
  return status === "unknown"
    ? Check.fail("key", claim, "act.abandoned", { ...act, ...(told === undefined ? {} : { told }) })
    : Check.fail("key", claim, "act.failed", act)
}

const taken = (state: State, { holder, proposal, refusal }: ClaimRefusal): Check.Check => {
  const { claim, namespace } = refusal
  const { owner: action, run, tick } = refusal.holder
  if (namespace === "key" && holder !== undefined) {
    return Check.fail("key", claim, "key.reused", { action, run, ...Deduplication.sealedIn(state, proposal), tick })
  }
  const step = namespace === "target" ? "target" : "key"
  return Check.fail(step, claim, "name.held", { action, namespace, run, tick })
}
