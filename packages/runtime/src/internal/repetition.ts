/**
 * Recognises the same refusal over and over, so that a confused model cannot flood the trace.
 *
 * @since 0.1.0
 */
import type { Decision } from "@backstitch/kernel/Decision"
import type { Draft } from "@backstitch/trace/Transition"

/** A name for what repeats: the conjuncts that failed, whatever was counted. A spent budget refuses all alike. */
const repetitionOf = ({ drafts: [draft], next }: Decision): string | undefined => {
  const type = draft?.body.type
  if (type !== "intent.refused" && type !== "kernel.anomaly" && type !== "policy.decision") return undefined
  const checks = next._tag === "End" && next.outcome._tag === "Refused" ? next.outcome.checks : []
  const failed = checks.filter((check) => !check.ok).map((check) => `${check.step} ${check.id}`)
  const { asked, from, kind, params, proposed, to, tool, type: written } = draft?.body.data ?? {}
  const budgets = failed.filter((check) => check.startsWith("budget "))
  return JSON.stringify(
    budgets.length > 0 ? [type, budgets] : [type, failed, [asked, kind, params, proposed, tool, written, from, to]]
  )
}

/** What of a decision is committed when it comes for the `count`-th time: at powers of two, with how often since. */
const coalesce = (decision: Decision, count: number): ReadonlyArray<Draft> => {
  if ((count & (count - 1)) !== 0) return []
  return decision.drafts.map((draft, index) => {
    if (index > 0 || count < 4) return draft
    return { ...draft, body: { ...draft.body, data: { ...draft.body.data, count: count / 2 } } }
  })
}

/** Counts repetitions: the same refusal over and over is committed at powers of two. A confused model cannot flood. */
export const makeRepeats = () => {
  const repeats = new Map<string, number>()
  return {
    coalesced: (decision: Decision): ReadonlyArray<Draft> => {
      const name = repetitionOf(decision)
      return name === undefined ? decision.drafts : coalesce(decision, (repeats.get(name) ?? 0) + 1)
    },
    noted: (decision: Decision): Decision => {
      const name = repetitionOf(decision)
      if (name !== undefined) repeats.set(name, (repeats.get(name) ?? 0) + 1)
      return decision
    }
  }
}
