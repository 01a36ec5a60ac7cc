/**
 * The settlement of budgets: ends retries and recoveries whose budget is used up, and turns reservations into amounts
 * spent (L13).
 *
 * A call reserves its expected cost, and its answer says the real cost. The cost of a mutation is spent when the
 * action is settled, because only then is it known to have happened. Until then an answer may raise the reservation
 * but not lower it, since the next answer may differ. An unknown outcome keeps its reservation; a failed action
 * returns it. A read without an answer counts as paid.
 *
 * @source Crash Recovery, "Worked example"; docs/decisions/0038
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Cost from "@backstitch/contracts/Cost"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as BudgetCheck from "./BudgetCheck.ts"
import * as BudgetUse from "./BudgetUse.ts"

/**
 * Calculates the expected cost of a call. A cost that cannot be evaluated refuses the call, because no budget could
 * limit it.
 */
export const expected = (
  state: State,
  contract: ToolContract.ToolContract,
  params: Json
): Result.Result<Amount.Amounts, Check.Check> => {
  const { cost, name } = contract
  if (cost === undefined) return Result.succeed({})
  return Result.mapError(Cost.expected(cost, ExpressionScope.bindings(state, { args: params })), (reason) =>
    Check.fail("contract", `${name}.cost`, "cost.unanswered", { tool: name }, reason)
  )
}

/** Settles the budgets of a decision: limits its loops, and spends or reserves the costs of its answers. */
export const settle = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const bounded = within(terms, state, decision)
  const content = stamped(terms, state, bounded.content)
  const over = overrun(terms, state, content)
  if (content === decision.content && over.length === 0) return decision
  return {
    ...bounded,
    content: over.length === 0 ? content : { ...content, exhausted: [...(content.exhausted ?? []), ...over] }
  }
}

/** The slots of a commit that count against a loop budget of the kernel, in commit order, each with that budget. */
const loops = [
  ["unused", "recoveries"],
  ["noted", "recoveries"],
  ["recovery", "recoveries"],
  ["follows", "recoveries"],
  ["stops", "recoveries"],
  ["sent", "retries"]
] as const

/** Holds an action if the decision takes a retry or a recovery beyond its budget. */
const within = (terms: DecisionTerms.DecisionTerms, state: State, decision: Decision): Decision => {
  const budget = terms.pack?.budget
  if (budget?.retries === undefined && budget?.recoveries === undefined) return decision
  const { content } = decision
  const standing = new Map(BudgetCheck.usage(budget, state).map((each) => [each.budget, each]))
  for (const [slot, name] of loops) {
    const said = content[slot]
    const stands = standing.get(name)
    if (said === undefined || stands === undefined) continue
    const action = said.action?.id ?? ""
    // A deferred call is sent for the first time, so it is no retry.
    if (slot === "sent" && (OpenActions.of(state)[action]?.attempts ?? 0) === 0) continue
    const check = BudgetCheck.check(state, stands, 1)
    if (!Check.isOk(check))
      return stopped(terms, state, { action, check, content: CommitContent.before(content, slot) })
    standing.set(name, { ...stands, used: Amount.plus(stands.used, 1) })
  }
  return decision
}

const stopped = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  at: { readonly action: string; readonly check: Check.Check; readonly content: CommitContent.CommitContent }
): Decision => {
  const { action, check, content } = at
  const tool = OpenActions.of(state)[action]?.tool ?? action
  return end(
    {
      _tag: "Held",
      tick: DecisionTerms.standsAt(terms, CommitContent.size(content)),
      action,
      why: Finding.make("budget.stopped", { budget: check.id, tool, why: Check.findingOf(check)! })
    },
    { ...content, exhausted: BudgetCheck.exhausted(state, [check]) }
  )
}

/** Stamps answers and settlements with the amounts spent and the amounts that stay reserved. */
const stamped = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  content: CommitContent.CommitContent
): CommitContent.CommitContent => {
  const { reserved } = BudgetUse.of(state)
  if (reserved === undefined) return content
  const take = (answered: CommitContent.Said<"action.result">) => taking(terms, state, answered)
  const heard = CommitContent.changed(CommitContent.changed(content, "answered", take), "read", take)
  return CommitContent.changed(heard, "reconciled", (reconciled) => settling(terms, state, reconciled, heard.answered))
}

/** Raises the reservation of an action by its answer, or spends it if the answer settles the action. */
const taking = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  answered: CommitContent.Said<"action.result">
): CommitContent.Said<"action.result"> => {
  const id = answered.action?.id ?? ""
  const amounts = BudgetUse.of(state).reserved?.[id]
  const took = amounts && tookOf(terms, state, { amounts, answered, id })
  if (amounts === undefined || took === undefined) return answered
  return OpenActions.isSettledBy(answered, state)
    ? spending(answered, took)
    : { ...answered, stamp: { ...answered.stamp, reserved: atLeast(took, amounts) } }
}

/** Spends the reservation of a settled action, by its last answer. */
const settling = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  reconciled: CommitContent.Said<"action.reconciled">,
  answered: CommitContent.Said<"action.result"> | undefined
): CommitContent.Said<"action.reconciled"> => {
  const id = reconciled.action?.id ?? ""
  const heard = answered?.action?.id === id ? answered : undefined
  const amounts = heard?.stamp?.reserved ?? BudgetUse.of(state).reserved?.[id]
  if (amounts === undefined || reconciled.result?.status !== "ok") return reconciled
  const isHeard = heard?.result?.status === "ok"
  const observed = isHeard ? (heard.result.output ?? null) : OpenActions.of(state)[id]?.answer?.output
  return spending(reconciled, observed === undefined ? amounts : actualOf(terms, state, { amounts, id, observed }))
}

/** Raises each amount to at least its earlier value. */
const atLeast = (amounts: Amount.Amounts, before: Amount.Amounts): Amount.Amounts =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const least = Amount.of(before, name)
      return [name, Amount.compare(least, amount) > 0 ? least : amount]
    })
  )

const spending = <S extends CommitContent.Said<"action.result" | "action.reconciled">>(
  said: S,
  amounts: Amount.Amounts
): S =>
  Object.keys(amounts).length === 0
    ? said
    : { ...said, stamp: { ...said.stamp, spent: Amount.total(said.stamp?.spent ?? {}, amounts) } }

/**
 * Calculates the cost of an answer; `undefined` for a failure, which costs nothing. Tokens that the answer reports
 * are counted once.
 */
const tookOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    readonly amounts: Amount.Amounts
    readonly answered: CommitContent.Said<"action.result">
    readonly id: string
  }
): Amount.Amounts | undefined => {
  const { amounts, answered, id } = about
  const { result, stamp } = answered
  if (result === undefined || result.status === "error") return undefined
  const { tokens: _, ...others } = amounts
  const open = stamp?.spent?.["tokens"] === undefined ? amounts : others
  if (result.status !== "ok") return open
  return actualOf(terms, state, { amounts: open, id, observed: result.output ?? null })
}

/** Calculates the cost of an action from its reservation and its answer. */
const actualOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { amounts, id, observed }: { readonly amounts: Amount.Amounts; readonly id: string; readonly observed: Json }
): Amount.Amounts => {
  const action = OpenActions.of(state)[id]
  if (action === undefined || terms.pack === undefined) return amounts
  const { cost } = TaskPack.tool(terms.pack, action.tool)
  if (cost === undefined) return amounts
  return Cost.actual(cost, ExpressionScope.bindings(state, { actual: null, args: action.params, observed }), amounts)
}

/** Reports the budgets that an answer overran because it cost more than expected. */
const overrun = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  content: CommitContent.CommitContent
): ReadonlyArray<CommitContent.Said<"budget.exhausted">> => {
  const { answered, read, reconciled, requested } = content
  const takes = [requested, answered, read, reconciled].filter((said) => said !== undefined)
  if (terms.pack === undefined || !takes.some(({ stamp }) => stamp?.spent ?? stamp?.reserved)) return []
  const use = takes.reduce<BudgetUse.BudgetUse>(
    (self, said) => BudgetUse.taken(self, said, said === reconciled || OpenActions.isSettledBy(said, state)),
    BudgetUse.of(state)
  )
  const after = { ...state, kernel: { ...state.kernel, [BudgetUse.part.name]: use } }
  const spent = BudgetCheck.usage(terms.pack.budget, after)
    .filter(({ budget }) => budget === "tokens" || budget.startsWith("money"))
    .map((each) => BudgetCheck.check(after, each, 0))
  return BudgetCheck.exhausted(after, spent)
}
