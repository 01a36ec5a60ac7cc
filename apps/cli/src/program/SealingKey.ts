/** The key under which values are sealed: its place, and the services that use it. */

import { dirname, join } from "node:path"
import * as Sealing from "@backstitch/runtime/Sealing"
import * as TenantKeys from "@backstitch/runtime/TenantKeys"
import * as SqlVault from "@backstitch/sql/SqlVault"
import type { Run } from "@backstitch/trace/Run"
import * as Vault from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Environment from "../input/Environment.ts"
import type { Globals } from "../input/Globals.ts"
import * as StoreAddress from "../input/StoreAddress.ts"

const variable = "BACKSTITCH_SEALING_KEY"

/**
 * Services that seal and open values of a store. The key comes from the environment, or from a file beside the store,
 * which is made when a first value is sealed.
 */
export const layer = (globals: Globals) =>
  Sealing.layer.pipe(Layer.provideMerge(Layer.mergeAll(keys(globals), SqlVault.layerFromAddress(globals.store))))

/** The same for trials in memory: the store is only read. */
export const apart = (globals: Globals, run: Run) => {
  const copy = Effect.flatMap(Vault.Vault, (vault) => Vault.copied(vault, run.tenant, run.id))
  const vault = Layer.effect(Vault.Vault, copy).pipe(Layer.provide(SqlVault.layerFromAddress(globals.store)))
  return Sealing.layer.pipe(Layer.provide(Layer.merge(keys(globals), vault)))
}

const keys = ({ store }: Globals): Layer.Layer<TenantKeys.TenantKeys> => {
  const file = StoreAddress.fileOf(store)
  const given = Environment.get(variable)
  return file === undefined || given !== ""
    ? Layer.sync(TenantKeys.TenantKeys, () => TenantKeys.fromText(given, variable))
    : TenantKeys.layerFile(join(dirname(file), "sealing.key"), { make: true })
}
