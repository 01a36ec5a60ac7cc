/**
 * An agent's real steps: proposals to a coordinator, each with one trivial tool call.
 *
 * The intent of a write is durable before the tool is called, together with the settlement of the write before: one
 * flush. A read is durable with the next commit, at most 5 ms later. The state keeps every message, as the peers'
 * states do.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Substrate from "../src/Substrate.ts"

const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

/** A contract with one tool that writes and one that reads. */
export const pack: TaskPack.TaskPack = Result.getOrThrow(
  TaskPack.make({
    pack: "bench.steps",
    version: "1.0.0",
    state: { world: { notes: "int" }, working: { messages: { list: "json" } } },
    tools: {
      write: {
        class: "medium_risk_write",
        idempotency: "idempotent_write",
        input: { id: "string" },
        target: "'note/' + args.id",
        identity: { scope: "run", fields: [{ id: "exact" }] },
        times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
        status: "by_key",
        undo: { class: "X" },
        writes: ["world.notes"],
        on_reconciled: [{ add: { field: "world.notes", value: 1 } }]
      },
      look: { class: "read_only", input: { id: "string" } }
    },
    reducers: {
      on: {
        write: [{ append: { list: "working.messages", item: "observed" } }],
        look: [{ append: { list: "working.messages", item: "observed" } }]
      }
    }
  })
)

const answer = ({ id }: { readonly id: string }) => ({ id, role: "tool", text })

const tools: ToolExecutor.Tools = {
  write: { execute: answer, status: async () => undefined },
  look: { execute: answer }
}

/** The runtime over a store. `snapshots` defaults to the coordinator's own. */
export const layer = <E>(
  store: Layer.Layer<TraceStore.TraceStore, E>,
  snapshots?: SnapshotDial.SnapshotDial | undefined
) => Substrate.layer(store, tools, snapshots)

/** The services of a run: all that {@link layer} provides. */
export type Coordinated = Substrate.Substrate

/** Opens a run under the contract. */
export const open = Effect.fnUntraced(function* (name: string) {
  const coordinator = yield* Coordinator.Coordinator
  return yield* coordinator.open(Run.make(name), { pack, goal: "bench" })
})

/** Takes n steps, starting with a given number. */
export const take = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  tool: "write" | "look",
  { count, from = 0 }: { readonly count: number; readonly from?: number }
) {
  for (let index = from; index < from + count; index++) {
    const outcome = yield* handle.propose({ tool, params: { id: `${handle.run.id}-${index}` } })
    if (outcome._tag !== "Done") return yield* Effect.die(new Error(`step ${index} was ${JSON.stringify(outcome)}`))
  }
})

/** Takes n steps in a new run; answers milliseconds, without opening and closing. */
export const time = (name: string, count: number, tool: "write" | "look" = "write") =>
  Effect.gen(function* () {
    const handle = yield* open(name)
    const began = performance.now()
    yield* take(handle, tool, { count })
    return performance.now() - began
  }).pipe(Effect.scoped)
