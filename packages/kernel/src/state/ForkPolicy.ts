/**
 * Policy that a fork adds to the pack from its tick on: conditions that refuse, and tools that are denied or need
 * an approval.
 *
 * A fork tries out a rule. Its policy is folded state, so a fork of the fork inherits it, and the pack stays as
 * it was signed. Policy can only be added: it permits nothing that the pack refuses.
 *
 * @source Dendrer, sections 4.1 and 4.5
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Expression from "@backstitch/expressions/Expression"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as Fork from "@backstitch/version-control/Fork"
import * as Result from "effect/Result"
import * as Check from "../payload/Check.ts"
import type * as Payload from "../payload/Payload.ts"
import * as ExpressionScope from "./ExpressionScope.ts"

/** The policy that forks have added. */
export interface ForkPolicy extends JsonObject {
  readonly refuseIf: ReadonlyArray<string>
  readonly tools: JsonObject
}

/** The part of the fold that keeps the policy of forks. */
export const part: Part.Part<ForkPolicy> = Part.make<ForkPolicy, typeof Payload.payloads>("forkPolicy", {
  version: 1,
  init: { refuseIf: [], tools: {} },
  on: {
    "run.fork": (self, { body }) => {
      const { policy, toolPolicy } = body.data
      if (policy === undefined && toolPolicy === undefined) return self
      return {
        refuseIf: [...self.refuseIf, ...(typeof policy === "string" ? [policy] : (policy ?? []))],
        tools: { ...self.tools, ...toolPolicy }
      }
    }
  }
})

/** Reads an expression of a fork's policy, or lists its mistakes. */
export const compile = (
  source: string,
  engine: string = Expression.engine
): Result.Result<Expression.Expression, Expression.ExpressionInvalid> =>
  Expression.compile(source, {
    engine,
    names: { args: "any", clause: "any", kernel: "any", state: "any", tool: "any", working: "any", world: "any" },
    expects: "bool"
  })

/**
 * The reason for which a rule is no policy of a fork.
 *
 * **Details**
 *
 * - `expression_invalid`: the condition cannot be read.
 * - `judges_nothing`: a condition is asked about calls alone, and the pack has no tools, or the condition names a type
 *   of transition as if it were a tool.
 * - `rule_unreadable`: the rule is not `TOOL=deny` or `TOOL=approve`.
 * - `tool_unknown`: the pack has no such tool; `tools` is empty if the run has no pack.
 */
export type PolicyFault =
  | { readonly code: "expression_invalid"; readonly invalid: Expression.ExpressionInvalid }
  | { readonly code: "judges_nothing"; readonly type?: string }
  | { readonly code: "rule_unreadable" }
  | { readonly code: "tool_unknown"; readonly tool: string; readonly tools: ReadonlyArray<string> }

/**
 * Reads the rules that people ask for: conditions, and `TOOL=deny` or `TOOL=approve`. The failure names a rule that
 * the kernel would not understand, and the reason.
 */
export const read = (
  pack: TaskPack.TaskPack | undefined,
  { policy, toolPolicy }: { readonly policy: ReadonlyArray<string>; readonly toolPolicy: ReadonlyArray<string> }
): Result.Result<
  Pick<Fork.Changes, "policy" | "toolPolicy">,
  { readonly rule: string; readonly problem: PolicyFault }
> => {
  const fail = (rule: string, problem: PolicyFault) => Result.fail({ rule, problem })
  for (const rule of policy) {
    const compiled = compile(rule)
    if (Result.isFailure(compiled)) return fail(rule, { code: "expression_invalid", invalid: compiled.failure })
    const type = [...rule.matchAll(/\btool\s*==\s*(["'])(.*?)\1/g)].map(([, , name = ""]) => name).find(Ontology.isType)
    // A pack may call a tool by the name of a type.
    if (type !== undefined && !TaskPack.tool(pack, type).known) return fail(rule, { code: "judges_nothing", type })
    if (pack !== undefined && Object.keys(pack.tools).length === 0) return fail(rule, { code: "judges_nothing" })
  }
  const tools: { [tool: string]: string } = {}
  for (const rule of toolPolicy) {
    const [, tool = "", word = ""] = /^\s*([^=]+?)\s*=\s*(deny|approve)\s*$/.exec(rule) ?? []
    if (tool === "") return fail(rule, { code: "rule_unreadable" })
    if (!TaskPack.tool(pack, tool).known) {
      return fail(rule, { code: "tool_unknown", tool, tools: Object.keys(pack?.tools ?? {}) })
    }
    tools[tool] = word
  }
  return Result.succeed({
    ...(policy.length === 0 ? {} : { policy }),
    ...(toolPolicy.length === 0 ? {} : { toolPolicy: tools })
  })
}

/** Checks an intent against the policy of forks. An expression that cannot be evaluated refuses the intent. */
export const checks = (
  state: State,
  about: { readonly tool: string; readonly args: Json }
): ReadonlyArray<Check.Check> => {
  const { refuseIf, tools } = Part.get(part, state)
  const found: Array<Check.Check> = []
  // Most runs have no such policy, and building a scope copies state.
  const scope =
    refuseIf.length === 0 ? {} : { ...ExpressionScope.bindings(state, { args: about.args }), tool: about.tool }
  for (const source of refuseIf) {
    const expression = compile(source, PackInForce.engineOf(PackInForce.of(state)))
    const held = Result.isSuccess(expression) ? Expression.test(expression.success, scope) : undefined
    const refused = held === undefined || Result.isFailure(held) || held.success
    found.push(
      refused
        ? Check.fail(
            "policy",
            source,
            held === undefined || Result.isFailure(held) ? "fork.unanswered" : "fork.refuses",
            {}
          )
        : Check.pass("policy", source)
    )
  }
  if (tools[about.tool] === "deny") {
    found.push(Check.fail("policy", `tool.${about.tool}`, "fork.denies", { tool: about.tool }))
  }
  return found
}

/** Tells whether the policy of a fork requires an approval for a tool. */
export const asks = (state: State, tool: string): boolean => Part.get(part, state).tools[tool] === "approve"
