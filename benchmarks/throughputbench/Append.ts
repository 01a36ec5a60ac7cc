/**
 * Durable appends with chain and state digest, compared with the same rows written by the bare driver.
 *
 * One side folds, latches, digests, writes canonically, hashes and stores. The raw side has the finished bytes and
 * inserts them into the same table, in transactions of the same size, with the same flush.
 */
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Tables from "@backstitch/sql/Tables"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as StoreFile from "./StoreFile.ts"
import * as Workload from "./Workload.ts"

const durability = "FULL, one flush a commit ÷ the same"

const figures = [
  { size: 1, commits: 600, within: 0.6, aim: 0.85 },
  { size: 3, commits: 300, within: 0.45, aim: 0.7 },
  { size: 64, commits: 40, within: 0.22, aim: 0.4 }
].map(({ aim, commits, size, within }) => {
  const title = `durable append with chain and state digest ÷ raw node:sqlite, same table: ${size} a commit`
  const figure: Figure.Figure = { name: `append-${size}`, title, better: "more", unit: "x", within, aim, durability }
  return { commits, figure, size }
})

/** Appends of 1, 3 and 64 transitions ÷ raw node:sqlite. */
export const benchmark: Figure.Benchmark = {
  name: "append",
  run: async ({ folder, runs, say }) => {
    const results: Array<Figure.Measured> = []
    for (const { commits, figure, size } of figures) {
      say(figure.name)
      let turn = 0
      const rows = sealed(commits * size)
      const measured = await Statistics.interleave(runs, {
        ours: () => ours(Path.join(folder, `ours-${size}-${turn++}.db`), { commits, size }),
        theirs: () => raw(Path.join(folder, `raw-${size}-${turn++}.db`), { rows, size })
      })
      results.push(Figure.ratio(figure, measured, "commits/s"))
    }
    return results
  }
}

/** Commits per second of the product. */
const ours = (filename: string, of: { readonly commits: number; readonly size: number }) =>
  Workload.rate("stream", of).pipe(
    Effect.provide(SqlTraceStore.layerSqlite({ filename })),
    StoreFile.removing(filename),
    Effect.runPromise
  )

/** Finished rows, as the product stores them. */
const sealed = (count: number): ReadonlyArray<Transition.Sealed> => {
  const writer = new Workload.Writer("stream")
  writer.begin()
  return Array.from({ length: count }, () => writer.next(1).transitions[0]!)
}

/** Commits per second of the driver alone. */
const raw = (
  filename: string,
  { rows, size }: { readonly rows: ReadonlyArray<Transition.Sealed>; readonly size: number }
): number => {
  const database = new DatabaseSync(filename)
  database.exec("pragma synchronous = full; pragma journal_mode = wal")
  database.exec(
    "create table transition (id integer primary key, link blob not null, story blob not null, " +
      "body text not null, stamp text not null, envelope text not null) strict"
  )
  const begin = database.prepare("begin immediate")
  const commit = database.prepare("commit")
  const insert = database.prepare("insert into transition values (?, ?, ?, ?, ?, ?)")
  const values = rows.map(
    ({ body, envelope, link, stamp, story, tick }) =>
      [Tables.rowId(1, tick), Tables.toBytes(link), Tables.toBytes(story), body, stamp, envelope] as const
  )
  const began = performance.now()
  for (let from = 0; from < values.length; from += size) {
    begin.run()
    for (let index = from; index < from + size; index++) insert.run(...values[index]!)
    commit.run()
  }
  const rate = (values.length / size / (performance.now() - began)) * 1000
  database.close()
  StoreFile.remove(filename)
  return rate
}
