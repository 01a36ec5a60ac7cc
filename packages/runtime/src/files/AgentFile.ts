/**
 * Agents from files: a module whose default export is an agent, and the pack that it names.
 *
 * The functions of a pack do not run as a module, but a planner and its tools do: their module is imported, and may
 * import any other.
 */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Enforcement from "@backstitch/kernel/Enforcement"
import * as Proposal from "@backstitch/kernel/Proposal"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Agent from "../agent/Agent.ts"
import * as Planner from "../ports/Planner.ts"
import * as ToolExecutor from "../ports/ToolExecutor.ts"
import * as Roles from "../topology/Roles.ts"
import * as TopologyCheck from "../topology/TopologyCheck.ts"
import * as AgentCheck from "./AgentCheck.ts"
import * as PackFile from "./PackFile.ts"

/** Error for a module that cannot be imported. */
export class AgentUnreadable extends Schema.TaggedError<AgentUnreadable>("@backstitch/runtime/AgentUnreadable")(
  "AgentUnreadable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `The agent ${this.file} cannot be loaded: ${this.problem}. Correct it, or name another module`
  }
}

/** Error for a module whose default export is no agent, with all that is missing. */
export class AgentInvalid extends Schema.TaggedError<AgentInvalid>("@backstitch/runtime/AgentInvalid")("AgentInvalid", {
  file: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The default export of ${this.file} is no agent: ${this.problems.join("; ")}`
  }
}

/** Error for an agent whose code does not fit its pack, with every difference. */
export class AgentUnfit extends Schema.TaggedError<AgentUnfit>("@backstitch/runtime/AgentUnfit")("AgentUnfit", {
  file: Schema.String,
  pack: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const lines = this.problems.map((problem) => `  ${problem}`).join("\n")
    return `The agent ${this.file} does not fit its pack ${this.pack}. Nothing was begun\n${lines}`
  }
}

/** Error for an agent that cannot work in a topology: its pack declares another one, or nothing would see its crack. */
export class TopologyUnfit extends Schema.TaggedError<TopologyUnfit>("@backstitch/runtime/TopologyUnfit")(
  "TopologyUnfit",
  { pack: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `The pack ${this.pack} ${this.problem}. Nothing was begun`
  }
}

/** An agent that is ready to run. `roles` is there if it works in a topology of several agents. */
export interface AgentFile {
  readonly agent: Agent.Agent
  readonly pack: TaskPack.TaskPack
  readonly planner: Layer.Layer<Planner.Planner>
  readonly roles?: Layer.Layer<Roles.Roles> | undefined
  readonly executor: Layer.Layer<ToolExecutor.ToolExecutor>
}

/** Names of the agents that work together in the runs of an agent; none if it works alone. */
export const agents = ({ pack: { topology }, roles }: AgentFile): ReadonlyArray<string> =>
  topology === undefined || roles === undefined ? [] : Roles.agents(topology)

/** Options of a load. `undeclared` says whether the agent may have tools that its pack does not declare. */
export type Options = TaskPack.FunctionTreatment & {
  /**
   * With `given`, another planner works in place of the agent's own, which it then need not have; an agent with roles
   * has no place for one. With `reads`, it only reads the words of a user.
   */
  readonly planner?: "given" | "own" | "reads" | undefined
  readonly undeclared?: "permit" | "refuse" | undefined
  /** Path of another pack, in place of the one that the agent names: a canary, for example. */
  readonly pack?: string | undefined
  /** The topology in which the agent is to work. By default it is the one that its pack declares, if there is any. */
  readonly topology?: Topology.TopologyKind | undefined
}

/**
 * Options for an agent whose run begins at a stage. Unless all of a pack is enforced, it need not declare every tool,
 * and impure functions are only named. `isMixed` says that some tools or types have a stage of their own.
 */
export const beginning = (stage: (typeof Enforcement.stages)[number], isMixed: boolean): Options => ({
  impure: stage === "full" ? "refuse" : "keep",
  undeclared: stage === "full" && !isMixed ? "refuse" : "permit"
})

/**
 * Imports an agent, loads its pack, and checks one against the other. Impure functions of the pack are kept, unless
 * they are to be refused: an existing run pins them, and a run that begins at an early stage names them.
 */
export const load = Effect.fn("AgentFile.load")(function* (file: string, options: Options = {}) {
  const path = resolve(file)
  const stat = yield* Effect.try({
    try: () => statSync(path, { throwIfNoEntry: false }),
    catch: unreadable(file)
  })
  if (stat === undefined) return yield* new AgentUnreadable({ file, problem: "there is no such file" })
  if (stat.isDirectory()) return yield* new AgentUnreadable({ file, problem: "it is a folder. Name a module in it" })
  const module = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(path).href) as Promise<{ readonly default?: unknown }>,
    catch: unreadable(file)
  })
  const problems = yield* Effect.try({
    try: () => problemsOf(module.default, options.planner),
    catch: unreadable(file)
  })
  if (problems.length > 0) return yield* new AgentInvalid({ file, problems })
  const agent = module.default as Agent.Agent
  const { impure = "keep" } = options
  const pack = yield* PackFile.load(options.pack ?? resolve(dirname(path), agent.pack), { impure })
  const misfit = TopologyCheck.problem(pack.topology, { asked: options.topology, hasRoles: agent.roles !== undefined })
  if (misfit !== undefined) return yield* new TopologyUnfit({ pack: `${pack.id} ${pack.version}`, problem: misfit })
  const unfit = AgentCheck.problems(agent, pack, options)
  if (unfit.length > 0) return yield* new AgentUnfit({ file, pack: `${pack.id} ${pack.version}`, problems: unfit })
  const { fallback, next, roles, steps = [] } = agent
  const planner = next === undefined ? Planner.layerScript(steps) : Planner.layerFrom(next)
  const loaded: AgentFile = {
    agent,
    pack,
    planner: fallback === undefined ? planner : Planner.withFallback(planner, fallback),
    ...(roles === undefined ? {} : { roles: Roles.layerFrom(roles) }),
    executor: ToolExecutor.layerFrom(agent.tools)
  }
  return loaded
})

const unreadable = (file: string) => (cause: unknown) =>
  new AgentUnreadable({ file, problem: cause instanceof Error ? cause.message : String(cause) })

const problemsOf = (value: unknown, planner: Options["planner"] = "own"): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return ["export default { pack, goal, steps, tools }"]
  const { fallback, goal, next, pack, roles, steps, tools } = value as { readonly [name: string]: unknown }
  return [
    ...(typeof pack === "string" ? [] : ["`pack` must be the path of its pack"]),
    ...(typeof goal === "string" ? [] : ["`goal` must be text"]),
    ...(planner !== "own" || typeof next === "function" || Array.isArray(steps) || roles !== undefined
      ? []
      : ["it needs `steps`, a script, or `next`, a function that proposes, or `roles` of a topology"]),
    ...(fallback === undefined || typeof fallback === "function"
      ? []
      : ["`fallback` must be a function that proposes"]),
    ...problemsOfRoles(roles),
    ...(roles === undefined ? [] : idlePlanners({ next, steps, fallback })),
    ...(roles !== undefined && planner === "given" ? ["its `roles` work, and no model is asked: name no model"] : []),
    ...(Array.isArray(steps) ? steps.flatMap(problemsOfStep) : []),
    ...(typeof tools === "object" && tools !== null
      ? Object.entries(tools).flatMap(([name, tool]) => problemsOfTool(name, tool))
      : ["`tools` must hold the tools by name"])
  ]
}

const problemsOfRoles = (roles: unknown): ReadonlyArray<string> => {
  if (roles === undefined) return []
  if (typeof roles !== "object" || roles === null) return ["`roles` must hold functions by name"]
  return Object.entries(roles).flatMap(([name, role]) =>
    typeof role === "function" ? [] : [`\`roles.${name}\` must be a function`]
  )
}

/** Roles work in the place of a planner, so nobody would ask one that stands beside them. */
const idlePlanners = (planners: { readonly [name: string]: unknown }): ReadonlyArray<string> =>
  Object.entries(planners).flatMap(([name, planner]) =>
    planner === undefined ? [] : [`\`${name}\` would not be asked, because \`roles\` work in its place: leave one out`]
  )

const problemsOfStep = (step: unknown, index: number): ReadonlyArray<string> => {
  const { id, propose } = (typeof step === "object" && step !== null ? step : {}) as {
    readonly [name: string]: unknown
  }
  return [
    ...(typeof id === "string" && id !== "" ? [] : [`\`steps[${index}].id\` must be text that names the step`]),
    ...(typeof propose === "function" ? [] : problemsOfProposal(propose, `steps[${index}].propose`))
  ]
}

/** A written proposal is checked before anything begins. */
const problemsOfProposal = (given: unknown, at: string): ReadonlyArray<string> => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return [`\`${at}\` must be a proposal, or a function that answers one`]
  }
  const { detail, why } = Proposal.misfitAlone(given) ?? {}
  return why === undefined ? [] : [`\`${at}.${why.args["path"]}\`: ${detail}`]
}

const problemsOfTool = (name: string, tool: unknown): ReadonlyArray<string> => {
  const { execute } = (typeof tool === "object" && tool !== null ? tool : {}) as { readonly [name: string]: unknown }
  return typeof execute === "function" ? [] : [`\`tools.${name}.execute\` must be a function`]
}
