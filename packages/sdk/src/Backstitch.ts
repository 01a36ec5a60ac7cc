/**
 * A store with a pack and its tools: runs, and the decisions of people about them.
 *
 * Use it for an agent with several tools, or for questions about runs that were recorded. One tool alone needs only
 * `guarded`.
 */

import type { FactTypes } from "./adapter/FactTypes.ts"
import * as OpenSession from "./adapter/openSession.ts"
import { vocabularyOf } from "./adapter/vocabularyOf.ts"
import * as Packs from "./contract/packs.ts"
import type { Tool } from "./contract/Tool.ts"
import type { PackDefinition } from "./contract/ToolContract.ts"
import * as GivenArguments from "./failures/givenArguments.ts"
import * as OpenRun from "./open/openRun.ts"
import * as PersonDecisions from "./open/personDecisions.ts"
import * as Usages from "./open/usages.ts"
import type { Backstitch } from "./run/openStore.ts"
import * as Session from "./session/Session.ts"
import type { StoreSettings } from "./session/StoreSettings.ts"

export type { Backstitch } from "./run/openStore.ts"

/** Tools by their names in the pack. */
export type Tools = Readonly<Record<string, Tool | Tool["execute"]>>

/** Tools with the arguments of each, as its schema answers them or its functions name them. */
export type TypedTools<Args> = {
  readonly [Name in keyof Args]: unknown extends Args[Name]
    ? Tools[string]
    : Tool<Args[Name], Args[Name]> | Tool<Args[Name]>["execute"]
}

/** Options of a store that is opened. */
export interface Options<Given = Tools> extends StoreSettings {
  /** The pack of runs that are begun: the file of one, or one as an object. Without one, a run only records. */
  readonly pack?: string | PackDefinition | undefined
  readonly tools?: Given | undefined
  /** The types of facts that the adapters of frameworks commit, such as `checkpoints` of `@backstitch/langgraph`. */
  readonly types?: ReadonlyArray<FactTypes> | undefined
}

/**
 * Opens a store. Throws if the pack has a mistake, if a tool is not in it, or if its contract promises a question that
 * no function of the tool answers.
 */
export const open = async <Args = Readonly<Record<string, unknown>>>(
  options?: Options<TypedTools<Args>>
): Promise<Backstitch> => {
  GivenArguments.demand(Usages.open, [options])
  const { pack: given, tools = {}, types = [], ...settings } = options ?? {}
  const pack = await Packs.load(given)
  const bound = Packs.bind(pack, tools)
  const session = Session.open(settings, types.map(vocabularyOf))
  const { close } = session
  const verbs: Backstitch = {
    run: (id, opening = {}) => OpenRun.open(session, { ...bound, id, opening, pack }),
    approve: (run, review, verdict) =>
      PersonDecisions.decide(session, run, { ...verdict, review, verdict: "approved" }),
    deny: (run, review, verdict) => PersonDecisions.decide(session, run, { ...verdict, review, verdict: "denied" }),
    resolve: (run, action, settlement) => PersonDecisions.resolve(session, run, { ...settlement, action }),
    approvals: () => PersonDecisions.approvals(session),
    held: (run) => PersonDecisions.held(session, run),
    close,
    [Symbol.asyncDispose]: close
  }
  return OpenSession.given(GivenArguments.demanding(verbs, Usages.ofStore), { session, pack })
}
