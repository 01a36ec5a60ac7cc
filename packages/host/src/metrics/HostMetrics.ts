/** Counts the runs that a host works on, by what it does for them, and the webhooks that were not taken yet. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

const runs = Metric.gauge("backstitch.host.runs", { description: "Runs of this process, by what it does for them" })

const webhooks = Metric.gauge("backstitch.host.webhooks.waiting", {
  description: "Webhooks that no endpoint has taken yet"
})

const attempts = Metric.counter("backstitch.host.webhooks.attempts", {
  description: "Attempts to send a webhook, by what came of them",
  incremental: true
})

/** Notes that a run is in another stage of its work; `undefined` before and after it. */
export const moved = (from: string | undefined, to: string | undefined): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (from !== undefined) yield* Metric.modify(Metric.withAttributes(runs, { doing: from }), -1)
    if (to !== undefined) yield* Metric.modify(Metric.withAttributes(runs, { doing: to }), 1)
  })

/** Notes how many webhooks wait. */
export const waiting = (count: number): Effect.Effect<void> => Metric.update(webhooks, count)

/** Counts an attempt. */
export const attempted = (outcome: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(attempts, { outcome }), 1)
