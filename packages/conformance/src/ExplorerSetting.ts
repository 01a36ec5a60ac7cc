/**
 * What all states of one exploration share: the scenario, the logs of its runs, and what was worked out before.
 *
 * @since 0.1.0
 */
import * as Learnt from "@backstitch/kernel/Learnt"
import type * as ExploredLog from "./ExploredLog.ts"
import type * as ExploredProcess from "./ExploredProcess.ts"
import type * as Scenario from "./Scenario.ts"

/**
 * What all states of an exploration have in common.
 *
 * @category models
 * @since 0.1.0
 */
export interface Setting {
  readonly scenario: Scenario.Scenario
  /** One a run. */
  readonly logs: ReadonlyArray<ExploredLog.ExploredLog>
  /** What is learnt where a name is refused. */
  readonly learn: typeof Learnt.of
  /** What a process becomes by a step that `what` names in full: worked out once. */
  readonly recall: (
    process: ExploredProcess.Process,
    what: string,
    make: () => ExploredProcess.Process
  ) => ExploredProcess.Process
  /** The one object for all processes that are equal. */
  readonly same: (process: ExploredProcess.Process) => ExploredProcess.Process
}

/**
 * Makes what all states of an exploration have in common.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  scenario: Scenario.Scenario,
  logs: ReadonlyArray<ExploredLog.ExploredLog>,
  learn: typeof Learnt.of = Learnt.of
): Setting => {
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
  const recall: Setting["recall"] = (process, what, make) => {
    const answers = recalled.get(same(process))!
    const answer = answers.get(what) ?? same(make())
    answers.set(what, answer)
    return answer
  }
  return { scenario, logs, learn, recall, same }
}
