/**
 * One real verified action, compared with the bare driver and with the store when they get its finished commits.
 *
 * The action is a mutation with a readback. Its key and request hash are durable before the call. Its answer is read
 * back and reconciled after it, and is durable with the next action. The call and the readback answer from memory, so
 * that the kernel, the runtime and the store are measured. The raw side inserts the same rows and names in
 * transactions of the same size, with the same flushes.
 */
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Tables from "@backstitch/sql/Tables"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as StoreFile from "./StoreFile.ts"

const durability = "FULL, one flush an action ÷ the same"

const figures = {
  raw: {
    name: "verified-action",
    title: "one verified action, time ÷ raw node:sqlite doing the same commits in the same tables",
    better: "less",
    unit: "x",
    within: 3,
    durability
  },
  store: {
    name: "verified-action-store",
    title: "the same ÷ our store handed the finished commits",
    better: "less",
    unit: "x",
    durability
  }
} satisfies Record<string, Figure.Figure>

const pack: TaskPack.TaskPack = Result.getOrThrow(
  TaskPack.make({
    pack: "bench.verified",
    version: "1.0.0",
    state: { world: { bookings: { table: { key: "id", row: { price: "int" } } }, spent: "int" } },
    tools: {
      book: {
        class: "high_risk_external",
        idempotency: "idempotent_write",
        input: { seat: "string", price: "int" },
        target: "'seat/' + args.seat",
        identity: { scope: "run", fields: [{ seat: "exact" }] },
        times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
        status: "by_key",
        readback: { source: "desk", expect: ["actual.id == args.seat", "actual.price == args.price"], within: "2s" },
        undo: { class: "X" },
        on_reconciled: [
          { put: { table: "world.bookings", key: "actual.id", row: { price: "actual.price" } } },
          { add: { field: "world.spent", value: "actual.price" } }
        ]
      }
    }
  })
)

/** A service that keeps its orders in memory, by key. */
const desk = (): ToolExecutor.Tools => {
  const booked = new Map<string | undefined, Json>()
  return {
    book: {
      execute: ({ price, seat }: { readonly price: number; readonly seat: string }, { key }) => {
        booked.set(key, { id: seat, price })
        return { id: seat, price }
      },
      status: async ({ key }) => booked.get(key),
      readback: async ({ key }) => booked.get(key)
    }
  }
}

const actions = 200
const run = Run.make("verified")

/** A verified action ÷ the raw store. */
export const benchmark: Figure.Benchmark = {
  name: "verified",
  run: async ({ folder, runs, say }) => {
    let turn = 0
    const fresh = (name: string): string => Path.join(folder, `${name}-${turn++}.db`)
    say("writing what is replayed")
    const commits: Array<TraceStore.Append> = []
    await ours(fresh("record"), commits)
    say("against the driver")
    const theirs = await Statistics.interleave(runs, {
      ours: () => ours(fresh("ours")),
      theirs: () => raw(fresh("raw"), commits)
    })
    say("against the store")
    const stored = await Statistics.interleave(runs, {
      ours: () => ours(fresh("ours")),
      theirs: () => handed(fresh("store"), commits)
    })
    return [Figure.ratio(figures.raw, theirs, "ms an action"), Figure.ratio(figures.store, stored, "ms an action")]
  }
}

/** Milliseconds per action; with `kept`, the appended commits are kept. */
const ours = (filename: string, kept?: Array<TraceStore.Append>): Promise<number> => {
  const sqlite = SqlTraceStore.layerSqlite({ filename })
  const store =
    kept === undefined ? sqlite : Layer.effect(TraceStore.TraceStore, keeping(kept)).pipe(Layer.provide(sqlite))
  const services = Coordinator.layer({ secret: "bench" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(desk())),
    Layer.provideMerge(store)
  )
  return Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(run, { pack, goal: "bench" })
    const began = performance.now()
    for (let index = 0; index < actions; index++) {
      const outcome = yield* handle.propose({ tool: "book", params: { seat: `seat-${index}`, price: index } })
      if (outcome._tag !== "Done" || outcome.basis !== "readback") {
        return yield* Effect.die(new Error(`action ${index} was ${JSON.stringify(outcome)}`))
      }
    }
    return (performance.now() - began) / actions
  }).pipe(Effect.scoped, Effect.provide(services), StoreFile.removing(filename), Effect.runPromise)
}

const keeping = (kept: Array<TraceStore.Append>) =>
  Effect.map(TraceStore.TraceStore, (store) => ({
    ...store,
    append: (commit: TraceStore.Append) => {
      kept.push(commit)
      return store.append(commit)
    }
  }))

/** The commits of the actions, without the one that begins the run. */
const acted = (commits: ReadonlyArray<TraceStore.Append>): ReadonlyArray<TraceStore.Append> => commits.slice(1)

/** Milliseconds per action if the store gets finished commits. */
const handed = (filename: string, commits: ReadonlyArray<TraceStore.Append>): Promise<number> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    yield* store.append(commits[0]!)
    const began = performance.now()
    for (const commit of acted(commits)) yield* store.append(commit)
    return (performance.now() - began) / actions
  }).pipe(Effect.provide(SqlTraceStore.layerSqlite({ filename })), StoreFile.removing(filename), Effect.runPromise)

/** Milliseconds per action with the driver alone: rows, names and the head of the run. */
const raw = (filename: string, commits: ReadonlyArray<TraceStore.Append>): number => {
  const database = new DatabaseSync(filename)
  database.exec("pragma synchronous = full; pragma journal_mode = wal")
  database.exec(
    "create table transition (id integer primary key, link blob not null, story blob not null, " +
      "body text not null, stamp text not null, envelope text not null) strict; " +
      "create table claim (namespace text, name text, owner text, primary key (namespace, name)) strict, without rowid; " +
      "create table run (id integer primary key, tick integer, link blob, story blob) strict; " +
      "insert into run values (1, 0, null, null)"
  )
  const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")]
  const insert = database.prepare("insert into transition values (?, ?, ?, ?, ?, ?)")
  const take = database.prepare("insert or ignore into claim values (?, ?, ?)")
  const release = database.prepare("delete from claim where namespace = ? and name = ?")
  const advance = database.prepare("update run set tick = ?, link = ?, story = ? where id = 1")
  const values = acted(commits).map(({ claims, transitions }) => ({
    rows: transitions.map(
      ({ body, envelope, link, stamp, story, tick }) =>
        [Tables.rowId(1, tick), Tables.toBytes(link), Tables.toBytes(story), body, stamp, envelope] as const
    ),
    taken: claims.flatMap((each) => each.take.map(({ name, namespace, owner }) => [namespace, name, owner] as const)),
    released: claims.flatMap((each) => each.release.map(({ name, namespace }) => [namespace, name] as const))
  }))
  const began = performance.now()
  for (const { released, rows, taken } of values) {
    begin.run()
    for (const row of rows) insert.run(...row)
    for (const name of taken) take.run(...name)
    for (const name of released) release.run(...name)
    const [id, link, story] = rows.at(-1)!
    advance.run(id, link, story)
    commit.run()
  }
  const millis = (performance.now() - began) / actions
  database.close()
  StoreFile.remove(filename)
  return millis
}
