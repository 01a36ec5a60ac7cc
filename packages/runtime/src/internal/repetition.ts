/**
 * Recognises the same answer over and over, so that a confused model cannot flood the trace, nor go on for nothing.
 *
 * What repeats waits as one transition, which says how often it came and what
 * all of it took, for the next commit or the next power of two. Budgets count
 * it where it waits.
 *
 * @since 0.1.0
 */
import * as Amount from "@backstitch/contracts/Amount"
import type { Decision } from "@backstitch/kernel/Decision"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Draft } from "@backstitch/trace/Transition"

/** Types of which one transition may stand for many. */
const repeating: ReadonlySet<Ontology.Name> = new Set<Ontology.Name>([
  "intent.adopted",
  "intent.refused",
  "kernel.anomaly",
  "policy.decision"
])

/** A name for what repeats: the conjuncts that failed, whatever was counted. A spent budget refuses all alike. */
const repetitionOf = ({ drafts: [draft], next }: Decision): string | undefined => {
  const type = draft?.body.type
  if (type === undefined || !repeating.has(type)) return undefined
  const checks = next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
  const failed = checks.filter((check) => !check.ok).map((check) => `${check.step} ${check.id}`)
  const { adopted, asked, from, kind, params, proposed, to, tool, type: written } = draft?.body.data ?? {}
  const budgets = failed.filter((check) => check.startsWith("budget "))
  return JSON.stringify(
    budgets.length > 0
      ? [type, budgets]
      : [type, failed, [adopted, asked, kind, params, proposed, tool, written, from, to]]
  )
}

/** One transition for both, which says how often and what they took together. */
export const together = (first: Draft, more: Draft): Draft => {
  const count = Number(first.body.data?.["count"] ?? 1) + 1
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
    of: (decision: Decision): Repeated | undefined => {
      const name = repetitionOf(decision)
      const count = name === undefined ? 0 : (repeats.get(name) ?? 0) + 1
      return name === undefined || count <= 2 ? undefined : { name, isDue: (count & (count - 1)) === 0 }
    },
    noted: <D extends Decision>(decision: D): D => {
      const name = repetitionOf(decision)
      if (name !== undefined) repeats.set(name, (repeats.get(name) ?? 0) + 1)
      return decision
    }
  }
}
