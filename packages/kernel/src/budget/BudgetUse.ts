/**
 * The use of budgets as folded state, so that a resumed or forked run does not start from zero (L13).
 *
 * The fold counts steps, calls, refusals, anomalies, retries and recoveries; tokens and money arrive as `spent` in
 * the stamp. The expected cost of a call is `reserved` from its request until it is settled, so that calls under way
 * at the same time cannot exceed the budget together. Elapsed time runs from the first `asOf` to the latest.
 */

import * as Amount from "@backstitch/contracts/Amount"
import * as Budget from "@backstitch/contracts/Budget"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { BodyOf } from "@backstitch/trace/Payload"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"

/**
 * Use by budget name. `startedAt` is epoch milliseconds; `exhausted` names budgets that were reported.
 *
 * **Details**
 *
 * `reserved` holds amounts by open action. `given` holds, by fork, the amounts that this run has handed over to it.
 * `caps` holds the amounts beyond which a fork may not use a budget, even if the pack allows more.
 */
export interface BudgetUse extends JsonObject {
  readonly anomalies: number
  /** Calls by tool. */
  readonly calls: JsonObject
  readonly caps?: Amount.Amounts | undefined
  readonly exhausted: ReadonlyArray<string>
  readonly given?: { readonly [child: string]: Amount.Amounts } | undefined
  readonly recoveries?: number | undefined
  readonly refusals: number
  readonly reserved?: { readonly [action: string]: Amount.Amounts } | undefined
  readonly retries?: number | undefined
  readonly startedAt: number
  readonly spent: Amount.Amounts
  readonly steps: number
}

/** The fields of a transition that count against budgets. */
interface Using {
  readonly action?: { readonly id: string }
  readonly stamp?: Pick<Transition["stamp"], "reserved" | "spent">
}

const spend = (self: BudgetUse, { stamp }: Using): BudgetUse =>
  stamp?.spent === undefined ? self : { ...self, spent: Amount.total(self.spent, stamp.spent) }

type Read<T> = Transition<BodyOf<typeof Payload.payloads, T>>

/**
 * Counts the repetitions that a transition stands for. Only transitions of the kernel are merged: an agent does
 * not count its own steps.
 */
export const countOf = (body: Body): number => {
  const own = Payload.read(body)
  switch (own.type) {
    case "intent.adopted":
    case "intent.refused":
    case "kernel.anomaly":
    case "policy.decision":
      return own.data?.count ?? 1
    default:
      return 1
  }
}

const step = (self: BudgetUse, transition: Transition): BudgetUse => {
  const next = spend(self, transition)
  return { ...next, steps: next.steps + countOf(transition.body) }
}

const call = (self: BudgetUse, transition: Transition): BudgetUse => {
  const next = step(self, transition)
  const tool = transition.body.action?.tool
  return tool === undefined ? next : { ...next, calls: { ...next.calls, [tool]: callsOf(next, tool) + 1 } }
}

/** Replaces the reservation of an action by the amounts that the transition names; without any, it stays. */
const reserve = (self: BudgetUse, { action, stamp }: Using): BudgetUse =>
  stamp?.reserved === undefined || action === undefined
    ? self
    : { ...self, reserved: { ...self.reserved, [action.id]: stamp.reserved } }

const release = (self: BudgetUse, { action }: Using): BudgetUse => {
  const id = action?.id ?? ""
  if (self.reserved === undefined || !Object.hasOwn(self.reserved, id)) return self
  const { [id]: _, ...others } = self.reserved
  if (Object.keys(others).length > 0) return { ...self, reserved: others }
  const { reserved: __, ...rest } = self
  return rest as BudgetUse
}

/** Adds amounts used for an action. A settled action keeps nothing reserved. */
export const taken = (self: BudgetUse, using: Using, isSettled: boolean): BudgetUse =>
  isSettled ? release(spend(self, using), using) : reserve(spend(self, using), using)

const usingOf = ({ body: { action }, stamp }: Transition): Using => ({ ...(action && { action }), stamp })

const answered = (self: BudgetUse, transition: Transition, before: State): BudgetUse =>
  taken(self, usingOf(transition), OpenActions.isSettledBy(transition.body, before))

/** A fork begins without open actions. Its caps are its share on top of the use up to the fork. */
const fork = (self: BudgetUse, { body }: Read<"run.fork">): BudgetUse => {
  const { reserved: _, ...rest } = self
  const slice = amountsOf(body.data.budget)
  const names = Object.keys(slice)
  const used = usedOf(self)
  if (names.length === 0) return rest as BudgetUse
  const caps = Object.fromEntries(
    names.map((name) => [name, Amount.plus(Amount.of(used, name), Amount.of(slice, name))])
  )
  return { ...rest, caps: { ...self.caps, ...caps } } as BudgetUse
}

const give = (self: BudgetUse, { body }: Read<"budget.sliced">): BudgetUse => ({
  ...self,
  given: { ...self.given, [body.data.child]: amountsOf(body.data.budget) }
})

/** The part of the fold that keeps the use of budgets. */
export const part: Part.Part<BudgetUse> = Part.make<BudgetUse, typeof Payload.payloads>("budget", {
  version: 1,
  init: { anomalies: 0, calls: {}, exhausted: [], refusals: 0, spent: {}, startedAt: 0, steps: 0 },
  on: {
    "run.started": (self, { stamp }) => ({ ...self, startedAt: stamp.asOf }),
    "action.request": (self, transition) => reserve(call(self, transition), usingOf(transition)),
    "action.asked": spend,
    // Sending again under the same key is a retry.
    "action.started": (self, { body }, before) =>
      (OpenActions.of(before)[body.action?.id ?? ""]?.attempts ?? 0) === 0
        ? self
        : { ...self, retries: (self.retries ?? 0) + 1 },
    "action.result": answered,
    "action.reconciled": (self, transition) => taken(self, usingOf(transition), true),
    "anomaly.flag": step,
    "artifact.write": step,
    "budget.exhausted": (self, { body }) => ({
      ...self,
      exhausted: [...self.exhausted, body.data.budget]
    }),
    "budget.sliced": give,
    "goal.complete": spend,
    "intent.adopted": step,
    "intent.dropped": (self, transition) => release(self, usingOf(transition)),
    "intent.refused": (self, transition) =>
      // A decision by a person who may not decide uses nothing of the agent's budget.
      transition.body.data?.author === undefined
        ? {
            ...release(step(self, transition), usingOf(transition)),
            refusals: self.refusals + countOf(transition.body)
          }
        : spend(self, transition),
    "kernel.anomaly": (self, transition) =>
      // Unsigned or outdated deliveries from strangers use nothing of the run's budget.
      transition.body.data.kind.startsWith("webhook.")
        ? self
        : { ...step(self, transition), anomalies: self.anomalies + countOf(transition.body) },
    "memory.write": step,
    "message.sent": spend,
    "observation.add": step,
    "plan.update": step,
    "policy.decision": step,
    "recovery.decided": (self) => ({ ...self, recoveries: (self.recoveries ?? 0) + 1 }),
    "run.fork": fork
  }
})

/** The use of budgets in a state. */
export const of = (state: State): BudgetUse => Part.get(part, state)

/** Counts the calls of a tool. */
export const callsOf = (self: BudgetUse, tool: string): number =>
  Object.hasOwn(self.calls, tool) ? Number(self.calls[tool]) : 0

/** Sums the use of each budget, including the amounts given to forks. */
export const usedOf = (self: BudgetUse): Amount.Amounts => {
  const { anomalies, calls, recoveries = 0, refusals, retries = 0, spent, steps } = self
  const called = Object.keys(calls).map((tool) => [Budget.callsName(tool), callsOf(self, tool)])
  const own = { ...spent, anomalies, recoveries, refusals, retries, steps, ...Object.fromEntries(called) }
  return Amount.total(own, givenOf(self))
}

/** Sums the reservations of each budget for actions that are not settled. */
export const reservedOf = (self: BudgetUse): Amount.Amounts =>
  Object.values(self.reserved ?? {}).reduce<Amount.Amounts>(Amount.total, {})

/** Sums the amounts of each budget that were given to forks. */
export const givenOf = (self: BudgetUse): Amount.Amounts =>
  Object.values(self.given ?? {}).reduce<Amount.Amounts>(Amount.total, {})

const amountsOf = (value: Json | undefined): Amount.Amounts =>
  Canonical.isObject(value) ? (value as Amount.Amounts) : {}
