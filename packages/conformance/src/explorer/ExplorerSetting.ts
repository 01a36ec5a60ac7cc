/**
 * The setting of an exploration, shared by all its states: the scenario, the logs of its runs, and a memory of steps.
 */
import type * as ExploredLog from "./ExploredLog.ts"
import type * as ExploredProcess from "./ExploredProcess.ts"
import type * as Scenario from "./Scenario.ts"

/** The setting of an exploration. */
export interface Setting {
  readonly scenario: Scenario.Scenario
  /** One a run. */
  readonly logs: ReadonlyArray<ExploredLog.ExploredLog>
  /** Answers the process that a step leads to in a scene. `what` names the step in full; each is worked out once. */
  readonly recall: (
    scene: ExploredProcess.Scene,
    process: ExploredProcess.Process,
    what: string,
    make: () => ExploredProcess.Process
  ) => ExploredProcess.Process
  /** The one object for all processes that are equal. */
  readonly same: (process: ExploredProcess.Process) => ExploredProcess.Process
}

/** Makes what all states of an exploration have in common. */
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
