/**
 * Hosts runs in one process: each in a fiber, a bounded number of them at work at the same time.
 *
 * After a restart it goes on with every run that was assigned and has not ended. Two such hosts on one store are safe:
 * leases keep them from the same work, and keys from the same effects. A run is left to the one that has its agent. But
 * neither is told of the runs that the other begins. For several processes there is `@backstitch/cluster`.
 */
import type { Run } from "@backstitch/trace/Run"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Limits from "./Limits.ts"
import type * as EndpointAddress from "./webhooks/EndpointAddress.ts"
import * as WebhookOutbox from "./webhooks/WebhookOutbox.ts"
import * as AgentLack from "./work/AgentLack.ts"
import * as Assignments from "./work/Assignments.ts"
import * as HostAgents from "./work/HostAgents.ts"
import * as HostedRun from "./work/HostedRun.ts"
import * as HostVerbs from "./work/HostVerbs.ts"
import * as RunHost from "./work/RunHost.ts"
import * as TenantStores from "./work/TenantStores.ts"
import * as WorkSlot from "./work/WorkSlot.ts"

/** Settings of a host: its agents, how many runs are worked on at once, and how long a run may take to be left. */
export interface Settings extends HostAgents.Settings {
  readonly runsMax?: number | undefined
  readonly leaveMillis?: number | undefined
  /** The addresses to which webhooks may be sent: those of the public internet, unless more are permitted. */
  readonly webhooks?: EndpointAddress.Options | undefined
  /**
   * The store in which the runs of a tenant are worked on. If there are such, the store of the host is asked for the
   * open assignments and the webhooks of all tenants alone. Without it, the store of the host is that of every tenant.
   */
  readonly storeOf?: TenantStores.StoreOf | undefined
}

/** The services of a store that a host works with. */
export type Services = TenantStores.Services

/** Creates a host, which goes on with what was assigned before. The end of the scope gives its runs up. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const { leaveMillis = Limits.pacing.leaveMillis, runsMax = Limits.pacing.workedRunsMax } = settings
  const stores = TenantStores.make(yield* Effect.context<Services>(), settings.storeOf)
  const agents = yield* HostAgents.make(settings)
  const slots = yield* WorkSlot.make(runsMax)
  const fibers = yield* FiberMap.make<string, unknown, never>()
  // Work outlives the request that begins it, and has nothing of its context.
  const fork = yield* FiberMap.runtime(fibers)()
  const reins = new Map<string, HostedRun.Reins>()
  const lacks = new Set<AgentLack.AgentLack>()
  /** Runs that were given to this process while it worked on them. */
  const again = new Set<string>()
  let isLeaving = false

  const keyOf = ({ id, tenant }: Run): string => `${tenant}/${id}`

  const launch = (assignment: Assignments.Assignment): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { round, run } = assignment
      const key = keyOf(run)
      if (reins.has(key)) again.add(key)
      if (isLeaving || reins.has(key)) return Effect.void
      const own = HostedRun.reins()
      reins.set(key, own)
      const works = HostedRun.tend({ agents, stores, slots, lacks, follow }, assignment, own).pipe(
        Effect.ensuring(Effect.sync(() => reins.delete(key))),
        // While this assignment came to its end, the run may have been assigned anew.
        Effect.andThen(
          Effect.suspend(() =>
            again.delete(key) ? Effect.orDie(stores.within(run.tenant)(Assignments.find(run))) : Effect.undefined
          )
        ),
        Effect.flatMap((standing) =>
          standing === undefined || standing.ending !== undefined || standing.round === round
            ? Effect.void
            : launch(standing)
        )
      )
      return Effect.asVoid(Effect.sync(() => fork(key, works)))
    })

  const follow: HostedRun.Hosting["follow"] = (run, agent) =>
    Effect.flatMap(stores.within(run.tenant)(Assignments.assign(run, agent)), launch)

  /** Leaves a run: its turn is ended, or interrupted if that takes too long. */
  const leave = Effect.fnUntraced(function* (run: Run) {
    const own = reins.get(keyOf(run))
    if (own === undefined) return
    const fiber = yield* FiberMap.get(fibers, keyOf(run))
    if (Option.isSome(fiber)) yield* HostedRun.leave(own, fiber.value, leaveMillis)
  })

  const drain = Effect.gen(function* () {
    isLeaving = true
    for (const { leaving } of reins.values()) yield* Deferred.succeed(leaving, undefined)
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), Duration.millis(leaveMillis))
    yield* FiberMap.clear(fibers)
  })

  const taken = RunHost.unlessLeaving(() => isLeaving)

  yield* Effect.addFinalizer(() => drain)
  for (const assignment of yield* Assignments.all) yield* launch(assignment)
  const { secretOf: tenantSecretOf, webhooks } = settings
  yield* Effect.forkScoped(WebhookOutbox.delivering({ ...webhooks, tenantSecretOf }, stores.within))

  const verbs = HostVerbs.make(agents)
  return RunHost.RunHost.of({
    start: (run, asked) => taken(Effect.flatMap(stores.within(run.tenant)(verbs.begin(run, asked)), launch)),
    resume: (run, agent) =>
      taken(
        Effect.gen(function* () {
          const own = reins.get(keyOf(run))
          const assignment = yield* stores.within(run.tenant)(verbs.assign(run, agent, own !== undefined))
          if (own !== undefined) yield* Deferred.succeed(own.nudge, undefined)
          yield* launch(assignment)
        })
      ),
    cancel: (run, asked) =>
      Effect.gen(function* () {
        const assignment = yield* verbs.opened(run)
        // First, so that its agent is not asked what to do about the request.
        yield* leave(run)
        yield* Effect.onError(verbs.cancel(assignment, asked), () => launch(assignment))
      }).pipe(stores.within(run.tenant)),
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
          .recover(run, asked, { leave: (assignment) => leave(assignment.run), goOn: launch })
          .pipe(stores.within(run.tenant))
      ),
    acting: verbs.acting(stores),
    status: (run) => stores.within(run.tenant)(verbs.status(run, reins.get(keyOf(run))?.doing)),
    lacking: AgentLack.ofTenant(lacks),
    drain
  })
})

/** Layer that hosts runs in this process. */
export const layer = (settings: Settings) => Layer.effect(RunHost.RunHost, make(settings))
