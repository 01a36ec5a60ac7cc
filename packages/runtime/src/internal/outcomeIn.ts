/**
 * What a trace says became of one of its actions.
 *
 * @since 0.1.0
 */
import type * as Claimed from "@backstitch/kernel/Claimed"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { Json } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import type { Run, Tenant } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type * as History from "../History.ts"

/** The latest that a trace says of one of its actions, evidence or belief; `undone` once its undoing is verified. */
const outcomeIn = (transitions: ReadonlyArray<Transition>, action: string) => {
  let output: Json = null
  let status: string = "unknown"
  const undoing = new Set<string>()
  for (const transition of transitions) {
    const { body } = transition
    if (body.action?.undoes === action) undoing.add(body.action.id)
    if (
      body.type === "action.reconciled" &&
      undoing.has(body.action?.id ?? "") &&
      SettledActions.isVerified(transition)
    ) {
      status = "undone"
      output = `undone by ${body.action?.id}`
    }
    if (body.action?.id !== action || body.result === undefined) continue
    status = body.result.status
    output = body.result.output ?? output
  }
  return { output, status }
}

/** What became of the action that holds a key that was refused; `undefined` for another name. */
export const holderOf = Effect.fnUntraced(function* (
  history: History.History["Service"],
  tenant: Tenant,
  { holder: { owner, run: id, tick }, namespace }: Claims.ClaimRefused
) {
  return namespace === "key" ? holderIn(yield* history.transitions({ tenant, id }, { from: tick }), owner) : undefined
})

/** What was done before is answered with what it came to then. */
export const filled = Effect.fnUntraced(function* (
  history: History.History["Service"],
  run: Run,
  outcome: Outcome
): Effect.fn.Return<Outcome, History.HistoryError> {
  if (outcome._tag !== "Done" || outcome.adopted === undefined || outcome.adopted.run !== run.id) return outcome
  const { action, tick } = outcome.adopted
  if (action === undefined) {
    const [recorded] = yield* history.transitions(run, { from: tick, to: tick })
    return { ...outcome, output: recorded?.body.data ?? null }
  }
  const { output, status } = outcomeIn(yield* history.transitions(run), action)
  return status === "ok" ? { ...outcome, output } : { _tag: "Failed", tick, error: output }
})

/** What became of the action that holds a key, as its trace says. */
const holderIn = (transitions: ReadonlyArray<Transition>, action: string): Claimed.Holder | undefined => {
  const started = transitions.find(({ body }) => body.type === "action.started" && body.action?.id === action)
  const settled = transitions.find(({ body }) => body.type === "action.reconciled" && body.action?.id === action)
  const requestHash = started?.body.action?.requestHash
  if (requestHash === undefined) return undefined
  const became = settled === undefined ? undefined : { tick: settled.tick, ...outcomeIn(transitions, action) }
  return { action, requestHash, settled: became }
}
