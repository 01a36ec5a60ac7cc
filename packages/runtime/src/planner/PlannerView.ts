/**
 * The view of a run for its planner: verified state, unresolved discrepancies and pointers into the trace.
 *
 * No raw output reaches a planner. Text of a tool, stack traces and error messages stay in the trace, for people: a
 * model could take them for a success, or for an order. A planner sees an observation of each answer, the sentence of
 * the state-update rules, and the authoritative state if the contract's predicates held over it.
 *
 * @source Action Verification, "Observation Trust Ladder" and "State Update Rules"; HS-10
 */

import * as Condition from "@backstitch/contracts/Condition"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as FieldSchema from "@backstitch/expressions/FieldSchema"
import * as Approvers from "@backstitch/kernel/Approvers"
import type * as Check from "@backstitch/kernel/Check"
import * as ForwardRecovery from "@backstitch/kernel/ForwardRecovery"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as Trust from "@backstitch/ledger/Trust"
import * as Observation from "@backstitch/reconciliation/Observation"
import type * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Transition } from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"

/**
 * One action in the view of a planner.
 *
 * **Details**
 *
 * `success` is the flag to use: a mutation that was verified, or a read whose answer has the declared shape. `isDirty`
 * means that it failed, and left what it worked in as nobody intended. `status` is the settlement of the action in the
 * trace, or `open`. `state` is authoritative, and present only for a success. `params` are the arguments that were
 * proposed; sensitive ones are sealed unless the contract shows them to planners.
 */
export interface ViewedAction extends Reporting.PlannerLine {
  readonly params: Json
  /** The sentence about its status. */
  readonly says: string
  readonly class: string
  readonly status: "open" | "ok" | "error" | "mismatch" | "unknown"
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly success: boolean
  readonly isDirty: boolean
  readonly trust: Trust.Trust
  readonly observation: Observation.Observation | null
}

/**
 * The outcome of the last proposal in the view of a planner.
 *
 * **Details**
 *
 * `output` is authoritative state, the declared fields of a read, or a note of the planner itself.
 */
export type LastProposal =
  | { readonly _tag: "Done"; readonly tick: number; readonly success: boolean; readonly output: Json }
  | {
      readonly _tag: "Refused"
      readonly tick: number | undefined
      readonly success: false
      readonly reason: string
      readonly checks: ReadonlyArray<Check.Check>
      readonly next: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Held"
      readonly tick: number
      readonly success: false
      readonly action: string
      readonly says: string
      readonly discrepancy: string | null
    }
  | {
      readonly _tag: "Parked"
      readonly tick: number
      readonly success: false
      readonly needs: ReadonlyArray<string>
      readonly why: string
      readonly review: string
    }
  | { readonly _tag: "Failed"; readonly tick: number; readonly success: false; readonly error: Observation.Failure }

/** A clause of the goal, with its condition as text and its value; `null` if it has none. */
export interface Clause {
  readonly clause: string
  readonly holds: string
  readonly value: Json
  readonly description?: string | undefined
}

/** A tool that a planner may call, or a type that it may record, with the JSON Schema of the arguments. */
export interface Offer {
  readonly name: string
  readonly description?: string | undefined
  /** The side-effect class of a tool. */
  readonly class?: ToolContract.SideEffect | undefined
  readonly input: JsonObject
  /** The roles of which one may have to approve a call; absent if no call needs an approval. */
  readonly needs?: ReadonlyArray<string> | undefined
}

/** All that a planner is shown of a run. */
export interface PlannerView {
  /** Beliefs, plans and counts. Open actions are shown without the answers of their tools. */
  readonly state: State
  /** Every action of the run, in order. */
  readonly actions: ReadonlyArray<ViewedAction>
  /** The clauses of the goal in force, as revisions have left them, the most important one first. */
  readonly specification: ReadonlyArray<Clause>
  /** The tools of the contract. */
  readonly tools: ReadonlyArray<Offer>
  /** The types of transitions of an agent whose data the contract declares, such as a `plan.update`. */
  readonly records: ReadonlyArray<Offer>
  /** Steps that remain behind a pivot, and have to be done before the goal is reached. */
  readonly remaining: ReadonlyArray<ForwardRecovery.Remaining>
  /** The outcome of the last proposal; `undefined` at the start and after a resume. */
  readonly last: LastProposal | undefined
}

/** Follows a run, and makes the view of its planner. */
export interface Follower {
  /** Adds the transitions that were committed since. */
  readonly follow: (transitions: ReadonlyArray<Transition>) => void
  readonly view: (
    at: { readonly state: State; readonly pack: TaskPack.TaskPack | undefined },
    outcome: Outcome | undefined
  ) => PlannerView
}

/**
 * Begins to follow a run.
 *
 * **Details**
 *
 * Parts of the view that a planner does not read are not computed.
 */
export const make = (run: string, words: Words = English.words): Follower => {
  const histories = new Map<string, ActionHistory.ActionHistory>()
  const arrived: Array<Transition> = []
  const masked = new Map<string, "given up" | "undone">()
  let latest: string | undefined

  const known = (): ActionHistories.ActionHistories => {
    ActionHistories.follow(histories, arrived)
    arrived.length = 0
    return histories
  }

  return {
    follow: (transitions) => {
      latest = transitions.findLast(({ body }) => body.action !== undefined)?.body.action?.id
      for (const transition of transitions) {
        arrived.push(transition)
        mask(masked, transition)
      }
    },
    view: ({ pack, state }, outcome) => {
      let acts: ReadonlyArray<ViewedAction> | undefined
      const about = latest
      return {
        state: withoutAnswers(state),
        get specification() {
          return clauses(pack, state)
        },
        get tools() {
          return tools(pack, state)
        },
        get records() {
          return records(pack)
        },
        get remaining() {
          return ForwardRecovery.remaining(pack, state)
        },
        get actions() {
          acts ??= [...known().values()]
            .filter((history) => isOwn(history) && !isMasked(masked, history))
            .map((history) => actOf(history, pack, words))
          return acts
        },
        get last() {
          if (outcome === undefined) return undefined
          const name = actionOf(outcome, run) ?? about
          const history = name === undefined ? undefined : known().get(name)
          return lastOf(outcome, history === undefined ? undefined : actOf(history, pack, words), words)
        }
      }
    }
  }
}

/** Tells whether a planner is shown an act: one that a fork left to its parent only while that undoes it. */
const isOwn = (history: ActionHistory.ActionHistory): boolean =>
  history.left === undefined || EffectStatus.isOpen(history)

/** The clauses of a goal as a planner sees them. */
export const clauses = (pack: TaskPack.TaskPack | undefined, state: State): ReadonlyArray<Clause> => {
  if (pack === undefined) return []
  const goal = Goal.of(state)
  const inForce = new Map(Object.entries(RevisedSpecification.inForce(pack, goal)))
  const values = new Map(Object.entries(RevisedSpecification.values(pack, goal)))
  return RevisedSpecification.order(pack, goal).flatMap((clause) => {
    const { description, holds } = inForce.get(clause) ?? {}
    if (holds === undefined) return []
    const named = description === undefined ? {} : { description }
    return [{ clause, holds: Condition.source(holds), value: values.get(clause) ?? null, ...named }]
  })
}

/** The tools of a contract as a planner sees them. */
export const tools = (pack: TaskPack.TaskPack | undefined, state: State): ReadonlyArray<Offer> =>
  Object.values(pack?.tools ?? {}).map((contract) => {
    const { class: sideEffect, description, input, name } = contract
    const needs = Approvers.ofTool(pack, state, contract)
    return {
      name,
      ...defined({ description }),
      class: sideEffect,
      input: FieldSchema.ofFields(input),
      ...defined({ needs })
    }
  })

const records = (pack: TaskPack.TaskPack | undefined): ReadonlyArray<Offer> =>
  Object.values(pack?.transitions ?? {}).flatMap(({ data, subject }) =>
    data !== undefined && isOfAgents(subject) ? [{ name: subject, input: FieldSchema.ofFields(data) }] : []
  )

const isOfAgents = (type: string): boolean =>
  Object.hasOwn(Ontology.types, type) &&
  (Ontology.types[type as Ontology.Type].authors as ReadonlyArray<Ontology.Author>).includes("agent")

/**
 * Masks the actions that a plan undoes. Actions that a person lets stand are shown again, with the reads made for
 * them.
 */
const mask = (masked: Map<string, "given up" | "undone">, { body }: Transition): void => {
  for (const action of Payload.of(body, "recovery.decided")?.plan?.masks ?? []) masked.set(action, "undone")
  const { plan, undo } = Payload.of(body, "review.decided") ?? {}
  if (plan === undefined || (undo !== "standing" && undo !== "undo_failed")) return
  for (const action of masked.keys()) masked.set(action, "given up")
}

const isMasked = (
  masked: ReadonlyMap<string, "given up" | "undone">,
  { id, undo, undoes }: ActionHistory.ActionHistory
): boolean => {
  if (undoes !== undefined && masked.has(undoes)) return masked.get(undoes) === "undone"
  const hidden = masked.get(id)
  return hidden === "undone" || (hidden === "given up" && undo === "undone")
}

/** The action that an outcome names, if it is one of this run. */
const actionOf = (outcome: Outcome, run: string): string | undefined => {
  if (outcome._tag === "Held") return outcome.action
  if (outcome._tag !== "Done" || outcome.adopted === undefined) return undefined
  return outcome.adopted.run === run ? outcome.adopted.action : ""
}

/** The state with its open actions stripped of answers and records. */
const withoutAnswers = (state: State): State => {
  const open = OpenActions.of(state)
  if (Object.keys(open).length === 0) return state
  const bare: { [id: string]: Json | undefined } = {}
  for (const [id, action] of Object.entries(open)) {
    if (action === undefined) continue
    const { actual: _, answer: __, told: ___, ...rest } = action
    bare[id] = rest
  }
  return { ...state, kernel: { ...state.kernel, [OpenActions.part.name]: bare as JsonObject } }
}

const actOf = (
  history: ActionHistory.ActionHistory,
  pack: TaskPack.TaskPack | undefined,
  words: Words
): ViewedAction => {
  const contract = TaskPack.tool(pack, history.tool)
  const { planner, standing } = Reporting.report(history)
  const observation = observationOf(history, contract)
  const isRead = history.class === "read_only"
  return {
    ...planner,
    params: history.params,
    says: Wording.status(standing, words).planner,
    class: history.class,
    status: history.reconciled?.outcome.status ?? (isRead ? history.observed?.outcome.status : undefined) ?? "open",
    standing,
    isDirty: history.decision === ("mark_dirty" satisfies RecoveryAction.RecoveryAction),
    success: isRead ? observation?.success === true : standing === "success",
    trust: history.trust as Trust.Trust,
    state: Observation.bounded(planner.state),
    observation
  }
}

const observationOf = (
  history: ActionHistory.ActionHistory,
  contract: ToolContract.ToolContract
): Observation.Observation | null => {
  const { id: action, observed } = history
  if (observed === undefined) return null
  const { output, status } = observed.outcome
  const isTaken = history.accepted !== undefined
  const raw: Observation.Raw = {
    status: isTaken ? "accepted" : statusOf[status],
    ...defined({ output })
  }
  return Observation.normalise(raw, { action, contract, pointer: String(observed.tick) })
}

const statusOf = { ok: "success", error: "error", mismatch: "error", unknown: "timeout" } as const

const lastOf = (outcome: Outcome, act: ViewedAction | undefined, words: Words): LastProposal => {
  switch (outcome._tag) {
    case "Done": {
      const { basis, output, tick } = outcome
      if (basis === "committed") return { _tag: "Done", tick, success: true, output: Observation.bounded(output) }
      return {
        _tag: "Done",
        tick,
        success: act?.success === true,
        output: act?.state ?? act?.observation?.fields ?? null
      }
    }
    case "Refused":
      return {
        ...outcome,
        success: false,
        reason: Wording.why(outcome, words),
        next: Wording.next(outcome, words).map((step) => Wording.step(step, words))
      }
    case "Held": {
      const { action, tick } = outcome
      const { discrepancy = null, says = Wording.status("unknown", words).planner } = act ?? {}
      return { _tag: "Held", tick, success: false, action, says, discrepancy }
    }
    case "Parked":
      return { ...outcome, success: false, why: Wording.why(outcome, words) }
    case "Failed": {
      const error = act?.observation?.error ?? { code: "failed" }
      return { _tag: "Failed", tick: outcome.tick, success: false, error }
    }
  }
}
