/**
 * The setting of an exploration, which all its states share: the scenario, the logs of its runs, and remembered
 * steps.
 */
import type * as ExploredLog from "./ExploredLog.ts"
import type * as ExploredProcess from "./ExploredProcess.ts"
import type * as Scenario from "./Scenario.ts"

/** The setting of an exploration. */
export interface Setting {
  readonly scenario: Scenario.Scenario
  /** One log for each run. */
  readonly logs: ReadonlyArray<ExploredLog.ExploredLog>
  /** Answers the process after a step in a scene. `what` names the step completely; each step is computed once. */
  readonly recall: (
    scene: ExploredProcess.Scene,
    process: ExploredProcess.Process,
    what: string,
    make: () => ExploredProcess.Process
  ) => ExploredProcess.Process
  /** The one object for all equal processes. */
  readonly same: (process: ExploredProcess.Process) => ExploredProcess.Process
}

/** Makes the parts that all states of an exploration share. */
export const make = (scenario: Scenario.Scenario, logs: ReadonlyArray<ExploredLog.ExploredLog>): Setting => {
  const processes = new Map<string, ExploredProcess.Process>()
  const recalled = new WeakMap<ExploredProcess.Process, Map<string, ExploredProcess.Process>>()
  const same = (process: ExploredProcess.Process): ExploredProcess.Process => {
    if (recalled.has(process)) return process
    const text = JSON.stringify(process)
    const found = processes.get(text) ?? process
    if (found === process) {
      processes.set(text, process)
      recalled.set(process, new Map())
    }
    return found
  }
  const recall: Setting["recall"] = ({ clock, others }, process, what, make) => {
    const answers = recalled.get(same(process))!
    const key = `${what} ${clock} ${others.map(({ id }) => id).join(" ")}`
    const answer = answers.get(key) ?? same(make())
    answers.set(key, answer)
    return answer
  }
  return { scenario, logs, recall, same }
}
