/** A node of a cluster whose agent books trips. Its first argument holds its settings, its input the requests. */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import * as ClusterHost from "@backstitch/cluster/ClusterHost"
import * as ClusterNode from "@backstitch/cluster/ClusterNode"
import * as RunHost from "@backstitch/host/RunHost"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import agent from "../agent.ts"
import * as Client from "../Client.ts"
import * as TravelPack from "../crash/TravelPack.ts"
import * as Line from "./Line.ts"

const settings: Line.Settings = JSON.parse(process.argv[2] ?? "")
const { port, shardLockMillis, thinkMillis, times, url, world } = settings

// Written synchronously: lines before a death are read after it.
const say = (line: Line.Said): void => {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** The store, which reports the commits that it has acknowledged. */
const store = Layer.effect(
  TraceStore.TraceStore,
  Effect.map(TraceStore.TraceStore, (each) => ({
    ...each,
    append: (commit: TraceStore.Append) =>
      Effect.tap(each.append(commit), () =>
        Effect.sync(() => {
          const last = commit.transitions.at(-1)
          if (last !== undefined) say({ tenant: commit.run.tenant, tick: last.tick, link: last.link })
        })
      )
  }))
).pipe(Layer.provide(SqlTraceStore.layerPostgres({ url })))

/** The planner of the script, which takes its time. */
const thinking = Layer.effect(
  Planner.Planner,
  Effect.map(Planner.Planner, (script) => ({
    ...script,
    next: (view: Planner.View) => Effect.delay(script.next(view), Duration.millis(thinkMillis))
  }))
)

const tools = Client.tools(world)
const travel = {
  agent: { ...agent, tools },
  pack: TravelPack.under(times),
  planner: thinking.pipe(Layer.provide(Planner.layerScript(agent.steps ?? []))),
  executor: ToolExecutor.layerFrom(tools)
}

const layer = ClusterHost.layer(
  { agents: { travel }, secretOf: (tenant) => Effect.succeed(`the secret of ${tenant}`) },
  ClusterNode.layer({
    url,
    address: { host: "127.0.0.1", port },
    sharding: {
      shardLockExpiration: Duration.millis(shardLockMillis),
      shardLockRefreshInterval: Duration.millis(shardLockMillis / 3)
    }
  })
).pipe(
  Layer.provide(History.layer(Kernel.standard)),
  Layer.provide(PackLibrary.layer),
  Layer.provide(Layer.mergeAll(store, SqlLeases.layerPostgres({ url }), SqlNotes.layerPostgres({ url }))),
  Layer.provide(Logger.layer([]))
)

const runtime = ManagedRuntime.make(layer)
const hosting = await runtime.runPromise(RunHost.RunHost)
say({ ready: true })

/** Begins a run. One that another node has begun, and whose beginning was not acknowledged, is resumed. */
const start = (tenant: string) =>
  hosting
    .start(Run.make(Line.run, tenant), { agent: "travel" })
    .pipe(Effect.catchTag("RunExists", () => hosting.resume(Run.make(Line.run, tenant), "travel")))

for await (const line of createInterface({ input: process.stdin })) {
  const asked: Line.Asked = JSON.parse(line)
  if ("drain" in asked) break
  void runtime.runPromiseExit(start(asked.start)).then((exit) => {
    const problem = Exit.isSuccess(exit) ? {} : { problem: String(Cause.squash(exit.cause)) }
    say({ started: asked.start, ...problem })
  })
}
await runtime.dispose()
process.exit(0)
