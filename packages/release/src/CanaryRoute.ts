/**
 * Routes runs to a canary: the runs of a tenant, or a fixed share of all runs.
 *
 * The same route serves twice: `run --canary` begins the runs that it takes under the new pack, and the gate compares
 * them with all others.
 */
import * as Digest from "@backstitch/trace/Digest"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as ReleaseCandidate from "./ReleaseCandidate.ts"

/** The route. At most one of `tenant` and `share` may be given. */
export interface CanaryRoute {
  readonly tenant?: Tenant | undefined
  readonly share?: number | undefined
}

/** Error for a route with both a tenant and a share, or with a share that is not between 0 and 1. */
export class RouteUnfit extends Schema.TaggedError<RouteUnfit>("@backstitch/release/RouteUnfit")("RouteUnfit", {
  share: Schema.Number,
  tenant: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.tenant === undefined
      ? `A canary takes a share of the runs from 0 to 1, and not ${this.share}`
      : `Name one canary: the tenant ${this.tenant}, or a share of ${this.share}`
  }
}

/** Tells whether a route takes a run, before the run begins as well as afterwards. An empty route takes none. */
export const takes = (route: CanaryRoute, run: Run): Result.Result<boolean, RouteUnfit> => {
  const unfit = problem(route)
  if (unfit !== undefined) return Result.fail(unfit)
  return Result.succeed(isTaken(route, run))
}

const isTaken = ({ share, tenant }: CanaryRoute, run: Run): boolean =>
  tenant === undefined ? share !== undefined && placeOf(run) < share : run.tenant === tenant

/** The place of a run among all runs, from 0 to below 1: always the same one, and spread evenly. */
const placeOf = (run: Run): number =>
  Number.parseInt(Digest.ofText("backstitch.canary.1", `${run.tenant}\n${run.id}`).slice(0, 8), 16) / 2 ** 32

const problem = ({ share, tenant }: CanaryRoute): RouteUnfit | undefined => {
  if (share === undefined) return undefined
  if (tenant !== undefined) return new RouteUnfit({ share, tenant })
  return share >= 0 && share <= 1 ? undefined : new RouteUnfit({ share })
}

/** Splits the recorded runs into those of the canary and all others; answers nothing if no route is given. */
export const split = Effect.fnUntraced(function* (route: CanaryRoute, runs: ReadonlyArray<TraceStore.RunInfo>) {
  const unfit = problem(route)
  if (unfit !== undefined) return yield* unfit
  const { share, tenant } = route
  if (share === undefined && tenant === undefined) return undefined
  const [canary, rest] = [runs.filter(({ run }) => isTaken(route, run)), runs.filter(({ run }) => !isTaken(route, run))]
  // The runs given may be those of another tenant.
  const store = yield* TraceStore.TraceStore
  const apart: ReleaseCandidate.Canary = { canary: tenant === undefined ? canary : yield* store.runs(tenant), rest }
  return apart
})
