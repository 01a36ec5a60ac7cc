/** Reads the ancestors of a run from a store, in the one valid form of a lineage. */
import * as Payload from "@backstitch/kernel/Payload"
import * as Lineage from "@backstitch/trace/Lineage"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Reads the ancestors, the root first, each with the last tick that its successor shares. */
export const readAncestors = Effect.fnUntraced(function* (run: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const found: Array<Lineage.Ancestor> = []
  let info = yield* store.info(run)
  while (info?.parent !== undefined) {
    const { id, tick } = info.parent
    const [own] = yield* store.read(info.run, { from: tick + 1, to: tick + 1 })
    const body = own && bodyOf(own)
    const named = body && Payload.of(body, "run.fork")?.parent
    // A run may have left a parent that is not in this store, at a tick of the parent's own ancestor, which is.
    if (Schema.is(Run.RunId)(named) && named !== id) found.unshift({ id: named, tick })
    found.unshift({ id, tick })
    info = yield* store.info({ tenant: run.tenant, id })
  }
  return Lineage.normal(found)
})

/** The body of a stored transition; `undefined` if its bytes cannot be read. Its fields may have any value. */
export const bodyOf = (sealed: Transition.Sealed): Transition.Body | undefined =>
  Result.getOrElse(
    Result.try(() => Transition.open(sealed).body),
    () => undefined
  )
