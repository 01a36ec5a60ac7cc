/**
 * A query to the store for facts that the state does not hold. The kernel names the query, an interpreter runs it,
 * and the command is decided again with the answer.
 *
 * | query | answer |
 * | --- | --- |
 * | `Trace` | the transitions of a run of the tenant, from a tick on |
 * | `Shared` | the transitions that a fork shares with its parent, and its own beginning; none for another run |
 * | `State` | the state of the deciding run after a tick |
 * | `Taken` | whether a name is held in the tenant |
 * | `Seeded` | whether the run was seeded with beliefs that another run had at or after a tick |
 * | `Consumers` | the consumers of subtasks of the deciding run, which are named by their scopes |
 *
 * A query goes to the store and not to the world. It changes nothing, and its answer is not committed.
 *
 * @see docs/decisions/0026-one-door.md
 */
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import type { Transition } from "@backstitch/trace/Transition"
import type { SubtaskConsumer } from "../state/DecisionTerms.ts"

/** One question to the store, by its kind. */
export type StoreQuery =
  | { readonly _tag: "Trace"; readonly run: string; readonly from: number; readonly to?: number }
  | { readonly _tag: "Shared" }
  | { readonly _tag: "State"; readonly tick: number }
  | { readonly _tag: "Taken"; readonly namespace: Claims.Namespace; readonly name: string }
  | { readonly _tag: "Seeded"; readonly run: string; readonly tick: number }
  | { readonly _tag: "Consumers"; readonly scopes: ReadonlyArray<string> }

/** The answer of each kind of query. */
export interface Answers {
  readonly Trace: ReadonlyArray<Transition>
  readonly Shared: ReadonlyArray<Transition>
  readonly State: State
  readonly Taken: boolean
  readonly Seeded: boolean
  readonly Consumers: ReadonlyArray<SubtaskConsumer>
}

/** The answer of any query. */
export type QueryAnswer = Answers[keyof Answers]

/** A query and its answer. */
export interface AnsweredQuery {
  readonly look: StoreQuery
  readonly answer: QueryAnswer
}

/** Finds the answer to a query, if the command brings one. */
export const seen = <L extends StoreQuery>(
  { found = [] }: { readonly found?: ReadonlyArray<AnsweredQuery> | undefined },
  look: L
): Answers[L["_tag"]] | undefined =>
  found.find((each) => Canonical.equals(each.look, look))?.answer as Answers[L["_tag"]] | undefined
