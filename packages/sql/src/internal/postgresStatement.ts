/**
 * The one statement that makes a commit durable, in the shape of the commit.
 *
 * It moves the head of the run if that is the expected one, and inserts rows
 * and names from what it moved. A statement is written for each shape: so many
 * rows, so many names. Values stand for themselves, because arrays that are
 * unnested cost the server a third more time, and digests travel as bytes.
 * The server plans each shape once for a connection.
 *
 * @since 0.1.0
 */
import type * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Append } from "@backstitch/trace/TraceStore"
import type * as Queries from "../Queries.ts"
import { ticksPerRun, toBytes, toName } from "../Tables.ts"

/** A statement and its values. */
export interface Statement<Value> {
  readonly query: Queries.Query<never>
  readonly values: ReadonlyArray<Value>
}

const rowsMax = 8
const takenMax = 4

/** The statement of a commit of a few rows and names, each value as it is sent. */
export const of = (commit: Append, id: number): Statement<string | Buffer> | undefined => {
  const { transitions } = commit
  if (transitions.length > rowsMax) return undefined
  const rows: Array<string | Buffer> = []
  for (const { body, envelope, link, stamp, story, tick } of transitions) {
    rows.push(String(tick), toBytes(link), toBytes(story), body, stamp, envelope)
  }
  return shaped(commit, { id, rows, size: transitions.length })
}

/** The statement of any number of rows, which are unnested from arrays, in one shape for all. */
export const ofMany = (commit: Append, id: number): Statement<unknown> | undefined =>
  shaped<unknown>(commit, { id, rows: columns(commit), size: "many" })

/** `undefined` where one statement is not enough: many names, or one that is both taken and released. */
const shaped = <Value>(
  { claims, expected, run, transitions }: Append,
  given: { readonly id: number; readonly rows: ReadonlyArray<Value>; readonly size: Size }
): Statement<Value | string | Buffer> | undefined => {
  const taken = claims.flatMap(({ take, tick }) => take.map((claim) => ({ ...claim, tick })))
  const released = claims.flatMap(({ release }) => release)
  const names = taken.length + released.length
  if (taken.length > takenMax || released.length > 1) return undefined
  if (names > 1 && new Set([...taken, ...released].map(nameOf)).size < names) return undefined
  // In one order, so that commits that take the same names wait for each other and never in a circle.
  if (taken.length > 1) taken.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  const values: Array<Value | string | Buffer> = [
    ...headValues(HashChain.headOf(transitions[transitions.length - 1]!)),
    String(given.id),
    String(expected.tick),
    toBytes(expected.link),
    ...given.rows
  ]
  if (names > 0) values.push(run.tenant)
  for (const { name, namespace, owner, tick } of taken) {
    values.push(namespace, toName(name), toName(owner), String(tick))
  }
  for (const { name, namespace, owner } of released) values.push(namespace, toName(name), toName(owner))
  return { query: queryOf(given.size, taken.length, released.length), values }
}

export const nameOf = ({ name, namespace }: Claims.Claim): string => `${namespace}/${name}`

export const headValues = ({ link, story, tick }: HashChain.Head) => [String(tick), toBytes(link), toBytes(story)]

/** Rows as arrays, one a column. */
export const columns = ({ transitions }: Pick<Append, "transitions">): ReadonlyArray<unknown> => [
  transitions.map(({ tick }) => tick),
  transitions.map(({ link }) => toBytes(link)),
  transitions.map(({ story }) => toBytes(story)),
  transitions.map(({ body }) => body),
  transitions.map(({ stamp }) => stamp),
  transitions.map(({ envelope }) => envelope)
]

const types = ["int", "bytea", "bytea", "text", "text", "text"]
const insertion = (run: string, from: string) =>
  "insert into transition (id, link, story, body, stamp, envelope) " +
  `select ${run} * ${ticksPerRun} + row.tick, row.link, row.story, row.body, row.stamp, row.envelope ` +
  `from ${from} as row (tick, link, story, body, stamp, envelope)`

const unnested = (first: number) => `unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(", ")})`

/** run, columns */
export const insertRows: Queries.Query<never> = {
  name: "insert-rows",
  sql: insertion("$1::bigint", unnested(2))
}

const moveHead =
  "head as (update run set tick = $1, link = $2, story = $3 where id = $4 and tick = $5 and link = $6 returning id)"

/** So many rows of values, the first of which has this place. */
const listed = (first: number, rows: number, row: ReadonlyArray<string>) => {
  const one = (at: number) => `(${row.map((type, index) => `$${at + index}::${type}`).join(", ")})`
  return `(values ${Array.from({ length: rows }, (_, index) => one(first + index * row.length)).join(", ")})`
}

type Size = number | "many"

const shapes = new Map<string, Queries.Query<never>>()

/** Places: head, run, expected tick and link, rows; with names: tenant, names to take, a name to release. */
const queryOf = (rows: Size, taken: number, released: number): Queries.Query<never> => {
  const name = `append-${rows}-${taken}-${released}`
  const known = shapes.get(name)
  if (known !== undefined) return known
  const tenant = 7 + types.length * (rows === "many" ? 1 : rows)
  const parts = [moveHead]
  if (released > 0) parts.push(releasing(tenant, tenant + 1 + 4 * taken))
  if (taken > 0) parts.push(taking(tenant, taken))
  const from = rows === "many" ? unnested(7) : listed(7, rows, types)
  const query = { name, sql: `with ${parts.join(", ")} ${insertion("head.id", `head, ${from}`)}` }
  shapes.set(name, query)
  return query
}

const taking = (tenant: number, taken: number) =>
  "taken as (insert into claim (tenant, namespace, name, owner, run, tick) " +
  `select $${tenant}, new.namespace, new.name, new.owner, head.id, new.tick from head, ` +
  `${listed(tenant + 1, taken, ["text", "text", "text", "int"])} as new (namespace, name, owner, tick))`

const releasing = (tenant: number, first: number) =>
  `released as (delete from claim where tenant = $${tenant} and namespace = $${first} and name = $${first + 1} ` +
  `and owner = $${first + 2} and run = (select id from head))`
