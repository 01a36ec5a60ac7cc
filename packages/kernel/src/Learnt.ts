/**
 * What is learnt of a command between the times that it is decided, because a name that it asked for was refused.
 *
 * A store says who holds a name. What the trace of that holder shows is taken
 * into the command, and it is decided again: the same decision on what is
 * known now, until its names are free or nothing more is to be learnt.
 *
 * | the name is | and its holder | so what is learnt is |
 * | --- | --- | --- |
 * | a turn | relies on what is to be undone | who relies on it |
 * | a turn | is another, or gave that up | the next turn to ask for |
 * | an act | made the same request | who made it, or that it failed for good |
 * | a key | failed for good in the same act | the next generation of the key |
 * | a key | did the same act, and it stands, with no reversal that may still arrive | the act to take over |
 *
 * Pure, so that whoever interprets decisions learns the same.
 *
 * @source docs/decisions/0018, 0023
 * @since 0.1.0
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import type { Transition } from "@backstitch/trace/Transition"
import * as Act from "./Act.ts"
import * as Claimed from "./Claimed.ts"
import type { Command } from "./Command.ts"
import type { Decision } from "./Decision.ts"
import * as Holder from "./Holder.ts"
import type * as Import from "./Import.ts"
import type { Terms } from "./Terms.ts"
import * as Turns from "./Turns.ts"

/**
 * What is learnt.
 *
 * @category models
 * @since 0.1.0
 */
export interface Learnt {
  /** How often the same act failed for good elsewhere. */
  readonly generation: number
  /** The context that it was decided in first. */
  readonly context?: Digest | undefined
  /** What another run did already, under its key. */
  readonly adopted?: Import.Adopted | undefined
  /** The turn to ask for of what another run did, where others are taken. */
  readonly turn?: number | undefined
  /** What was met of other runs that rely on what is to be undone. */
  readonly turns?: Turns.Met | undefined
  /** Who made the same request before, where it has no key. */
  readonly met?: Act.Met | undefined
  /** When it first met a name that is held by what another run has under way. */
  readonly since?: number | undefined
  /** The key that the history before a fork was asked for. */
  readonly looked?: string | undefined
}

/**
 * A name that was refused to a decision of a run, and what the trace of its holder shows from its taking on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refused {
  readonly terms: Pick<Terms, "now" | "pack" | "run">
  readonly decision: Decision
  readonly refusal: Claimed.Named
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * Nothing yet.
 *
 * @category constructors
 * @since 0.1.0
 */
export const nothing: Learnt = { generation: 0 }

/**
 * The command with what was learnt of it since it was first decided.
 *
 * @category combinators
 * @since 0.1.0
 */
export const informed = (asked: Command, { adopted, context, generation, met }: Learnt): Command => {
  switch (asked._tag) {
    case "Propose":
      return { ...asked, context, generation, adopted, met }
    case "Import":
      return { ...asked, context: asked.context ?? context, generation, adopted, met }
    case "Complete":
      return { ...asked, generation, adopted, met }
    default:
      return asked
  }
}

/**
 * What is known once a name was refused; `undefined` where its holder teaches nothing with which to decide again.
 *
 * @category combinators
 * @since 0.1.0
 */
export const of = (self: Learnt, refused: Refused): Learnt | undefined => {
  const { decision, refusal, terms, transitions } = refused
  if (refusal.namespace === "turn") return turned(self, refused)
  const holder = Holder.of(refusal.holder.run, refusal.holder.owner, transitions)
  if (refusal.namespace === "act") return { ...self, met: met(self, refused, holder) }
  if (refusal.namespace !== "key" || holder === undefined) return undefined
  const requestHash = requestHashOf(decision)
  if (Holder.hasFailed(holder, requestHash)) return { ...self, generation: self.generation + 1 }
  const tool = decision.drafts.find(({ body }) => body.type === "action.request")?.body.action?.tool
  const isThere = Holder.hasDone(holder, requestHash) && Claimed.arrivesUntil(terms, holder, tool) === undefined
  return isThere && self.adopted === undefined ? { ...self, adopted: adoptedOf(holder, self.turn) } : undefined
}

/**
 * The hash of the request that a decision starts.
 *
 * @category getters
 * @since 0.1.0
 */
export const requestHashOf = ({ drafts }: Decision): string | undefined =>
  drafts.find(({ body }) => body.type === "action.started")?.body.action?.requestHash

/**
 * What is taken over of the action that holds a key.
 *
 * @category getters
 * @since 0.1.0
 */
export const adoptedOf = (
  { action, output, run, settled, startedAt, tick }: Holder.Holder,
  turn: number | undefined
): Import.Adopted => ({
  action,
  run,
  since: startedAt,
  tick: settled ?? tick,
  ...(output === null ? {} : { output }),
  ...(turn === undefined ? {} : { turn })
})

/** An act without a key meets the one that has its name. */
const met = (
  { met = {} }: Learnt,
  { decision: { drafts }, refusal: { claim, holder: held } }: Refused,
  holder: Holder.Holder | undefined
): Act.Met => {
  const act = drafts.find(({ body }) => body.type === "action.started")?.body.data?.["act"]
  const { takes } = Canonical.objectOf(act)
  const scope: Act.Scope = Canonical.objectOf(takes)["lineage"] === claim ? "lineage" : "goal"
  const hasFailed = holder !== undefined && Holder.hasFailed(holder, holder.requestHash)
  const { owner: action, run, tick } = held
  return Act.meeting(met, scope, { action, at: holder?.startedAt ?? 0, hasFailed, run, tick })
}

/** Whether an action that took a turn still has it: what was taken over and came to nothing is relied on no more. */
const isRelying = (transitions: ReadonlyArray<Transition>, action: string): boolean => {
  const [first] = transitions
  if (first?.body.data?.["adopted"] === undefined) return false
  const { settled, status } = Holder.became(transitions, action)
  return settled === undefined || status === "ok"
}

/** A turn is taken: the next one is asked for, unless somebody relies on what is to be undone. */
const turned = (self: Learnt, { decision: { drafts }, refusal, terms, transitions }: Refused): Learnt => {
  const { owner, run, tick } = refusal.holder
  for (const { body } of drafts) {
    const found = Object.entries(Turns.takenBy(body)).find(([, turn]) => turn.name === refusal.claim)
    if (found === undefined) continue
    const [action, { ordinal }] = found
    // What became of the act is looked at again: it may be what is being undone.
    if (body.data?.["adopted"] !== undefined) return { ...self, adopted: undefined, turn: ordinal + 1 }
    const { next, relied } = self.turns ?? { next: {}, relied: {} }
    if (!isRelying(transitions, owner)) return { ...self, turns: { next: { ...next, [action]: ordinal + 1 }, relied } }
    // What this run took over is relied on where it was done.
    const adopted =
      run === terms.run.id ? (transitions[0]?.body.data?.["adopted"] as Turns.Reliance | undefined) : undefined
    return { ...self, turns: { next, relied: { ...relied, [action]: adopted ?? { action: owner, run, tick } } } }
  }
  return self
}
