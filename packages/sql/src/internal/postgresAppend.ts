/**
 * The ways in which Postgres makes a commit durable.
 *
 * The statement of the usual way has a fixed shape: it is planned once and
 * then called. A name that somebody else holds violates the unique index,
 * which undoes the whole statement; who holds it is asked afterwards.
 *
 * @since 0.1.0
 */
import * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import { type Append, TickConflict } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Postgres from "../Postgres.ts"
import type * as Queries from "../Queries.ts"
import type * as Reader from "../Reader.ts"
import * as SqlFailure from "../SqlFailure.ts"
import { fromBytes, rowId, ticksPerRun, toBytes, toHead, toHeld, toName } from "../Tables.ts"
import type * as Commit from "./commit.ts"

/**
 * What an append answers: the new head, or why there is none.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = HashChain.Head | TickConflict | Claims.ClaimRefused

/**
 * Appends a commit of at least one transition; rejects with the driver's error.
 *
 * **Details**
 *
 * A commit meets others in three ways that end in trying again: another
 * process created the run meanwhile, a name was released between the refusal
 * and the question who holds it, or two commits waited for each other and this
 * one was chosen to give way. Each needs somebody else to have moved on.
 *
 * @category combinators
 * @since 0.1.0
 */
export const append = async (
  postgres: Postgres.Postgres,
  queries: Queries.Queries,
  reader: Reader.Reader,
  commit: Append
): Promise<Answer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await attemptAppend(postgres, queries, reader, commit)
      if (answer !== undefined) return answer
      if (attempt === attemptsMax) throw new Error("other writers of the same names were faster each time. Repeat")
    } catch (cause) {
      if (!SqlFailure.isDeadlock(cause) || attempt === attemptsMax) throw cause
    }
  }
}

const attemptsMax = 10

/** `undefined` means: somebody else moved, look again. */
const attemptAppend = async (
  postgres: Postgres.Postgres,
  queries: Queries.Queries,
  reader: Reader.Reader,
  commit: Append
): Promise<Answer | undefined> => {
  const origin = reader.remembered(commit.run) ?? (await Effect.runPromise(reader.origin("append", commit.run)))
  const names = origin === undefined ? undefined : simpleChanges(commit)
  if (origin === undefined || names === undefined) return appendInTransaction(postgres, queries, commit)
  const last = HashChain.headOf(commit.transitions[commit.transitions.length - 1]!)
  const values = [...headValues(last), origin.id, commit.expected.tick, toBytes(commit.expected.link), ...rows(commit)]
  try {
    const { changed } = await postgres.execute(names.query, [...values, ...names.values])
    return changed > 0 ? last : standsOrConflicts(postgres.execute, queries, origin.id, commit)
  } catch (cause) {
    if (SqlFailure.uniqueViolation(cause) !== "claim") throw cause
    return refusal(postgres.execute, queries, commit)
  }
}

const appendInTransaction = (
  postgres: Postgres.Postgres,
  queries: Queries.Queries,
  commit: Append
): Promise<Answer | undefined> => {
  const { expected, run } = commit
  const last = HashChain.headOf(commit.transitions[commit.transitions.length - 1]!)
  return rollingBack(postgres, async (execute, refuse) => {
    const {
      rows: [known]
    } = await execute(queries.findRun, [run.tenant, run.id])
    let id: number
    if (known === undefined) {
      const start = await startOf(execute, queries, commit)
      if (start.head?.link !== expected.link || start.actual !== expected.tick) {
        return refuse(new TickConflict({ run: run.id, expected: expected.tick, actual: start.actual }))
      }
      const parentTick = start.parent === null ? null : commit.parent!.tick
      const values = [run.tenant, run.id, start.parent, parentTick, ...headValues(last)]
      const {
        rows: [created]
      } = await execute(queries.insertRun, values)
      if (created === undefined) return undefined
      id = created.id
    } else {
      id = known.id
      const values = [...headValues(last), id, expected.tick, toBytes(expected.link)]
      const { changed } = await execute(queries.advance, values)
      if (changed === 0) return standsOrConflicts(execute, queries, id, commit)
    }
    await execute(insertRows, [id, ...rows(commit)])
    const refused = await changeNames(execute, queries, id, commit)
    return refused === undefined ? last : refuse(refused)
  })
}

/** A transaction that can end without keeping anything and still have an answer. */
const rollingBack = async <A>(
  postgres: Postgres.Postgres,
  body: (execute: Postgres.Execute, refuse: (answer: A) => never) => Promise<A>
): Promise<A> => {
  const refusal = new Error("rolled back")
  let answer: A | undefined
  const refuse = (given: A): never => {
    answer = given
    throw refusal
  }
  try {
    return await postgres.transaction((execute) => body(execute, refuse))
  } catch (cause) {
    if (cause === refusal) return answer as A
    throw cause
  }
}

/** What a run's first commit must follow: genesis, or the parent's head at the tick where it leaves. */
const startOf = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  { parent, run }: Append
): Promise<Commit.Start> => {
  if (parent === undefined) return { parent: null, head: HashChain.genesis(run), actual: 0 }
  const {
    rows: [row]
  } = await execute(queries.findRun, [run.tenant, parent.id])
  if (row === undefined || parent.tick > row.tick) return { parent: null, head: undefined, actual: row?.tick ?? 0 }
  if (parent.tick === 0) return { parent: row.id, head: HashChain.genesis(run), actual: 0 }
  let at = row
  while (at.parent !== null && parent.tick <= (at.parent_tick ?? 0)) {
    at = (await execute(queries.runById, [at.parent])).rows[0]!
  }
  return { parent: row.id, head: await headAt(execute, queries, at.id, parent.tick), actual: parent.tick }
}

const headAt = async (execute: Postgres.Execute, queries: Queries.Queries, run: number, tick: number) => {
  const {
    rows: [row]
  } = await execute(queries.headAt, [rowId(run, tick)])
  return row && { tick, link: fromBytes(row.link), story: fromBytes(row.story) }
}

/** A commit whose last link already stands was made before: its acknowledgement got lost. */
const standsOrConflicts = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  id: number,
  { expected, run, transitions }: Append
): Promise<HashChain.Head | TickConflict> => {
  const last = HashChain.headOf(transitions[transitions.length - 1]!)
  const standing = await headAt(execute, queries, id, last.tick)
  if (standing?.link === last.link) return last
  const {
    rows: [row]
  } = await execute(queries.runById, [id])
  return new TickConflict({ run: run.id, expected: expected.tick, actual: toHead(row!).tick })
}

/**
 * Takes and releases names, those of one name in the order of the commit. Names are visited in one order by everybody,
 * so that commits wait for each other and never in a circle.
 */
const changeNames = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  id: number,
  { claims, run }: Append
): Promise<Claims.ClaimRefused | undefined> => {
  const changes = claims.flatMap(({ release, take, tick }) => [
    ...take.map((claim) => ({ claim, tick, isTaken: true })),
    ...release.map((claim) => ({ claim, tick, isTaken: false }))
  ])
  const visited = changes.map((change, index) => ({ ...change, index, name: nameOf(change.claim) })).sort(inOneOrder)
  let first: { readonly index: number; readonly held: Claims.Held } | undefined
  for (const { claim, index, isTaken, tick } of visited) {
    const key = [run.tenant, claim.namespace, toName(claim.name)]
    if (!isTaken) {
      await execute(queries.release, [...key, toName(claim.owner), id])
      continue
    }
    let held: Claims.Held | undefined
    // A holder that is seen by neither statement has released the name in between.
    while (held === undefined) {
      const { changed } = await execute(queries.take, [...key, toName(claim.owner), id, tick])
      if (changed > 0) break
      held = (await execute(queries.claim, key)).rows.map(toHeld)[0]
    }
    if (held !== undefined && !Claims.mayTake(run, claim, held) && (first === undefined || index < first.index)) {
      first = { index, held }
    }
  }
  return first && Claims.refuse(first.held)
}

const nameOf = ({ name, namespace }: Claims.Claim): string => `${namespace}/${name}`

const inOneOrder = (
  left: { readonly name: string; readonly index: number },
  right: { readonly name: string; readonly index: number }
): number => (left.name === right.name ? left.index - right.index : left.name < right.name ? -1 : 1)

/** The first refused name of a commit that violated the index of names; `undefined` if nobody holds it any more. */
const refusal = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  { claims, run }: Append
): Promise<Claims.ClaimRefused | undefined> => {
  for (const claim of claims.flatMap(({ take }) => take)) {
    const { rows } = await execute(queries.claim, [run.tenant, claim.namespace, toName(claim.name)])
    const held = rows.map(toHeld)[0]
    if (!Claims.mayTake(run, claim, held)) return Claims.refuse(held!)
  }
  return undefined
}

interface SimpleChanges {
  readonly query: Queries.Query<never>
  readonly values: ReadonlyArray<unknown>
}

/** The changes of names that one statement can make: each name once, and at most one of them released. */
const simpleChanges = ({ claims, run }: Append): SimpleChanges | undefined => {
  if (claims.length === 0) return { query: appendRows, values: [] }
  const taken = claims.flatMap(({ take, tick }) => take.map((claim) => ({ ...claim, tick })))
  const released = claims.flatMap(({ release }) => release)
  const keys = new Set([...taken, ...released].map(nameOf))
  if (released.length > 1 || keys.size < taken.length + released.length) return undefined
  // In one order, so that commits that take the same names wait for each other and never in a circle.
  taken.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  const take = [
    taken.map(({ namespace }) => namespace),
    taken.map(({ name }) => toName(name)),
    taken.map(({ owner }) => toName(owner)),
    taken.map(({ tick }) => tick)
  ]
  const [gone] = released
  if (gone === undefined) return { query: appendRowsTaking, values: [run.tenant, ...take] }
  const release = [gone.namespace, toName(gone.name), toName(gone.owner)]
  return taken.length === 0
    ? { query: appendRowsReleasing, values: [run.tenant, ...release] }
    : { query: appendRowsAndNames, values: [run.tenant, ...take, ...release] }
}

const headValues = ({ link, story, tick }: HashChain.Head) => [tick, toBytes(link), toBytes(story)]

const rows = ({ transitions }: Append): ReadonlyArray<unknown> => [
  transitions.map(({ tick }) => tick),
  transitions.map(({ link }) => toBytes(link)),
  transitions.map(({ story }) => toBytes(story)),
  transitions.map(({ body }) => body),
  transitions.map(({ stamp }) => stamp),
  transitions.map(({ envelope }) => envelope)
]

const moveHead =
  "with head as (update run set tick = $1, link = $2, story = $3 where id = $4 and tick = $5 and link = $6 returning id)"
const selectRows = (run: string, from: string, first: number) =>
  `select ${run} * ${ticksPerRun} + row.tick, row.link, row.story, row.body, row.stamp, row.envelope ` +
  `from ${from}unnest($${first}::int[], $${first + 1}::bytea[], $${first + 2}::bytea[], $${first + 3}::text[], ` +
  `$${first + 4}::text[], $${first + 5}::text[]) as row (tick, link, story, body, stamp, envelope)`

const insertion = `insert into transition (id, link, story, body, stamp, envelope) ${selectRows("head.id", "head, ", 7)}`

/** run, rows */
const insertRows: Queries.Query<never> = {
  name: "insert-rows",
  sql: `insert into transition (id, link, story, body, stamp, envelope) ${selectRows("$1::bigint", "", 2)}`
}

/** tick, link, story, run, expected tick, expected link, rows */
const appendRows: Queries.Query<never> = {
  name: "append-rows",
  sql: `${moveHead} ${insertion}`
}

/** Deletes a name of the run: namespace, name, owner. The tenant is $13. */
const releasing = (first: number) => `released as (
  delete from claim where tenant = $13 and namespace = $${first} and name = $${first + 1} and owner = $${first + 2}
    and run = (select id from head)
)`

/**
 * Inserts names that the run does not hold already: namespaces, names, owners, ticks. The tenant is $13.
 *
 * A subquery that answers a value is looked up by key for each name; with `not exists` the planner joins, and reads all
 * names of the tenant.
 */
const taking = `taken as (
  insert into claim (tenant, namespace, name, owner, run, tick)
  select $13, new.namespace, new.name, new.owner, head.id, new.tick
  from head, unnest($14::text[], $15::text[], $16::text[], $17::int[]) as new (namespace, name, owner, tick)
  where coalesce((
    select held.owner <> new.owner or held.run <> head.id from claim held
    where held.tenant = $13 and held.namespace = new.namespace and held.name = new.name
  ), true)
)`

/** The same, and: tenant, names to take */
const appendRowsTaking: Queries.Query<never> = {
  name: "append-rows-taking",
  sql: `${moveHead}, ${taking} ${insertion}`
}

/** The same, and: tenant, a name to release */
const appendRowsReleasing: Queries.Query<never> = {
  name: "append-rows-releasing",
  sql: `${moveHead}, ${releasing(14)} ${insertion}`
}

/** The same, and: tenant, names to take, a name to release */
const appendRowsAndNames: Queries.Query<never> = {
  name: "append-rows-and-names",
  sql: `${moveHead}, ${releasing(18)}, ${taking} ${insertion}`
}
