/**
 * The agents that a host has by configuration, each with its pack, its planner and its tools.
 *
 * A run is given to an agent by name, never by a path: what a host can run is decided by its operator. All agents are
 * loaded when the host starts, so that a wrong one is found before any run is begun.
 */
import type * as Kernel from "@backstitch/kernel/Kernel"
import type * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as AgentCheck from "@backstitch/runtime/AgentCheck"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"

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
  /** The coordinator of an agent, for a tenant, over the store at hand. */
  readonly coordinatorOf: (
    name: string,
    tenant: Tenant
  ) => Effect.Effect<Coordinator.Coordinator["Service"], ActingError, Stored>
  /** Carries out an effect as an agent of a tenant, over the store at hand. Each time the planner is a new one. */
  readonly as: (
    name: string,
    tenant: Tenant
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ActingError, Exclude<R, Acting> | Stored>
  /** Carries out an effect as an agent whose coordinator is given. */
  readonly by: (
    name: string,
    coordinator: Coordinator.Coordinator["Service"]
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | AgentUnknown, Exclude<R, Acting>>
  /** Carries out an effect in which no agent has a part: it decides over the store at hand, and calls no tool. */
  readonly asNone: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, Exclude<R, Coordinator.Coordinator | ToolExecutor.ToolExecutor> | Stored>
}

/** The part of a host's surroundings in which executors are built: it reaches no store. */
const plain: (around: Context.Context<never>) => Context.Context<never> = Context.pick(
  Clock.Clock,
  ConfigProvider.ConfigProvider,
  Logger.CurrentLoggers,
  References.MinimumLogLevel,
  Tracer.Tracer
)

/**
 * Builds the executor of an agent without the services of the host, which see more than one tenant, and which tools
 * could keep. When it is called it finds those of the run.
 */
const built = Effect.fnUntraced(function* ({ executor }: AgentFile.AgentFile) {
  const scope = yield* Effect.scope
  return yield* Effect.updateContext(Layer.buildWithScope(executor, scope), plain)
})

/** Loads the agents, and fails with the first that cannot be. */
export const make = Effect.fnUntraced(function* ({ agents, kernel, secretOf, snapshots }: Settings) {
  const files = new Map<string, AgentFile.AgentFile>()
  for (const [name, agent] of Object.entries(agents)) {
    files.set(name, typeof agent === "string" ? yield* AgentFile.load(agent, { undeclared: "permit" }) : agent)
  }
  const executors = new Map<string, Context.Context<ToolExecutor.ToolExecutor>>()
  for (const [name, file] of files) executors.set(name, yield* built(file))
  const none = yield* Layer.build(ToolExecutor.layerFrom({}))
  /** By store. Each store of a tenant has coordinators of its own, which go with it. */
  const coordinators = new WeakMap<TraceStore.TraceStore["Service"], Map<string, Coordinator.Coordinator["Service"]>>()

  const find = (name: string) =>
    Effect.suspend(() => {
      const file = files.get(name)
      return file === undefined
        ? Effect.fail(new AgentUnknown({ agent: name, known: [...files.keys()] }))
        : Effect.succeed(file)
    })

  /** Makes a coordinator over the store at hand, unless it was. */
  const made = Effect.fnUntraced(function* <E, R>(
    key: string,
    make: Effect.Effect<Coordinator.Coordinator["Service"], E, R>
  ) {
    const store = yield* TraceStore.TraceStore
    const ofStore = coordinators.get(store) ?? new Map<string, Coordinator.Coordinator["Service"]>()
    coordinators.set(store, ofStore)
    const known = ofStore.get(key)
    if (known !== undefined) return known
    const coordinator = yield* make
    // Another request may have made one meanwhile, and all have the same.
    const first = ofStore.get(key) ?? coordinator
    ofStore.set(key, first)
    return first
  })

  const coordinatorOf = Effect.fnUntraced(function* (name: string, tenant: Tenant) {
    yield* find(name)
    const make = Effect.flatMap(secretOf(tenant), (secret) => Coordinator.make({ kernel, secret, snapshots }))
    return yield* made(JSON.stringify([name, tenant]), Effect.provideContext(make, executors.get(name)!))
  })

  const by: HostAgents["by"] = (name, coordinator) => (effect) =>
    Effect.flatMap(find(name), ({ planner, roles }) =>
      effect.pipe(
        Effect.provideService(Coordinator.Coordinator, coordinator),
        Effect.provideContext(executors.get(name)!),
        Effect.provide(roles === undefined ? planner : Layer.merge(planner, roles), { local: true })
      )
    ) as never

  const deciding = Effect.provideContext(made("none", Coordinator.make({ kernel, secret: "" })), none)

  const found: HostAgents = {
    names: [...files.keys()],
    find,
    coordinatorOf,
    as: (name, tenant) => (effect) =>
      Effect.flatMap(coordinatorOf(name, tenant), (coordinator) => by(name, coordinator)(effect)),
    by,
    asNone: (effect) =>
      Effect.flatMap(deciding, (coordinator) =>
        Effect.provideContext(effect, Context.add(none, Coordinator.Coordinator, coordinator))
      )
  }
  return found
})

/** Lists what does not fit between an agent and its pack, if all of the pack is to be enforced. */
export const unfit = ({ agent, pack }: AgentFile.AgentFile): ReadonlyArray<string> =>
  AgentCheck.problems(agent, pack, { undeclared: "refuse" })
