/** The services of a command, over the store that it names. */
import { userInfo } from "node:os"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as AddressLookup from "@backstitch/runtime/AddressLookup"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as Planner from "@backstitch/runtime/Planner"
import type * as Roles from "@backstitch/runtime/Roles"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlApiKeys from "@backstitch/sql/SqlApiKeys"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Globals } from "../input/Globals.ts"
import * as StoreFile from "../input/StoreFile.ts"
import { Usage } from "../terminal/Failure.ts"
import * as SealingKey from "./SealingKey.ts"
import * as Telemetry from "./Telemetry.ts"
import * as TenantSecret from "./TenantSecret.ts"

/** Services to read runs. A store that is a file has to exist. */
export const reading = (globals: Globals) => over(Layer.unwrap(store(globals)))

/** The store, or a server in its place, whose client is loaded only then. */
const store = (globals: Globals) => {
  const { server } = globals
  return server === undefined
    ? Effect.as(StoreFile.there(globals), SqlTraceStore.layerFromAddress(globals.store))
    : Effect.map(
        Effect.promise(() => import("../server/ServerSession.ts")),
        ({ layer }) => layer(server)
      )
}

/** Services to write to existing runs: forks, decisions and reports, which derive no key. */
export const writing = (globals: Globals) => Layer.unwrap(Effect.as(StoreFile.there(globals), importing(globals)))

/** Services to import runs. A missing store is made. */
export const importing = (globals: Globals) =>
  Layer.unwrap(
    Effect.as(
      StoreFile.suited(globals),
      Coordinator.layerDeciding().pipe(
        Layer.provideMerge(SealingKey.layer(globals)),
        Layer.provideMerge(over(SqlTraceStore.layerFromAddress(globals.store)))
      )
    )
  )

/** The keys of callers, and their record. A store that is to be there is refused if it is missing, or else made. */
export const keys = (globals: Globals, store: "made" | "there") =>
  Layer.provideMerge(
    SqlApiKeys.layerFromAddress(globals.store),
    store === "made" ? importing(globals) : writing(globals)
  )

/** The person for whom an administrative act is recorded: whoever is logged in on this machine. */
export const person = (): string => {
  const { username } = userInfo()
  return `${username} on the command line`
}

/** An agent that is to act: its planner and its tools. */
export interface Acting {
  readonly planner: Layer.Layer<Planner.Planner>
  readonly roles?: Layer.Layer<Roles.Roles> | undefined
  readonly executor: Layer.Layer<ToolExecutor.ToolExecutor>
}

/** Services to let an agent act on an existing run. */
export const acting = (globals: Globals, agent: Acting, snapshots?: SnapshotDial.SnapshotDial | undefined) =>
  Layer.unwrap(Effect.as(StoreFile.there(globals), beginning(globals, agent, snapshots)))

/** Services to let an agent begin a run. A missing store is made. */
export const beginning = (globals: Globals, agent: Acting, snapshots?: SnapshotDial.SnapshotDial | undefined) =>
  Layer.unwrap(
    Effect.as(
      Effect.andThen(StoreFile.suited(globals), TenantSecret.placed(globals)),
      keyed(globals, snapshots).pipe(
        Layer.provideMerge(agent.executor),
        Layer.provideMerge(agent.roles === undefined ? agent.planner : Layer.merge(agent.planner, agent.roles)),
        Layer.provideMerge(SqlLeases.layerFromAddress(globals.store)),
        Layer.provideMerge(SqlNotes.layerFromAddress(globals.store)),
        Layer.provideMerge(SealingKey.layer(globals)),
        Layer.provideMerge(over(SqlTraceStore.layerFromAddress(globals.store))),
        Layer.provideMerge(Telemetry.layer)
      )
    )
  )

/** Opens runs with the secret that the store recognises, and with no other. */
const keyed = (globals: Globals, snapshots: SnapshotDial.SnapshotDial | undefined) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const secret = yield* TenantSecret.recognised(globals, yield* tenant(globals))
      return Coordinator.layer({ secret, snapshots })
    })
  )

/** Reads a position of the snapshot dial; `undefined` if none was given. */
export const dial = (text: string | undefined): Effect.Effect<SnapshotDial.SnapshotDial | undefined, Usage> => {
  if (text === undefined) return Effect.succeed(undefined)
  return Effect.mapError(Effect.fromResult(SnapshotDial.parse(text)), ({ message }) => new Usage({ problem: message }))
}

const naming = "Names begin with a letter or digit, and hold letters, digits, dots, hyphens and underscores"

/** Names a run of the tenant; fails with the form of names. */
export const run = (id: string, { tenant }: Globals): Effect.Effect<Run.Run, Usage> =>
  Effect.try({
    try: () => Run.make(id, tenant),
    catch: () =>
      new Usage({
        problem: `"${id}" of tenant "${tenant}" cannot name a run. ${naming}`
      })
  })

/** The tenant; fails with the form of tenant names. */
export const tenant = (globals: Globals): Effect.Effect<Run.Tenant, Usage> =>
  Effect.mapError(
    Effect.map(run("any", globals), (any) => any.tenant),
    () => new Usage({ problem: `"${globals.tenant}" cannot name a tenant. ${naming}` })
  )

/** Refuses to vouch for the runs of a tenant without any: its name may be wrong. */
export const nothing = (tenant: Run.Tenant, says: string): Usage =>
  new Usage({ problem: `There is no run of tenant ${tenant}: ${says}` })

/** A run of the store, by its name or the beginning of its name. */
export const find = (text: string, globals: Globals) =>
  Effect.flatMap(tenant(globals), (tenant) => AddressLookup.whole(text, tenant))

/** A run of the store and, if one is named, a tick: `trip-42@7`, `trip-42~3`, `trip-42:head`. */
export const place = (text: string, globals: Globals) =>
  Effect.flatMap(tenant(globals), (tenant) => AddressLookup.place(text, tenant))

const over = <E, R>(store: Layer.Layer<TraceStore.TraceStore, E, R>) =>
  History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(store))
