/** Lets an agent act, and shows commits as they happen: the common part of `run`, `resume` and `fork --agent`. */
import * as Agent from "@backstitch/runtime/Agent"
import * as EmergencyCheck from "@backstitch/runtime/EmergencyCheck"
import * as ProcessLease from "@backstitch/runtime/ProcessLease"
import * as Receipt from "@backstitch/runtime/Receipt"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import type { Globals } from "../input/Globals.ts"
import * as ReceiptView from "../output/ReceiptView.ts"
import * as TickLine from "../output/TickLine.ts"
import * as Printer from "../terminal/Printer.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** Holds the lease of a run while the scope is open. With `wait`, it waits for another process. */
export const lease = (run: Run, { wait = false }: { readonly wait?: boolean } = {}) =>
  ProcessLease.hold(run, wait ? (held) => waiting(run, held) : undefined)

const waiting = (run: Run, { holder, since }: { readonly holder: string; readonly since: number }) =>
  Effect.sync(() =>
    Terminal.note(`run ${run.id} is in the hands of ${holder} since ${new Date(since).toISOString()}: waiting`)
  )

/** Lets the planner act until it is done or waits, prints each transition after tick `after`, and answers. */
export const act = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  globals: Globals,
  after: number,
  { again, emergency, ...more }: Agent.Wishes & { readonly [name: string]: unknown } = {}
) {
  Terminal.acting()
  const { run } = handle
  const committed: Array<object> = []
  const visit = (step: Step): void => {
    globals.printer.tell(() => Terminal.print(TickLine.render(step)))
    const { body, tick } = step.transition
    committed.push({ tick, transition_type: body.type, ...(step.tool === undefined ? {} : { tool: step.tool }) })
  }
  const acting = Agent.run(handle, undefined, { again, emergency })
  const outcome = yield* StepFeed.during(run, after, visit, acting)
  if (emergency !== undefined) complain(EmergencyCheck.unbroken((yield* handle.position).state, emergency))
  const receipt = yield* Receipt.make(run, outcome, { after })
  const document = { ...ReceiptView.document(receipt), ...more, committed }
  return Printer.answer(document, () => ReceiptView.print(receipt), Receipt.isDone(receipt) ? 0 : 1)
})

/** Reports that the glass was not broken, and who decides. */
const complain = (unbroken: EmergencyCheck.Unbroken | undefined): void => {
  if (unbroken === undefined) return
  const { needs, review, tool } = unbroken
  const why = `it is broken for a critical_mutation alone, and ${tool} may be none, or was not proposed again`
  Terminal.complain(`the glass was not broken for ${review}: ${why}. ${needs.join(" or ")} decides`)
}
