/** Lets an agent act on a run while somebody watches: what `run`, `resume` and `fork --agent` have in common. */
import * as Agent from "@backstitch/runtime/Agent"
import * as Receipt from "@backstitch/runtime/Receipt"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as EmergencyFlag from "../input/EmergencyFlag.ts"
import type { Globals } from "../input/Globals.ts"
import * as Narrator from "../output/Narrator.ts"
import * as ReceiptView from "../output/ReceiptView.ts"
import * as TickLine from "../output/TickLine.ts"
import * as Terminal from "../terminal/Terminal.ts"

/**
 * Lets the planner act until it is done or waits, tells of each transition after tick `after`, and answers the exit
 * code.
 */
export const act = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  globals: Globals,
  after: number,
  { again, emergency, ...more }: Agent.Wishes & { readonly [name: string]: unknown } = {}
) {
  Terminal.acting()
  const committed: Array<object> = []
  const visit = (step: Step): void => {
    if (!globals.json) {
      Terminal.print(TickLine.render(step))
      return
    }
    const { body, tick } = step.transition
    committed.push({ tick, transition_type: body.type, ...(step.tool === undefined ? {} : { tool: step.tool }) })
  }
  const outcome = yield* Narrator.during(handle.run, after, visit, Agent.run(handle, undefined, { again, emergency }))
  if (emergency !== undefined) yield* EmergencyFlag.tell((yield* handle.position).state, emergency)
  const receipt = yield* Receipt.make(handle.run, outcome, { after })
  if (globals.json) Terminal.document({ ...ReceiptView.document(receipt), ...more, committed })
  else ReceiptView.print(receipt)
  return receipt.status === "done" && receipt.verified ? 0 : 1
})
