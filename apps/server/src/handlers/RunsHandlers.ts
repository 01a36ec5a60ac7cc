/** Answers about runs. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as ApiLimits from "@backstitch/api/Limits"
import * as WriteHeaders from "@backstitch/api/WriteHeaders"
import * as State from "@backstitch/reducer/State"
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as ClaimList from "@backstitch/runtime/ClaimList"
import * as Explanation from "@backstitch/runtime/Explanation"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as History from "@backstitch/runtime/History"
import * as Ledger from "@backstitch/runtime/Ledger"
import * as PrometheusText from "@backstitch/runtime/PrometheusText"
import * as Receipt from "@backstitch/runtime/Receipt"
import * as Report from "@backstitch/runtime/Report"
import * as RunDiagnosis from "@backstitch/runtime/RunDiagnosis"
import * as RunEvents from "@backstitch/runtime/RunEvents"
import * as RunList from "@backstitch/runtime/RunList"
import * as RunMetrics from "@backstitch/runtime/RunMetrics"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { about, answer } from "../answer/Answering.ts"

const names = (text: string | undefined): ReadonlyArray<string> | undefined => text?.split(",")

interface PageRequest {
  readonly from?: number
  readonly to?: number
  readonly limit?: number
  readonly types?: string
  readonly fields?: string
}

const page = Effect.fnUntraced(function* (run: Run, asked: PageRequest) {
  const { from = 1, limit = ApiLimits.showing.listedItemsMax, to } = asked
  const fields = names(asked.fields) ?? FlatEvent.fieldsByDefault
  const all = yield* RunEvents.select(run, { from, to, fields, types: names(asked.types) })
  const last = Math.min(all.to, from + limit - 1)
  const transitions: Array<JsonObject> = []
  yield* RunEvents.walk({ ...all, to: last }, (step, at) => {
    transitions.push(RunEvents.event(all, step, at))
  })
  const { head, parent } = all
  return {
    run_id: run.id,
    head,
    parent: parent === undefined ? null : { run: parent.id, tick: parent.tick },
    transitions,
    next: last === all.to ? null : last + 1
  }
})

const stateAt = Effect.fnUntraced(function* (run: Run, tick: number) {
  const history = yield* History.History
  const { head, state } = yield* history.at(run, tick)
  return { run: run.id, tick, head: head.link, state: State.toJson(state) }
})

const measuresOf = (found: RunMetrics.RunMetrics) => ({ ...found, measures: RunMetrics.rows(found) })

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "runs", (group) =>
  group.handleAll({
    list: ({ query: { after, limit = ApiLimits.showing.listedItemsMax, since } }) =>
      answer(({ tenant }) =>
        Effect.map(
          RunList.runs(tenant, {
            after,
            limit,
            since: since === undefined ? undefined : DateTime.toEpochMillis(since)
          }),
          (runs) => ({ runs, next: runs.length < limit ? null : (runs.at(-1)?.run ?? null) })
        )
      ),
    show: ({ params }) =>
      about(params, (run) =>
        Effect.map(Receipt.make(run, undefined), (receipt) =>
          HttpApiSchema.withHeaders({ body: receipt, headers: { etag: WriteHeaders.etag(receipt.transitions) } })
        )
      ),
    transitions: ({ params, query }) => about(params, (run) => page(run, query)),
    state: ({ params }) => about(params, (run) => stateAt(run, params.tick)),
    verify: ({ params, query }) => about(params, (run) => RunVerification.verify(run, query)),
    ledger: ({ params }) => about(params, (run) => Ledger.audit(run)),
    action: ({ params }) => about(params, (run) => ActionPage.of(params.action, { tenant: run.tenant, run })),
    report: ({ params }) => about(params, (run) => Report.of(run)),
    metrics: ({ params }) => about(params, (run) => Effect.map(RunMetrics.of({ tenant: run.tenant, run }), measuresOf)),
    totals: ({ query: { since } }) =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          const now = yield* Clock.currentTimeMillis
          const lastMillis = since === undefined ? undefined : now - DateTime.toEpochMillis(since)
          return measuresOf(yield* RunMetrics.of({ tenant, lastMillis }))
        })
      ),
    prometheus: () =>
      answer(({ tenant }) =>
        Effect.flatMap(RunMetrics.of({ tenant }), ({ measures }) => PrometheusText.of(measures, { tenant }))
      ),
    claims: ({ query }) =>
      answer(({ tenant }) => Effect.map(ClaimList.claims(tenant, query), (claims) => ({ claims }))),
    diagnose: ({ params, query: { wrong } }) =>
      about(params, (run) => RunDiagnosis.of(run, { isWrong: wrong === "true" })),
    explain: ({ params }) => about(params, (run) => Explanation.explain(run, params.tick))
  })
)
