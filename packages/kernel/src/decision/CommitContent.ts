/**
 * The content of a commit before it is written down: answers, records and verdicts, each in a slot of its own.
 *
 * The rules of the kernel are functions from one content to the next, and read and change typed slots. The drafts are
 * made once, at the end, in the order of the slots; no rule reads a draft.
 *
 * | slot | content |
 * | --- | --- |
 * | original | the record of an action before it is undone |
 * | records | transitions that no rule reads: messages, permissions, anomalies |
 * | unused | an approval of another call, which does not count |
 * | refused | a refused intent |
 * | requested, started, broken | a call, its first attempt, and the review of its broken glass |
 * | answered | an answer that does not settle its action |
 * | noted | the recovery table's verdict on that answer, before the world is asked again |
 * | short | budgets that are too small to ask or begin anything |
 * | verified, recovery | a record, and the recovery table's verdict on it |
 * | read | the answer of a read, which settles the read |
 * | closed, reconciled | settlements of other actions, and of the action itself, with its obligations |
 * | follows | the recovery of the subtask of the action |
 * | stops | the reason why a plan stops at the action |
 * | asks | the review that is asked for because of that stop |
 * | exhausted | budgets that the action has used up |
 * | asked | a question to the world, counted before it is asked |
 * | reviews | reviews that the depth table asks for |
 * | sent | the next attempt, always last: its request follows at once (L5) |
 */
import type * as Ontology from "@backstitch/trace/Ontology"
import type { BodyOf } from "@backstitch/trace/Payload"
import type { Draft, Envelope, Stamp } from "@backstitch/trace/Transition"
import type * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"

/** A transition of one type before it becomes a draft. Its author is the kernel, unless another is named. */
export type Said<T extends Ontology.Type> = Omit<BodyOf<typeof Payload.payloads, T>, "author" | "type"> & {
  readonly author?: Ontology.Author
  readonly stamp?: Omit<Stamp, "asOf">
  readonly envelope?: Omit<Envelope, "ts">
}

/** The slots in commit order, each with the type of its transitions. */
const order = [
  ["original", "action.verified"],
  ["records", "as_recorded"],
  ["unused", "recovery.decided"],
  ["refused", "intent.refused"],
  ["requested", "action.request"],
  ["started", "action.started"],
  ["broken", "review.requested"],
  ["answered", "action.result"],
  ["noted", "recovery.decided"],
  ["short", "budget.exhausted", "each"],
  ["verified", "action.verified"],
  ["recovery", "recovery.decided"],
  ["read", "action.result"],
  ["closed", "action.reconciled", "each"],
  ["reconciled", "action.reconciled"],
  ["follows", "recovery.decided"],
  ["stops", "recovery.decided"],
  ["asks", "review.requested", "each"],
  ["exhausted", "budget.exhausted", "each"],
  ["asked", "action.asked"],
  ["reviews", "review.requested", "each"],
  ["sent", "action.started"]
] as const

type Order = (typeof order)[number]

/** The name of a slot. */
export type Slot = Order[0]

/** The content of a commit. A transition without a slot is not committed. */
export type CommitContent = {
  readonly [Each in Order as Each[0]]?: Kept<Each> | undefined
}

type Kept<Each extends Order> = Each[1] extends Ontology.Type
  ? Each extends readonly [Slot, Ontology.Type, "each"]
    ? ReadonlyArray<Said<Each[1]>>
    : Said<Each[1]>
  : ReadonlyArray<Draft>

/** No content: nothing is committed. */
export const nothing: CommitContent = {}

/** Transitions that are committed as they stand. */
export const records = (...drafts: ReadonlyArray<Draft>): CommitContent => ({ records: drafts })

/** Puts transitions that are committed as they stand before a content. */
export const after = (self: CommitContent, ...drafts: ReadonlyArray<Draft>): CommitContent => ({
  ...self,
  records: [...drafts, ...(self.records ?? [])]
})

/** Changes one slot of a content, if it is filled. */
export const changed = <R extends Slot>(
  self: CommitContent,
  slot: R,
  change: (kept: NonNullable<CommitContent[R]>) => NonNullable<CommitContent[R]>
): CommitContent => {
  const kept = self[slot]
  const next = kept === undefined ? kept : change(kept)
  return next === kept ? self : { ...self, [slot]: next }
}

/** Counts the transitions of a content. */
export const size = (self: CommitContent): number => {
  let count = 0
  for (const slot in self) {
    const kept = self[slot as Slot]
    count += isMany(kept) ? kept.length : kept === undefined ? 0 : 1
  }
  return count
}

/** Keeps the slots of a content that come before a given slot. */
export const before = (self: CommitContent, slot: Slot): CommitContent =>
  Object.fromEntries(filled(self).flatMap((each) => (places[each] < places[slot] ? [[each, self[each]]] : [])))

/** Finds the last verdict of the recovery table; `undefined` if the table was not asked. */
export const recovered = ({
  follows,
  noted,
  recovery,
  stops,
  unused
}: CommitContent): Payload.Of<"recovery.decided"> | undefined => (stops ?? follows ?? recovery ?? noted ?? unused)?.data

/** Names the last action that the recovery table chose; `undefined` if the table was not asked. */
export const decided = (self: CommitContent): string | undefined => recovered(self)?.decision

/** Makes the drafts of a content, at the time of the decision. */
export const drafts = (terms: DecisionTerms.DecisionTerms, self: CommitContent): ReadonlyArray<Draft> => {
  const made: Array<Draft> = []
  for (const slot of filled(self)) {
    const kept = self[slot]
    if (slot === "records") made.push(...(kept as ReadonlyArray<Draft>))
    else if (isMany(kept)) for (const said of kept) made.push(draft(terms, slot, said as AnySaid))
    else made.push(draft(terms, slot, kept as AnySaid))
  }
  return made
}

/** A transition of any type; its slot determines the type. */
type AnySaid = Said<"action.asked">

const types = Object.fromEntries(order) as { readonly [Each in Order as Each[0]]: Each[1] }

const places = Object.fromEntries(order.map(([slot], place) => [slot, place])) as { readonly [Each in Slot]: number }

/** The slots that are filled, in their order. */
const filled = (self: CommitContent): ReadonlyArray<Slot> => {
  const slots: Array<Slot> = []
  for (const slot in self) if (self[slot as Slot] !== undefined) slots.push(slot as Slot)
  return slots.sort((left, right) => places[left] - places[right])
}

const draft = (terms: DecisionTerms.DecisionTerms, slot: Exclude<Slot, "records">, said: AnySaid): Draft => {
  const { author = "kernel", envelope, stamp, ...body } = said
  return DecisionTerms.draft(terms, Object.assign(body, { author, type: types[slot] }) as Payload.Body, {
    envelope,
    stamp
  })
}

const isMany = <A>(kept: A | ReadonlyArray<A>): kept is ReadonlyArray<A> => Array.isArray(kept)
