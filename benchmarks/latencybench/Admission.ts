/** Measures admission over a run of 10,000 steps in 500 subtasks, and the time for one more step in its registry. */

import type * as LiftedStep from "@backstitch/admissibility/LiftedStep"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as Registry from "@backstitch/admissibility/Registry"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as Figure from "../src/Figure.ts"

const steps = 10_000
const instances = 500
const figure: Figure.Figure = {
  name: "admission",
  title: `whether one of ${instances} subtasks of a run of ${steps.toLocaleString("en-GB")} steps may go back`,
  better: "less",
  unit: "ms",
  within: 20,
  aim: 5,
  durability: "none: it reads no store"
}

const shape = { id: "slot", effects: "compensate", entry: [], outputs: [], states: [], tools: [] } as const

/** Each subtask works in turn, and reads the last values that the subtask before it wrote. */
const stepOf = (index: number): LiftedStep.LiftedStep => {
  const entity = index % instances
  const before = (entity + instances - 1) % instances
  return {
    tick: index + 1,
    skeleton: "slot",
    entity,
    from: "busy",
    to: "busy",
    tool: "choose",
    reads: [`slots[${before}]`],
    writes: [`slots[${entity}]`, `notes[${index}]`],
    effect: { action: `a${index}`, tool: "choose", reversibility: "R", standing: "stands", isRepeatable: true },
    commit: true,
    exit: false
  }
}

/** The benchmark of admission over a long run. */
export const benchmark: Figure.Benchmark = {
  name: "admission",
  run: async ({ runs }) => {
    const registry = Registry.lift(
      Registry.make({ slot: shape }),
      Array.from({ length: steps }, (_, at) => stepOf(at))
    )
    const failure = { tick: steps + 1, state: "busy", tool: "choose", signal: "timeout", entity: 7 } as const
    const options = { policy: RecoveryPolicy.policies.exit, now: 0 }
    const samples = Array.from({ length: runs + 1 }, () => {
      const began = performance.now()
      RollbackAdmission.decide(registry, failure, options)
      return performance.now() - began
    })
    return [Figure.measured(figure, samples.slice(1))]
  }
}
