/**
 * The frozen universe: five domains with their cases, and the decision that each case requires.
 *
 * It was written from the published description of the experiments before anything was measured on it, and a test
 * pins its digest. A result that differs from the specification is reported, and changes no case.
 *
 * @source DART, appendices D and G
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type * as Domain from "./Domain.ts"
import { diagnosis } from "./diagnosis.ts"
import { etlPipeline } from "./etlPipeline.ts"
import { navigation } from "./navigation.ts"
import { scheduleForm } from "./scheduleForm.ts"
import { travelPlanning } from "./travelPlanning.ts"

/** The domains, in the order in which they are reported. */
export const domains: ReadonlyArray<Domain.Domain> = [navigation, scheduleForm, diagnosis, etlPipeline, travelPlanning]

/** The number of times that each compared case is repeated. */
export const repeats = 5

/** The digest of all that was decided in advance. */
export const digest: string = Digest.ofBytes(Canonical.encode(JSON.parse(JSON.stringify(domains))))

/** Cases of a regime. */
export const casesOf = ({ cases }: Domain.Domain, regime: Domain.Regime): ReadonlyArray<Domain.Case> =>
  cases.filter((each) => each.regime === regime)

/** The compared cases: official and commitment-sensitive ones. */
export const compared = (domain: Domain.Domain): ReadonlyArray<Domain.Case> =>
  domain.cases.filter(({ regime }) => regime !== "blocked")

/** The cases whose failure reaches the gate in the calibration. */
export const calibrated = (domain: Domain.Domain): ReadonlyArray<Domain.Case> =>
  domain.cases.filter(({ regime }) => regime === "blocked" || domain.calibrated.includes(regime))

/** The load of a review: its skeletons, commit predicates, exit edges, and edges that were not reviewed. */
export const reviewLoad = ({ machine, skeletons }: Domain.Domain) => {
  const all = Object.values(skeletons)
  const edgesOf = (tools: ReadonlyArray<string>) => machine.edges.filter(({ tool }) => tools.includes(tool)).length
  return {
    skeletons: all.length,
    commits: all.reduce((sum, { commits }) => sum + commits.length, 0),
    exits: all.reduce((sum, { exits }) => sum + edgesOf(exits), 0),
    pending: all.reduce((sum, { pending }) => sum + edgesOf(pending), 0),
    states: machine.states.length,
    edges: machine.edges.length
  }
}
