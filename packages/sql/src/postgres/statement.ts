/**
 * The one statement that makes a commit durable, in the shape of the commit.
 *
 * It inserts rows, names, and texts that the rows name. The rows are numbered from the one that the writer expects to
 * be the last of the run. If there is no such row, the first new row has no key; if the run has continued, its key is
 * taken. Both undo the whole statement, so of two writers one wins. There is a statement for each shape: a number of
 * rows, a number of names, and texts or none. Values are separate parameters, because unnesting arrays costs the server
 * a third more time, and digests are sent as bytes. The server plans each shape once per connection.
 */
import type * as Claims from "@backstitch/trace/Claims"
import type { Append } from "@backstitch/trace/TraceStore"
import * as Limits from "../Limits.ts"
import type * as Queries from "../queries/Queries.ts"
import { rowId, toBytes, toName } from "../queries/Tables.ts"
import * as BinaryArray from "./binaryArray.ts"
import * as Blobs from "./blobs.ts"

/** A statement and its values. */
export interface Statement<Value> {
  readonly query: Queries.Query<never>
  readonly values: ReadonlyArray<Value>
}

/** The statement for a commit of a few rows and names, with each value in the sent form. */
export const of = (commit: Append, id: number): Statement<string | Buffer> | undefined => {
  const { transitions } = commit
  if (transitions.length > Limits.pacing.statementRowsMax) return undefined
  const rows: Array<string | Buffer> = []
  for (let index = 0; index < transitions.length; index++) {
    const { body, envelope, link, stamp, story, tick } = transitions[index]!
    if (index > 0) rows.push(String(rowId(id, tick)))
    rows.push(toBytes(link), toBytes(story), body, stamp, envelope)
  }
  return shaped(commit, { id, rows, size: transitions.length })
}

/** The statement for any number of rows, which are unnested from arrays. */
export const ofMany = (commit: Append, id: number): Statement<unknown> | undefined =>
  shaped<unknown>(commit, { id, rows: columns(commit), size: "many" })

/**
 * A name that one action of a run releases and the next claims in one commit, such as an intent on the target that
 * was settled just before. `undefined` if there is none, or more than one.
 */
const handedOver = (claims: Append["claims"]): Handed | undefined => {
  const released = claims.flatMap(({ release, tick }) => release.map((claim) => ({ claim, tick })))
  const taken = claims.flatMap(({ take, tick }) => take.map((claim) => ({ ...claim, tick })))
  const found = released.flatMap(({ claim: from, tick }) => {
    const [to, ...more] = taken.filter((claim) => nameOf(claim) === nameOf(from))
    return to !== undefined && more.length === 0 && to.tick > tick ? [{ from, to }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

interface Handed {
  readonly from: Claims.Claim
  readonly to: Claims.Claim & { readonly tick: number }
}

/** Tells whether a commit hands a name over. If nobody holds that name, its statement finds no head. */
export const handsOver = ({ claims }: Append): boolean => handedOver(claims) !== undefined

/** `undefined` if one statement is not enough: many names, or one that is claimed and released more than once. */
const shaped = <Value>(
  { blobs, claims, expected, run }: Append,
  given: { readonly id: number; readonly rows: ReadonlyArray<Value>; readonly size: Size }
): Statement<Value | string | Buffer> | undefined => {
  const handed = handedOver(claims)
  const taken = claims
    .flatMap(({ take, tick }) => take.map((claim) => ({ ...claim, tick })))
    .filter((claim) => handed === undefined || nameOf(claim) !== nameOf(handed.to))
  const released = claims.flatMap(({ release }) => release).filter((claim) => claim !== handed?.from)
  const handing = handed === undefined ? [] : [handed]
  const names = taken.length + released.length + handing.length
  if (taken.length > Limits.pacing.statementNamesMax || released.length > 1) return undefined
  const all = [...taken, ...released, ...handing.map(({ to }) => to)]
  if (names > 1 && new Set(all.map(nameOf)).size < names) return undefined
  // Always in the same order, so that commits that claim the same names wait for each other without a deadlock.
  if (taken.length > 1) taken.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  const values: Array<Value | string | Buffer> = [...followed(given.id, expected), ...given.rows]
  if (names > 0) values.push(run.tenant, String(given.id))
  for (const { name, namespace, owner, tick } of taken) {
    values.push(namespace, toName(name), toName(owner), String(tick))
  }
  for (const { name, namespace, owner } of released) values.push(namespace, toName(name), toName(owner))
  for (const { from, to } of handing) {
    values.push(to.namespace, toName(to.name), toName(from.owner), toName(to.owner), String(to.tick))
  }
  if (blobs !== undefined) values.push(...Blobs.columnsOf(blobs))
  const shape = {
    taken: taken.length,
    released: released.length,
    handed: handing.length,
    isKeeping: blobs !== undefined
  }
  return { query: queryOf(given.size, shape), values }
}

/** The name of a claim as the statement returns it. */
export const nameOf = ({ name, namespace }: Claims.Claim): string => `${namespace}/${name}`

/** The head that a commit follows, as its key and its link. */
const followed = (id: number, { link, tick }: Append["expected"]) => [String(rowId(id, tick)), toBytes(link)] as const

/** Rows as arrays, one per column. The first is the distance from the head. */
const columns = ({ expected, transitions }: Append): ReadonlyArray<unknown> => [
  transitions.map(({ tick }) => tick - expected.tick),
  BinaryArray.ofBytes(transitions.map(({ link }) => toBytes(link))),
  BinaryArray.ofBytes(transitions.map(({ story }) => toBytes(story))),
  BinaryArray.ofTexts(transitions.map(({ body }) => body)),
  BinaryArray.ofTexts(transitions.map(({ stamp }) => stamp)),
  BinaryArray.ofTexts(transitions.map(({ envelope }) => envelope))
]

/** Only the rows of a commit: other statements of the transaction change names and keep texts. */
export const rowsOf = (commit: Append, id: number): Statement<unknown> => ({
  query: queryOf("many", { taken: 0, released: 0, handed: 0, isKeeping: false }),
  values: [...followed(id, commit.expected), ...columns(commit)]
})

/** The same for a run's first commit, which follows no own transition. */
export const begin = (commit: Append, id: number): Statement<unknown> => ({
  query: beginning,
  values: [String(rowId(id, commit.expected.tick)), ...columns(commit)]
})

const insertion = "insert into transition (id, link, story, body, stamp, envelope)"
const types = ["bytea", "bytea", "text", "text", "text"]

/** Rows from arrays, counted from a key. */
const unnested = (key: string, first: number) => {
  const arrays = ["int", ...types].map((type, index) => `$${first + index}::${type}[]`).join(", ")
  return (
    `select ${key} + row.step, row.link, row.story, row.body, row.stamp, row.envelope ` +
    `from unnest(${arrays}) as row (step, link, story, body, stamp, envelope)`
  )
}

/** key that rows are counted from, columns */
const beginning: Queries.Query<never> = { name: "begin", sql: `${insertion} ${unnested("$1::bigint", 2)}` }

/** Null unless the expected head is right and the handed-over name was held. */
const headOf = (handed: number) =>
  `(select id from transition where id = $1 and link = $2${handed > 0 ? " and exists (select from handed)" : ""})`

/** The given number of rows, starting at the given parameter. */
const listed = (first: number, rows: number, row: ReadonlyArray<string>) => {
  const one = (at: number) => `(${row.map((type, index) => `$${at + index}::${type}`).join(", ")})`
  return Array.from({ length: rows }, (_, index) => one(first + index * row.length)).join(", ")
}

/** The first row has the key after the head, and each other row the next one. */
const followers = (rows: number, head: string) => {
  const first = `(${head} + 1, ${types.map((type, index) => `$${3 + index}::${type}`).join(", ")})`
  const others = listed(3 + types.length, rows - 1, ["bigint", ...types])
  return `values ${first}${rows > 1 ? `, ${others}` : ""}`
}

type Size = number | "many"

const shapes = new Map<string, Queries.Query<never>>()

/** The number of names that a commit claims, releases, and hands over between actions; and whether it keeps texts. */
interface Shape {
  readonly taken: number
  readonly released: number
  readonly handed: number
  readonly isKeeping: boolean
}

/**
 * Parameters: key and link of the head, rows; with names: tenant, run, names to claim, to release and to hand over;
 * with texts: their digests and they.
 */
const queryOf = (rows: Size, { handed, isKeeping, released, taken }: Shape): Queries.Query<never> => {
  const name = `append-${rows}-${taken}-${released}${handed > 0 ? "-handed" : ""}${isKeeping ? "-kept" : ""}`
  const known = shapes.get(name)
  if (known !== undefined) return known
  const tenant = rows === "many" ? 4 + types.length : 2 + (1 + types.length) * rows
  const parts = []
  if (released > 0) parts.push(releasing(tenant, tenant + 2 + 4 * taken))
  if (taken > 0) parts.push(taking(tenant, taken))
  if (handed > 0) parts.push(handing(tenant, tenant + 2 + 4 * taken + 3 * released))
  const names = parts.length === 0 ? 0 : 2 + 4 * taken + 3 * released + 5 * handed
  if (isKeeping) parts.push(`kept as (${Blobs.insertion(tenant + names)})`)
  const head = headOf(handed)
  const beside = parts.length === 0 ? "" : `with ${parts.join(", ")} `
  const query = { name, sql: `${beside}${insertion} ${rows === "many" ? unnested(head, 3) : followers(rows, head)}` }
  shapes.set(name, query)
  return query
}

const taking = (tenant: number, taken: number) =>
  "taken as (insert into claim (tenant, run, namespace, name, owner, tick) " +
  `select $${tenant}, $${tenant + 1}::bigint, new.* ` +
  `from (values ${listed(tenant + 2, taken, ["text", "text", "text", "int"])}) as new)`

const releasing = (tenant: number, first: number) =>
  `released as (delete from claim where tenant = $${tenant} and namespace = $${first} and name = $${first + 1} ` +
  `and owner = $${first + 2} and run = $${tenant + 1})`

const handing = (tenant: number, first: number) =>
  `handed as (update claim set owner = $${first + 3}, tick = $${first + 4}::int where tenant = $${tenant} ` +
  `and namespace = $${first} and name = $${first + 1} and owner = $${first + 2} and run = $${tenant + 1}::bigint ` +
  "returning 1)"
