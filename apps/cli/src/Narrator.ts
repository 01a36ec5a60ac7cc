/**
 * Tells of a run's transitions as they are committed.
 *
 * @since 0.1.0
 */
import * as History from "@backstitch/runtime/History"
import * as Steps from "@backstitch/runtime/Steps"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Hands each transition after a tick to `visit` while an effect goes on, and what is left of them once it has ended,
 * however it did.
 *
 * @category combinators
 * @since 0.1.0
 */
export const during = Effect.fnUntraced(function* <A, E, R>(
  run: Run,
  after: number,
  visit: (step: Step) => void,
  work: Effect.Effect<A, E, R>
) {
  const history = yield* History.History
  let at = yield* history.at(run, after)
  const tell = (next: History.Folded): void => {
    at = next.at
    visit(Steps.of(next.before, next.transition, at.state))
  }
  // A feed that fails leaves the rest to be told in the end, and hinders nobody.
  const following = Effect.ignore(
    Stream.runForEach(
      Stream.suspend(() => history.changes(run, at)),
      (next) => Effect.sync(() => tell(next))
    )
  )
  const rest = Effect.gen(function* () {
    const { head } = yield* history.info(run)
    yield* history.walk(run, {
      from: at,
      to: head.tick,
      visit: (state, transition, before, head) => {
        tell({ before, transition, at: { head, state, asOf: transition.stamp.asOf } })
        return undefined
      }
    })
  })
  yield* rest
  const answer = yield* Effect.scoped(
    Effect.andThen(Effect.forkScoped(following, { startImmediately: true }), work)
  ).pipe(Effect.onError(() => Effect.ignore(rest)))
  yield* rest
  return answer
})
