/** The statements of a vault, functions that read its rows, and the methods that need no transaction. */
import type { Kept, Recognition, SubjectKey, Vault } from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import type { Dialect, Query } from "./Queries.ts"
import * as Statements from "./Statements.ts"
import { fromBytes, toBytes } from "./Tables.ts"

/** A wrapped key as a row. */
interface KeyRow {
  readonly id: string
  readonly run: string
  readonly subject: Uint8Array
  readonly wrapped: string
}

/** A ciphertext as a row, beside its key. */
interface SealedValueRow extends KeyRow {
  readonly commitment: Uint8Array
  readonly text: string
  readonly shown: number
}

/** A digest by which a value is recognised, with its mark, as a row. */
interface RecognitionRow {
  readonly value: Uint8Array
  readonly mark: Uint8Array
}

/** The statements of a dialect. Lists are JSON texts, with digests in hex. */
export interface VaultQueries {
  /**
   * tenant, id, run, subject, wrapped; changes nothing if the subject has a key for that run, or if the key was
   * erased
   */
  readonly insertKey: Query<never>
  /** tenant, subject or null, run or null */
  readonly keys: Query<KeyRow>
  /** tenant, ids; on Postgres they cannot be erased before the transaction ends */
  readonly held: Query<{ readonly id: string }>
  /** tenant, commitment, key, text, shown */
  readonly insertSealed: Query<never>
  /** a text; on Postgres, other transactions that recognise values of the same tenant wait until this one ends */
  readonly recognising: Query<never>
  /** tenant, values */
  readonly recognised: Query<RecognitionRow>
  /** tenant, key, value, mark; changes nothing if the key has it */
  readonly insertRecognition: Query<never>
  /** tenant, ids of keys */
  readonly sharing: Query<KeyRow>
  /** tenant, commitments */
  readonly sealed: Query<SealedValueRow>
  /** tenant, ids of keys */
  readonly sealedUnder: Query<{ readonly commitment: Uint8Array }>
  /** tenant, ids of keys */
  readonly eraseSealed: Query<never>
  /** tenant, ids of keys */
  readonly eraseRecognitions: Query<never>
  /** tenant, ids of keys; before they are erased. Their bytes remain until the files are rewritten */
  readonly rememberKeys: Query<never>
  /** tenant; erased keys whose bytes remain */
  readonly remaining: Query<{ readonly id: string }>
  /** tenant, ids of erased keys; after the files are rewritten */
  readonly forgetRemains: Query<never>
  /** tenant, ids of keys */
  readonly eraseKeys: Query<never>
}

/** Writes the statements of a dialect. */
export const make = (dialect: Dialect): VaultQueries => {
  const { at, digest, digests, given, isSqlite, listed, query, text } = of(dialect)
  return {
    insertKey: query(
      "insert-key",
      `insert into subject_key (tenant, id, run, subject, wrapped) select ${given([text, text, text, digest, text])} ` +
        `where not exists (select 1 from erased_key where tenant = ${at(1)} and id = ${at(2)}) ` +
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
    ...recognitions(dialect),
    sealed: query(
      "sealed",
      // Tables are locked in the order in which an erasure locks them.
      "select id, run, subject, wrapped, commitment, text, shown from subject_key " +
        "join sealed_value on subject_key.tenant = sealed_value.tenant and subject_key.id = sealed_value.subject_key " +
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
    rememberKeys: query(
      "remember-keys",
      "insert into erased_key (tenant, id, remains) select tenant, id, 1 from subject_key " +
        `where tenant = ${at(1)} and id in ${listed(2)} on conflict (tenant, id) do nothing`
    ),
    remaining: query("remaining", `select id from erased_key where tenant = ${at(1)} and remains = 1 order by id`),
    forgetRemains: query(
      "forget-remains",
      `update erased_key set remains = 0 where tenant = ${at(1)} and id in ${listed(2)}`
    ),
    eraseKeys: query("erase-keys", `delete from subject_key where tenant = ${at(1)} and id in ${listed(2)}`)
  }
}

const recognitions = (dialect: Dialect) => {
  const { at, digests, isSqlite, listed, query } = of(dialect)
  return {
    recognising: query(
      "recognising",
      isSqlite ? `select ${at(1)}` : `select pg_advisory_xact_lock(hashtextextended(${at(1)}, 0))`
    ),
    recognised: query(
      "recognised",
      `select distinct value, mark from recognition where tenant = ${at(1)} and value in ${digests(2)} order by value`
    ),
    insertRecognition: query(
      "insert-recognition",
      `insert into recognition (tenant, subject_key, value, mark) values (${[1, 2, 3, 4].map(at).join(", ")}) ` +
        "on conflict (tenant, subject_key, value) do nothing"
    ),
    sharing: query(
      "sharing",
      "select id, run, subject, wrapped from subject_key where tenant = " +
        `${at(1)} and id not in ${listed(2)} and exists (select 1 from recognition as own ` +
        "join recognition as further on further.tenant = own.tenant and further.value = own.value " +
        `where own.tenant = ${at(1)} and own.subject_key in ${listed(2)} and further.subject_key = subject_key.id) ` +
        "order by id"
    ),
    eraseRecognitions: query(
      "erase-recognitions",
      `delete from recognition where tenant = ${at(1)} and subject_key in ${listed(2)}`
    )
  } satisfies Partial<VaultQueries>
}

/** Writes the parameters of a statement in a dialect. */
const of = (dialect: Dialect) => {
  const isSqlite = dialect === "sqlite"
  const at = (place: number): string => Statements.at(dialect, place)
  const text = (place: number): string => (isSqlite ? at(place) : `${at(place)}::text`)
  const digest = (place: number): string => (isSqlite ? at(place) : `${at(place)}::bytea`)
  const given = (columns: ReadonlyArray<(place: number) => string>): string =>
    columns.map((column, index) => column(index + 1)).join(", ")
  const listed = (place: number): string =>
    isSqlite ? `(select value from json_each(${at(place)}))` : `(select json_array_elements_text(${at(place)}::json))`
  const digests = (place: number): string =>
    isSqlite
      ? `(select unhex(value) from json_each(${at(place)}))`
      : `(select decode(value, 'hex') from json_array_elements_text(${at(place)}::json) as each (value))`
  const query = <Row>(name: string, sql: string): Query<Row> => ({ name: `vault-${name}`, sql })
  return { at, digest, digests, given, isSqlite, listed, query, text }
}

/** Reads a key from its row. */
export const toKey = ({ id, run, subject, wrapped }: KeyRow): SubjectKey => ({
  id,
  run,
  subject: fromBytes(subject),
  wrapped
})

/** Reads a ciphertext with its key from a row. */
export const toKept = (row: SealedValueRow): Kept => ({
  commitment: fromBytes(row.commitment),
  text: row.text,
  shown: row.shown === 1,
  key: toKey(row)
})

/** Reads a recognition of a value from a row. */
export const toRecognition = ({ mark, value }: RecognitionRow): Recognition => ({
  value: fromBytes(value),
  mark: fromBytes(mark)
})

/** The marks of values: known ones, and the given ones for new values. */
export const marked = (
  given: ReadonlyArray<Recognition>,
  known: ReadonlyArray<RecognitionRow>
): ReadonlyArray<Recognition> => {
  const marks = new Map(known.map(toRecognition).map(({ mark, value }) => [value, mark]))
  return given.map(({ mark, value }) => ({ mark: marks.get(value) ?? mark, value }))
}

/** The methods of a vault that need no transaction, over the statements of either database. */
export const plain = ({
  all,
  dialect
}: Statements.Statements): Pick<
  Vault["Service"],
  "get" | "isStopped" | "keys" | "recognised" | "sealedUnder" | "sharing" | "takeKey"
> => {
  const queries = make(dialect)
  const rows = <Row, A>(query: Query<Row>, values: ReadonlyArray<unknown>, read: (row: Row) => A) =>
    Effect.map(all(query, values), (found) => found.map(read))
  return {
    takeKey: Effect.fnUntraced(function* (tenant, key) {
      yield* all(queries.insertKey, [tenant, key.id, key.run, toBytes(key.subject), key.wrapped])
      const [taken] = yield* rows(queries.keys, [tenant, toBytes(key.subject), key.run], toKey)
      return taken
    }),
    keys: (tenant, { run = null, subject }) =>
      rows(queries.keys, [tenant, subject === undefined ? null : toBytes(subject), run], toKey),
    recognised: (tenant, values) => rows(queries.recognised, [tenant, JSON.stringify(values)], toRecognition),
    isStopped: (tenant) => Effect.map(all(queries.remaining, [tenant]), (found) => found.length > 0),
    sharing: (tenant, keys) => rows(queries.sharing, [tenant, JSON.stringify(keys)], toKey),
    get: (tenant, commitments) => rows(queries.sealed, [tenant, JSON.stringify(commitments)], toKept),
    sealedUnder: (tenant, keys) =>
      rows(queries.sealedUnder, [tenant, JSON.stringify(keys)], ({ commitment }) => fromBytes(commitment))
  }
}
