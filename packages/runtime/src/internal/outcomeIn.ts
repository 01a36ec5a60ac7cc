/**
 * What a trace says became of one of its actions.
 *
 * @since 0.1.0
 */
import type * as Claimed from "@backstitch/kernel/Claimed"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"

/** The latest that a trace says of one of its actions, evidence or belief; `undone` once its undoing is verified. */
export const outcomeIn = (transitions: ReadonlyArray<Transition>, action: string) => {
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

/** What became of the action that holds a key, as its trace says. */
export const holderIn = (transitions: ReadonlyArray<Transition>, action: string): Claimed.Holder | undefined => {
  const started = transitions.find(({ body }) => body.type === "action.started" && body.action?.id === action)
  const settled = transitions.find(({ body }) => body.type === "action.reconciled" && body.action?.id === action)
  const requestHash = started?.body.action?.requestHash
  if (requestHash === undefined) return undefined
  const became = settled === undefined ? undefined : { tick: settled.tick, ...outcomeIn(transitions, action) }
  return { action, requestHash, settled: became }
}
