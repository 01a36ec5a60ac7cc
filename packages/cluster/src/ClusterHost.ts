/**
 * Hosts runs on the nodes of a cluster: each run on one node at a time, and on another one if that dies or leaves.
 *
 * Effect Cluster decides which node works on which run and who takes over, and delivers each message until it is
 * answered. There is no scheduler, queue or election here. Each node has the same agents.
 */
import * as AgentLack from "@backstitch/host/AgentLack"
import * as Assignments from "@backstitch/host/Assignments"
import * as HostAgents from "@backstitch/host/HostAgents"
import type * as HostedRun from "@backstitch/host/HostedRun"
import * as HostVerbs from "@backstitch/host/HostVerbs"
import * as HostLimits from "@backstitch/host/Limits"
import type * as ProcessHost from "@backstitch/host/ProcessHost"
import * as RunHost from "@backstitch/host/RunHost"
import * as TenantStores from "@backstitch/host/TenantStores"
import * as WebhookOutbox from "@backstitch/host/WebhookOutbox"
import * as WorkSlot from "@backstitch/host/WorkSlot"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Sharding from "effect/cluster/Sharding"
import * as Singleton from "effect/cluster/Singleton"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as HostedRunEntity from "./HostedRunEntity.ts"
import * as Limits from "./Limits.ts"

/** Creates the host of a node. It joins the cluster by the given layer, and leaves it when it is drained. */
export const make = Effect.fnUntraced(function* <E>(
  settings: ProcessHost.Settings,
  node: Layer.Layer<Sharding.Sharding, E>
) {
  const { leaveMillis = HostLimits.pacing.leaveMillis, runsMax = HostLimits.pacing.workedRunsMax } = settings
  const services = yield* Effect.context<ProcessHost.Services>()
  const stores = TenantStores.make(services, settings.storeOf)
  const agents = yield* HostAgents.make(settings)
  const slots = yield* WorkSlot.make(runsMax)
  const lacks = new Set<AgentLack.AgentLack>()
  const clients = yield* Deferred.make<Effect.Success<typeof HostedRunEntity.HostedRunEntity.client>>()

  const clientOf = (run: Run) => Effect.map(Deferred.await(clients), (client) => client(HostedRunEntity.idOf(run)))

  /** Has a run worked on. Answers once the message is stored. */
  const send = (assignment: Assignments.Assignment) =>
    Effect.flatMap(clientOf(assignment.run), (client) =>
      client.Tend(HostedRunEntity.tend(assignment), { discard: true })
    ).pipe(Effect.mapError(lost))

  const follow: HostedRun.Hosting["follow"] = (run, agent) =>
    Effect.flatMap(stores.within(run.tenant)(Assignments.assign(run, agent)), send)

  /** Sends a message about a run to the node that works on it, if that answers in time. */
  const told = <A>(
    run: Run,
    millis: number,
    message: (client: Effect.Success<ReturnType<typeof clientOf>>) => Effect.Effect<A, unknown>
  ): Effect.Effect<A | undefined> =>
    Effect.flatMap(clientOf(run), message).pipe(
      Effect.timeout(Duration.millis(millis)),
      Effect.orElseSucceed(() => undefined)
    )

  /** A crash may come between an assignment and its message: one node looks for such assignments from time to time. */
  const looking = Singleton.make(
    "backstitch/assignments",
    Effect.flatMap(Assignments.all, (open) => Effect.forEach(open, send, { discard: true })).pipe(
      // A message that cannot be stored is a fault of the store of the cluster, and so the same for those after it.
      Effect.ignore,
      Effect.repeat(Schedule.spaced(Duration.millis(Limits.pacing.assignmentLookMillis))),
      Effect.asVoid,
      Effect.provideContext(services)
    )
  )

  const delivering = Singleton.make(
    "backstitch/webhooks",
    Effect.provideContext(
      WebhookOutbox.delivering({ ...settings.webhooks, tenantSecretOf: settings.secretOf }, stores.within),
      services
    )
  )

  const scope = yield* Scope.make()
  const entities = HostedRunEntity.layer({ hosting: { agents, stores, slots, lacks, follow }, leaveMillis })
  const joined = yield* Layer.buildWithScope(
    Layer.provideMerge(Layer.mergeAll(entities, looking, delivering), node),
    scope
  ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  yield* Deferred.succeed(clients, yield* Effect.provideContext(HostedRunEntity.HostedRunEntity.client, joined))

  let isLeaving = false
  const drain = Effect.suspend(() => {
    isLeaving = true
    return Scope.close(scope, Exit.void)
  })
  yield* Effect.addFinalizer(() => drain)

  const taken = RunHost.unlessLeaving(() => isLeaving)
  const { askMillis } = Limits.pacing
  const leave = (run: Run) => told(run, leaveMillis + askMillis, (client) => client.Leave())
  const verbs = HostVerbs.make(agents)
  return RunHost.RunHost.of({
    start: (run, asked) => taken(Effect.flatMap(stores.within(run.tenant)(verbs.begin(run, asked)), send)),
    resume: (run, agent) =>
      taken(
        Effect.gen(function* () {
          const doing = yield* told(run, askMillis, (client) => client.Ask())
          yield* send(yield* verbs.assign(run, agent, typeof doing === "string"))
          yield* told(run, askMillis, (client) => client.Nudge())
        }).pipe(stores.within(run.tenant))
      ),
    cancel: (run, asked) =>
      taken(
        Effect.gen(function* () {
          const assignment = yield* verbs.opened(run)
          yield* leave(run)
          yield* Effect.onError(verbs.cancel(assignment, asked), () => Effect.ignore(follow(run, assignment.agent)))
          // If its node was dead, another one may have begun with it before it was cancelled.
          yield* leave(run)
        }).pipe(stores.within(run.tenant))
      ),
    inject: (run, asked) =>
      taken(
        Effect.gen(function* () {
          const { agent, revised } = yield* verbs.inject(run, asked)
          if (agent !== undefined && revised.next !== undefined) yield* follow(revised.next, agent)
          return revised
        }).pipe(stores.within(run.tenant))
      ),
    rehearse: (run, asked) => stores.within(run.tenant)(verbs.rehearse(run, asked)),
    recover: (run, asked) =>
      taken(
        verbs
          .recover(run, asked, {
            // Assigned anew first: if this node dies, the assignment is found, and its message is another one.
            leave: ({ agent }) => Effect.andThen(Assignments.assign(run, agent), Effect.asVoid(leave(run))),
            goOn: send
          })
          .pipe(stores.within(run.tenant))
      ),
    acting: verbs.acting(stores),
    status: (run) =>
      Effect.gen(function* () {
        const doing = isLeaving ? undefined : yield* told(run, askMillis, (client) => client.Ask())
        return yield* verbs.status(run, doing ?? undefined)
      }).pipe(stores.within(run.tenant)),
    lacking: AgentLack.ofTenant(lacks),
    drain
  })
})

/** Layer that hosts runs on a node of a cluster. */
export const layer = <E>(settings: ProcessHost.Settings, node: Layer.Layer<Sharding.Sharding, E>) =>
  Layer.effect(RunHost.RunHost, make(settings, node))

/** A message that could not be stored or sent: the store of the cluster is away, or the node of the run. */
const lost = (cause: unknown): TraceStore.TraceStoreError =>
  new TraceStore.TraceStoreError({ operation: "notes", reason: "lost", store: "the cluster", cause })
