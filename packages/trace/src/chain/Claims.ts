/**
 * Names that a transition claims or releases within its tenant.
 *
 * The names are a pure function of the transition, so the index of claimed names is a fold of all traces and can be
 * rebuilt from them. A store maintains it in the transaction of the append, so exclusion between runs is as atomic as
 * the append itself (L7). A refused claim names its holder, and never waits.
 *
 * @source docs/decisions/0003
 */
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Payload from "../transition/Payload.ts"
import type { Transition } from "../transition/Transition.ts"
import { type Run, RunId } from "./Run.ts"

/**
 * Kinds of names. A `key` is claimed for ever, and so is an `act`, which names a request without a key. A `target` is
 * claimed until settlement. A `run` names a run. A `command` makes repetitions of a command within a run count once,
 * and a `delivery` repetitions of a delivery. A `turn` is claimed once, by the run that takes an act over or undoes
 * it.
 */
export const Namespace = Schema.Literals(["act", "command", "delivery", "key", "run", "target", "turn"])

/** Kinds of names. */
export type Namespace = typeof Namespace.Type

/** A name, and its owner within the run: an action's id, or the run itself. */
export interface Claim {
  readonly namespace: Namespace
  readonly name: string
  readonly owner: string
}

/** The order of names: by UTF-16 code units, where databases compare bytes of UTF-8. */
export const byName: Order.Order<Claim> = Order.combine(
  Order.mapInput(Order.String, ({ namespace }) => namespace),
  Order.mapInput(Order.String, ({ name }) => name)
)

/** An entry of the index of names: a claim, the run that holds it, and the tick at which the run claimed it. */
export interface HeldClaim extends Claim {
  readonly run: Run
  readonly tick: number
}

/** Claims and releases of one transition in the index. */
export interface Changes {
  readonly take: ReadonlyArray<Claim>
  readonly release: ReadonlyArray<Claim>
}

/** Error for a name that another run or action holds. */
export class ClaimRefused extends Schema.TaggedError<ClaimRefused>("@backstitch/trace/ClaimRefused")("ClaimRefused", {
  namespace: Namespace,
  /** The held name. */
  claim: Schema.String,
  holder: Schema.Struct({ run: RunId, owner: Schema.String, tick: Schema.Natural })
}) {
  override get message(): string {
    const { owner, run, tick } = this.holder
    return `The ${this.namespace} "${this.claim}" is held by ${owner} of run ${run} since tick ${tick}. ${
      this.namespace === "target"
        ? "It is free again when that action is settled"
        : this.namespace === "turn"
          ? "Ask for the next one"
          : `Use what run ${run} did, or another name`
    }`
  }
}

const none: Changes = { take: [], release: [] }

const payloadOf = Payload.getter(Payload.claiming)

/** The names for acts without a key. The decision lists them, because some may be held already. */
const actsOf = (body: Transition["body"]): ReadonlyArray<string> =>
  Object.values(payloadOf(body, "action.started")?.act?.takes ?? {})

/** Turns by the action that is taken over or undone, in types that only the kernel writes. */
const turnsOf = (body: Transition["body"]): ReadonlyArray<Claim> => {
  const { turns } = payloadOf(body, "action.request") ?? payloadOf(body, "recovery.decided") ?? {}
  return turns === undefined
    ? []
    : Object.entries(turns).map(([owner, { name }]) => ({ namespace: "turn", name, owner }))
}

/** The names that a transition claims and releases. */
export const of = (run: Run, transition: Pick<Transition, "body" | "stamp">): Changes => {
  const { release, take } = named(run, transition)
  const turns = turnsOf(transition.body)
  return turns.length === 0 ? { release, take } : { release, take: [...take, ...turns] }
}

const named = (run: Run, { body, stamp }: Pick<Transition, "body" | "stamp">): Changes => {
  switch (body.type) {
    case "run.started":
    case "run.fork":
      return { take: [{ namespace: "run", name: run.id, owner: run.id }], release: [] }
    case "action.started": {
      if (body.action === undefined) return none
      const { id: owner, target } = body.action
      const take: Array<Claim> = []
      if (stamp.key !== undefined) take.push({ namespace: "key", name: stamp.key, owner })
      if (target !== undefined) take.push({ namespace: "target", name: target, owner })
      for (const name of actsOf(body)) take.push({ namespace: "act", name, owner })
      return { take, release: [] }
    }
    case "action.result": {
      const delivery = payloadOf(body, "action.result")?.delivery
      if (body.action === undefined || delivery === undefined) return none
      return { take: [{ namespace: "delivery", name: delivery, owner: body.action.id }], release: [] }
    }
    case "action.reconciled": {
      if (body.action?.target === undefined) return none
      return { take: [], release: [{ namespace: "target", name: body.action.target, owner: body.action.id }] }
    }
    case "intent.adopted":
    case "intent.refused":
    case "policy.decision":
      return none
    default: {
      const command = body.intent?.command
      if (command === undefined) return none
      return { take: [{ namespace: "command", name: `${run.id}/${command}`, owner: run.id }], release: [] }
    }
  }
}

/**
 * Tells whether a name may be claimed, given its holder: none, or the same owner of the same run. A turn may never be
 * claimed twice.
 */
export const mayTake = (run: Run, claim: Claim, held: HeldClaim | undefined): boolean =>
  held === undefined ||
  (claim.namespace !== "turn" && held.run.id === run.id && held.run.tenant === run.tenant && held.owner === claim.owner)

/** The refusal that names the holder. */
export const refuse = (held: HeldClaim): ClaimRefused =>
  new ClaimRefused({
    namespace: held.namespace,
    claim: held.name,
    holder: { run: held.run.id, owner: held.owner, tick: held.tick }
  })
