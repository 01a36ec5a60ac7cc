/**
 * What a run handle reads off a decision.
 *
 * @since 0.1.0
 */
import * as Act from "@backstitch/kernel/Act"
import type { Command } from "@backstitch/kernel/Command"
import type { Decision } from "@backstitch/kernel/Decision"
import * as Holder from "@backstitch/kernel/Holder"
import type * as Import from "@backstitch/kernel/Import"
import * as Turns from "@backstitch/kernel/Turns"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import { type Digest, isDigest } from "@backstitch/trace/Digest"
import type { Transition } from "@backstitch/trace/Transition"

/** What is learnt of a command between the times that it is decided. */
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

/** A command with what was learnt of it since it was first decided. */
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

/** The action that a decision is about, once it is committed: its id follows from the tick. */
export const actionOf = ({ next }: Decision): string | undefined =>
  "request" in next ? next.request.action : undefined

/** The hash of the request that a decision starts. */
export const requestHashOf = ({ drafts }: Decision): string | undefined =>
  drafts.find(({ body }) => body.type === "action.started")?.body.action?.requestHash

/** What is taken over of the action that holds a key. */
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

/** What is learnt where an act without a key meets the one that has its name. */
export const metAt = (
  { met = {} }: Learnt,
  { drafts }: Decision,
  { claim, holder: { owner, run, tick } }: Claims.ClaimRefused,
  holder: Holder.Holder | undefined
): Act.Met => {
  const act = drafts.find(({ body }) => body.type === "action.started")?.body.data?.["act"]
  const { takes } = Canonical.objectOf(act)
  const scope: Act.Scope = Canonical.objectOf(takes)["lineage"] === claim ? "lineage" : "goal"
  const hasFailed = holder !== undefined && Holder.hasFailed(holder, holder.requestHash)
  return Act.meeting(met, scope, { action: owner, at: holder?.startedAt ?? 0, hasFailed, run, tick })
}

/** Whether an action that took a turn still has it: what was taken over and came to nothing is relied on no more. */
const isRelying = (transitions: ReadonlyArray<Transition>, action: string): boolean => {
  const [first] = transitions
  if (first?.body.data?.["adopted"] === undefined) return false
  const { settled, status } = Holder.became(transitions, action)
  return settled === undefined || status === "ok"
}

/** What is learnt where a turn is taken: the next one is asked for, unless somebody relies on what is to be undone. */
export const turnedAt = (
  learnt: Learnt,
  { drafts }: Decision,
  { claim, holder: { owner, run, tick } }: Claims.ClaimRefused,
  holder: { readonly transitions: ReadonlyArray<Transition>; readonly isSelf: boolean }
): Learnt => {
  const { isSelf, transitions } = holder
  for (const { body } of drafts) {
    const found = Object.entries(Turns.takenBy(body)).find(([, turn]) => turn.name === claim)
    if (found === undefined) continue
    const [action, { ordinal }] = found
    // What became of the act is looked at again: it may be what is being undone.
    if (body.data?.["adopted"] !== undefined) return { ...learnt, adopted: undefined, turn: ordinal + 1 }
    const { next, relied } = learnt.turns ?? { next: {}, relied: {} }
    if (!isRelying(transitions, owner))
      return { ...learnt, turns: { next: { ...next, [action]: ordinal + 1 }, relied } }
    // What this run took over is relied on where it was done.
    const adopted = isSelf ? (transitions[0]?.body.data?.["adopted"] as Turns.Reliance | undefined) : undefined
    const by = adopted ?? { action: owner, run, tick }
    return { ...learnt, turns: { next, relied: { ...relied, [action]: by } } }
  }
  return learnt
}

/** The hash of the context that an intent was decided in. */
export const contextOf = (decision: Decision): Digest | undefined => {
  for (const { body } of decision.drafts) {
    if (isDigest(body.intent?.contextHash)) return body.intent.contextHash
  }
  return undefined
}

/** A decision whose transition stands at a tick, because it joined one that waits there. */
export const standingAt = (decision: Decision, tick: number): Decision => {
  const { next } = decision
  if (next._tag !== "End" || next.outcome._tag === "Done" || next.outcome._tag === "Failed") return decision
  return { ...decision, next: { ...next, outcome: { ...next.outcome, tick } } }
}
