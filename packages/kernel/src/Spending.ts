/**
 * What an answer does to the budgets: loops that have used up theirs end, and what was reserved is settled (L13).
 *
 * A call reserves what it is expected to take. Its answer says what it took;
 * of a mutation that is settled with the action, because only then it is
 * known to have happened: until then an answer may raise what is reserved and
 * lowers nothing, for the next one may say otherwise. An unknown outcome keeps
 * its reservation, a failed action gives it back. A read that was never
 * answered counts as paid.
 *
 * @source Crash Recovery, "Worked example"; docs/decisions/0038
 * @since 0.1.0
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as Cost from "@backstitch/contracts/Cost"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Draft } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as BudgetUse from "./BudgetUse.ts"
import * as Check from "./Check.ts"
import { type Decision, end } from "./Decision.ts"
import * as Finding from "./Finding.ts"
import * as Limits from "./Limits.ts"
import * as Terms from "./Terms.ts"

/**
 * What a call is expected to take. What cannot be counted cannot be kept within a budget, and is refused.
 *
 * @category combinators
 * @since 0.1.0
 */
export const expected = (
  state: State,
  contract: ToolContract.ToolContract,
  params: Json
): Result.Result<Amount.Amounts, Check.Check> => {
  const { cost, name } = contract
  if (cost === undefined) return Result.succeed({})
  return Result.mapError(Cost.expected(cost, Terms.bindings(state, { args: params })), (reason) =>
    Check.fail("contract", `${name}.cost`, "cost.unanswered", { tool: name }, reason)
  )
}

/**
 * Settles what the decision about an answer means for the budgets.
 *
 * @category combinators
 * @since 0.1.0
 */
export const settle = (terms: Terms.Terms, state: State, decision: Decision): Decision => {
  const bounded = within(terms, state, decision)
  const drafts = stamped(terms, state, bounded.drafts)
  return { ...bounded, drafts: [...drafts, ...overrun(terms, state, drafts)] }
}

/** Retries and recoveries are the kernel's own loops: beyond their budget the action is held. */
const within = (terms: Terms.Terms, state: State, decision: Decision): Decision => {
  const budget = terms.pack?.budget
  if (budget?.retries === undefined && budget?.recoveries === undefined) return decision
  const standing = new Map(Limits.standing(budget, state).map((each) => [each.budget, each]))
  for (const [index, draft] of decision.drafts.entries()) {
    const name = loopOf(state, draft)
    const stands = name === undefined ? undefined : standing.get(name)
    if (name === undefined || stands === undefined) continue
    const check = Limits.check(state, stands, 1)
    if (!check.ok) return stopped(terms, state, { check, drafts: decision.drafts.slice(0, index), draft })
    standing.set(name, { ...stands, used: Amount.plus(stands.used, 1) })
  }
  return decision
}

const loopOf = (state: State, { body }: Draft): "retries" | "recoveries" | undefined => {
  if (body.type === "recovery.decided") return "recoveries"
  const attempts = OpenActions.of(state)[body.action?.id ?? ""]?.attempts ?? 0
  return body.type === "action.started" && attempts > 0 ? "retries" : undefined
}

const stopped = (
  terms: Terms.Terms,
  state: State,
  at: { readonly check: Check.Check; readonly draft: Draft; readonly drafts: ReadonlyArray<Draft> }
): Decision => {
  const { check, draft, drafts } = at
  const action = draft.body.action?.id ?? ""
  const tool = OpenActions.of(state)[action]?.tool ?? action
  return end(
    {
      _tag: "Held",
      tick: Terms.standsAt(terms, drafts.length),
      action,
      why: Finding.make("budget.stopped", { budget: check.id, tool, why: Check.findingOf(check)! })
    },
    [...drafts, ...Limits.exhausted(terms, state, [check])]
  )
}

/** The stamps of results and settlements, with what they take and what stays reserved. */
const stamped = (terms: Terms.Terms, state: State, drafts: ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  const reserved = new Map(Object.entries(BudgetUse.of(state).reserved ?? {}))
  if (reserved.size === 0) return drafts
  const answers = new Map<string, Json>()
  return drafts.map((draft) => {
    const id = draft.body.action?.id ?? ""
    const amounts = reserved.get(id)
    if (amounts === undefined) return draft
    if (draft.body.type === "action.reconciled") {
      if (draft.body.result?.status !== "ok") return draft
      const answer = answers.get(id) ?? OpenActions.of(state)[id]?.answer?.output
      return spending(draft, answer === undefined ? amounts : actualOf(terms, state, { amounts, id, observed: answer }))
    }
    if (draft.body.type !== "action.result") return draft
    const took = tookOf(terms, state, { amounts, draft, id })
    if (OpenActions.isSettledBy(draft, state)) return took === undefined ? draft : spending(draft, took)
    if (took === undefined) return draft
    if (draft.body.result?.status === "ok") answers.set(id, draft.body.result.output ?? null)
    const raised = atLeast(took, amounts)
    reserved.set(id, raised)
    return { ...draft, stamp: { ...draft.stamp, reserved: raised } }
  })
}

/** The amounts, and no less of any than before. */
const atLeast = (amounts: Amount.Amounts, before: Amount.Amounts): Amount.Amounts =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const known = Amount.of(before, name)
      return [name, Amount.compare(known, amount) > 0 ? known : amount]
    })
  )

const spending = (draft: Draft, amounts: Amount.Amounts): Draft =>
  Object.keys(amounts).length === 0
    ? draft
    : { ...draft, stamp: { ...draft.stamp, spent: Amount.total(draft.stamp.spent ?? {}, amounts) } }

/** What an answer took; `undefined` for a failure, which takes nothing. Tokens that it reports are not doubled. */
const tookOf = (
  terms: Terms.Terms,
  state: State,
  { amounts, draft, id }: { readonly amounts: Amount.Amounts; readonly draft: Draft; readonly id: string }
): Amount.Amounts | undefined => {
  const { result } = draft.body
  if (result === undefined || result.status === "error") return undefined
  const { tokens: _, ...others } = amounts
  const open = draft.stamp.spent?.["tokens"] === undefined ? amounts : others
  if (result.status !== "ok") return open
  return actualOf(terms, state, { amounts: open, id, observed: result.output ?? null })
}

/** What an action took by its answer, of what is reserved for it. */
const actualOf = (
  terms: Terms.Terms,
  state: State,
  { amounts, id, observed }: { readonly amounts: Amount.Amounts; readonly id: string; readonly observed: Json }
): Amount.Amounts => {
  const action = OpenActions.of(state)[id]
  if (action === undefined || terms.pack === undefined) return amounts
  const { cost } = TaskPack.tool(terms.pack, action.tool)
  if (cost === undefined) return amounts
  return Cost.actual(cost, Terms.bindings(state, { actual: null, args: action.params, observed }), amounts)
}

/** An answer may take more than was expected: then the budget is exhausted by it, and says so at once. */
const overrun = (terms: Terms.Terms, state: State, drafts: ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  if (terms.pack === undefined || !drafts.some(({ stamp }) => stamp.spent ?? stamp.reserved)) return []
  const use = drafts.reduce<BudgetUse.BudgetUse>((before, draft) => {
    const evolve = BudgetUse.part.on[draft.body.type]
    return evolve === undefined ? before : evolve(before, { ...draft, tick: terms.tick }, state)
  }, BudgetUse.of(state))
  const after = { ...state, kernel: { ...state.kernel, [BudgetUse.part.name]: use } }
  const spent = Limits.standing(terms.pack.budget, after)
    .filter(({ budget }) => budget === "tokens" || budget.startsWith("money"))
    .map((each) => Limits.check(after, each, 0))
  return Limits.exhausted(terms, after, spent)
}
