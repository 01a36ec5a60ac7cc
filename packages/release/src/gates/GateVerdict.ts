/** The gates of a release, the evidence that each needs, and the verdict of one: none passes that examined nothing. */
import type { Need, Objection } from "@backstitch/wording/ReleaseWords"

/** The gates, and the evidence that each needs. */
export const gates = {
  trace_replay: { needs: "history" },
  predicate_diff: { needs: "history" },
  canary: { needs: "canary" },
  failure_injection: { needs: "runtime" },
  recovery_drill: { needs: "runtime" },
  ledger_schema: { needs: "nothing" },
  false_success: { needs: "history" },
  unknown_state: { needs: "nothing" }
} as const satisfies { readonly [gate: string]: { readonly needs: Need } }

/** Name of a gate. */
export type Gate = keyof typeof gates

/** The verdict of a gate. It passed if it checked something and found nothing. */
export interface GateVerdict {
  readonly gate: Gate
  readonly passed: boolean
  readonly examined: number
  readonly against: ReadonlyArray<Objection>
}

/** Makes the verdict of a gate from the number of checked cases and its objections. To check none is an objection. */
export const make = (gate: Gate, examined: number, against: ReadonlyArray<Objection>): GateVerdict => {
  const { needs } = gates[gate]
  const all = examined === 0 ? [...against, { code: "nothing_examined", gate, needs } as const] : against
  return { gate, examined, against: all, passed: all.length === 0 }
}
