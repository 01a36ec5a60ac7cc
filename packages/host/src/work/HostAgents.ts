/**
 * The agents that a host has by configuration, each with its pack, its planner and its tools.
 *
 * A run is given to an agent by name, never by a path: what a host can run is decided by its operator. All agents are
 * loaded when the host starts, so that a wrong one is found before any run is begun.
 */
import type * as Kernel from "@backstitch/kernel/Kernel"
import type * as SnapshotDial from "@backstitch/ledger/SnapshotDial"
import * as AgentCheck from "@backstitch/runtime/AgentCheck"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as Planner from "@backstitch/runtime/Planner"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Tenant } from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** Error for an agent that a host does not have. */
export class AgentUnknown extends Schema.TaggedError<AgentUnknown>("@backstitch/host/AgentUnknown")("AgentUnknown", {
  agent: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const known = this.known.length === 0 ? "It has none" : `It has ${this.known.join(", ")}`
    return `This host has no agent "${this.agent}". ${known}. Agents are added by its configuration`
  }
}

/** Error for a tenant whose secret, from which keys of actions are derived, is not at hand. */
export class SecretMissing extends Schema.TaggedError<SecretMissing>("@backstitch/host/SecretMissing")(
  "SecretMissing",
  { tenant: Schema.String, why: Schema.String }
) {
  override get message(): string {
    return `Tenant ${this.tenant} has no secret here: ${this.why}. Without it no action of its runs can be carried out`
  }
}

/**
 * The configuration of a host's agents.
 *
 * **Details**
 *
 * An agent is the path of its module, or one that is loaded already. `secretOf` answers the secret of a tenant from
 * which keys are derived; an empty one is for runs that derive no key.
 */
export interface Settings {
  readonly agents: { readonly [name: string]: string | AgentFile.AgentFile }
  readonly secretOf: (tenant: Tenant) => Effect.Effect<string, SecretMissing>
  readonly kernel?: Kernel.Kernel | undefined
  readonly snapshots?: SnapshotDial.SnapshotDial | undefined
}

/** The services with which an agent acts on a run. */
export type Acting = Coordinator.Coordinator | Planner.Planner | ToolExecutor.ToolExecutor

/** The services over a store with which coordinators are made. */
type Stored = Exclude<Effect.Services<ReturnType<typeof Coordinator.make>>, ToolExecutor.ToolExecutor>

/** Errors of giving an agent its services. */
export type ActingError = AgentUnknown | SecretMissing

/** The agents of a host. */
export interface HostAgents {
  readonly names: ReadonlyArray<string>
  /** Finds an agent by its name. */
  readonly find: (name: string) => Effect.Effect<AgentFile.AgentFile, AgentUnknown>
  /** Carries out an effect as an agent of a tenant. Each time the planner is a new one. */
  readonly as: (
    name: string,
    tenant: Tenant
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ActingError, Exclude<R, Acting>>
  /** Carries out an effect in which no agent has a part: it decides, and calls no tool. */
  readonly asNone: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, Exclude<R, Coordinator.Coordinator | ToolExecutor.ToolExecutor>>
}

/** Loads the agents, and fails with the first that cannot be. */
export const make = Effect.fnUntraced(function* ({ agents, kernel, secretOf, snapshots }: Settings) {
  const files = new Map<string, AgentFile.AgentFile>()
  for (const [name, agent] of Object.entries(agents)) {
    files.set(name, typeof agent === "string" ? yield* AgentFile.load(agent, { undeclared: "permit" }) : agent)
  }
  const executors = new Map<string, Context.Context<ToolExecutor.ToolExecutor>>()
  for (const [name, { executor }] of files) executors.set(name, yield* Layer.build(executor))
  const services = yield* Effect.context<Stored>()
  const deciding = yield* Layer.build(Coordinator.layerDeciding(kernel))
  const coordinators = new Map<string, Coordinator.Coordinator["Service"]>()

  const find = (name: string) =>
    Effect.suspend(() => {
      const file = files.get(name)
      return file === undefined
        ? Effect.fail(new AgentUnknown({ agent: name, known: [...files.keys()] }))
        : Effect.succeed(file)
    })

  const coordinatorOf = Effect.fnUntraced(function* (name: string, tenant: Tenant) {
    const key = JSON.stringify([name, tenant])
    const known = coordinators.get(key)
    if (known !== undefined) return known
    const secret = yield* secretOf(tenant)
    const context = Context.merge(services, executors.get(name)!)
    const made = yield* Effect.provideContext(Coordinator.make({ kernel, secret, snapshots }), context)
    coordinators.set(key, made)
    return made
  })

  const found: HostAgents = {
    names: [...files.keys()],
    find,
    as: (name, tenant) => (effect) =>
      Effect.gen(function* () {
        const file = yield* find(name)
        const coordinator = yield* coordinatorOf(name, tenant)
        return yield* effect.pipe(
          Effect.provideService(Coordinator.Coordinator, coordinator),
          Effect.provideContext(executors.get(name)!),
          Effect.provide(file.roles === undefined ? file.planner : Layer.merge(file.planner, file.roles), {
            local: true
          })
        )
      }) as never,
    asNone: Effect.provideContext(deciding)
  }
  return found
})

/** Lists what does not fit between an agent and its pack, if all of the pack is to be enforced. */
export const unfit = ({ agent, pack }: AgentFile.AgentFile): ReadonlyArray<string> =>
  AgentCheck.problems(agent, pack, { undeclared: "refuse" })
