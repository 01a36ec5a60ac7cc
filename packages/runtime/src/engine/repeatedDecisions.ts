/**
 * Merges decisions that repeat, such as the same refusal a thousand times, so that a confused model can neither flood
 * the trace nor continue for ever.
 *
 * Repetitions are kept as one transition that counts them and sums their costs. It is committed with the next commit,
 * or when the count reaches the next power of two. Until then the budgets count it already.
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import * as Check from "@backstitch/kernel/Check"
import type { Decided } from "@backstitch/kernel/Decision"
import * as Payload from "@backstitch/kernel/Payload"
import type { Body, Draft } from "@backstitch/trace/Transition"

/** The parts of a body that are equal in each repetition; `undefined` for a type whose transitions are never merged. */
const repeatedIn = (body: Body): ReadonlyArray<unknown> | undefined => {
  const own = Payload.read(body)
  switch (own.type) {
    case "intent.adopted": {
      const { adopted, params, proposed, tool } = own.data
      return [adopted, params, proposed, tool]
    }
    case "intent.refused": {
      const { params, proposed, tool } = own.data ?? {}
      return [params, proposed, tool]
    }
    case "kernel.anomaly": {
      const { from, kind, to, tool, type } = own.data
      return [from, kind, to, tool, type]
    }
    case "policy.decision": {
      const { params, proposed, since, tool } = own.data ?? {}
      return [since, params, proposed, tool]
    }
    default:
      return undefined
  }
}

/**
 * Names a repetition by its failing checks, without their counts. All refusals because of a spent budget are one
 * repetition.
 */
const repetitionOf = ({ drafts: [draft], next }: Decided): string | undefined => {
  const repeated = draft === undefined ? undefined : repeatedIn(draft.body)
  if (draft === undefined || repeated === undefined) return undefined
  const { type } = draft.body
  const checks = next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
  const failed = Check.failing(checks).map((check) => `${check.step} ${check.id}`)
  const budgets = failed.filter((check) => check.startsWith("budget "))
  return JSON.stringify(budgets.length > 0 ? [type, budgets] : [type, failed, repeated])
}

/** Merges two transitions into one, with their count and their total cost. */
export const together = (first: Draft, more: Draft): Draft => {
  const count = BudgetUse.countOf(first.body) + 1
  const spent = Amount.total(first.stamp.spent ?? {}, more.stamp.spent ?? {})
  const tokens = (first.envelope.tokens ?? 0) + (more.envelope.tokens ?? 0)
  return {
    body: { ...first.body, data: { ...first.body.data, count } },
    stamp: { ...first.stamp, ...(Object.keys(spent).length === 0 ? {} : { spent }) },
    envelope: { ...first.envelope, ...(tokens === 0 ? {} : { tokens }) }
  }
}

/** A repetition that joins a waiting transition: its name, and whether the transition is now due to be durable. */
export interface Repeated {
  readonly name: string
  readonly isDue: boolean
}

/** Counts repetitions. The first two are committed like any other transition. */
export const makeRepeats = () => {
  const repeats = new Map<string, number>()
  return {
    of: (decision: Decided): Repeated | undefined => {
      const name = repetitionOf(decision)
      const count = name === undefined ? 0 : (repeats.get(name) ?? 0) + 1
      return name === undefined || count <= 2 ? undefined : { name, isDue: (count & (count - 1)) === 0 }
    },
    noted: <D extends Decided>(decision: D): D => {
      const name = repetitionOf(decision)
      if (name !== undefined) repeats.set(name, (repeats.get(name) ?? 0) + 1)
      return decision
    }
  }
}
