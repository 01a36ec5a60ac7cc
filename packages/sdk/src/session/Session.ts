/** One store that is open in this process: its services, and the runs that are in use. */
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import * as Field from "@backstitch/expressions/Field"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Sealing from "@backstitch/runtime/Sealing"
import * as SecretFile from "@backstitch/runtime/SecretFile"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as TenantKeys from "@backstitch/runtime/TenantKeys"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as SqlVault from "@backstitch/sql/SqlVault"
import * as StorePlace from "@backstitch/sql/StorePlace"
import type * as Leases from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Vault from "@backstitch/trace/Vault"
import type { Vocabulary } from "@backstitch/trace/Vocabulary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { BackstitchError } from "../failures/Failures.ts"
import { ownError } from "../failures/foreignErrors.ts"
import * as ActionSpans from "./actionSpans.ts"
import * as CurrentTools from "./currentTools.ts"
import * as OpenRuns from "./openRuns.ts"
import * as RidingTexts from "./ridingTexts.ts"
import type { StoreSettings } from "./StoreSettings.ts"

/** The services of a session. */
export type SessionServices =
  | Coordinator.Coordinator
  | History.History
  | Leases.Leases
  | PackLibrary.PackLibrary
  | Sealing.Sealing
  | TenantKeys.TenantKeys
  | ToolExecutor.ToolExecutor
  | TraceStore.TraceStore
  | Vault.Vault

/** A store that is open in this process. */
export interface Session {
  readonly tenant: Run.Tenant
  readonly runs: OpenRuns.OpenRuns
  readonly texts: RidingTexts.RidingTexts
  /** Carries out an effect; what fails is thrown as an error of this package. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, SessionServices>, signal?: AbortSignal) => Promise<A>
  /** Lets callers that want the same act at one moment wait for each other. */
  readonly inTurn: <A>(act: ReadonlyArray<unknown>, does: () => Promise<A>, signal?: AbortSignal) => Promise<A>
  /** Names a run of the tenant. */
  readonly name: (id: string) => Run.Run
  /** Runs that are open for somebody, by how they are given back. */
  readonly opened: Set<() => Promise<void>>
  /** Resolved as the store is closed. */
  readonly ended: Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a store. Nothing is read or made before the first call. */
export const open = (settings: StoreSettings, types: ReadonlyArray<Vocabulary> = []): Session => {
  const kernel = Kernel.withTypes(Kernel.standard, ...types)
  const address = addressOf(settings)
  if (StorePlace.isForeign(address)) throw unsuited(address)
  const { tenant } = named("any", settings.tenant ?? (process.env["BACKSTITCH_TENANT"] || "default"))
  const place = StorePlace.fromAddress(address)
  const folder = place._tag === "Sqlite" && place.filename !== ":memory:" ? dirname(place.filename) : undefined
  const texts = RidingTexts.make()
  const store = History.layer(kernel).pipe(
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(texts.carriedBy(SqlTraceStore.layerFromAddress(address)))
  )
  const given = settings.secret ?? (process.env["BACKSTITCH_SECRET"] || undefined)
  if (given === undefined && place._tag === "Postgres") throw unplaced()
  const coordinator = Layer.unwrap(
    Effect.map(secretOf({ given, folder, tenant }), (secret) => Coordinator.layer({ kernel, secret }))
  )
  const layer = coordinator.pipe(
    Layer.provideMerge(CurrentTools.layer),
    Layer.provideMerge(SqlLeases.layerFromAddress(address)),
    Layer.provide(SqlNotes.layerFromAddress(address)),
    Layer.provideMerge(
      Sealing.layer.pipe(Layer.provideMerge(Layer.mergeAll(keysOf(folder), SqlVault.layerFromAddress(address))))
    ),
    Layer.provideMerge(store),
    Layer.provideMerge(ActionSpans.layer(settings.telemetry))
  )
  let runtime = ManagedRuntime.make(layer)
  let isOpened = false
  /** A store that could not be opened is opened again by the next call. */
  const ready = async (): Promise<typeof runtime> => {
    const own = runtime
    if (isOpened) return own
    try {
      await own.context()
      isOpened = true
    } catch (cause) {
      if (own === runtime) runtime = ManagedRuntime.make(layer)
      throw cause
    }
    return own
  }
  const runs = OpenRuns.make()
  const opened = new Set<() => Promise<void>>()
  let isClosed = false
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const run: Session["run"] = async (effect, signal) => {
    try {
      if (isClosed) throw closed()
      signal?.throwIfAborted()
      return await (await ready()).runPromise(effect, signal === undefined ? undefined : { signal })
    } catch (cause) {
      if (isClosed) throw closed()
      // A call that its caller aborted fails with the caller's reason.
      throw signal?.aborted === true ? signal.reason : ownError(cause)
    }
  }
  return {
    tenant,
    runs,
    texts,
    run,
    inTurn: turns(),
    opened,
    ended,
    name: (id) => named(id, tenant),
    close: async () => {
      try {
        await giveAllBack(opened)
      } finally {
        isClosed = true
        end()
        await Effect.runPromise(Effect.ensuring(runs.close, runtime.disposeEffect))
      }
    }
  }
}

/** Gives every run back, and only then fails with the first failure. */
const giveAllBack = async (opened: Session["opened"]): Promise<void> => {
  const failures: Array<unknown> = []
  for (const giveBack of opened) {
    try {
      await giveBack()
    } catch (cause) {
      failures.push(cause)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Tells whether what is recorded ends with the process. */
export const isInMemory = (settings: StoreSettings): boolean => /^:?memory:$/.test(addressOf(settings))

const addressOf = ({ store }: StoreSettings): string =>
  store ?? (process.env["BACKSTITCH_STORE"] || ".backstitch/trace.db")

/**
 * Turns by acts. A turn that fails is no reason for the next one to fail. A caller that aborts waits no longer; its
 * turn still comes after the one before, and `does` is to refuse it then.
 */
const turns = (): Session["inTurn"] => {
  const last = new Map<string, Promise<unknown>>()
  return async (act, does, signal) => {
    const key = keyOf(act)
    if (key === undefined) return does()
    const before = last.get(key)
    const own = before === undefined ? does() : before.then(does, does)
    last.set(key, own)
    const leave = () => {
      if (last.get(key) === own) last.delete(key)
    }
    own.then(leave, leave)
    if (before !== undefined) await endOf(before, signal)
    return own
  }
}

/** Waits until a turn has ended, however it did. Fails with the reason of a signal that is aborted before. */
const endOf = async (turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> => {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const abort = () => reject(signal?.reason)
  if (signal?.aborted === true) abort()
  signal?.addEventListener("abort", abort, { once: true })
  turn.then(
    () => resolve(),
    () => resolve()
  )
  try {
    await promise
  } finally {
    signal?.removeEventListener("abort", abort)
  }
}

/** A text for an act; `undefined` for arguments that JSON cannot carry, which are refused in any case. */
const keyOf = (act: ReadonlyArray<unknown>): string | undefined => {
  try {
    return JSON.stringify(act)
  } catch {
    return undefined
  }
}

/** A session that callers with the same settings share: the first call opens it, and the last owner closes it. */
export interface Shared {
  readonly get: () => Session
  readonly close: () => Promise<void>
}

const sessions = new Map<string, { readonly session: Session; owners: number }>()

/** Shares a session with the other callers of this process. A store in memory is not shared. */
export const shared = (settings: StoreSettings): Shared => {
  const { secret, telemetry, tenant } = settings
  const key = JSON.stringify([settings.store, tenant, secret, telemetry && ActionSpans.numberOf(telemetry)])
  let own: Session | undefined
  let isClosed = false
  const get = (): Session => {
    if (isClosed) throw closed()
    if (own !== undefined) return own
    if (isInMemory(settings)) {
      own = open(settings)
      return own
    }
    const known = sessions.get(key)
    own = known?.session ?? open(settings)
    if (known !== undefined) known.owners++
    else sessions.set(key, { session: own, owners: 1 })
    return own
  }
  const close = async (): Promise<void> => {
    const session = own
    own = undefined
    isClosed = true
    const known = sessions.get(key)
    if (session === undefined) return
    if (known?.session !== session) return await session.close()
    known.owners--
    if (known.owners > 0) return
    sessions.delete(key)
    await session.close()
  }
  return { get, close }
}

const named = (id: string, tenant: string): Run.Run => {
  if (typeof id !== "string") {
    const message = `The name of a run is a text, and this is none: ${Field.nameOf(id)}`
    throw new BackstitchError({ code: "name_invalid", message })
  }
  try {
    return Run.make(id, tenant)
  } catch (cause) {
    throw ownError(cause)
  }
}

/** The secret of a tenant, which is made if the store knows none and has a folder to keep one in. */
const secretOf = Effect.fnUntraced(function* (about: {
  readonly given: string | undefined
  readonly folder: string | undefined
  readonly tenant: Run.Tenant
}) {
  const { folder, given, tenant } = about
  if (given !== undefined) return given
  if (folder === undefined) return randomBytes(32).toString("hex")
  const place = join(folder, "secret")
  const found = yield* SecretFile.find(place)
  if (found !== undefined) return found
  const { is } = yield* SecretFingerprint.compare(undefined, tenant)
  if (is === "unknown") return yield* SecretFile.make(place)
  const why = is === "unvouched" ? "; their runs were imported, or the store has lost its fingerprint" : ""
  const message =
    `The keys of tenant ${tenant} are derived from a secret, and there is none in ${place}${why}. Under another secret ` +
    "nothing that was done is recognised, and it would be done again. Restore the file, or give its text as `secret`"
  return yield* Effect.fail(new BackstitchError({ code: "secret_missing", message }))
})

const closed = (): BackstitchError => {
  const message =
    "The store is closed. What was begun stays on record: open the store again, and the same call asks what became of it"
  return new BackstitchError({ code: "closed", message })
}

const unsuited = (address: string): BackstitchError => {
  const said = address.replace(/:\/\/.*/s, "://…")
  const message = `${said} is no store. Name a file, postgres://… or memory:`
  return new BackstitchError({ code: "store_unsuited", message })
}

const unplaced = (): BackstitchError => {
  const message =
    "Keys of calls are derived from a secret, and a store on a server has no folder to keep one in. " +
    "Give the same random text as `secret`, or as BACKSTITCH_SECRET, wherever this store is used"
  return new BackstitchError({ code: "secret_missing", message })
}

const variable = "BACKSTITCH_SEALING_KEY"

const keysOf = (folder: string | undefined): Layer.Layer<TenantKeys.TenantKeys> =>
  folder === undefined || process.env[variable] !== undefined
    ? TenantKeys.layerEnvironment(variable)
    : TenantKeys.layerFile(join(folder, "sealing.key"), { make: true })
