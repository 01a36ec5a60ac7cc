/**
 * Counts that do not depend on the machine: flushes per step, and bytes per transition in the file.
 *
 * A commit in write-ahead mode with `synchronous=FULL` is one flush. So the commits that changed something are
 * counted as flushes.
 */
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "@backstitch/sql/Sqlite"
import * as SqliteTraceStore from "@backstitch/sql/SqliteTraceStore"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Figure from "../src/Figure.ts"
import * as Steps from "./Steps.ts"
import * as Workload from "./Workload.ts"

const durability = "FULL, counted"

const figures = {
  write: {
    name: "flushes-write",
    title: "flushes per step, the intent durable first",
    better: "less",
    unit: "per step",
    within: 1.1,
    aim: 1,
    durability
  },
  look: {
    name: "flushes-read",
    title: "flushes per step that only reads: at most one in 5 ms",
    better: "less",
    unit: "per step",
    within: 1.1,
    aim: 1,
    durability
  },
  bytes: {
    name: "stored-bytes",
    title: "stored bytes ÷ canonical bytes per transition, of real steps",
    better: "less",
    unit: "x",
    within: 1.25,
    aim: 1.12,
    durability: "after a checkpoint"
  },
  kilobytes: {
    name: "stored-bytes-1k",
    title: "the same where every transition has 1,060 bytes, of which three fit a page",
    better: "less",
    unit: "x",
    durability: "after a checkpoint"
  }
} satisfies Record<string, Figure.Figure>

/** Flushes per step and bytes per transition. */
export const benchmark: Figure.Benchmark = {
  name: "flushes",
  run: async ({ folder }) => [
    Figure.measured(figures.write, [await flushesOf(Path.join(folder, "write.db"), "write", 400)]),
    Figure.measured(figures.look, [await flushesOf(Path.join(folder, "look.db"), "look", 400)]),
    Figure.measured(figures.bytes, [await bytes(Path.join(folder, "steps.db"), steps(500))]),
    Figure.measured(figures.kilobytes, [await bytes(Path.join(folder, "bytes.db"), kilobytes(1000))])
  ]
}

/** Counts commits while steps run, including snapshots of the state, and divides them by the steps. */
export const flushesOf = async (filename: string, tool: "write" | "look", steps: number): Promise<number> => {
  let commits = 0
  const layer = Layer.effect(
    TraceStore.TraceStore,
    Effect.suspend(() => {
      const connection = Sqlite.open(filename)
      Sqlite.migrate(connection)
      const counted: Sqlite.Sqlite = {
        ...connection,
        commit: () => {
          commits++
          connection.commit()
        }
      }
      return SqliteTraceStore.fromConnection(counted, { lockTimeoutMillis: 1000 })
    })
  )
  return Effect.gen(function* () {
    const handle = yield* Steps.open("counted")
    const before = commits
    yield* Steps.take(handle, tool, { count: steps })
    return (commits - before) / steps
  }).pipe(Effect.scoped, Effect.provide(Steps.layer(layer)), Effect.runPromise)
}

/**
 * The size of the transition pages in the file after n transitions, divided by the canonical bytes of their three
 * texts.
 */
export const bytes = async (
  filename: string,
  write: Effect.Effect<unknown, unknown, Steps.Coordinated>
): Promise<number> => {
  // Closing the layer closes the file, which moves the log into it.
  await Effect.runPromise(Effect.provide(write, Steps.layer(SqlTraceStore.layerSqlite({ filename }))))
  const database = new DatabaseSync(filename)
  const { stored } = database.prepare("select sum(pgsize) as stored from dbstat where name = 'transition'").get()!
  const texts = "octet_length(body) + octet_length(stamp) + octet_length(envelope)"
  const { canonical } = database.prepare(`select sum(${texts}) as canonical from transition`).get()!
  database.close()
  return Number(stored) / Number(canonical)
}

/** Steps of both kinds, each in a commit of its own, so that the file is the same on every machine. */
export const steps = (count: number) =>
  Effect.forEach(
    ["write", "look"] as const,
    Effect.fnUntraced(function* (tool) {
      const handle = yield* Steps.open(tool)
      for (let from = 0; from < count; from++) {
        yield* Steps.take(handle, tool, { count: 1, from })
        yield* handle.flush
      }
    }, Effect.scoped)
  )

/** Transitions of one kilobyte each. */
export const kilobytes = (count: number) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const writer = new Workload.Writer("stream")
    yield* store.append(writer.begin())
    for (let index = 0; index < count; index++) yield* store.append(writer.next(1))
  })
