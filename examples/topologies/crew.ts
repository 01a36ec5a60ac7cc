/**
 * An editor and its workers, as one process on a store: `PRESS_URL`, and as arguments the store and the run.
 *
 * `DIE_AT=n` kills the process with SIGKILL at the n-th place of the commit path that it reaches. `CARELESS=1` is the
 * same editor without the queue: it keeps its orders in memory alone, and puts no key on a call.
 */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Crew from "@backstitch/runtime/Crew"
import * as FaultPoint from "@backstitch/runtime/FaultPoint"
import type { Order } from "@backstitch/runtime/Handoffs"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [, , filename = "", id = ""] = process.argv
const press = process.env["PRESS_URL"] ?? ""
const dieAt = Number(process.env["DIE_AT"] ?? 0)

const post = async (chapter: string, key: string) => {
  const init = { body: JSON.stringify({ chapter }), method: "POST" }
  const response = await fetch(`${press}/${encodeURIComponent(key)}`, init)
  return (await response.json()) as Json
}

const tools = ToolExecutor.layerFrom({
  print_chapter: {
    execute: (params, { key = "" }) => post((params as { chapter: string }).chapter, key),
    status: async ({ key = "" }) => {
      const response = await fetch(`${press}/${encodeURIComponent(key)}`)
      return response.status === 404 ? undefined : ((await response.json()) as Json)
    }
  }
})

let reached = 0

/** Ends the process as the power would: nothing is written, closed or told. */
const mortal = Layer.succeed(FaultPoint.FaultPoint, () =>
  Effect.sync(() => {
    if (++reached === dieAt) process.kill(process.pid, "SIGKILL")
  })
)

const layers = Coordinator.layer({ secret: "the press" }).pipe(
  Layer.provideMerge(tools),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(SqlTraceStore.layerSqlite({ filename })),
  Layer.provideMerge(mortal)
)

const orders: ReadonlyArray<Order> = ["one", "two"].map((task) => ({
  task,
  worker: `worker-${task}`,
  brief: `Print chapter ${task} and say which receipt the press gives for it`
}))

const careful = Effect.gen(function* () {
  const pack = yield* PackFile.load(new URL("pack.yaml", import.meta.url).pathname)
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(Run.make(id), { pack, goal: "print the book" })
  yield* handle.recover
  const crew = yield* Crew.make(handle, {
    declared: pack.topology ?? { kind: "orchestrator", agents: {}, order: [] },
    boss: "editor",
    orders,
    work: ({ task, worker }) =>
      Effect.map(handle.propose({ tool: "print_chapter", params: { chapter: task }, agent: worker }), (outcome) =>
        outcome._tag === "Done" ? { printed: outcome.output } : undefined
      )
  })
  const ended = yield* crew.run
  console.log(JSON.stringify(ended))
}).pipe(Effect.scoped, Effect.provide(layers))

const careless = async () => {
  for (const { task } of orders) {
    if (++reached === dieAt) process.kill(process.pid, "SIGKILL")
    await post(task, "")
    if (++reached === dieAt) process.kill(process.pid, "SIGKILL")
  }
}

if (process.env["CARELESS"] === "1") await careless()
else await Effect.runPromise(careful)
