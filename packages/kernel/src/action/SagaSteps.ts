/**
 * The steps of the subtasks that an action belongs to, from which a saga decides what is undone or completed together.
 *
 * A subtask is an instance of a skeleton of the pack: calls of the skeleton's tools for one entity. The skeleton
 * names the pivot, and the tools whose final failure aborts the subtask. An action without a skeleton is a subtask of
 * its own. The steps are read from the state alone. `RunLift` reads checkpoints, reads and writes from the trace.
 *
 * @source Action Verification, "The Pivot Transaction"
 */
import type * as Skeleton from "@backstitch/contracts/Skeleton"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Saga from "@backstitch/ledger/Saga"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** An instance of a subtask. */
export interface Instance {
  readonly skeleton: Skeleton.Skeleton
  readonly entity: Canonical.Json
}

/** The instances that an action belongs to, as registered when it started. */
export const instancesOf = (
  { pack }: DecisionTerms.DecisionTerms,
  registered: Canonical.JsonObject | undefined
): ReadonlyArray<Instance> =>
  Object.entries(Canonical.objectOf(registered?.["within"])).flatMap(([id, entity]) => {
    const skeleton = pack?.skeletons[id]
    return skeleton === undefined || entity === undefined ? [] : [{ skeleton, entity }]
  })

/** The steps of the given instances, settled and open, in the order in which they were begun. */
export const of = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  instances: ReadonlyArray<Instance>
): ReadonlyArray<Saga.SagaStep> => steps(terms, state, (registered) => belongs(instances, registered))

/** The passed pivot that an action lies before, or is itself by its contract; `undefined` if there is none. */
export const pivotBehind = (steps: ReadonlyArray<Saga.SagaStep>, action: string): string | undefined => {
  const pivot = Saga.pivot(steps)
  const own = steps.find((step) => step.action === action)
  if (pivot === undefined || own === undefined) return undefined
  return steps.indexOf(own) < steps.indexOf(pivot) || (own === pivot && pivot.pivot === true) ? pivot.action : undefined
}

/** The steps of the whole run. */
export const all = (terms: DecisionTerms.DecisionTerms, state: State): ReadonlyArray<Saga.SagaStep> =>
  steps(terms, state, () => true)

const steps = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  isMember: (registered: Canonical.JsonObject | undefined) => boolean
): ReadonlyArray<Saga.SagaStep> => {
  const found: Array<readonly [number, Saga.SagaStep]> = []
  for (const [action, settled] of SettledActions.inOrder(state)) {
    if (isMember(settled)) found.push([settled.started, settledStep(terms, action, settled)])
  }
  for (const [action, open] of Object.entries(OpenActions.of(state))) {
    if (open === undefined || open.class === "read_only" || open.undoes !== undefined) continue
    if (isMember(open.undo)) found.push([open.tick, openStep(terms, action, open)])
  }
  return found.sort(([one], [other]) => one - other).map(([, step]) => step)
}

/** Tells whether an action belongs to one of the given instances, by its registered data. */
export const belongs = (instances: ReadonlyArray<Instance>, registered: Canonical.JsonObject | undefined): boolean => {
  const within = Canonical.objectOf(registered?.["within"])
  return instances.some(({ entity, skeleton }) => {
    const own = within[skeleton.id]
    return own !== undefined && Canonical.equals(own, entity)
  })
}

const settledStep = (
  terms: DecisionTerms.DecisionTerms,
  action: string,
  settled: SettledActions.Settled
): Saga.SagaStep => {
  const { by, with: params } = settled
  return {
    ...stepOf(terms, action, settled.tool, settled),
    state: states[settled.undo],
    reversibility: reversibilityOf(settled.class),
    ...(SettledActions.isTooLate(settled, terms.now) ? { isTooLate: true } : {}),
    ...(by === undefined || params === undefined ? {} : { compensation: { tool: by, params } })
  }
}

/** An open action has to be settled before it is undone. */
const openStep = (terms: DecisionTerms.DecisionTerms, action: string, open: OpenAction.OpenAction): Saga.SagaStep => ({
  ...stepOf(terms, action, open.tool, open.undo),
  state: open.state,
  reversibility: reversibilityOf(open.undo?.class)
})

const stepOf = (
  terms: DecisionTerms.DecisionTerms,
  action: string,
  tool: string,
  registered: Canonical.JsonObject | undefined
) => ({
  action,
  repeatable: TaskPack.tool(terms.pack, tool).idempotency === "idempotent_write",
  pivot: instancesOf(terms, registered).some(({ skeleton }) => skeleton.pivot.includes(tool))
})

const states = {
  standing: "reconciled_success",
  undoing: "compensating",
  undone: "compensated",
  undo_failed: "compensation_failed",
  undo_abandoned: "abandoned",
  absent: "rolled_back",
  attested: "compensated",
  doubtful: "review_required"
} as const

const reversibilityOf = (value: Canonical.Json | undefined): ToolContract.Reversibility =>
  value === "I" || value === "R" || value === "K" ? value : "X"
