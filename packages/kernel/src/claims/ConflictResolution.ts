/**
 * Facts that a command learns from the holder of a name that it was refused, and the decision made with them.
 *
 * A store names the holder of a name. The kernel reads the facts in the holder's trace and decides the command again
 * with them. This repeats until the names are free, or the holder's trace gives no new fact.
 *
 * | the name is | its holder | the command learns |
 * | --- | --- | --- |
 * | a turn | relies on the act to be undone | the run that relies on it |
 * | a turn | has undone an act that this fork shares with it | that this fork does not rely on the act |
 * | a turn | is another undoing, or has given the act up | the next turn to ask for |
 * | an act | made the same request | the act, or that it failed for good |
 * | a key | failed for good in the same act | the next generation of the key |
 * | a key | did the same act, and it stands, with no reversal that may still arrive | the act to take over |
 *
 * Pure, so that every interpreter learns the same.
 *
 * @source docs/decisions/0018, 0023, 0058
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionFate from "../action/ActionFate.ts"
import type { Command } from "../decision/Command.ts"
import type * as CommandFacts from "../decision/CommandFacts.ts"
import type { Lessons } from "../decision/CommandFacts.ts"
import type { Decision } from "../decision/Decision.ts"
import * as ActTurns from "../identity/ActTurns.ts"
import * as KeylessAct from "../identity/KeylessAct.ts"
import type { Names } from "../identity/requestedNames.ts"
import * as Payload from "../payload/Payload.ts"
import type { DecisionTerms, Reliance } from "../state/DecisionTerms.ts"
import * as ClaimConflict from "./ClaimConflict.ts"
import * as ClaimHolder from "./ClaimHolder.ts"

/** A name that was refused to a decision of a run, and the trace of its holder from the claim on. */
export interface RefusedName {
  readonly terms: Pick<DecisionTerms, "now" | "pack" | "run">
  readonly names: Names
  readonly refusal: CommandFacts.RefusedName
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
export const of = (self: Lessons, refused: RefusedName): Lessons | undefined => {
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
  { names, refusal: { claim, holder: held } }: RefusedName,
  holder: ClaimHolder.ClaimHolder | undefined
): KeylessAct.ActsBefore => {
  const scope: KeylessAct.NameScope = names.begins?.act?.takes.lineage === claim ? "lineage" : "goal"
  const hasFailed = holder !== undefined && ClaimHolder.hasFailed(holder, holder.requestHash)
  const { owner: action, run, tick } = held
  return KeylessAct.meeting(met, scope, { action, hasFailed, run, startedAt: holder?.startedAt ?? 0, tick })
}

/**
 * The reliance of the run that holds the turn of an act; `undefined` if it does not rely on the act, or no longer.
 *
 * **Details**
 *
 * A run that took the act over relies on it until its own taking over has ended without the act. A fork that shares the
 * act relies on it as long as an effect is left that the fork itself has begun since.
 */
const relianceOf = ({
  refusal: { holder },
  transitions
}: Pick<RefusedName, "refusal" | "transitions">): Reliance | undefined => {
  const { owner, run, tick } = holder
  const [first] = transitions
  const requested = first && Payload.of(first.body, "action.request")
  const action = first?.body.action?.id
  if (requested === undefined || action === undefined || requested.reverses !== undefined) return undefined
  const isAdopted = requested.adopted !== undefined && owner === action
  const isShared = requested.turns !== undefined && Object.hasOwn(requested.turns, owner) && owner !== action
  const isRelying = isAdopted ? isTaken(transitions, action) : isShared && hasEffect(transitions)
  return isRelying ? { action, run, tick } : undefined
}

const isTaken = (transitions: ReadonlyArray<Transition>, action: string): boolean => {
  const { settled, status } = ActionFate.of(transitions, action)
  return settled === undefined || status === "ok"
}

/** Tells whether a run has begun an effect, or taken one over, that is there or may be there. */
const hasEffect = (transitions: ReadonlyArray<Transition>): boolean => {
  const started = new Set(transitions.flatMap(({ body }) => (body.type === "action.started" ? [body.action?.id] : [])))
  return transitions.some(({ body }) => {
    const id = body.action?.id
    // A request may be without a payload.
    const isAdopted = Payload.of(body, "action.request")?.adopted !== undefined
    if (id === undefined || !ActTurns.isBeginning(body) || !(isAdopted || started.has(id))) return false
    const fate = ActionFate.of(transitions, id)
    return fate.undone === undefined && !ActionFate.hasFailed(fate)
  })
}

/** Lists those of some turns that a transition has taken, each with the action under which it was taken. */
const heldOf = (turns: ActTurns.ActTurns, refused: RefusedName): ReadonlyArray<Held> => {
  const { refusal, transitions } = refused
  const [first] = transitions
  const taken = new Map(Object.entries(first ? ActTurns.takenBy(first.body) : {}).map(([by, { name }]) => [name, by]))
  return Object.entries(turns).flatMap(([action, { name, ordinal }]) => {
    const by = taken.get(name) ?? (name === refusal.claim ? refusal.holder.owner : undefined)
    return by === undefined ? [] : [{ action, by, ordinal }]
  })
}

/** A turn that is taken: the act for which it was asked for, its name in the run of the holder, and the ordinal. */
interface Held {
  readonly action: string
  readonly by: string
  readonly ordinal: number
}

/**
 * The turn is taken: the command asks for the next one, unless another run relies on the act to be undone. One answer
 * tells of all turns that the holder took with it.
 */
const turned = (self: Lessons, refused: RefusedName): Lessons => {
  const { names, refusal, terms, transitions } = refused
  const { shared = {}, turns = {} } = names
  if (isOne(shared, refusal.claim)) return shares(self, refused, shared)
  if (!isOne(turns, refusal.claim)) return self
  const held = heldOf(turns, refused)
  // The holder of the key is looked at again, because it may be undoing the act.
  if (names.begins?.isTakenOver === true) return { ...self, adopted: undefined, turn: (held[0]?.ordinal ?? 0) + 1 }
  const { next, relied } = self.turns ?? { next: {}, relied: {} }
  const reliance = relianceOf(refused)
  if (reliance === undefined) return { ...self, turns: { next: { ...next, ...afterEach(held) }, relied } }
  // For an act that this run took over, reliance is recorded at the run that did it.
  const adopted =
    reliance.run === terms.run.id
      ? transitions[0] && Payload.of(transitions[0].body, "action.request")?.adopted
      : undefined
  const by = { ...reliance, ...adopted }
  return {
    ...self,
    turns: { next, relied: { ...relied, ...Object.fromEntries(held.map(({ action }) => [action, by])) } }
  }
}

/**
 * The turn of an act that a fork shares is taken: it asks for the next one, or the act is undone. While an undoing is
 * under way it asks for the next one as well: the undoing may be given up, and another one may undo the act later.
 */
const shares = (self: Lessons, refused: RefusedName, asked: ActTurns.ActTurns): Lessons => {
  const { next = {}, relied = {}, shared = Object.keys(asked) } = self.turns ?? {}
  const held = heldOf(asked, refused)
  const gone = new Set(held.filter(({ by }) => isGone(refused.transitions, by)).map(({ action }) => action))
  return {
    ...self,
    turns: {
      next: { ...next, ...afterEach(held) },
      relied,
      shared: shared.filter((action) => !gone.has(action))
    }
  }
}

/** Tells whether an undoing of an act, which took a turn of it, is done. */
const isGone = (transitions: ReadonlyArray<Transition>, action: string): boolean =>
  ActionFate.of(transitions, action).undone !== undefined

const isOne = (turns: ActTurns.ActTurns, claim: string): boolean =>
  Object.values(turns).some(({ name }) => name === claim)

const afterEach = (held: ReadonlyArray<Held>): { readonly [action: string]: number } =>
  Object.fromEntries(held.map(({ action, ordinal }) => [action, ordinal + 1]))
