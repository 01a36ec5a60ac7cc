/**
 * On Postgres: against the bare driver, and against peers, each in a database or schema of its own.
 *
 * @since 0.1.0
 */
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Tables from "@backstitch/sql/Tables"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
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
  { peer: "dbos", title: "DBOS", within: 1.5, aim: 2.5, steps: 200 },
  { peer: "langgraph", title: "LangGraph.js Postgres saver", within: 3, aim: 7, steps: 200 },
  { peer: "effectWorkflow", title: "Effect's workflow engine", within: 6, aim: 15, steps: 100 }
] as const

const flushes: Figure.Figure = {
  name: "postgres-commits",
  title: "commits per step on Postgres, the intent durable first",
  better: "less",
  unit: "per step",
  within: 2.2,
  aim: 2,
  durability: "counted by the server"
}

/**
 * Appends and steps on Postgres.
 *
 * @category benchmarks
 * @since 0.1.0
 */
export const benchmark: Figure.Benchmark = {
  name: "postgres",
  run: async ({ postgres, runs, say }) => {
    const url = await postgres()
    await admin(url, ["drop schema if exists bench_raw cascade", "create schema bench_raw"])
    const results: Array<Figure.Measured> = []
    const store = ManagedRuntime.make(SqlTraceStore.layerPostgres({ url, schema: "bench_append", connectionsMax: 1 }))
    const raw = await openRaw(url)
    let turn = 0
    say("append")
    const appended = await Statistics.interleave(runs, {
      ours: () => store.runPromise(appends(`stream-${process.pid}-${turn++}`, 500)),
      theirs: () => raw.run(500)
    })
    await raw.close()
    await store.dispose()
    results.push(Figure.ratio(append, appended, "commits/s"))

    const runtime = ManagedRuntime.make(Steps.layer(SqlTraceStore.layerPostgres({ url, schema: "bench_steps" })))
    const ours = async (steps: number) =>
      (steps * 1000) / (await runtime.runPromise(Steps.time(`run-${process.pid}-${turn++}`, steps)))
    await ours(20)
    say("commits")
    results.push(Figure.measured(flushes, [await commits(url, () => ours(200), 200)]))
    for (const { aim, peer, steps, title, within } of peers) {
      say(title)
      const figure: Figure.Figure = {
        name: `postgres-${peer}`,
        title: `steps/s on Postgres ÷ ${title}, ${steps} steps`,
        better: "more",
        unit: "x",
        within,
        aim,
        durability: `${durability}; 2 commits a step ÷ its own`
      }
      try {
        const stepper = await open(peer, url)
        const measured = await Statistics.interleave(
          runs,
          {
            ours: () => ours(steps),
            theirs: async () => (steps * 1000) / (await stepper.steps(`${peer}-${process.pid}-${turn++}`, steps))
          },
          3
        )
        await stepper.close()
        results.push(Figure.ratio(figure, measured, "steps/s"))
      } catch (cause) {
        results.push(Figure.absent(figure, cause instanceof Error ? cause.message.split("\n")[0]! : String(cause)))
      }
    }
    await runtime.dispose()
    const schemas = ["bench_raw", "bench_append", "bench_steps"].map((name) => `drop schema if exists ${name} cascade`)
    const databases = peers.map(({ peer }) => `drop database if exists "peer_${peer.toLowerCase()}" with (force)`)
    await admin(url, [...schemas, ...databases])
    return results
  }
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

/** Appends of one transition per second, each folded, digested, sealed and stored. */
const appends = (name: string, count: number) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const writer = new Workload.Writer(name)
    yield* store.append(writer.begin())
    const began = performance.now()
    for (let index = 0; index < count; index++) yield* store.append(writer.next(1))
    return (count / (performance.now() - began)) * 1000
  })

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

/** Transactions that wrote something, as the server numbered them while something ran, divided by its steps. */
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
