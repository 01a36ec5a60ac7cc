/**
 * Roles of a topology as functions of an agent's module: what each does with a task, and the desk at which it calls
 * tools.
 *
 * | topology | roles |
 * | --- | --- |
 * | `orchestrator` | `boss` answers the orders; `worker`, or the role that an order names, carries one out |
 * | `pipeline` | one for each stage of `order`; `judge` tells whether an output is good |
 * | `plan_execute` | `planner` answers `{ steps, assumes }`; `executor` carries a step out; `world` reads the facts |
 * | `debate` | `drafter` and `critic`; `judge`, if the topology names one, answers the better round |
 * | `hierarchical` | `root` answers the tasks; `leaf` carries one out; `boss` brings results together |
 *
 * A loop of one agent has a planner, and no roles.
 */
import * as Topology from "@backstitch/contracts/Topology"
import * as Check from "@backstitch/kernel/Check"
import type { Failed, Outcome, Refused } from "@backstitch/kernel/Outcome"
import * as StepCap from "@backstitch/kernel/StepCap"
import * as Nearness from "@backstitch/topology/Nearness"
import type { Json } from "@backstitch/trace/Canonical"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { toTraceArguments } from "../ports/traceJson.ts"
import type * as RunHandle from "../run/RunHandle.ts"

/** The desk of a role at work: it calls tools, in the name of its agent. */
export interface Desk {
  /**
   * Calls a tool. Answers its output once it may be believed, and throws a {@link CallFailed} if it may not. A call
   * that waits for a person or the world throws a {@link CallWaits}, and ends the role whether it catches that or not.
   */
  readonly call: (tool: string, params?: unknown) => Promise<Json>
  /** Aborted when the role is killed or has ended, or its time is over. Nothing is called behind it. */
  readonly signal: AbortSignal
}

/** A role: it is given its input, and answers its result. */
export type Role = (input: never, desk: Desk) => unknown

/** Service that knows the roles of an agent, by name. */
export class Roles extends Context.Service<Roles, { readonly [role: string]: Role }>()("@backstitch/runtime/Roles") {}

/** Layer of the roles of an agent. */
export const layerFrom = (roles: { readonly [role: string]: Role }): Layer.Layer<Roles> => Layer.succeed(Roles, roles)

/** Names of the roles that a topology needs. */
export const needed = ({ agents, kind, order }: Topology.Topology): ReadonlyArray<string> => {
  const roles = Topology.roles[kind]
  if (kind === "pipeline") return [...order, ...roles]
  // A debate has a judge if its topology names one.
  return kind === "debate" ? roles.filter((role) => role !== "judge" || Object.hasOwn(agents, role)) : roles
}

/** Names of the agents that fill the roles of a topology, each once. */
export const agents = (topology: Topology.Topology): ReadonlyArray<string> => [
  ...new Set(needed(topology).map((role) => Topology.agentOf(topology, role)))
]

/** Error for a call of a role that was refused or failed. The role may answer it, or let it end its task. */
export class CallFailed extends Error {
  readonly _tag = "CallFailed"
  readonly outcome: Failed | Refused
  constructor(tool: string, outcome: Failed | Refused, why: string) {
    super(`${tool}: ${outcome._tag === "Failed" && typeof outcome.error === "string" ? outcome.error : why}`)
    this.outcome = outcome
  }
}

/**
 * Error that ends a role whatever it answers, and stops the run: its call waits for a person or the world, or the
 * steps of the topology are used up.
 */
export class CallWaits extends Error {
  readonly _tag = "Waiting"
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super("the call waits for an answer")
    this.outcome = outcome
  }
}

/** A call under way, and whether the role that made it still lives. */
interface UnderWay {
  readonly outcome: Promise<Outcome>
  readonly killed: AbortSignal
}

/**
 * Makes the effects of roles on inputs, at desks of the open run.
 *
 * A call that was begun is carried to its end although its role is killed meanwhile. The second worker of the task
 * takes the same call over, and does not make it beside the first one.
 */
export const at = (handle: RunHandle.RunHandle, roles: Roles["Service"], words: Words) => {
  const underWay = new Map<string, UnderWay>()

  const propose = (tool: string, params: Json, { agent, context, killed, signal }: Seat): Promise<Outcome> => {
    if (signal.aborted) {
      const refused = new Error(`the role ${killed.aborted ? "was killed" : "has ended"}, and calls nothing more`)
      // Behind all that is due: a role that only ever tries again would let nothing else happen.
      return new Promise((_, reject) => setImmediate(reject, refused))
    }
    const call = Nearness.callDigest(tool, params)
    const left = underWay.get(call)
    if (left?.killed.aborted === true) return left.outcome
    const outcome = Effect.runPromiseWith(context)(handle.propose({ tool, agent, params }))
    const mine = { outcome, killed }
    underWay.set(call, mine)
    const forget = () => (underWay.get(call) === mine ? underWay.delete(call) : false)
    outcome.then(forget, forget)
    return outcome
  }

  const callAt = async (seat: Seat, tool: string, params: unknown): Promise<Json> => {
    const outcome = await propose(tool, toTraceArguments(params ?? {}), seat)
    if (outcome._tag === "Done") return outcome.output
    const waits = new CallWaits(outcome)
    if (isStop(outcome)) seat.stop(waits)
    if (outcome._tag === "Held" || outcome._tag === "Parked") throw waits
    throw new CallFailed(tool, outcome, Wording.why(outcome, words))
  }

  /** Carries a role out. It has ended once its calls have, and a call that stops the run outweighs its answer. */
  const carryOut = async (
    role: () => Role,
    input: unknown,
    { agent, context, killed }: Omit<Seat, "signal" | "stop">
  ) => {
    const ended = new AbortController()
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const stop = (waits: CallWaits) => {
      ended.abort()
      reject(waits)
    }
    const signal = AbortSignal.any([killed, ended.signal])
    const calls = new Set<Promise<unknown>>()
    const call: Desk["call"] = (tool, params) => {
      const made = callAt({ agent, context, killed, signal, stop }, tool, params)
      // A role need not wait for what it calls, and its failure is then nobody's error.
      calls.add(Promise.allSettled([made]))
      return made
    }
    const work = Promise.race([stopped, (async () => role()(input as never, { call, signal }))()])
    await Promise.allSettled([work])
    ended.abort()
    await Promise.all(calls)
    return await Promise.race([stopped, work])
  }

  return (role: string, input: unknown, agent: string): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(Effect.context<never>(), (context) =>
      Effect.tryPromise({
        try: (killed) => carryOut(() => roleOf(roles, role), input, { agent, context, killed }),
        catch: (cause) => cause
      })
    )
}

/** Tells whether nothing of a topology may go on behind an outcome before a person or the world has answered. */
export const isStop = (outcome: Outcome): boolean =>
  outcome._tag === "Held" ||
  outcome._tag === "Parked" ||
  (outcome._tag === "Refused" && outcome.checks.some((check) => check.id === StepCap.budget && !Check.isOk(check)))

/**
 * The place of a role at work: its agent, its services, the signal that it was killed, and that it was killed or has
 * ended. `stop` ends it with an error, whatever it answers.
 */
interface Seat {
  readonly agent: string
  readonly context: Context.Context<never>
  readonly killed: AbortSignal
  readonly signal: AbortSignal
  readonly stop: (waits: CallWaits) => void
}

const roleOf = (roles: Roles["Service"], name: string): Role => {
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined
  if (role === undefined)
    throw new Error(`the agent has no role ${name}: its roles are ${Object.keys(roles).join(", ")}`)
  return role
}
