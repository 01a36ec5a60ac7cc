/**
 * Facts that a command learns from the holder of a name that it was refused, and the decision made with them.
 *
 * A store names the holder of a name. The kernel reads the facts in the holder's trace and decides the command again
 * with them. This repeats until the names are free, or the holder's trace gives no new fact.
 *
 * | the name is | its holder | the command learns |
 * | --- | --- | --- |
 * | a turn | relies on the act to be undone | the run that relies on it |
 * | a turn | is another undoing, or has given the act up | the next turn to ask for |
 * | an act | made the same request | the act, or that it failed for good |
 * | a key | failed for good in the same act | the next generation of the key |
 * | a key | did the same act, and it stands, with no reversal that may still arrive | the act to take over |
 *
 * Pure, so that every interpreter learns the same.
 *
 * @source docs/decisions/0018, 0023
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionFate from "../action/ActionFate.ts"
import type { Command } from "../decision/Command.ts"
import type * as CommandFacts from "../decision/CommandFacts.ts"
import type { Lessons } from "../decision/CommandFacts.ts"
import type { Decision } from "../decision/Decision.ts"
import * as Act from "../names/Act.ts"
import type { Names } from "../names/requestedNames.ts"
import * as Payload from "../payload/Payload.ts"
import type { DecisionTerms } from "../state/DecisionTerms.ts"
import * as ClaimConflict from "./ClaimConflict.ts"
import * as ClaimHolder from "./ClaimHolder.ts"

/** A name that was refused to a decision of a run, and the trace of its holder from the claim on. */
export interface Refused {
  readonly terms: Pick<DecisionTerms, "now" | "pack" | "run">
  readonly names: Names
  readonly refusal: CommandFacts.Named
  readonly transitions: ReadonlyArray<Transition>
}

/** No lesson yet. */
export const nothing: Lessons = { generation: 0 }

/** Adds the lessons of a command to the fields by which it is decided. */
export const informed = (command: Command): Command => {
  if (command.learnt === undefined) return command
  const { adopted, context, generation, met } = command.learnt
  switch (command._tag) {
    case "Propose":
      return { ...command, context, generation, adopted, met }
    case "Import":
      return { ...command, context: command.context ?? context, generation, adopted, met }
    case "Complete":
      return { ...command, generation, adopted, met }
    default:
      return command
  }
}

/**
 * Makes the command by which a decision is made again. Lessons are kept; answers of store queries are dropped,
 * because they may have changed.
 */
export const again = (
  { found: _, ...command }: Command,
  { context, next }: Pick<Decision, "context" | "next">
): Command => {
  const { learnt } = command
  const since = next._tag === "Await" ? next.since : learnt?.since
  const first = learnt?.context ?? context
  if (since === learnt?.since && first === learnt?.context) return command
  return { ...command, learnt: { ...nothing, ...learnt, context: first, since } }
}

/** Counts one lesson more. */
export const lesson = (self: Lessons): Lessons => ({ ...self, lessons: (self.lessons ?? 0) + 1 })

/** Learns from the holder of a refused name; `undefined` if the holder gives no fact with which to decide again. */
export const of = (self: Lessons, refused: Refused): Lessons | undefined => {
  const { names, refusal, terms, transitions } = refused
  if (refusal.namespace === "turn") return turned(self, refused)
  const holder = ClaimHolder.of(refusal.holder.run, refusal.holder.owner, transitions)
  if (refusal.namespace === "act") return { ...self, met: met(self, refused, holder) }
  if (refusal.namespace !== "key" || holder === undefined) return undefined
  const { requestHash, tool } = names.begins ?? {}
  if (ClaimHolder.hasFailed(holder, requestHash)) return { ...self, generation: self.generation + 1 }
  const isThere =
    ClaimHolder.hasDone(holder, requestHash) && ClaimConflict.arrivesUntil(terms, holder, tool) === undefined
  return isThere && self.adopted === undefined ? { ...self, adopted: adoptedOf(holder, self.turn) } : undefined
}

/** Lists the facts of the action that holds a key, for a run that takes it over. */
const adoptedOf = (
  { action, output, run, settled, startedAt, tick }: ClaimHolder.ClaimHolder,
  turn: number | undefined
): CommandFacts.Adopted => ({
  action,
  run,
  startedAt,
  tick: settled ?? tick,
  ...(output === null ? {} : { output }),
  ...(turn === undefined ? {} : { turn })
})

/** Learns of the act that holds the name of an act without a key. */
const met = (
  { met = {} }: Lessons,
  { names, refusal: { claim, holder: held } }: Refused,
  holder: ClaimHolder.ClaimHolder | undefined
): Act.Met => {
  const scope: Act.Scope = names.begins?.act?.takes.lineage === claim ? "lineage" : "goal"
  const hasFailed = holder !== undefined && ClaimHolder.hasFailed(holder, holder.requestHash)
  const { owner: action, run, tick } = held
  return Act.meeting(met, scope, { action, hasFailed, run, startedAt: holder?.startedAt ?? 0, tick })
}

/**
 * Tells whether the holder of a turn still relies on the act. It does not if its own taking over ended without the
 * act.
 */
const isRelying = (transitions: ReadonlyArray<Transition>, action: string): boolean => {
  const [first] = transitions
  if (first === undefined || Payload.of(first.body, "action.request")?.adopted === undefined) return false
  const { settled, status } = ActionFate.of(transitions, action)
  return settled === undefined || status === "ok"
}

/** The turn is taken: the command asks for the next one, unless another run relies on the act to be undone. */
const turned = (self: Lessons, { names, refusal, terms, transitions }: Refused): Lessons => {
  const { owner, run, tick } = refusal.holder
  const found = Object.entries(names.turns ?? {}).find(([, { name }]) => name === refusal.claim)
  if (found === undefined) return self
  const [action, { ordinal }] = found
  // The holder of the key is looked at again, because it may be undoing the act.
  if (names.begins?.isTakenOver === true) return { ...self, adopted: undefined, turn: ordinal + 1 }
  const { next, relied } = self.turns ?? { next: {}, relied: {} }
  if (!isRelying(transitions, owner)) return { ...self, turns: { next: { ...next, [action]: ordinal + 1 }, relied } }
  // For an act that this run took over, reliance is recorded at the run that did it.
  const adopted =
    run === terms.run.id ? transitions[0] && Payload.of(transitions[0].body, "action.request")?.adopted : undefined
  const by = { action: owner, run, tick, ...adopted }
  return { ...self, turns: { next, relied: { ...relied, [action]: by } } }
}
