/**
 * The decision about a command whose name was refused, because another run or another action holds it.
 *
 * The trace of the holder is queried. If it teaches a fact about the name, the command is decided again with that
 * fact. Otherwise the command ends: a proposal as {@link ClaimConflict} says, a command of the kernel's own by
 * waiting for the holder.
 *
 * | the command | is decided again, if the holder teaches a fact | otherwise it |
 * | --- | --- | --- |
 * | proposes, or imports | as {@link ConflictResolution} says | is refused, held, or asks again later |
 * | completes a subtask | as {@link ConflictResolution} says | is held; the step remains to be done |
 * | undoes, or settles | with the next turn, or the run that relies on the act | is held; the step remains to be done |
 * | brings a delivery | with the action that took in a delivery of that name | is refused |
 *
 * @source docs/decisions/0018, 0023, 0026
 */
import type { State } from "@backstitch/reducer/State"
import type { BareCommand, Command } from "../decision/Command.ts"
import type * as CommandFacts from "../decision/CommandFacts.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { commit, type Decision, end, lookAt } from "../decision/Decision.ts"
import * as StoreQuery from "../decision/StoreQuery.ts"
import * as Limits from "../Limits.ts"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"
import * as ClaimConflict from "./ClaimConflict.ts"
import * as ClaimHolder from "./ClaimHolder.ts"
import * as ConflictResolution from "./ConflictResolution.ts"

type ClaimRefused = Command & { readonly _tag: "ClaimRefused" }

/** Decides a command whose name was refused. `keyOf` answers the key under which a command would be begun. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  self: ClaimRefused,
  keyOf: (command: Command) => string | undefined
): Decision => {
  const { command, names, refusal } = self
  const { learnt = ConflictResolution.nothing } = command
  const { owner: action, run, tick } = refusal.holder
  if (command._tag === "Deliver") return again({ ...command, taken: { action, run, tick } })
  const isAsked = command._tag === "Propose" || command._tag === "Import"
  if (!isAsked && command._tag !== "Complete" && refusal.namespace !== "turn") return parked(self)
  const trace = { _tag: "Trace", run, from: tick } as const
  const transitions = StoreQuery.seen(self, trace)
  if (transitions === undefined) return lookAt(self, trace)
  const isLast = (learnt.lessons ?? 0) >= Limits.deciding.lessonsMax
  const more = isLast ? undefined : ConflictResolution.of(learnt, { terms, names, refusal, transitions })
  const holder = ClaimHolder.of(run, action, transitions)
  if (more !== undefined) return believed(self, learnt, more, holder)
  if (!isAsked) return parked(self)
  if (!isLast && holder?.undone !== undefined) {
    const renewed = { ...command, learnt: ConflictResolution.lesson({ ...learnt, generation: learnt.generation + 1 }) }
    // A run that follows the one that undid the act is the only one to go on with its goal.
    if (Goal.isFollowing(state, run)) return again(renewed)
    const key = keyOf(renewed)
    // An act that was undone elsewhere may have begun again there, under the next generation of its key.
    const name = { _tag: "Taken", namespace: "key", name: key ?? "" } as const
    const isRenewed = key === undefined ? false : StoreQuery.seen(self, name)
    if (isRenewed === undefined) return lookAt(self, name)
    if (isRenewed) return again(renewed)
  }
  const { requestHash } = names.begins ?? {}
  const { proposal } = command
  const decision = ClaimConflict.decide(terms, state, { proposal, requestHash, refusal, holder, since: learnt.since })
  return command._tag === "Import" ? { ...decision, content: CommitContent.nothing } : decision
}

const again = (command: Command): Decision => commit(CommitContent.nothing, { _tag: "Again", command })

/**
 * Decides again with the lesson. An act that the run was seeded with is answered but not folded, or it would count
 * twice.
 */
const believed = (
  self: ClaimRefused,
  before: CommandFacts.Lessons,
  more: CommandFacts.Lessons,
  holder: ClaimHolder.ClaimHolder | undefined
): Decision => {
  const { command } = self
  const learnt = ConflictResolution.lesson(more)
  const { adopted } = learnt
  const isNew = command._tag === "Propose" && adopted !== undefined && adopted !== before.adopted
  if (!isNew || holder === undefined) return again({ ...command, learnt })
  const seeds = { _tag: "Seeded", run: holder.run, tick: holder.settled ?? 0 } as const
  const isSeeded = StoreQuery.seen(self, seeds)
  if (isSeeded === undefined) return lookAt(self, seeds)
  return again({ ...command, learnt: isSeeded ? { ...learnt, adopted: { ...adopted, believed: true } } : learnt })
}

/**
 * Holds a command of the kernel itself until the name is free. No proposer could be refused, and the command stays
 * due.
 */
const parked = ({ command, names, refusal }: ClaimRefused): Decision => {
  const { owner: action, run, tick } = refusal.holder
  return end({
    _tag: "Held",
    tick,
    action: names.begins?.action ?? aboutOf(command),
    why: Finding.make("name.held", { action, namespace: refusal.namespace, run, tick })
  })
}

const aboutOf = (command: BareCommand): string => ("action" in command ? command.action : "")
