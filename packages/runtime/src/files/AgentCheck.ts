/**
 * Checks the code of an agent against its pack, before anything begins.
 *
 * A contract says how each tool is verified, asked and undone. Without this check, a function that the code lacks
 * would show only as a timeout: after the effect was sent, when nobody could ask about it.
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Topology from "@backstitch/contracts/Topology"
import * as NearestName from "@backstitch/expressions/NearestName"
import type * as Agent from "../agent/Agent.ts"
import type * as Planner from "../ports/Planner.ts"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as Roles from "../topology/Roles.ts"

/**
 * Lists the differences between the code of an agent and its pack; empty if there are none.
 *
 * **Details**
 *
 * If a pack is enforced in stages, tools that it does not declare yet are permitted: they need only code.
 */
export const problems = (
  { roles, steps = [], tools }: Pick<Agent.Agent, "roles" | "steps" | "tools">,
  pack: TaskPack.TaskPack,
  options: { readonly undeclared?: "permit" | "refuse" | undefined } = {}
): ReadonlyArray<string> => [
  ...repeated(steps),
  ...(roles === undefined || pack.topology === undefined ? [] : unplayed(roles, pack.topology)),
  ...(options.undeclared === "permit" ? steps.flatMap((step, index) => unbound(step, index, tools)) : []),
  ...(options.undeclared === "permit" ? [] : steps.flatMap((step, index) => undeclared(step, index, pack))),
  ...(options.undeclared === "permit" ? [] : Object.keys(tools))
    .filter((name) => !Object.hasOwn(pack.tools, name))
    .map((name) => `\`tools.${name}\` is no tool of the pack${meant(name, Object.keys(pack.tools))}`),
  ...Object.values(pack.tools).flatMap((contract) =>
    missing(contract, Object.hasOwn(tools, contract.name) ? tools[contract.name] : undefined)
  )
]

/** Each role of the topology is played by a function, and each function plays a role, except workers of a boss. */
const unplayed = (roles: object, topology: Topology.Topology): ReadonlyArray<string> => {
  const needed = Roles.needed(topology)
  return [
    ...needed
      .filter((role) => !Object.hasOwn(roles, role))
      .map((role) => `\`roles.${role}\` is missing: the pack declares the topology ${topology.kind}`),
    ...Object.keys(roles)
      .filter((role) => !needed.includes(role) && topology.kind !== "orchestrator")
      .map((role) => `\`roles.${role}\` is no role of the topology ${topology.kind}${meant(role, needed)}`)
  ]
}

/** A step is identified by its id. A second step with the same id would count as carried out already. */
const repeated = (steps: ReadonlyArray<Planner.ScriptStep>): ReadonlyArray<string> =>
  steps.flatMap(({ id }, index) => {
    const first = steps.findIndex((step) => step.id === id)
    return first === index
      ? []
      : [`\`steps[${index}].id\` is ${JSON.stringify(id)}, as that of \`steps[${first}]\`: it would never be proposed`]
  })

/** A written step names its tool. A step that is a function is asked when its turn comes. */
const toolOf = ({ propose }: Planner.ScriptStep): string | undefined =>
  typeof propose === "function" ? undefined : propose.tool

const undeclared = (step: Planner.ScriptStep, index: number, pack: TaskPack.TaskPack): ReadonlyArray<string> => {
  const [name, known] = [toolOf(step), Object.keys(pack.tools)]
  if (name === undefined || known.includes(name)) return []
  return [`\`steps[${index}]\` proposes ${name}, which is no tool of the pack${meant(name, known)}`]
}

/** A missing tool that the pack declares is reported with the tools of the pack. */
const unbound = (step: Planner.ScriptStep, index: number, tools: ToolExecutor.Tools): ReadonlyArray<string> => {
  const [name, known] = [toolOf(step), Object.keys(tools)]
  if (name === undefined || known.includes(name)) return []
  return [`\`steps[${index}]\` proposes ${name}, for which there is no code${meant(name, known)}`]
}

const missing = (
  { name, readback, status, transaction }: ToolContract.ToolContract,
  tool: ToolExecutor.Tool | undefined
): ReadonlyArray<string> => {
  if (tool === undefined) return [`\`tools.${name}\` is missing: the pack declares the tool`]
  const lacks = (part: string, promise: string) => `\`tools.${name}.${part}\` is missing: the contract says ${promise}`
  return [
    ...(transaction === "local" && typeof tool.open !== "function" ? [lacks("open", "`transaction: local`")] : []),
    ...(status === "by_key" && typeof tool.status !== "function" ? [lacks("status", "`status: by_key`")] : []),
    ...(readback !== undefined && typeof tool.readback !== "function"
      ? [lacks("readback", `that it is read back from ${readback.source}`)]
      : []),
    ...(readback?.sources ?? [])
      .filter(({ source }) => typeof tool.sources?.[source] !== "function")
      .map(({ source }) => lacks(`sources.${source}`, `that ${source} has to agree`))
  ]
}

const meant = (name: string, known: ReadonlyArray<string>): string => {
  const near = NearestName.nearest(name, known)
  return near === undefined ? "" : `. Did you mean ${near}?`
}
