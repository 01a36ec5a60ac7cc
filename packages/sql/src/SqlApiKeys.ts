/** Layers that keep API keys in the same place as traces. */
import { type ApiKey, ApiKeys, layerMemory } from "@backstitch/trace/ApiKeys"
import * as JsonText from "@backstitch/trace/JsonText"
import type { KeyRole } from "@backstitch/trace/KeyRole"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Query } from "./queries/Queries.ts"
import { at, type Statements } from "./queries/Statements.ts"
import { fromBytes, toBytes } from "./queries/Tables.ts"
import * as StoreLayers from "./StoreLayers.ts"

interface Row {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly role: string
  readonly capacities: string
  readonly digest: Uint8Array
  readonly created: number
  readonly revoked: number | null
}

const columns = "id, tenant, name, role, capacities, digest, created, revoked"

/** Keeps keys with the statements of a database. */
export const over = (statements: Statements): ApiKeys["Service"] => {
  const { dialect } = statements
  const value = (place: number): string => at(dialect, place)
  const add: Query<never> = {
    name: "key-add",
    sql: `insert into api_key (${columns}) values (${[1, 2, 3, 4, 5, 6, 7, 8].map(value).join(", ")})`
  }
  const find: Query<Row> = { name: "key-find", sql: `select ${columns} from api_key where id = ${value(1)}` }
  const ofTenant: Query<Row> = {
    name: "keys-of-tenant",
    sql: `select ${columns} from api_key where tenant = ${value(1)} order by created, id`
  }
  const count: Query<{ readonly keys: number }> = {
    name: "keys-count",
    sql: "select count(*) as keys from api_key where revoked is null"
  }
  const revoke: Query<Row> = {
    name: "key-revoke",
    sql:
      `update api_key set revoked = coalesce(revoked, ${value(3)}) where tenant = ${value(1)} and id = ${value(2)} ` +
      `returning ${columns}`
  }
  return ApiKeys.of({
    add: ({ capacities, created, digest, id, name, revoked, role, tenant }) =>
      Effect.asVoid(
        statements.all(add, [id, tenant, name, role, JSON.stringify(capacities), toBytes(digest), created, revoked])
      ),
    find: (id) => Effect.map(statements.all(find, [id]), ([row]) => row && toKey(row)),
    ofTenant: (tenant) => Effect.map(statements.all(ofTenant, [tenant]), (rows) => rows.map(toKey)),
    count: Effect.map(statements.all(count, []), ([row]) => row?.keys ?? 0),
    revoke: (tenant, id, moment) =>
      Effect.map(statements.all(revoke, [tenant, id, moment]), ([row]) => row && toKey(row))
  })
}

const layers = StoreLayers.make(ApiKeys, layerMemory, StoreLayers.overStatements("keys", over))

/** Keeps keys in one SQLite file. */
export const layerSqlite = layers.sqlite

/** Keeps keys in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress

const toKey = ({ capacities, created, digest, id, name, revoked, role, tenant }: Row): ApiKey => ({
  tenant: tenant as Tenant,
  id,
  name,
  role: role as KeyRole,
  capacities: JsonText.read(capacities) as ReadonlyArray<string>,
  digest: fromBytes(digest),
  created,
  revoked
})
