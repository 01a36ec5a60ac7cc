/**
 * Recognises the same answer over and over, so that a confused model cannot flood the trace, nor go on for nothing.
 *
 * What repeats waits as one transition, which says how often it came and what
 * all of it took, for the next commit or the next power of two. Budgets count
 * it where it waits.
 */
import * as Amount from "@backstitch/contracts/Amount"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import * as Check from "@backstitch/kernel/Check"
import type { Decided } from "@backstitch/kernel/Decision"
import * as Payload from "@backstitch/kernel/Payload"
import type { Body, Draft } from "@backstitch/trace/Transition"

/**
 * The parts of a body that are equal each time it repeats; `undefined` for a type of which each transition stands for
 * itself.
 */
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

/** A name for what repeats: the conjuncts that failed, whatever was counted. A spent budget refuses all alike. */
const repetitionOf = ({ drafts: [draft], next }: Decided): string | undefined => {
  const repeated = draft === undefined ? undefined : repeatedIn(draft.body)
  if (draft === undefined || repeated === undefined) return undefined
  const { type } = draft.body
  const checks = next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
  const failed = Check.failing(checks).map((check) => `${check.step} ${check.id}`)
  const budgets = failed.filter((check) => check.startsWith("budget "))
  return JSON.stringify(budgets.length > 0 ? [type, budgets] : [type, failed, repeated])
}

/** One transition for both, which says how often and what they took together. */
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

/** A repetition that joins what waits: its name, and whether all of it is due to be durable. */
export interface Repeated {
  readonly name: string
  readonly isDue: boolean
}

/** Counts repetitions. The first two are committed like anything else. */
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
