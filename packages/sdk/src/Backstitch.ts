/**
 * A store with a pack and its tools: runs, and the decisions of people about them.
 *
 * Use it for an agent with several tools, or for questions about runs that were recorded. One tool alone needs only
 * `guarded`.
 */

import type { FactTypes } from "./adapter/FactTypes.ts"
import * as Inside from "./adapter/inside.ts"
import { vocabularyOf } from "./adapter/vocabularyOf.ts"
import * as Packs from "./contract/packs.ts"
import type { Tool } from "./contract/Tool.ts"
import type { PackDefinition } from "./contract/ToolContract.ts"
import type { DecidedBy, Settlement } from "./people/Person.ts"
import * as Settled from "./people/settled.ts"
import * as OpenRun from "./run/openRun.ts"
import type { Opening, Run } from "./run/Run.ts"
import type { Decision, HeldAction, PendingApproval } from "./run/Views.ts"
import * as Session from "./session/Session.ts"
import type { Settings } from "./session/Settings.ts"

/** Tools by their names in the pack. */
export type Tools = Readonly<Record<string, Tool | Tool["execute"]>>

/** Options of a store that is opened. */
export interface Options extends Settings {
  /** The pack of runs that are begun: the file of one, or one as an object. Without one, a run only records. */
  readonly pack?: string | PackDefinition | undefined
  readonly tools?: Tools | undefined
  /** The types of facts that the adapters of frameworks commit, such as `checkpoints` of `@backstitch/langgraph`. */
  readonly types?: ReadonlyArray<FactTypes> | undefined
}

/** A store that is open. */
export interface Backstitch {
  /**
   * Opens a run, or begins it. Calls that a crash left open are settled first, by asking.
   *
   * **Gotchas**
   *
   * A process that has a run open holds it for itself, and does not end by itself: close the run or the store, as
   * `await using` does.
   */
  readonly run: (id: string, opening?: Opening) => Promise<Run>
  /** Says yes to a call that waits: to exactly these arguments, until the approval expires. */
  readonly approve: (run: string, review: string, verdict: DecidedBy) => Promise<Decision>
  /** Says no to a call that waits. */
  readonly deny: (run: string, review: string, verdict: DecidedBy) => Promise<Decision>
  /** Settles a held action, with the evidence. */
  readonly resolve: (run: string, action: string, settlement: Settlement) => Promise<Decision>
  /** The calls that wait for a person, in all runs. */
  readonly approvals: () => Promise<ReadonlyArray<PendingApproval>>
  /** The actions that are held, in all runs or in one. */
  readonly held: (run?: string) => Promise<ReadonlyArray<HeldAction>>
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Opens a store. Throws if the pack has a mistake, or if a tool is not in it. */
export const open = async (options: Options = {}): Promise<Backstitch> => {
  const { pack: given, tools = {}, types = [], ...settings } = options
  const pack = await Packs.load(given)
  const bound = Packs.bind(pack, tools)
  const session = Session.open(settings, types.map(vocabularyOf))
  const { close } = session
  const backstitch: Backstitch = {
    run: (id, opening = {}) => OpenRun.open(session, { ...bound, id, opening, pack }),
    approve: (run, review, verdict) => Settled.decide(session, run, { ...verdict, review, verdict: "approved" }),
    deny: (run, review, verdict) => Settled.decide(session, run, { ...verdict, review, verdict: "denied" }),
    resolve: (run, action, settlement) => Settled.resolve(session, run, { ...settlement, action }),
    approvals: () => Settled.approvals(session),
    held: (run) => Settled.held(session, run),
    close,
    [Symbol.asyncDispose]: close
  }
  return Inside.given(backstitch, { session, pack })
}
