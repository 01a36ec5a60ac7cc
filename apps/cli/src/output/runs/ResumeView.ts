/** Prints how a run continues after a crash. */
import * as Amount from "@backstitch/contracts/Amount"
import type { ResumePreview } from "@backstitch/runtime/ResumePreview"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as ActingView from "./ActingView.ts"

/** The agent that goes on with a run: its pack, and the agents that work together in it; none if it works alone. */
export interface ActingAgent {
  readonly pack: { readonly digest: string; readonly id: string; readonly version: string }
  readonly agents: ReadonlyArray<string>
}

/**
 * Prints a plan: one line for the run, one for the agents that work on it together, and one for each open action. A
 * plan asks nothing.
 */
export const print = (
  run: string,
  { because, budget, pack, snapshot, steps, tick }: ResumePreview,
  how: "begun" | "rehearsed",
  agent?: ActingAgent
): void => {
  const from = snapshot === 0 ? "none" : `tick ${snapshot}`
  const under = pack === null ? "none" : `${pack.id} ${pack.version}`
  const head = `run=${run} | tick=${tick} | snapshot=${from} | open=${steps.length} | pack=${under}`
  TextTable.sentence(Terminal.bold("RESUME:"), `${head} | ${because}`)
  ActingView.spawned(agent?.agents)
  const lines = steps.map(({ action, because, phase, recovery, tool }) => {
    const isPersons = recovery === "hold" || recovery === "hold_then_compensate"
    const given = how === "begun" || isPersons ? "" : "with an agent, "
    return [Terminal.wary(recovery), `${tool} (${action}), ${phase.replace("_", " ")}: ${given}${because}`]
  })
  const used = budget
    .filter(({ reserved, used }) => Amount.isSome(used) || Amount.isSome(reserved))
    .map(({ budget: name, max, reserved, used }) => {
      const held = Amount.isSome(reserved) ? ` and ${reserved} reserved` : ""
      return `${name} ${used}${held} of ${max}`
    })
  if (pack !== null && agent !== undefined && agent.pack.digest !== pack.digest) {
    const { digest, id, version } = agent.pack
    const other = `${id} ${version}`
    const apart = other === under ? ` in its present form (${digest.slice(0, 12)})` : ""
    lines.push([
      Terminal.wary("pack"),
      `the run keeps ${under}, with which it was begun; its agent has ${other}${apart}`
    ])
  }
  if (used.length > 0) lines.push([Terminal.dim("carried over"), used.join(", ")])
  TextTable.print(lines)
  if (how === "rehearsed") Terminal.print(Terminal.dim("Nothing was asked or sent: that takes --agent FILE."))
  Terminal.print()
}
