/**
 * Measures the sidecar: what it adds to a step that the run is lifted to its subtasks, and records their checkpoints.
 *
 * One agent works under two contracts that differ in their subtasks alone. Each subtask reads once and writes once,
 * and reaches three checkpoints. The tools take 10 ms, or no time where the processor time is measured.
 */
import * as Path from "node:path"
import * as Process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Substrate from "../src/Substrate.ts"
import * as StoreFile from "./StoreFile.ts"

const toolMillis = 10

const figures = {
  time: {
    name: "sidecar",
    title: `time of a step with a tool of ${toolMillis} ms: under a contract with subtasks ÷ without`,
    better: "less",
    unit: "x",
    within: 1.05,
    durability: "FULL ÷ FULL"
  },
  processor: {
    name: "sidecar-processor",
    title: `processor time that subtasks add to a step, in % of a step with a tool of ${toolMillis} ms`,
    better: "less",
    unit: "%",
    within: 5,
    aim: 2,
    durability: "FULL on both sides"
  }
} satisfies Record<string, Figure.Figure>

const definition = {
  pack: "bench.sidecar",
  version: "1.0.0",
  state: {
    world: { notes: { table: { key: "id", row: "string" } } },
    working: { found: { table: { key: "id", row: "string" } } }
  },
  tools: {
    find: { class: "read_only", input: { id: "string" } },
    write: {
      class: "medium_risk_write",
      idempotency: "idempotent_write",
      input: { id: "string" },
      target: "'note/' + args.id",
      identity: { scope: "run", fields: [{ id: "exact" }] },
      times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
      status: "by_key",
      undo: { class: "X" },
      reads: ["working.found[args.id]"],
      on_reconciled: [{ put: { table: "world.notes", key: "args.id", row: "'written'" } }]
    }
  },
  reducers: { on: { find: [{ put: { table: "working.found", key: "args.id", row: "observed.at" } }] } }
} as const

const plain = Result.getOrThrow(TaskPack.make(definition))

const lifted = Result.getOrThrow(
  TaskPack.make({
    ...definition,
    machine: {
      initial: "open",
      states: ["open", "found"],
      edges: [
        { from: "open", tool: "find", to: "found" },
        { from: "found", tool: "write", to: "open" }
      ]
    },
    skeletons: {
      note: {
        tools: ["find", "write"],
        states: ["open", "found"],
        entry: ["open"],
        entity: "args.id",
        outputs: ["working.found[entity]"],
        commit: "to == 'found'",
        exit: "tool == 'write'"
      }
    }
  })
)

const toolsOf = (millis: number): ToolExecutor.Tools => {
  const execute = async ({ id }: { readonly id: string }) => {
    if (millis > 0) await sleep(millis)
    return { at: `monday ${id}` }
  }
  return { find: { execute }, write: { execute, status: async () => undefined } }
}

/** The time of a step in milliseconds, and its processor time. */
interface Step {
  readonly time: number
  readonly processor: number
}

/** Takes steps in a new run, two for each subtask. */
const steps = (filename: string, pack: TaskPack.TaskPack, { count, millis }: { count: number; millis: number }) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(Run.make("sidecar"), { pack, goal: "bench" })
    const used = Process.cpuUsage()
    const began = performance.now()
    for (let index = 0; index < count; index++) {
      const tool = index % 2 === 0 ? "find" : "write"
      const outcome = yield* handle.propose({ tool, params: { id: `${index >> 1}` } })
      if (outcome._tag !== "Done") return yield* Effect.die(new Error(`step ${index} was ${JSON.stringify(outcome)}`))
    }
    yield* handle.flush
    const { system, user } = Process.cpuUsage(used)
    return { time: (performance.now() - began) / count, processor: (system + user) / 1000 / count }
  }).pipe(
    Effect.scoped,
    Effect.provide(Substrate.layer(SqlTraceStore.layerSqlite({ filename }), toolsOf(millis))),
    StoreFile.removing(filename),
    Effect.runPromise
  )

/** The benchmark of the sidecar. */
export const benchmark: Figure.Benchmark = {
  name: "sidecar",
  run: async ({ folder, runs, say }) => {
    let turn = 0
    const file = () => Path.join(folder, `sidecar-${turn++}.db`)
    say("steps that take time")
    const waits = { count: 200, millis: toolMillis }
    const time = await Statistics.interleave(runs, {
      ours: async () => (await steps(file(), lifted, waits)).time,
      theirs: async () => (await steps(file(), plain, waits)).time
    })
    say("processor time")
    const works = { count: 1000, millis: 0 }
    const kept: Array<{ readonly ours: Step; readonly theirs: Step }> = []
    for (let run = -3; run < runs; run++) {
      const isOursFirst = run % 2 === 0
      const first = await steps(file(), isOursFirst ? lifted : plain, works)
      const second = await steps(file(), isOursFirst ? plain : lifted, works)
      if (run >= 0) kept.push(isOursFirst ? { ours: first, theirs: second } : { ours: second, theirs: first })
    }
    const whole = time.theirs
    const shares = kept.map(({ ours, theirs }) => (100 * (ours.processor - theirs.processor)) / whole)
    const [ours, theirs] = (["ours", "theirs"] as const).map((side) =>
      Figure.round(1000 * Statistics.median(kept.map((pair) => pair[side].processor)))
    )
    return [
      Figure.ratio(figures.time, time, "ms a step"),
      Figure.measured(figures.processor, shares, `${ours} − ${theirs} µs of processor time a step`)
    ]
  }
}
