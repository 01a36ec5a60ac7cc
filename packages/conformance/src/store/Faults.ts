/** Layers with the faults that networks and disks cause in a store. */
import { TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** When an operation fails: before it had any effect, or after it, so that only the answer is lost. */
export type When = "before" | "after"

/**
 * Fails the n-th operation of a store, counted from 1, and no other.
 *
 * **When to use** with n = 1, 2, … until a scenario no longer reaches the fault, so that every point of interruption
 * is tried.
 */
export const failing = <E>(
  layer: Layer.Layer<TraceStore, E>,
  options: { readonly operation: number; readonly when: When }
): Layer.Layer<TraceStore, E> =>
  Layer.effect(
    TraceStore,
    Effect.map(TraceStore, (store) => {
      let count = 0
      const guard =
        <Input extends ReadonlyArray<unknown>, A, F>(
          operation: TraceStoreError["operation"],
          call: (...input: Input) => Effect.Effect<A, F>
        ) =>
        (...input: Input): Effect.Effect<A, F | TraceStoreError> =>
          Effect.suspend(() => {
            if (++count !== options.operation) return call(...input)
            const failure = new TraceStoreError({ operation, reason: "lost", store: "faulty", cause: "injected" })
            return options.when === "before"
              ? Effect.fail(failure)
              : Effect.andThen(call(...input), Effect.fail(failure))
          })
      return TraceStore.of({
        append: guard("append", store.append),
        info: guard("read", store.info),
        read: guard("read", store.read),
        changes: store.changes,
        runs: guard("runs", store.runs),
        claims: guard("claims", store.claims),
        putBlobs: guard("blobs", store.putBlobs),
        getBlobs: guard("blobs", store.getBlobs),
        putSnapshot: guard("snapshots", store.putSnapshot),
        nearestSnapshot: guard("snapshots", store.nearestSnapshot),
        snapshotTicks: guard("snapshots", store.snapshotTicks),
        fingerprint: guard("fingerprint", store.fingerprint),
        putFingerprint: guard("fingerprint", store.putFingerprint),
        identity: guard("identity", store.identity),
        putIdentity: guard("identity", store.putIdentity),
        faults: guard("audit", () => store.faults)()
      })
    })
  ).pipe(Layer.provide(layer))

/** Makes the first append durable and then loses its answer, as a dropped connection does. */
export const losingAcknowledgement = <E>(layer: Layer.Layer<TraceStore, E>): Layer.Layer<TraceStore, E> =>
  Layer.effect(
    TraceStore,
    Effect.map(TraceStore, (store) => {
      let isLost = false
      return TraceStore.of({
        ...store,
        append: (commit) =>
          Effect.flatMap(store.append(commit), (head) => {
            if (isLost) return Effect.succeed(head)
            isLost = true
            return Effect.fail(
              new TraceStoreError({
                operation: "append",
                reason: "lost",
                store: "faulty",
                run: commit.run.id,
                cause: "the answer was dropped"
              })
            )
          })
      })
    })
  ).pipe(Layer.provide(layer))
