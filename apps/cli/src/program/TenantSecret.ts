/** The secret from which keys of actions are derived: its place, and whether it is the one that the store knows. */
import { dirname, join } from "node:path"
import * as SecretFile from "@backstitch/runtime/SecretFile"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import type * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Environment from "../input/Environment.ts"
import type { Globals } from "../input/Globals.ts"
import * as StoreAddress from "../input/StoreAddress.ts"
import * as StoreFile from "../input/StoreFile.ts"

/** Error for a store without a place for the tenant's secret. */
export class SecretUnplaced extends Schema.TaggedError<SecretUnplaced>("@backstitch/cli/SecretUnplaced")(
  "SecretUnplaced",
  {
    store: Schema.String
  }
) {
  override get message(): string {
    return (
      `Keys of actions are derived from a secret, and the store ${this.store} has no folder to keep one in. ` +
      `Set BACKSTITCH_SECRET to the same random text wherever this store is used`
    )
  }
}

/** Error for a store whose keys are derived from another secret than the present one, or whose secret is gone. */
export class SecretRefused extends Schema.TaggedError<SecretRefused>("@backstitch/cli/SecretRefused")("SecretRefused", {
  store: Schema.String,
  tenant: Schema.String,
  place: Schema.String,
  found: Schema.Literals(["another", "none", "unknown"])
}) {
  override get message(): string {
    const keys = `keys of tenant ${this.tenant} in ${this.store} are derived`
    const cost = "Under another secret nothing that was done is recognised, and it would be done again"
    if (this.found === "unknown") {
      return (
        `It is not known from which secret the ${keys}: their runs were imported, or the store has lost its fingerprint. ` +
        `${cost}. ` +
        "Set BACKSTITCH_SECRET to the secret under which they were made, or let `backstitch secret --accept` take " +
        "the one at hand or make one; it names the runs that may then go on, although nothing they did is recognised"
      )
    }
    const what = this.found === "another" ? `another one is in ${this.place}` : `there is none in ${this.place}`
    return (
      `The ${keys} from a secret, and ${what}. ${cost}. Restore the secret of before, or set BACKSTITCH_SECRET to ` +
      "it. `backstitch secret --accept` takes the one at hand, at that cost"
    )
  }
}

/** A secret and its place, in the form in which a person would look for it. */
export interface PlacedSecret {
  readonly secret: string
  readonly place: string
}

/** Finds an existing secret, and makes none. */
export const find = (globals: Globals): Effect.Effect<PlacedSecret | undefined, SecretFile.SecretUnreadable> => {
  const given = Environment.get("BACKSTITCH_SECRET")
  if (given !== "") return Effect.succeed({ secret: given, place: "BACKSTITCH_SECRET" })
  const place = fileOf(globals)
  if (place === undefined) return Effect.succeed(undefined)
  return Effect.map(SecretFile.find(place), (secret) => (secret === undefined ? undefined : { secret, place }))
}

/** Answers the present secret unless the store knows another one, under which every key would look wrong. */
export const suiting = (globals: Globals, tenant: Run.Tenant) =>
  Effect.flatMap(find(globals), (found) => SecretFingerprint.suiting(found?.secret, tenant))

/** Names the place of a secret. */
export const placeOf = (globals: Globals): string => fileOf(globals) ?? "BACKSTITCH_SECRET"

/** Refuses a store that has no secret and no place for one, before it is opened. */
export const placed = Effect.fnUntraced(function* (globals: Globals) {
  if ((yield* find(globals)) !== undefined || fileOf(globals) !== undefined) return
  return yield* new SecretUnplaced({ store: StoreFile.told(globals.store) })
})

/**
 * The secret from which the tenant's keys in the store are derived. For a store that knows none and holds no keys, it
 * is the present one, or a random one that is kept beside the store from then on.
 */
export const recognised = Effect.fnUntraced(function* (globals: Globals, tenant: Run.Tenant) {
  const at = yield* find(globals)
  const found = SecretFingerprint.refusalOf(yield* SecretFingerprint.compare(at?.secret, tenant))
  if (found === undefined) return (at ?? (yield* make(globals))).secret
  const place = at?.place ?? placeOf(globals)
  return yield* new SecretRefused({ store: StoreFile.told(globals.store), tenant, place, found })
})

/** The present secret. If there is none, a random one is made and kept beside the store. */
export const make = Effect.fnUntraced(function* (globals: Globals) {
  const found = yield* find(globals)
  if (found !== undefined) return found
  const place = fileOf(globals)
  if (place === undefined) return yield* new SecretUnplaced({ store: StoreFile.told(globals.store) })
  const made: PlacedSecret = { secret: yield* SecretFile.make(place), place }
  return made
})

const fileOf = ({ store }: Globals): string | undefined => {
  const file = StoreAddress.fileOf(store)
  return file === undefined ? undefined : join(dirname(file), "secret")
}
