/**
 * Signals: at a fixed site, the decision and the restored checkpoint are the same whatever signal the failure has.
 *
 * @source DART, table 28
 */
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"
import * as Calibration from "./Calibration.ts"

/** A site, with the decisions of all its signals. */
export interface Site {
  readonly domain: Domain.Name
  readonly case: string
  readonly signals: number
  /** Each decision once, with the kind of the restored checkpoint or the reasons of the block. */
  readonly decisions: ReadonlyArray<string>
  /** Each list of repeated steps once. */
  readonly recoveries: number
}

const signals: ReadonlyArray<FailureEvent.Signal> = [
  "tool_exception",
  "timeout",
  "invalid_output",
  "contract_violation"
]

/** Has the first case of each regime of each domain fail by every signal. */
export const all = async (): Promise<ReadonlyArray<Site>> => {
  const sites: Array<Site> = []
  for (const domain of Universe.domains) {
    for (const regime of ["official", "commitment", "blocked"] as const) {
      const [first] = Universe.casesOf(domain, regime)
      if (first !== undefined) sites.push(await siteOf(domain, first))
    }
  }
  return sites
}

const siteOf = async (domain: Domain.Domain, each: Domain.Case): Promise<Site> => {
  const decisions = new Set<string>()
  const recoveries = new Set<string>()
  for (const signal of signals) {
    const strategy = Strategy.compared["latest admissible"]
    const { failed, replayed = [] } = await Trial.run({ case: { ...each, signal }, domain, strategy })
    decisions.add(decisionOf(failed))
    recoveries.add(replayed.map(({ id }) => id).join())
  }
  const { size } = recoveries
  return { domain: domain.name, case: each.id, signals: signals.length, decisions: [...decisions], recoveries: size }
}

const decisionOf = ({ checkpoint, decided }: Trial.Failed): string =>
  checkpoint !== undefined
    ? `admitted: ${checkpoint.kind}`
    : decided?._tag === "Blocked"
      ? ["blocked:", ...decided.reasons.map(({ code }) => code), ...Calibration.consumersOf(decided)].join(" ")
      : "none"
