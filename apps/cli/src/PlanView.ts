/**
 * Prints how a run goes on after a crash.
 *
 * @since 0.1.0
 */
import type { Plan } from "@backstitch/runtime/Resuming"
import * as Grid from "./Grid.ts"
import * as Terminal from "./Terminal.ts"

/**
 * Prints a plan: one line for the run, one for each open action.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (run: string, { because, snapshot, steps, tick }: Plan): void => {
  const from = snapshot === 0 ? "none" : `tick ${snapshot}`
  const head = `${Terminal.bold("RESUME:")} run=${run} | tick=${tick} | snapshot=${from} | open=${steps.length}`
  Terminal.print(`${head} | ${because}`)
  const lines = steps.map(({ action, because, phase, recovery, tool }) => [
    Terminal.wary(recovery),
    `${tool} (${action}), ${phase.replace("_", " ")}: ${because}`
  ])
  if (lines.length > 0) Terminal.print(Grid.render(lines))
  Terminal.print()
}
