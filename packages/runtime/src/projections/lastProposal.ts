/**
 * Reads the outcome of an agent's last proposal from the trace of its run.
 *
 * An agent that has nothing more to propose leaves its run with that outcome, whichever process it was that proposed:
 * a run that is resumed for nothing is told as it was told before.
 */
import * as ActionFate from "@backstitch/kernel/ActionFate"
import type { Check } from "@backstitch/kernel/Check"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Payload from "@backstitch/kernel/Payload"
import type { Transition } from "@backstitch/trace/Transition"

/** The outcome of the last proposal; `undefined` if there was none, or if it waits. */
export const outcomeOf = (transitions: ReadonlyArray<Transition>): Outcome | undefined => {
  const last = transitions.findLast(isProposal)
  if (last === undefined) return undefined
  const { body, tick } = last
  const own = Payload.read(body)
  switch (own.type) {
    case "action.request":
      return fateOf(transitions, body.action?.id ?? "", tick)
    case "intent.adopted": {
      const { action, run } = own.data.adopted
      return action === undefined || run !== undefined ? done(tick) : fateOf(transitions, action, tick)
    }
    case "intent.refused":
      return { _tag: "Refused", checks: (own.data?.checks ?? []) as ReadonlyArray<Check>, tick }
    case "policy.decision":
      return undefined
    default:
      return done(tick)
  }
}

/**
 * Tells whether a transition answers a proposal of an agent. A call of the kernel, what people say, and a goal that is
 * declared once more are none.
 */
const isProposal = ({ body }: Transition): boolean => {
  const own = Payload.read(body)
  switch (own.type) {
    case "intent.adopted":
      return true
    case "policy.decision":
      return own.data?.completes === undefined && own.data?.undoes === undefined
    case "intent.refused": {
      const { author, checks = [], completes } = own.data ?? {}
      return author === undefined && completes === undefined && !checks.some(({ why }) => why?.code === "goal.reached")
    }
    default:
      return body.author === "agent"
  }
}

const done = (tick: number): Outcome => ({ _tag: "Done", basis: "recorded", output: null, tick })

/** The outcome of an act as it was settled: what became of its effect since is told of the act, not of the agent. */
const fateOf = (transitions: ReadonlyArray<Transition>, action: string, tick: number): Outcome => {
  const { output, settled = tick, status } = ActionFate.of(transitions, action)
  if (status === "ok") return done(settled)
  return { _tag: "Failed", error: output, tick: settled, ...(status === "unknown" ? { mayStand: true } : {}) }
}
