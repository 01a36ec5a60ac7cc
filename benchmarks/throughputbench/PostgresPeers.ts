/** Comparisons on Postgres: with the bare driver, and with peers, each in a database or schema of its own. */
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Tables from "@backstitch/sql/Tables"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Client } from "pg"
import * as Figure from "../src/Figure.ts"
import * as Peers from "../src/Peers.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "./Steps.ts"
import * as Workload from "./Workload.ts"

const durability = "fsync on, synchronous_commit on, both"

const append: Figure.Figure = {
  name: "postgres-append",
  title: "durable append with chain and state digest ÷ raw pg, one connection, one statement of 1 row",
  better: "more",
  unit: "x",
  within: 0.45,
  aim: 0.6,
  durability
}

const peers = [
  { peer: "dbos", title: "DBOS", within: 2, aim: 2.5, steps: 200 },
  { peer: "langgraph", title: "LangGraph.js Postgres saver", within: 3, aim: 7, steps: 200 },
  { peer: "langgraphDelta", title: "LangGraph.js Postgres saver with delta channels", steps: 200 },
  { peer: "effectWorkflow", title: "Effect's workflow engine", within: 6, aim: 15, steps: 100 }
] as const

const flushes: Figure.Figure = {
  name: "postgres-commits",
  title: "commits per step on Postgres, the intent durable first",
  better: "less",
  unit: "per step",
  within: 1.1,
  aim: 1,
  durability: "counted by the server"
}

const statements: Figure.Figure = {
  name: "postgres-statements",
  title: "statements per step on Postgres, reads and snapshots included; a transaction counts as one",
  better: "less",
  unit: "per step",
  within: 1.1,
  aim: 1,
  durability: "counted by the server"
}

/** Appends and steps on Postgres. */
export const benchmark: Figure.Benchmark = {
  name: "postgres",
  run: async ({ postgres, postgresOnRamDisk, runs, say }) => {
    const url = await postgres()
    say("append")
    const results = [await appended(url, runs)]
    const disk = openOurs(url)
    await disk.steps("warm", 20)
    say("commits")
    results.push(Figure.measured(flushes, [await commits(url, () => disk.steps("counted", 200), 200)]))
    say("statements")
    results.push(Figure.measured(statements, [await statementsOf(url)]))
    const reading = openOurs(url, "look")
    for (const peer of peers) {
      say(peer.title)
      results.push(await compared(figureOf(peer), { peer, runs, url, ours: disk }))
      say(`${peer.title}, steps that read`)
      results.push(await compared(readOf(peer), { peer, runs, url, ours: reading }))
    }
    await reading.close()
    await disk.close()
    await clear(url)
    results.push(...(await onRamDisk(postgresOnRamDisk, { runs, say })))
    return results
  }
}

type Peer = (typeof peers)[number]

const figureOf = ({ peer, steps, title, ...marks }: Peer): Figure.Figure => ({
  name: `postgres-${peer}`,
  title: `steps/s on Postgres ÷ ${title}, ${steps} steps`,
  better: "more",
  unit: "x",
  ...("within" in marks ? { within: marks.within, aim: marks.aim } : {}),
  durability: `${durability}; 1 commit a step ÷ its own`
})

/** A peer's step makes nothing durable before its effect, and neither does a step of Backstitch that only reads. */
const readOf = (peer: Peer): Figure.Figure => {
  const figure = figureOf(peer)
  const title = `${figure.title}, where the tool only reads, so that nothing has to be durable first`
  return { ...figure, name: `${figure.name}-read`, title, durability: `${durability}; 1 commit a step ÷ its own` }
}

/** The same comparisons with free flushes: the remaining difference is not the disk's. */
const onRamDisk = async (
  server: () => Promise<string | undefined>,
  { runs, say }: Pick<Figure.Context, "runs" | "say">
): Promise<ReadonlyArray<Figure.Measured>> => {
  const figures = peers.map((peer) => {
    const { aim: _aim, within: _within, ...figure } = figureOf(peer)
    const title = `${figure.title}, where a flush costs nothing: the server's data on a RAM disk`
    return { ...figure, name: `${figure.name}-ram`, title, durability: `${figure.durability}, to memory` }
  })
  let url: string | undefined
  try {
    url = await server()
  } catch (cause) {
    return figures.map((figure) => Figure.absent(figure, lineOf(cause)))
  }
  if (url === undefined) return figures.map((figure) => Figure.absent(figure, "there is no RAM disk"))
  const ours = openOurs(url)
  const results: Array<Figure.Measured> = []
  for (const [index, peer] of peers.entries()) {
    say(`${peer.title}, on a RAM disk`)
    results.push(await compared(figures[index]!, { peer, runs, url, ours }))
  }
  await ours.close()
  await clear(url)
  return results
}

let turn = 0

const compared = async (
  figure: Figure.Figure,
  {
    ours,
    peer,
    runs,
    url
  }: { readonly ours: Peers.Stepper; readonly peer: Peer; readonly runs: number; readonly url: string }
): Promise<Figure.Measured> => {
  const rate = async (stepper: Peers.Stepper) =>
    (peer.steps * 1000) / (await stepper.steps(`${peer.peer}-${process.pid}-${turn++}`, peer.steps))
  try {
    const theirs = await open(peer.peer, url)
    const measured = await Statistics.interleave(runs, { ours: () => rate(ours), theirs: () => rate(theirs) }, 3)
    await theirs.close()
    return Figure.ratio(figure, measured, "steps/s")
  } catch (cause) {
    return Figure.absent(figure, lineOf(cause))
  }
}

const lineOf = (cause: unknown): string => (cause instanceof Error ? cause.message.split("\n")[0]! : String(cause))

/** Backstitch on a schema of its own. */
const openOurs = (url: string, tool?: "look"): Peers.Stepper => {
  const runtime = ManagedRuntime.make(Steps.layer(SqlTraceStore.layerPostgres({ url, schema: "bench_steps" })))
  return {
    steps: (id, count) => runtime.runPromise(Steps.time(`run-${id}`, count, tool)),
    close: () => runtime.dispose()
  }
}

const appended = async (url: string, runs: number): Promise<Figure.Measured> => {
  await admin(url, ["drop schema if exists bench_raw cascade", "create schema bench_raw"])
  const store = ManagedRuntime.make(SqlTraceStore.layerPostgres({ url, schema: "bench_append", connectionsMax: 1 }))
  const raw = await openRaw(url)
  const measured = await Statistics.interleave(runs, {
    ours: () => store.runPromise(Workload.rate(`stream-${process.pid}-${turn++}`, { commits: 500, size: 1 })),
    theirs: () => raw.run(500)
  })
  await raw.close()
  await store.dispose()
  return Figure.ratio(append, measured, "commits/s")
}

/** Removes the measured databases and schemas. */
const clear = (url: string): Promise<void> => {
  const schemas = ["bench_raw", "bench_append", "bench_steps"].map((name) => `drop schema if exists ${name} cascade`)
  const databases = peers.map(({ peer }) => `drop database if exists "peer_${peer.toLowerCase()}" with (force)`)
  return admin(url, [...schemas, ...databases])
}

/** A peer on a database of its own. */
const open = async (peer: (typeof peers)[number]["peer"], url: string): Promise<Peers.Stepper> => {
  const own = new URL(url)
  own.pathname = `/peer_${peer.toLowerCase()}`
  await admin(url, [
    `drop database if exists "${own.pathname.slice(1)}" with (force)`,
    `create database "${own.pathname.slice(1)}"`
  ])
  if (peer === "langgraph") return (await Peers.load("langgraph")).postgres(own.href)
  if (peer === "langgraphDelta") return (await Peers.load("langgraph")).postgres(own.href, "delta")
  return (await Peers.load(peer)).open(own.href)
}

const admin = async (url: string, statements: ReadonlyArray<string>): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Finished rows with the bare driver, one prepared statement of one row each. */
const openRaw = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("set search_path to bench_raw; set synchronous_commit to on")
  await client.query(
    "create table transition (id bigint primary key, link bytea not null, story bytea not null, " +
      "body text not null, stamp text not null, envelope text not null)"
  )
  let run = 0
  return {
    run: async (count: number): Promise<number> => {
      run++
      const writer = new Workload.Writer("raw")
      writer.begin()
      const values = Array.from({ length: count }, () => {
        const { body, envelope, link, stamp, story, tick } = writer.next(1).transitions[0]!
        return [Tables.rowId(run, tick), Tables.toBytes(link), Tables.toBytes(story), body, stamp, envelope]
      })
      const began = performance.now()
      for (const row of values) {
        await client.query({
          name: "insert",
          text: "insert into transition values ($1, $2, $3, $4, $5, $6)",
          values: row
        })
      }
      return (count / (performance.now() - began)) * 1000
    },
    close: () => client.end()
  }
}

/** The transactions of a process with 220 steps minus those of one with 20, divided by the difference in steps. */
const statementsOf = async (url: string): Promise<number> => {
  const taken = async (steps: number) => {
    const before = await transactions(url)
    const ours = openOurs(url)
    await ours.steps(`statements-${process.pid}-${turn++}`, steps)
    // A connection reports its transactions when it ends.
    await ours.close()
    return (await transactions(url)) - before
  }
  const few = await taken(20)
  return ((await taken(220)) - few) / 200
}

const transactions = async (url: string): Promise<number> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const { rows } = await client.query(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()"
  )
  await client.end()
  return Number(rows[0].count)
}

/** Transactions with writes, counted by the server's numbers during a measurement, divided by its steps. */
const commits = async (url: string, run: () => Promise<unknown>, steps: number): Promise<number> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  const next = async () => {
    const { rows } = await client.query("select pg_current_xact_id()::text as id")
    return Number(rows[0].id)
  }
  const before = await next()
  await run()
  const after = await next()
  await client.end()
  return (after - before - 1) / steps
}
