/** The server under load, as figures: runs over HTTP on each store, and the fan-out of their commits. */
import { randomBytes } from "node:crypto"
import * as Path from "node:path"
import { Client } from "pg"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Fanout from "./Fanout.ts"
import * as Load from "./Load.ts"

/** Clients at once, with the runs of each in a pair. */
const clients = [
  [1, 8],
  [16, 3],
  [64, 1]
] as const

/** The extent of a run of the benchmark: how many times as many runs, and how many readers. */
export interface Extent {
  readonly times: number
  readonly readers: number
  readonly only?: "load" | "fanout" | undefined
  /** Options of Node for the process of the server, such as `--cpu-prof`. */
  readonly options?: ReadonlyArray<string> | undefined
}

/** Takes less than three minutes. */
export const short: Extent = { times: 1, readers: 1000 }

/** Takes about ten minutes. */
export const full: Extent = { times: 6, readers: 1000 }

/** Measures the server on both stores. */
export const measure = async (
  { folder, postgres, runs, say }: Pick<Figure.Context, "folder" | "postgres" | "runs" | "say">,
  { only, options, readers, times }: Extent
): Promise<ReadonlyArray<Figure.Measured>> => {
  const databases: Array<string> = []
  const results: Array<Figure.Measured> = []
  const keep = (measured: ReadonlyArray<Figure.Measured>): void => {
    for (const { figure, note = "", samples } of measured) {
      say(`${figure.name} ${Figure.round(Statistics.median(samples))} ${figure.unit} ${note}`)
    }
    results.push(...measured)
  }
  let turn = 0
  const places = {
    SQLite: (name: string) => Promise.resolve(Path.join(folder, `${name}-${++turn}.db`)),
    Postgres: async () => {
      const name = `bench_server_${randomBytes(6).toString("hex")}`
      databases.push(name)
      const url = new URL(await postgres())
      await execute(url.href, `create database ${name}`)
      url.pathname = `/${name}`
      return url.href
    }
  }
  try {
    for (const name of ["SQLite", "Postgres"] as const) {
      const place = places[name]
      for (const [count, each] of only === "fanout" ? [] : clients) {
        say(`${name}, ${count} at once`)
        const load = { name, place, clients: count, runsOfClient: each * times, pairs: runs, options }
        keep(await Load.measure(load))
      }
      if (only === "load") continue
      say(`${name}, ${readers} readers`)
      const fanout = { name, store: await place("fanout"), readers, toolMillis: 400, options }
      keep(await Fanout.measure(fanout))
    }
    return results
  } finally {
    for (const name of databases) await execute(await postgres(), `drop database ${name} with (force)`)
  }
}

/** The benchmark as `pnpm bench` runs it. */
export const benchmark: Figure.Benchmark = {
  name: "server",
  run: (context) => measure({ ...context, runs: Math.min(3, context.runs) }, short)
}

const execute = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
