/** Answers with the graph of forks, and carries intents, branches and fields from one run to another. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as BranchesApi from "@backstitch/api/BranchesApi"
import * as ApiLimits from "@backstitch/api/Limits"
import * as RunHost from "@backstitch/host/RunHost"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as ForkGraph from "@backstitch/runtime/ForkGraph"
import * as Rebasing from "@backstitch/runtime/Rebasing"
import * as Seeding from "@backstitch/runtime/Seeding"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about, answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Refuses what was only sent here: nothing of it is carried to a run of this store, and nothing to it. */
const own = (runs: ReadonlyArray<Run>) => Effect.forEach(runs, EvidenceRun.refuse, { discard: true })

/** With the tools of an agent, or without any. */
const acting = <A, E, R>(act: Effect.Effect<A, E, R>, run: Run, agent: string | undefined, pack?: string) =>
  agent === undefined ? act : Effect.flatMap(RunHost.RunHost, (host) => host.acting(run, agent, pack)(act))

const seed = Effect.fnUntraced(function* (asked: Parameters<typeof Seeding.prepare>[0], agent: string | undefined) {
  yield* own(asked.from.map(({ run }) => run))
  const prepared = yield* Seeding.prepare(asked)
  const { imports } = yield* acting(Seeding.begin(prepared), asked.run, agent, prepared.pack.digest)
  return Seeding.shown(prepared, imports)
}, Effect.scoped)

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "branches", (group) =>
  group.handleAll({
    log: ({ query: { limit = ApiLimits.showing.listedItemsMax, run } }) =>
      answer(({ tenant }) =>
        Effect.map(
          ForkGraph.read(tenant, { run: run === undefined ? undefined : { tenant, id: run }, limit }),
          ForkGraph.shown
        )
      ),
    rehearsePick: ({ params: { other, run, tick } }) =>
      about({ run }, (onto) =>
        Effect.map(CherryPicking.rehearse({ from: { ...onto, id: other }, tick, onto }), (picked) =>
          CherryPicking.shown(picked, { dryRun: true })
        )
      ),
    pick: (arrived) =>
      Writes.write(
        arrived,
        BranchesApi.Picked,
        Effect.fnUntraced(function* ({ tenant }) {
          const { other, run, tick } = arrived.params
          const [from, onto]: [Run, Run] = [
            { tenant, id: other },
            { tenant, id: run }
          ]
          yield* own([from, onto])
          const picked = yield* acting(CherryPicking.pick({ from, tick, onto }), onto, arrived.payload.agent)
          return CherryPicking.shown(picked, { dryRun: false })
        }, Effect.scoped)
      ),
    rehearseRebase: ({ params: { other, run }, query: { as } }) =>
      about({ run }, (branch) =>
        Rebasing.rehearse({
          run: branch,
          onto: { ...branch, id: other },
          as: as === undefined ? undefined : { ...branch, id: as }
        })
      ),
    rebase: (arrived) =>
      Writes.write(
        arrived,
        BranchesApi.Rebased,
        Effect.fnUntraced(function* ({ tenant }) {
          const { agent, as } = arrived.payload
          const [run, onto]: [Run, Run] = [
            { tenant, id: arrived.params.run },
            { tenant, id: arrived.params.other }
          ]
          yield* own([run, onto])
          const begins = Rebasing.begin({ run, onto, as: as === undefined ? undefined : { tenant, id: as } })
          return yield* acting(begins, onto, agent)
        }, Effect.scoped)
      ),
    continueRebase: (arrived) =>
      Writes.write(
        arrived,
        BranchesApi.Rebased,
        Effect.fnUntraced(function* (caller) {
          const { agent, skip = false } = arrived.payload
          const result = yield* Writes.target(caller, arrived)
          return yield* acting(Rebasing.resume(result, { skip }), result, agent)
        }, Effect.scoped)
      ),
    abortRebase: (arrived) =>
      Writes.write(
        arrived,
        BranchesApi.Rebased,
        Effect.fnUntraced(function* (caller) {
          return yield* Rebasing.abort(yield* Writes.target(caller, arrived))
        }, Effect.scoped)
      ),
    seed: (arrived) =>
      Writes.write(arrived, BranchesApi.Seeded, ({ tenant }) => {
        const { agent, clauses, from, goal, run } = arrived.payload
        const chosen = from.map(({ run, ...part }) => ({ ...part, run: { tenant, id: run } }))
        const given = { goal, clauses: clauses as JsonObject | undefined }
        return seed({ ...given, run: { tenant, id: run }, from: chosen }, agent)
      })
  })
)
