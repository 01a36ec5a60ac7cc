/**
 * Compares the names that a store's index lists as held with those that its traces hold.
 *
 * The index of claims is the fold of all traces, kept in the transactions that append to them. If the index of a
 * store was changed, a key could be used twice although every chain is intact. Runs that are exported and imported
 * into a new store are indexed again.
 */
import type * as Claims from "@backstitch/trace/Claims"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import * as Lexicon from "../ports/Lexicon.ts"

/** A name for which the index and the traces differ. */
export interface IndexDifference {
  readonly namespace: string
  readonly name: string
  /** The owner by the traces, in words. */
  readonly traces: string
  /** The owner by the index. */
  readonly index: string
}

/** Error for a store whose index is gone: a run does not even hold its own name there. */
export class IndexLost extends Schema.TaggedError<IndexLost>("@backstitch/runtime/IndexLost")("IndexLost", {
  tenant: Schema.String,
  run: Schema.String
}) {
  override get message(): string {
    return (
      `The index of the names that runs of tenant ${this.tenant} hold was lost: ${this.run} does not hold its own. ` +
      "Acts of before would not be recognised, and could be done again. Restore a copy, or make the index anew. " +
      English.words.stores.index.remedy
    )
  }
}

/**
 * Refuses a store whose index is gone.
 *
 * **Gotchas**
 *
 * It checks only one run, so its cost does not grow with their number. A single removed name is found only by {@link
 * differences}, which reads every trace.
 */
export const check = Effect.fnUntraced(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const [first] = yield* store.runs(tenant, { limit: 1 })
  if (first === undefined) return
  const held = yield* store.claims(tenant, { namespace: "run", name: first.run.id })
  if (held.length === 0) return yield* new IndexLost({ tenant, run: first.run.id })
})

/** Names of a tenant for which index and traces differ, in order. */
export const differences = Effect.fn("ClaimIndex.differences")(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const words = yield* Lexicon.Lexicon
  const traces = new Map<string, Claims.HeldClaim>()
  for (const info of yield* store.runs(tenant)) {
    for (const held of yield* heldBy(info)) traces.set(nameOf(held), held)
  }
  const index = new Map((yield* store.claims(tenant)).map((held) => [nameOf(held), held]))
  const found: Array<IndexDifference> = []
  for (const name of new Set([...traces.keys(), ...index.keys()])) {
    const [expected, actual] = [traces.get(name), index.get(name)]
    const held = expected ?? actual
    if (held === undefined || isSame(expected, actual)) continue
    const { name: text, namespace } = held
    found.push({ namespace, name: text, traces: holderOf(expected, words), index: holderOf(actual, words) })
  }
  return found.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1)) as ReadonlyArray<IndexDifference>
})

/** Names that a run holds after its last tick, by its own commits. */
const heldBy = Effect.fnUntraced(function* ({ head, parent, run }: TraceStore.RunInfo) {
  const store = yield* TraceStore.TraceStore
  const held = new Map<string, Claims.HeldClaim>()
  let tick = parent?.tick ?? 0
  while (tick < head.tick) {
    const page = yield* store.read(run, { from: tick + 1, to: head.tick, limit: Limits.pacing.pageRowsMax })
    if (page.length === 0) break
    for (const { release, take, tick: at } of TraceStore.claimsOf(run, page.map(Transition.open))) {
      for (const claim of take) {
        if (!held.has(nameOf(claim))) held.set(nameOf(claim), { ...claim, run, tick: at })
      }
      for (const claim of release) {
        if (held.get(nameOf(claim))?.owner === claim.owner) held.delete(nameOf(claim))
      }
    }
    tick = page[page.length - 1]!.tick
  }
  return held.values()
})

const nameOf = ({ name, namespace }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace} ${name}`

const isSame = (one: Claims.HeldClaim | undefined, other: Claims.HeldClaim | undefined): boolean =>
  one?.owner === other?.owner && one?.run.id === other?.run.id && one?.tick === other?.tick

const holderOf = (held: Claims.HeldClaim | undefined, { proofs }: Words): string =>
  held === undefined ? proofs.nobody : proofs.holder({ owner: held.owner, run: held.run.id, tick: held.tick })
