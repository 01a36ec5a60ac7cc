/** Counts the commits to a store, and the transitions in them. */
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const commits = Metric.counter("backstitch.store.commits", {
  description: "Commits, by whether they were made or refused because another one came first",
  incremental: true
})

const transitions = Metric.counter("backstitch.store.transitions", {
  description: "Transitions that were committed",
  incremental: true
})

const outcome = (name: "made" | "refused" | "failed") => Metric.withAttributes(commits, { outcome: name })

/** A store whose commits are counted. */
export const counted = (store: TraceStore.TraceStore["Service"]): TraceStore.TraceStore["Service"] => ({
  ...store,
  append: (commit) =>
    store.append(commit).pipe(
      Effect.tap(() =>
        Effect.andThen(Metric.update(outcome("made"), 1), Metric.update(transitions, commit.transitions.length))
      ),
      Effect.tapError(({ _tag }) => Metric.update(outcome(_tag === "TraceStoreError" ? "failed" : "refused"), 1))
    )
})

/** Layer that counts the commits to the store below it. */
export const layer: Layer.Layer<TraceStore.TraceStore, never, TraceStore.TraceStore> = Layer.effect(
  TraceStore.TraceStore,
  Effect.map(TraceStore.TraceStore, counted)
)
