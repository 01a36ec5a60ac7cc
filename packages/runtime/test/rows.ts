/** A desk on which a row of the recovery table is played by the real kernel and runtime, and what is seen of it. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const

export const plain: Definition.ToolDefinition = {
  class: "low_risk_internal",
  idempotency: "effectful",
  input: { to: "string" },
  target: "'box/' + args.to",
  identity: { scope: "run", fields: ["to"] },
  times,
  undo: "X"
}

const done = "actual.state == 'done'"
export const readback: Definition.Readback = { source: "desk", expect: done, within: "1s" }
export const keyed: Definition.ToolDefinition = { ...plain, idempotency: "idempotent_write" }

/** The tool that takes a thing back, and its readback. */
export const takeBack: Definition.ToolDefinition = {
  ...keyed,
  identity: { scope: "run", fields: ["to"] },
  target: "'back/' + args.to",
  readback: { ...readback, expect: "actual.state == 'gone'" }
}
export const undo = { class: "R", by: "takeBack", with: { to: "args.to" } } as const

/** The work of a tool of the desk; without an answer of its own it says whom it was for. */
type Does = (
  to: string,
  context: ToolExecutor.ToolContext
) => ToolExecutor.Accepted | ToolExecutor.Replayed | JsonObject | Promise<JsonObject> | undefined

/** A desk: its boxes, and the requests that it got, in order. */
export class Desk {
  readonly log: Array<string> = []
  readonly boxes = new Map<string, JsonObject>()

  /** A tool of the desk: what it does is noted, and what it shows is what is in the box. */
  tool(name: string, does: Does): ToolExecutor.Tool {
    return {
      execute: async ({ to }: { readonly to: string }, context) => {
        this.log.push(name)
        return (await does(to, context)) ?? { to }
      },
      readback: async (_, { to }: { readonly to: string }) => {
        this.log.push(`${name}: read`)
        return this.boxes.get(to)
      }
    }
  }

  /** Notes a question, and answers it. */
  shows<A>(question: string, answer: A): A {
    this.log.push(question)
    return answer
  }

  /** Notes a question that nobody answers. */
  cuts(question: string): never {
    this.log.push(question)
    return cut()
  }

  puts(name: string, state: string): ToolExecutor.Tool {
    return this.tool(name, (to, { key }) => void this.boxes.set(to, { key, state, to }))
  }
}

export const refuse = (): never => {
  throw new ToolExecutor.ToolRefused("no")
}

export const cut = (): never => {
  throw new Error("the line was cut")
}

export const act = (more: JsonObject = {}): Proposal => ({ tool: "act", params: { to: "ada", ...more } })

export interface Row {
  readonly seed: number
  readonly says: string
  readonly tools: { readonly [name: string]: Definition.ToolDefinition }
  readonly code: (desk: Desk) => ToolExecutor.Tools
  readonly changes?: Partial<Definition.Definition>
  /** The proposals; without it, the one act. */
  readonly work?: (handle: RunHandle.RunHandle) => Effect.Effect<Outcome | undefined, RunHandle.RunError>
  readonly decides: string
  /** The requests to the desk, without repetition of the same. */
  readonly log: ReadonlyArray<string>
  readonly ends: Outcome["_tag"]
  readonly told: ReconciliationStatus.ReconciliationStatus
  readonly seen?: (seen: {
    readonly report: Report.Report
    readonly transitions: ReadonlyArray<Transition>
    readonly decided: JsonObject
  }) => void
}

export const approving = (handle: RunHandle.RunHandle, outcome: Outcome) => {
  const review = outcome._tag === "Parked" ? outcome.review : ""
  const data = { by: "Ada", review, role: "manager", verdict: "approved" }
  return handle.propose({ type: "review.decided", author: "user", data })
}

const packOf = ({ changes, tools }: Row): TaskPack.TaskPack =>
  Result.getOrThrow(
    TaskPack.make({ pack: "acme.rows", version: "1.0.0", state: { world: {}, working: {} }, ...changes, tools })
  )

/** Repetitions of the same question are one. */
export const folded = (log: ReadonlyArray<string>): ReadonlyArray<string> =>
  log.filter((each, index) => each === "act" || each !== log[index - 1])

export const play = (row: Row) =>
  Effect.gen(function* () {
    const desk = new Desk()
    const pack = packOf(row)
    const store = yield* lab.shared
    const executor = ToolExecutor.fromTools(row.code(desk))
    const process = lab.as(lab.process(store, { executor }))
    const outcome = yield* lab.elapsing(
      process(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          return yield* row.work?.(handle) ?? handle.propose(act())
        })
      )
    )
    return yield* process(
      Effect.gen(function* () {
        const transitions = yield* lab.transitions()
        const report = yield* Report.of(lab.trip)
        const again = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
        return { again, desk, outcome, report, transitions }
      })
    )
  })
