/**
 * An agent as a process that can be told where to die. It takes jobs on stdin, and kills itself with SIGKILL, which
 * it cannot catch, at the moment of a job.
 */
import { writeSync } from "node:fs"
import * as Module from "node:module"
import { createInterface } from "node:readline"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as FaultPoint from "@backstitch/runtime/FaultPoint"
import type * as Planner from "@backstitch/runtime/Planner"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { Json } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Wording from "@backstitch/wording/Wording"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import agent from "../agent.ts"
import * as Client from "../Client.ts"
import * as Desk from "./Desk.ts"
import * as Job from "./Job.ts"
import * as Revision from "./Revision.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"

// Written synchronously: lines before a death are read after it.
const say = (line: Job.Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** The store, which reports the commits that it has acknowledged. */
const telling = (id: number, store: SqlTraceStore.SqlLayer): SqlTraceStore.SqlLayer =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({
      ...each,
      append: (commit: TraceStore.Append) =>
        Effect.tap(each.append(commit), () =>
          Effect.sync(() => {
            const last = commit.transitions.at(-1)
            if (last !== undefined) say({ id, acknowledged: { tick: last.tick, link: last.link } })
          })
        )
    }))
  ).pipe(Layer.provide(store))

/** Tools that send no key, so that the world cannot recognise a repetition. */
const keyless = (tools: ToolExecutor.Tools): ToolExecutor.Tools =>
  Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      { ...tool, execute: (params: never, context) => tool.execute(params, { ...context, key: undefined }) }
    ])
  )

/** Records of reversals that do not exist before the reversal. */
const apart = (tools: ToolExecutor.Tools): ToolExecutor.Tools =>
  Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const { readback } = tool
      if (!name.startsWith("cancel_") || readback === undefined) return [name, tool]
      const own: ToolExecutor.SourceReader = async (context, params) => {
        const record = (await readback(context, params)) as { readonly status?: string } | undefined
        return record?.status === "cancelled" ? (record as Json) : undefined
      }
      return [name, { ...tool, readback: own }]
    })
  )

const behindStaging: ReadonlySet<Job.Death["place"]> = new Set(["append/before", "append/committed", "settle/due"])

const work = (job: Job.Job) => {
  const { death, desk, id, isApart, isKeyless, isRevisable, pivot, store, tenant, times, without = [], world } = job
  const tools = desk === undefined ? Client.tools(world) : Desk.tools(desk)
  let proposed: string | undefined
  let reached = 0
  const taken = (isRevisable === true ? Revision.steps : (agent.steps ?? [])).filter(({ id }) => !without.includes(id))
  const steps = (desk === undefined ? taken : Desk.steps).map(
    (step): Planner.ScriptStep => ({
      id: step.id,
      propose: (view) => {
        const proposal = typeof step.propose === "function" ? step.propose(view) : step.propose
        proposed = proposal.tool ?? proposed
        return proposal
      }
    })
  )
  const reach = (place: FaultPoint.PointName) =>
    Effect.suspend(() => {
      if (death === undefined || (death.tool !== undefined && death.tool !== proposed)) return Effect.void
      // A settlement waits for the next commit. A death at a later place needs a time in which no commit follows.
      if (place === "settle/staged" && behindStaging.has(death.place)) return Effect.sleep("50 millis")
      if (death.place !== "any" && death.place !== place) return Effect.void
      if (++reached < death.nth) return Effect.void
      process.kill(process.pid, "SIGKILL")
      return Effect.never
    })
  return Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const { clauses, goal, text } = agent
    const opening =
      desk === undefined
        ? { pack: TravelPack.under(times, { isRevisable, pivot }), goal, text, clauses }
        : { pack: Desk.pack(times), goal: "a seat" }
    const handle = yield* coordinator.open(Run.make("trip", tenant), opening)
    const outcome = yield* Agent.run(handle)
    return outcome?._tag === "Refused" ? `Refused: ${Wording.why(outcome)}` : (outcome?._tag ?? "Done")
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Services.layer(telling(id, Job.storeLayer(store)), {
        tools: isKeyless ? keyless(tools) : isApart ? apart(tools) : tools,
        steps
      }),
      {
        local: true
      }
    ),
    Effect.provideService(FaultPoint.FaultPoint, reach),
    Effect.catchCause((cause) => Effect.succeed(`Crashed: ${Cause.pretty(cause)}`))
  )
}

// A killed process cannot write its compile cache when it ends, so the next process would compile everything again.
Module.flushCompileCache()

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job.Job = JSON.parse(line)
  void Effect.runPromise(work(job)).then((ended) => say({ id: job.id, ended }))
}
