/**
 * A contract with one more rule, for a fork that goes on under a stricter policy or with other tools.
 *
 * A rule that a fork adds is a rule of its contract like any other: it is in
 * the digest that the fork pins, it travels with the trace, and the kernel
 * needs nothing else to enforce it.
 *
 * @source seed 5, section 4.1
 * @since 0.1.0
 */
import type { Definition } from "@backstitch/contracts/Definition"
import * as Expression from "@backstitch/contracts/Expression"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Rules that a fork adds. `policy` holds expressions that every tool call has to satisfy; `toolPolicy` holds
 * `TOOL=deny`, `TOOL=ask` or `TOOL=allow`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rules {
  readonly policy: ReadonlyArray<string>
  readonly toolPolicy: ReadonlyArray<string>
}

/**
 * Error for a rule that cannot be added, with what could be.
 *
 * @category errors
 * @since 0.1.0
 */
export class RuleInvalid extends Schema.TaggedError<RuleInvalid>("@backstitch/runtime/RuleInvalid")("RuleInvalid", {
  rule: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The rule "${this.rule}" cannot be added to the contract: ${this.problem}`
  }
}

/**
 * Adds rules to a contract.
 *
 * **Details**
 *
 * A policy becomes a guard on the tools whose arguments it names, or on all of them when it names none.
 *
 * @category combinators
 * @since 0.1.0
 */
export const make = (
  pack: TaskPack.TaskPack,
  rules: Rules
): Result.Result<TaskPack.TaskPack, RuleInvalid | TaskPack.PackInvalid> => {
  if (rules.policy.length + rules.toolPolicy.length === 0) return Result.succeed(pack)
  let definition = pack.definition as Definition
  for (const rule of rules.policy) {
    const subjects = subjectsOf(pack, rule)
    if (Result.isFailure(subjects)) return Result.fail(subjects.failure)
    definition = withGuard(definition, { id: "policy", on: subjects.success, refuse_if: `!(${rule})` })
  }
  for (const rule of rules.toolPolicy) {
    const changed = withToolRule(pack, definition, rule)
    if (Result.isFailure(changed)) return Result.fail(changed.failure)
    definition = changed.success
  }
  return TaskPack.make(definition, { file: `the contract ${pack.id} with the rules of the fork` })
}

type Guard = NonNullable<Definition["guards"]>[number]

/** The tools that have every argument which a policy names. */
const subjectsOf = (
  pack: TaskPack.TaskPack,
  rule: string
): Result.Result<string | ReadonlyArray<string>, RuleInvalid> => {
  const compiled = Expression.compile(rule, { names: anything })
  if (Result.isFailure(compiled)) {
    return Result.fail(new RuleInvalid({ rule, problem: compiled.failure.message }))
  }
  const named = compiled.success.reads.filter((path) => path.startsWith("args.")).map((path) => path.split(".")[1]!)
  if (named.length === 0) return Result.succeed("action.request")
  const tools = Object.values(pack.tools).filter(({ input }) => named.every((name) => Object.hasOwn(input, name)))
  if (tools.length > 0) return Result.succeed(tools.map((tool) => tool.name))
  const problem = `no tool of ${pack.id} has the arguments ${named.join(", ")}`
  return Result.fail(new RuleInvalid({ rule, problem }))
}

const anything: Expression.Names = {
  args: "any",
  clause: "any",
  kernel: "any",
  state: "any",
  working: "any",
  world: "any"
}

const withToolRule = (
  pack: TaskPack.TaskPack,
  definition: Definition,
  rule: string
): Result.Result<Definition, RuleInvalid> => {
  const [, tool = "", word = ""] = /^\s*([^=]+?)\s*=\s*(\w+)\s*$/.exec(rule) ?? []
  if (!Object.hasOwn(pack.tools, tool)) {
    const problem = tool === "" ? "it is not written TOOL=deny, TOOL=ask or TOOL=allow" : `there is no tool ${tool}`
    const tools = Object.keys(pack.tools).join(", ")
    return Result.fail(new RuleInvalid({ rule, problem: `${problem}. The tools are ${tools}` }))
  }
  const guards = (definition.guards ?? []).filter(({ id }) => !id.startsWith(`deny_${tool}`))
  const { [tool]: _, ...approvals } = definition.approvals ?? {}
  switch (word) {
    case "deny":
      return Result.succeed(withGuard({ ...definition, guards }, { id: `deny_${tool}`, on: tool, refuse_if: "true" }))
    case "ask":
      return Result.succeed({ ...definition, guards, approvals: { ...approvals, [tool]: { by: ["operator"] } } })
    case "allow":
      return Result.succeed({ ...definition, guards, approvals })
    default:
      return Result.fail(new RuleInvalid({ rule, problem: `"${word}" is not one of deny, ask and allow` }))
  }
}

/** A fork of a fork may add to what its parent added. */
const withGuard = (definition: Definition, guard: Guard): Definition => {
  const guards = definition.guards ?? []
  let id = `fork_${guard.id}`
  for (let index = 2; guards.some((known) => known.id === id); index++) id = `fork_${guard.id}_${index}`
  return { ...definition, guards: [...guards, { ...guard, id }] }
}
