/**
 * Semantic audit: rows in which a rerun and the latest admissible checkpoint both finish, check by check.
 *
 * A row is comparable if both trials finished, and the recovery of the second was observed. It is safe-equivalent if
 * both hold the same values and acts, and every check that the domain demands holds of the second.
 *
 * @source DART, tables 20 and 21
 */
import type * as Trial from "../harness/Trial.ts"
import * as Domain from "../universe/Domain.ts"
import * as TrialAudit from "./TrialAudit.ts"

/** Counts of one domain. A check that its domain does not demand counts nothing. */
export interface Row {
  readonly domain: Domain.Name
  readonly comparable: number
  readonly safeEquivalent: number
  readonly checks: Readonly<Record<TrialAudit.Check, number>>
}

/** One case, done by a rerun and by a restore. */
export interface Pair {
  readonly rerun: Trial.Trial
  readonly restored: Trial.Trial
}

/** Counts the rows of each domain. */
export const count = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Row> =>
  Domain.names.map((domain) => {
    const comparable = pairs.filter((pair) => pair.restored.domain.name === domain && isComparable(pair))
    const demanded = TrialAudit.demanded[domain]
    const holds = (check: TrialAudit.Check) =>
      demanded.includes(check) ? comparable.filter((pair) => isSame(pair, check)).length : 0
    return {
      domain,
      comparable: comparable.length,
      safeEquivalent: comparable.filter(isSafeEquivalent).length,
      checks: {
        semantics: holds("semantics"),
        prefix: holds("prefix"),
        effects: holds("effects"),
        committed: holds("committed")
      }
    }
  })

/** Tells whether one end of a case is as safe as another, and the same by every check that its domain demands. */
export const isSafeEquivalent = (pair: Ends): boolean =>
  TrialAudit.demanded[pair.restored.domain.name].every((check) => isSame(pair, check))

/** Two ends of one case, on any runtime. */
export interface Ends {
  readonly rerun: TrialAudit.Judged
  readonly restored: TrialAudit.Judged
}

const isComparable = ({ rerun, restored }: Pair): boolean =>
  rerun.end === "finished" && restored.end === "finished" && restored.failed.checkpoint !== undefined

const isSame = ({ rerun, restored }: Ends, check: TrialAudit.Check): boolean => {
  if (!TrialAudit.of(restored)[check]) return false
  if (check === "semantics") return TrialAudit.isSame(rerun.working.facts, restored.working.facts)
  return check !== "effects" || TrialAudit.hasSameActs(rerun, restored)
}
