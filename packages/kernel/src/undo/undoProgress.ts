/**
 * Continues the open undo plan: asks about the next step, begins it, waits, or ends the plan.
 *
 * A plan ends once each step is verified as undone, had nothing to undo, or is attested by a person. Then the actions
 * that it had kept open are settled.
 */

import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Trust from "@backstitch/ledger/Trust"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { commit, type Decision, end, held } from "../decision/Decision.ts"
import type * as Evidence from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Undo from "./Undo.ts"
import * as UndoStep from "./UndoStep.ts"
import { stop, stopped, waiting } from "./UndoStop.ts"

/** Continues the open plan: asks about its next step, starts it, ends the plan, or names what it waits for. */
export const proceed = (terms: DecisionTerms.DecisionTerms, state: State, looked?: Evidence.Looked): Decision => {
  const open = UndoPlan.open(state)
  if (open === undefined) return Undo.judgeAgain(terms, state, looked)
  if (open.status === "stopped") return waits(terms, open)
  if (open.failed !== undefined)
    return stop(terms, open, { undoes: open.failed, why: Finding.make("reversal.refused", {}) })
  const begun = open.at === undefined ? undefined : OpenActions.of(state)[open.at]
  const step =
    open.steps.find(({ undoes }) => undoes === begun?.undoes && !open.done.includes(undoes)) ??
    UndoPlan.next(open, UndoStep.isTooLate(terms, state))
  if (open.at !== undefined && (begun === undefined || !UndoStep.isDue(begun))) {
    const undoes = step === undefined ? {} : { undoes: step.undoes }
    return held(terms, open.at, Finding.make("reversal.begun", undoes))
  }
  if (step === undefined) return finish(terms, state, open)
  return looked?.action === step.undoes
    ? UndoStep.judged(terms, state, open, { step, looked })
    : UndoStep.ask(terms, state, step)
}

/** Decides a recovery by the open plan, if the action is part of it: the plan continues or waits. */
export const byOpenPlan = ({ id, open, state, terms }: ActionInFlight): Decision | undefined => {
  const plan = UndoPlan.open(state)
  if (plan === undefined) return undefined
  if (plan.status === "stopped" && (open.undoes !== undefined || isStep(plan, id))) return waits(terms, plan)
  return isStep(plan, id) ? commit(CommitContent.nothing, { _tag: "Compensate" }) : undefined
}

const isStep = ({ steps }: UndoPlan.OpenPlan, action: string): boolean => steps.some(({ undoes }) => undoes === action)

/**
 * Ends a plan once every step is verified or had nothing to undo. Actions that stayed open because of it are settled
 * as undone or as failed.
 */
const finish = (terms: DecisionTerms.DecisionTerms, state: State, open: UndoPlan.OpenPlan): Decision => {
  const { absent = [], attested = [], because, cause, checkpoint, done, id, masks, policy, steps } = open
  const undone = done.filter((action) => !absent.includes(action))
  const residue = steps.flatMap((step) => (step.residue && undone.includes(step.undoes) ? [step.undoes] : []))
  const found = {
    ...(absent.length === 0 ? {} : { absent }),
    ...(attested.length === 0 ? {} : { attested }),
    residue,
    undone
  }
  const reached = { ...(checkpoint === undefined ? {} : { checkpoint }), ...(policy === undefined ? {} : { policy }) }
  const data = { because, cause, masks, plan: id, ...reached, ...found }
  const closed = done.flatMap((action): ReadonlyArray<CommitContent.Said<"action.reconciled">> => {
    const original = OpenActions.of(state)[action]
    if (original === undefined) return []
    const target = original.target === undefined ? {} : { target: original.target }
    const comes = absent.includes(action)
      ? ({ result: { basis: "readback", output: nothing, status: "error", trust: Trust.of("confirmed") } } as const)
      : ({
          data: { state: "compensated" },
          result: {
            ...(attested.includes(action)
              ? ({ basis: "attested", trust: Trust.of("word") } as const)
              : ({ basis: "readback", trust: Trust.of("confirmed") } as const)),
            output: Finding.make("failure.undone", { because }),
            status: "error"
          }
        } as const)
    return [{ action: { id: action, ...target }, ...comes }]
  })
  const restored = DecisionTerms.draft(terms, { author: "kernel", data, type: "recovery.restored" })
  const output: Json = { because, ...found }
  const content = { ...CommitContent.records(restored), closed }
  if (checkpoint !== undefined || (cause !== "saga" && cause !== "recovery")) {
    return end({ _tag: "Done", tick: terms.tick, output, basis: "committed" }, content)
  }
  // A failure that came meanwhile is undone next: what it leads to is the outcome.
  return UndoPlan.wanted(state) === undefined
    ? end({ _tag: "Failed", tick: terms.tick, error: output }, content)
    : commit(content, { _tag: "Compensate" })
}

/** The action's own record does not show it. */
const nothing = { code: "nothing_to_undo" }

const waits = (terms: DecisionTerms.DecisionTerms, open: UndoPlan.OpenPlan): Decision =>
  end(waiting(terms, open, stopped(open)))
