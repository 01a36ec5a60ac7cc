/** Follows the acts of a run whose pack permits revisions. */

import type * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import * as RunActs from "@backstitch/kernel/RunActs"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type * as State from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"
import * as PackLibrary from "./PackLibrary.ts"
import * as RunRecord from "./runRecord.ts"

/** Tells whether the goal of a run in a given state may be revised. */
export const isOn = (state: State.State): boolean =>
  (PackInForce.of(state).ontology ?? Ontology.first) >= Ontology.introducedIn("revision.injected")

/** The acts of a run as a record. */
export const kind: RunRecord.RecordKind<RunActs.RunActs> = {
  begin: (state) => (isOn(state) ? RunActs.make() : undefined),
  take: (self, step, pack) => {
    const own = pack()
    if (own !== undefined) RunActs.follow(self, step, own)
  }
}

/** The acts of a stored run at its head; `undefined` if its pack does not permit revisions. */
export const of = Effect.fnUntraced(function* (stored: History.Stored, run: Run) {
  const { head } = yield* stored.info(run)
  return yield* judging(stored, run, yield* RunRecord.of(kind, stored, run, head.tick))
})

/** Answers a followed run at its head, ready to plan an absorption. The terms have no secret: a plan derives no key. */
export const judging = Effect.fnUntraced(function* (
  stored: History.Stored,
  run: Run,
  { at, record }: RunRecord.Followed<RunActs.RunActs>
) {
  if (record === undefined) return undefined
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = at
  const tick = head.tick + 1
  const terms: RunAbsorption.Judging["terms"] = {
    run,
    lineage: (yield* stored.root(run)).id,
    now: yield* Clock.currentTimeMillis,
    tick,
    secret: "",
    pack: yield* library.inForce(state, tick)
  }
  return { acts: record, state, terms } satisfies RunAbsorption.Judging
})
