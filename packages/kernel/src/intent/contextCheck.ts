/**
 * The state that an intent requires, and the hash of the fields that justified it.
 *
 * An intent is refused if a required field is missing or has another type, and if one of those fields has changed since
 * the intent was first decided, because another writer was faster.
 */
import * as ContextHash from "@backstitch/contracts/ContextHash"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import type { Proposal } from "../decision/Proposal.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/**
 * Checks the required state and the context hash over it. If the hash has changed since the intent was first decided,
 * the intent is refused.
 */
export const context = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  about: {
    /** The tool or type first, then the other rules that apply to it. */
    readonly subjects: readonly [string, ...ReadonlyArray<string>]
    readonly action: JsonObject
    readonly command: { readonly proposal: Proposal; readonly context?: Digest | undefined }
  }
): { readonly checks: ReadonlyArray<Check.Check>; readonly hash: Digest | undefined } => {
  const advisory = about.command.proposal.dependsOn ?? []
  const [subject] = about.subjects
  const contract = TaskPack.governing(terms.pack, about.subjects)
  if (contract.hashSeeds.length + Object.keys(contract.required).length + advisory.length === 0) {
    return { checks: [], hash: undefined }
  }
  const computed = ContextHash.compute({
    type: subject,
    action: about.action as Json,
    contract,
    state,
    advisory
  })
  if (Result.isFailure(computed)) {
    return {
      checks: computed.failure.violations.map((issue) => required(subject, issue)),
      hash: undefined
    }
  }
  const { hash } = computed.success
  const before = about.command.context
  if (before !== undefined && before !== hash) {
    return {
      checks: [Check.fail("context", subject, "context.changed", {})],
      hash
    }
  }
  return { checks: [Check.pass("required_state", subject), Check.pass("context", subject)], hash }
}

const required = (subject: string, issue: ContextHash.ContractViolated["violations"][number]): Check.Check => {
  const { allowed = [], has = { type: "null" }, path, problem, wants } = issue
  if (problem === "advisory") return Check.fail("required_state", path, "dependency.not_allowed", { allowed })
  return problem === "missing" || wants === undefined
    ? Check.fail("required_state", path, "state.missing", {
        field: path,
        subject,
        ...(wants === undefined ? {} : { wants })
      })
    : Check.fail("required_state", path, "state.mismatch", { field: path, has, subject, wants })
}
