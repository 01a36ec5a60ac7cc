/**
 * Checks of a call that depend on no other step: the shape of its arguments, a halt, an undoing, a held target, a step
 * behind a pivot that is under way, and the answer of a guard.
 */

import type * as Guard from "@backstitch/contracts/Guard"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import * as Obligations from "@backstitch/ledger/Obligations"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Latch from "@backstitch/reducer/Latch"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Compensation from "../action/Compensation.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** Checks the arguments of a call against the declared fields. */
export const schema = (
  input: Field.Field,
  params: Json,
  tool: string,
  options: { readonly closed: boolean } = { closed: true }
): ReadonlyArray<Check.Check> => {
  const issues = Field.check(input, params, options)
  if (issues.length === 0) return [Check.pass("schema", tool)]
  return issues.map((issue) =>
    Check.fail("schema", issue.path === "" ? tool : issue.path, "argument.mismatch", {
      has: issue.has,
      path: issue.path,
      wants: issue.wants
    })
  )
}

/** Refuses mutations from the first tick of a violation that halts, or that could not be evaluated. */
export const halted = (terms: DecisionTerms.DecisionTerms, state: State, tool: string): ReadonlyArray<Check.Check> => {
  const latches = Latch.of(state)
  const broken = latches[Latch.failureOf(`reduce.${tool}`)]
  const violations = (terms.pack?.violations ?? [])
    .filter((predicate) => predicate.halts)
    .map((predicate) => {
      // A predicate that could not be evaluated counts as violated, so it does not let anything pass.
      const violated = Object.hasOwn(latches, predicate.id) ? latches[predicate.id] : undefined
      const tick = violated ?? latches[Latch.failureOf(predicate.id)]
      const code = violated === undefined ? "violation.unanswered" : "violation.halts"
      return tick === undefined
        ? Check.pass("policy", predicate.id)
        : Check.fail("policy", predicate.id, code, { since: tick })
    })
  return broken === undefined
    ? violations
    : [Check.fail("policy", `reduce.${tool}`, "reducer.failed", { since: broken }), ...violations]
}

/**
 * Refuses changes by the agent while an undoing is under way or pending, because they would be based on a state that
 * is about to be undone.
 */
export const undoing = (state: State): ReadonlyArray<Check.Check> => {
  const open = UndoPlan.open(state)
  const wanted = UndoPlan.wanted(state)
  if (open === undefined && wanted === undefined) return []
  const { because } = (open ?? wanted)!
  const plan = open === undefined ? {} : { plan: open.id, status: open.status }
  return [Check.fail("policy", "undoing", "undoing.open", { because, ...plan })]
}

/** Refuses a call of a step behind a pivot that the kernel is carrying out already. */
export const recovering = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: { readonly contract: ToolContract.ToolContract; readonly params: Json }
): ReadonlyArray<Check.Check> => {
  const obligations = Obligations.all(state)
  if (obligations.length === 0) return []
  const registered = { within: Compensation.withinOf(terms, state, call) }
  const tool = call.contract.name
  for (const [id, open] of Object.entries(OpenActions.of(state))) {
    if (open?.tool !== tool || open.class === "read_only") continue
    const owing = Obligations.ofAction(state, id)
    if (owing === undefined || !Obligations.concerns(owing, registered)) continue
    return [Check.fail("policy", `remaining.${owing.skeleton}`, "forward.begun", { action: id, state: open.state })]
  }
  return []
}

/** Finds the open action that holds a target. */
export const holderOf = (state: State, target: string): readonly [string, OpenAction.OpenAction] | undefined => {
  for (const [id, open] of Object.entries(OpenActions.of(state))) {
    if (open?.target === target) return [id, open]
  }
  return undefined
}

/** Makes the check of a target that an open action of the run holds. */
export const taken = (target: string, [id, open]: readonly [string, OpenAction.OpenAction]): Check.Check =>
  Check.fail("target", target, "target.held", { action: id, state: open.state, tick: open.tick, tool: open.tool })

/** Makes the check of a guard that refuses. */
export const refusedBy = ({ condition, failure, guard }: Guard.GuardRefusal): Check.Check =>
  Check.fail("guard", guard, failure === undefined ? "guard.refuses" : "guard.unanswered", { condition }, failure)
