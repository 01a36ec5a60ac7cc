/**
 * The topology in which agents work together, and the first failure to watch for in each.
 *
 * @source Crash Recovery, six topologies and their first cracks
 */

/** The topologies that have their own detector. */
export const kinds = ["react", "orchestrator", "pipeline", "plan_execute", "debate", "hierarchical"] as const

/** One of these topologies. */
export type TopologyKind = (typeof kinds)[number]

/**
 * Roles of each topology. A pipeline has its stages beside them, and a boss may order workers by other names. A loop of
 * one agent has a planner, and no roles.
 */
export const roles: { readonly [K in TopologyKind]: ReadonlyArray<string> } = {
  react: [],
  orchestrator: ["boss", "worker"],
  pipeline: ["judge"],
  plan_execute: ["planner", "executor", "world"],
  debate: ["drafter", "critic", "judge"],
  hierarchical: ["root", "boss", "leaf"]
}

/** The ways on after a step of a plan failed. */
export const onFailures = ["replan", "skip", "stop"] as const

/** One of these ways. */
export type OnFailure = (typeof onFailures)[number]

/** The topology of a pack's runs, with the limits of its detectors. */
export interface Topology {
  readonly kind: TopologyKind
  /** Agents by role. */
  readonly agents: Readonly<Record<string, string>>
  /** Stages or agents in order, if the topology has one. */
  readonly order: ReadonlyArray<string>
  readonly stepsMax?: number
  /** Ticks after which a snapshot is kept. */
  readonly checkpointTicks?: number
  readonly roundsMax?: number
  readonly silenceMillis?: number
  readonly planMillis?: number
  readonly queueMax?: number
  /** Tools that have to have answered well before the goal may be called reached. */
  readonly checklist?: ReadonlyArray<string>
  /** The way on after a step of a plan failed: a new plan, the next step, or the end. */
  readonly onFailure?: OnFailure
  /** If `true`, an alarm holds the run until a person has written to it (`on_alarm: hold`). */
  readonly holds?: boolean
}

/** The name of the agent that plays a role: the role itself, unless the topology gives it one. */
export const agentOf = ({ agents }: Pick<Topology, "agents">, role: string): string =>
  Object.hasOwn(agents, role) ? (agents[role] ?? role) : role
