/**
 * Completes a proposed extension of the pack, and checks that it fits the pack with all extensions that wait.
 */
import * as Issue from "@backstitch/contracts/Issue"
import * as PackExtension from "@backstitch/contracts/PackExtension"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * Completes an extension of the pack: it extends the whole pack from the tick after its own, unless it says otherwise.
 * Its author cannot know that tick, because other transitions may be committed before the extension.
 */
export const completed = (terms: DecisionTerms.DecisionTerms, given: JsonObject): JsonObject => ({
  ...(terms.pack === undefined ? {} : { target_contract: terms.pack.id }),
  effective_from_tick: terms.tick + 1,
  ...given
})

/**
 * Checks an extension of the pack. It must fit the pack together with all extensions that wait for their tick, and it
 * takes effect from a later tick on.
 */
export const checks = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  data: JsonObject
): ReadonlyArray<Check.Check> => {
  if (terms.pack === undefined) {
    return [Check.fail("contract", "policy.contract_extension", "contract.missing", {})]
  }
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
