/** Tells of a run's transitions as they are committed. */
import * as History from "@backstitch/runtime/History"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as Steps from "@backstitch/runtime/Steps"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Hands each transition after a tick to `visit` while an effect goes on, and what is left of them once it has ended,
 * however it did.
 */
export const during = Effect.fnUntraced(function* <A, E, R>(
  run: Run,
  after: number,
  visit: (step: Step) => void,
  work: Effect.Effect<A, E, R>
) {
  const history = yield* History.History
  let at = yield* history.at(run, after)
  const tell = (step: Step, head: HashChain.Head): void => {
    at = { head, state: step.after, asOf: step.transition.stamp.asOf }
    visit(step)
  }
  // A feed that fails leaves the rest to be told in the end, and hinders nobody.
  const following = Effect.ignore(
    Stream.runForEach(
      Stream.suspend(() => StepFeed.steps({ run, from: at.head.tick + 1 })),
      ({ head, step }) => Effect.sync(() => tell(step, head))
    )
  )
  const rest = Effect.gen(function* () {
    const { head } = yield* history.info(run)
    yield* history.walk(run, {
      from: at,
      to: head.tick,
      visit: (after, transition, before, head) => {
        tell(Steps.of(before, transition, after), head)
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
