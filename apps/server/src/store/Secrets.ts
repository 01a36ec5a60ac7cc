/**
 * The secrets of a server: from which keys of actions are derived, and under which values are sealed.
 *
 * They are those of the command line: in `BACKSTITCH_SECRET` and `BACKSTITCH_SEALING_KEY`, or in the files `secret` and
 * `sealing.key` beside a store that is a file.
 */
import { dirname, join, resolve } from "node:path"
import * as HostAgents from "@backstitch/host/HostAgents"
import * as Sealing from "@backstitch/runtime/Sealing"
import * as SecretFile from "@backstitch/runtime/SecretFile"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as TenantKeys from "@backstitch/runtime/TenantKeys"
import * as SqlVault from "@backstitch/sql/SqlVault"
import * as StorePlace from "@backstitch/sql/StorePlace"
import type { Tenant } from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The secrets as the environment gives them; empty where it gives none. */
export interface EnvironmentSecrets {
  readonly secret: string
  readonly sealingKey: string
}

/** Answers the secret of each tenant: the one that is given, or the one in the file, which is made at its first use. */
export const secretOf =
  (store: string, { secret }: EnvironmentSecrets) =>
  (tenant: Tenant): Effect.Effect<string, HostAgents.SecretMissing> => {
    if (secret !== "") return Effect.succeed(secret)
    const place = besides(store, "secret")
    if (place === undefined) {
      const why = "a store on a server has no folder to keep one in. Set BACKSTITCH_SECRET, the same for every process"
      return Effect.fail(new HostAgents.SecretMissing({ tenant, why }))
    }
    return Effect.mapError(
      SecretFile.make(place),
      ({ message }) => new HostAgents.SecretMissing({ tenant, why: message })
    )
  }

/** Service that answers the secret of each tenant. */
export class TenantSecrets extends Context.Service<TenantSecrets, ReturnType<typeof secretOf>>()(
  "@backstitch/server/TenantSecrets"
) {}

/** Notes the secret of a tenant, if it has one, before keys of other secrets are imported. */
export const noteBeforeImport = Effect.fnUntraced(function* (tenant: Tenant) {
  const secret = (yield* TenantSecrets)(tenant)
  yield* SecretFingerprint.noteBeforeImport(
    Effect.catchTag(secret, "SecretMissing", () => Effect.succeed(undefined)),
    tenant
  )
})

/** Layer of the keys under which values of a store are sealed. */
export const layerKeys = (store: string, { sealingKey }: EnvironmentSecrets) => {
  const file = besides(store, "sealing.key")
  return file === undefined || sealingKey !== ""
    ? Layer.sync(TenantKeys.TenantKeys, () => TenantKeys.fromText(sealingKey, "BACKSTITCH_SEALING_KEY"))
    : TenantKeys.layerFile(file, { make: true })
}

/** Layer that seals and opens values of a store. */
export const layerSealing = (store: string, secrets: EnvironmentSecrets) =>
  Sealing.layer.pipe(Layer.provide([layerKeys(store, secrets), SqlVault.layerFromAddress(store)]))

const besides = (store: string, name: string): string | undefined => {
  const place = StorePlace.fromAddress(store)
  return place._tag === "Sqlite" ? join(dirname(resolve(place.filename)), name) : undefined
}
