/**
 * An agent that publishes a page, for which an editor is asked, and then takes steps like those of the other
 * benchmarks, one trivial tool call each. `TOOL_MILLIS` is the time that each call takes.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Goal from "@backstitch/kernel/Goal"
import type { Agent } from "@backstitch/runtime/Agent"
import type * as Planner from "@backstitch/runtime/Planner"

/** Steps of a run: calls of tools. */
export const stepsOfRun = 10

const toolMillis = Number(process.env["TOOL_MILLIS"] ?? 0)
const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

const answer = async ({ id }: { readonly id: string }) => {
  if (toolMillis > 0) await sleep(toolMillis)
  return { id, role: "tool", text }
}

/** The name of the page, which no other run works on. */
const pageOf = ({ state }: Planner.View): string => String(Goal.of(state).clauses["page"])

const agent: Agent = {
  pack: "pack.yaml",
  goal: "a page",
  steps: [
    { id: "publish", propose: (view: Planner.View) => ({ tool: "publish", params: { id: pageOf(view) } }) },
    ...Array.from({ length: stepsOfRun - 1 }, (_, at) => ({
      id: `write ${at}`,
      propose: (view: Planner.View) => ({ tool: "write", params: { id: `${pageOf(view)}/${at}` } })
    })),
    { id: "done", propose: { type: "goal.complete" } }
  ],
  tools: {
    write: { execute: answer, status: async () => undefined },
    publish: { execute: answer, status: async () => undefined }
  }
}

export default agent
