/**
 * Transfer of boundaries: the candidates that `pack boundaries` draws from the machine and the tools of a domain,
 * against its reviewed skeletons.
 *
 * @source DART, table 27
 */
import * as BoundaryCandidates from "@backstitch/contracts/BoundaryCandidates"
import * as DomainPack from "../harness/DomainPack.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"

/** The candidates of one domain. */
export interface Transfer {
  readonly domain: Domain.Name
  readonly skeletons: number
  /** Skeletons whose candidate is as it was reviewed. */
  readonly exact: number
  /** Fields of skeletons that differ, as `skeleton.field`. */
  readonly differs: ReadonlyArray<string>
  /** Groups of tools of which no skeleton was reviewed, by their first tool. */
  readonly unreviewed: ReadonlyArray<string>
}

/** Draws the candidates of each domain. */
export const all = (): ReadonlyArray<Transfer> =>
  Universe.domains.map((domain) => {
    const candidates = BoundaryCandidates.of(DomainPack.of(domain))
    const reviewed = candidates.filter(({ pending }) => !pending.includes("skeleton"))
    return {
      domain: domain.name,
      skeletons: reviewed.length,
      exact: reviewed.filter(({ drift, pending }) => drift.length + pending.length === 0).length,
      differs: reviewed.flatMap(({ drift, skeleton }) => drift.map(({ field }) => `${skeleton}.${field}`)),
      unreviewed: candidates.filter(({ pending }) => pending.includes("skeleton")).map(({ skeleton }) => skeleton)
    }
  })
