/**
 * The statements of a vault, and how its rows are read.
 *
 * @since 0.1.0
 */
import type { Kept, SubjectKey } from "@backstitch/trace/Vault"
import type { Dialect, Query } from "./Queries.ts"
import { fromBytes } from "./Tables.ts"

/**
 * A wrapped key as a row.
 *
 * @category models
 * @since 0.1.0
 */
export interface KeyRow {
  readonly id: string
  readonly run: string
  readonly subject: Uint8Array
  readonly wrapped: string
}

/**
 * A ciphertext as a row, beside its key.
 *
 * @category models
 * @since 0.1.0
 */
export interface SealedValueRow extends KeyRow {
  readonly commitment: Uint8Array
  readonly text: string
  readonly shown: number
}

/**
 * The statements of a dialect. Lists are JSON texts, digests in them hex.
 *
 * @category models
 * @since 0.1.0
 */
export interface VaultQueries {
  /** tenant, id, run, subject, wrapped; changes nothing where that subject has a key for that run */
  readonly insertKey: Query<never>
  /** tenant, subject or null, run or null */
  readonly keys: Query<KeyRow>
  /** tenant, ids; on Postgres they cannot be erased before the transaction ends */
  readonly held: Query<{ readonly id: string }>
  /** tenant, commitment, key, text, shown */
  readonly insertSealed: Query<never>
  /** tenant, commitments */
  readonly sealed: Query<SealedValueRow>
  /** tenant, ids of keys */
  readonly sealedUnder: Query<{ readonly commitment: Uint8Array }>
  /** tenant, ids of keys */
  readonly eraseSealed: Query<never>
  /** tenant, ids of keys */
  readonly eraseKeys: Query<never>
}

/**
 * Writes the statements of a dialect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (dialect: Dialect): VaultQueries => {
  const isSqlite = dialect === "sqlite"
  const at = (place: number): string => (isSqlite ? `?${place}` : `$${place}`)
  const text = (place: number): string => (isSqlite ? at(place) : `${at(place)}::text`)
  const listed = (place: number): string =>
    isSqlite ? `(select value from json_each(${at(place)}))` : `(select json_array_elements_text(${at(place)}::json))`
  const digests = (place: number): string =>
    isSqlite
      ? `(select unhex(value) from json_each(${at(place)}))`
      : `(select decode(value, 'hex') from json_array_elements_text(${at(place)}::json) as each (value))`
  const query = <Row>(name: string, sql: string): Query<Row> => ({ name: `vault-${name}`, sql })
  return {
    insertKey: query(
      "insert-key",
      `insert into subject_key (tenant, id, run, subject, wrapped) values (${[1, 2, 3, 4, 5].map(at).join(", ")}) ` +
        "on conflict (tenant, run, subject) do nothing"
    ),
    keys: query(
      "keys",
      `select id, run, subject, wrapped from subject_key where tenant = ${at(1)} ` +
        `and (${isSqlite ? at(2) : `${at(2)}::bytea`} is null or subject = ${at(2)}) ` +
        `and (${text(3)} is null or run = ${at(3)}) order by id`
    ),
    held: query(
      "held",
      `select id from subject_key where tenant = ${at(1)} and id in ${listed(2)}${isSqlite ? "" : " for share"}`
    ),
    insertSealed: query(
      "insert-sealed",
      "insert into sealed_value (tenant, commitment, subject_key, text, shown) " +
        `values (${[1, 2, 3, 4, 5].map(at).join(", ")}) on conflict (tenant, commitment) ` +
        `do update set shown = ${isSqlite ? "max" : "greatest"}(sealed_value.shown, excluded.shown)`
    ),
    sealed: query(
      "sealed",
      "select id, run, subject, wrapped, commitment, text, shown from sealed_value " +
        "join subject_key on subject_key.tenant = sealed_value.tenant and subject_key.id = sealed_value.subject_key " +
        `where sealed_value.tenant = ${at(1)} and commitment in ${digests(2)} order by commitment`
    ),
    sealedUnder: query(
      "sealed-under",
      `select commitment from sealed_value where tenant = ${at(1)} and subject_key in ${listed(2)} order by commitment`
    ),
    eraseSealed: query(
      "erase-sealed",
      `delete from sealed_value where tenant = ${at(1)} and subject_key in ${listed(2)}`
    ),
    eraseKeys: query("erase-keys", `delete from subject_key where tenant = ${at(1)} and id in ${listed(2)}`)
  }
}

/**
 * Reads a key from its row.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toKey = ({ id, run, subject, wrapped }: KeyRow): SubjectKey => ({
  id,
  run,
  subject: fromBytes(subject),
  wrapped
})

/**
 * Reads a ciphertext with its key from a row.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toKept = (row: SealedValueRow): Kept => ({
  commitment: fromBytes(row.commitment),
  text: row.text,
  shown: row.shown === 1,
  key: toKey(row)
})
