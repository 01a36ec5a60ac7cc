/**
 * Checks of the commit path that depend on no other step: the shape of arguments, a halt, a held target, an
 * extension.
 */

import type * as Guard from "@backstitch/contracts/Guard"
import * as Issue from "@backstitch/contracts/Issue"
import * as PackExtension from "@backstitch/contracts/PackExtension"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import * as Obligations from "@backstitch/ledger/Obligations"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Latch from "@backstitch/reducer/Latch"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Compensation from "../action/Compensation.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * Completes an extension of the pack: it extends the whole pack from the tick after its own, unless it says otherwise.
 * Its author cannot know that tick, because other transitions may be committed before the extension.
 */
export const completedExtension = (terms: DecisionTerms.DecisionTerms, given: JsonObject): JsonObject => ({
  ...(terms.pack === undefined ? {} : { target_contract: terms.pack.id }),
  effective_from_tick: terms.tick + 1,
  ...given
})

/**
 * Checks an extension of the pack. It must fit the pack together with all extensions that wait, and it takes
 * effect from a later tick on.
 */
export const extension = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  data: JsonObject
): ReadonlyArray<Check.Check> => {
  if (terms.pack === undefined) {
    return [Check.fail("contract", "policy.contract_extension", "contract.missing", {})]
  }
  // An extension must also fit the extensions that wait for their tick.
  const contract = PackInForce.of(state)
  const binding = PackInForce.bindingAt(contract, terms.tick)
  const pending = contract.extensions.filter((each) => !binding.includes(each))
  const pack = PackExtension.extendAll(terms.pack, pending)
  const valid = PackExtension.validate(pack, data as Json, { currentTick: terms.tick })
  if (Result.isSuccess(valid)) return [Check.pass("contract", "policy.contract_extension")]
  return valid.failure.issues.map((issue) =>
    Check.fail("contract", issue.path, "extension.invalid", {}, Issue.format(issue))
  )
}

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

/** Refuses the completion of the goal while a step behind a pivot is owed. */
export const remaining = (state: State): ReadonlyArray<Check.Check> =>
  Obligations.all(state).map(({ pivot, skeleton, steps }) =>
    Check.fail("policy", `remaining.${skeleton}`, "forward.remains", { pivot, steps })
  )

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
