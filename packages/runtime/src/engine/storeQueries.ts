/** Runs the store queries of the kernel about traces and names. They never ask the world. */
import type * as StoreQuery from "@backstitch/kernel/StoreQuery"
import { type Run, RunId } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import type * as OwnTransitions from "../history/ownTransitions.ts"
import { seedContains } from "../history/seedContains.ts"

/** Lists the consumers of the subtasks with some scopes, by what is durable. */
export type ConsumersOf = (
  scopes: ReadonlyArray<string>
) => Effect.Effect<StoreQuery.Answers["Consumers"], History.HistoryError>

/**
 * The run that is asked about, and its durable transitions. Consumers are known of what is durable, so `flush` comes
 * before.
 */
interface Options<E> {
  readonly run: Run
  readonly durable: OwnTransitions.Durable
  readonly consumers: ConsumersOf
  readonly flush: Effect.Effect<void, E>
}

/**
 * Makes the function that answers the kernel's questions to the store about a run. A question about the run's own trace
 * includes the transitions that are decided and not yet durable.
 */
export const make = Effect.fnUntraced(function* <E>({ consumers, durable, flush, run }: Options<E>) {
  const { stored: history } = yield* History.History
  const store = yield* TraceStore.TraceStore
  return (
    look: StoreQuery.StoreQuery,
    waiting: ReadonlyArray<Transition>
  ): Effect.Effect<StoreQuery.QueryAnswer, E | History.HistoryError> => {
    const own = (from: number, to = Number.POSITIVE_INFINITY) => {
      const staged = waiting.filter(({ tick }) => from <= tick && tick <= to)
      return Effect.map(durable(from, to), (transitions) => [...transitions, ...staged])
    }
    switch (look._tag) {
      case "Trace":
        return look.run === run.id
          ? own(look.from, look.to)
          : history.transitions({ tenant: run.tenant, id: RunId.make(look.run) }, { from: look.from, to: look.to })
      case "Shared":
        return Effect.flatMap(history.info(run), ({ parent }) =>
          parent === undefined ? Effect.succeed([]) : history.transitions(run, { to: parent.tick + 1 })
        )
      case "State":
        return Effect.map(history.at(run, look.tick), ({ state }) => state)
      case "Taken":
        return Effect.map(store.claims(run.tenant, look), (held) => held.length > 0)
      case "Seeded":
        return seedContains(history, run, { run: look.run, settled: look.tick })
      case "Consumers":
        return Effect.andThen(flush, consumers(look.scopes))
    }
  }
})
