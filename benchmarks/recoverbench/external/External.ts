/**
 * External validation: two domains on LangGraph.js under four controllers, and the witness of a blocked producer.
 *
 * @source DART, tables 2 and 14 to 17
 */
import * as Peers from "../../src/Peers.ts"
import * as Statistics from "../../src/Statistics.ts"
import * as Calibration from "../audits/Calibration.ts"
import * as SemanticAudit from "../audits/SemanticAudit.ts"
import * as TrialAudit from "../audits/TrialAudit.ts"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"
import * as LangGraphTrial from "./LangGraphTrial.ts"

/** One cell: a controller in a regime of a domain. Counts and times are medians over the trials that succeeded. */
export interface Cell {
  readonly domain: Domain.Name
  readonly regime: Domain.Regime
  readonly controller: LangGraphTrial.Controller
  readonly trials: number
  readonly success: number
  readonly replay: number | null
  readonly upstream: number | null
  readonly millis: number | null
  readonly blocked: number
}

/** A producer whose restore would take values away from committed consumers. */
export interface Witness {
  readonly domain: Domain.Name
  readonly case: string
  readonly controller: LangGraphTrial.Controller
  readonly restore: "allowed" | "blocked"
  /** Consumers that the gate names, and complete instances that lost values in the restore. */
  readonly named: ReadonlyArray<string>
  readonly invalidated: ReadonlyArray<string>
  readonly survived: boolean | null
}

/** Ends on LangGraph.js with the gate beside those on our runtime, of cases that both finished. */
export interface Overlay {
  readonly domain: Domain.Name
  readonly regime: Domain.Regime
  readonly comparable: number
  readonly safeEquivalent: number
}

/** The results on LangGraph.js, or the reason why there are none. */
export interface External {
  readonly cells: ReadonlyArray<Cell>
  readonly witnesses: ReadonlyArray<Witness>
  readonly overlays: ReadonlyArray<Overlay>
  readonly absent?: string | undefined
}

const domains: ReadonlyArray<Domain.Name> = ["navigation", "schedule form"]

/** Measures all cells and the witnesses. A peer that cannot be installed leaves them out, and says why. */
export const measure = async (repeats: number): Promise<External> => {
  const peer = await Peers.load("langgraphRecovery").catch((cause: Error) => cause)
  if (peer instanceof Error) return { cells: [], overlays: [], witnesses: [], absent: peer.message }
  const cells: Array<Cell> = []
  const overlays: Array<Overlay> = []
  const witnesses: Array<Witness> = []
  for (const domain of Universe.domains.filter(({ name }) => domains.includes(name))) {
    for (const regime of ["official", "commitment"] as const) {
      for (const controller of LangGraphTrial.controllers) {
        cells.push(await cellOf(peer, { controller, domain, regime }, repeats))
      }
      overlays.push(await overlayOf(peer, { domain, regime }))
    }
    for (const each of Universe.casesOf(domain, "blocked")) {
      if (each.expected.verdict !== "blocked" || each.expected.family !== "dependency") continue
      for (const controller of ["G1", "G2", "G3"] as const) {
        witnesses.push(witnessOf(await LangGraphTrial.run(peer, { case: each, controller, domain })))
      }
    }
  }
  return { cells, overlays, witnesses }
}

/** Compares the ends of a regime of a domain, case by case. */
export const overlayOf = async (
  peer: Peers.Peers["langgraphRecovery"],
  { domain, regime }: { readonly domain: Domain.Domain; readonly regime: Domain.Regime }
): Promise<Overlay> => {
  const ends: Array<SemanticAudit.Ends> = []
  for (const each of Universe.casesOf(domain, regime)) {
    const restored = await LangGraphTrial.run(peer, { case: each, controller: "G3", domain })
    const own = await Trial.run({ case: each, domain, strategy: Strategy.compared["latest admissible"] })
    if (restored.end === "finished" && own.end === "finished") ends.push({ rerun: own, restored })
  }
  const safeEquivalent = ends.filter(SemanticAudit.isSafeEquivalent).length
  return { domain: domain.name, regime, comparable: ends.length, safeEquivalent }
}

const cellOf = async (
  peer: Peers.Peers["langgraphRecovery"],
  at: Pick<Cell, "controller" | "regime"> & { readonly domain: Domain.Domain },
  repeats: number
): Promise<Cell> => {
  const trials: Array<LangGraphTrial.Trial> = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const each of Universe.casesOf(at.domain, at.regime)) {
      trials.push(await LangGraphTrial.run(peer, { case: each, controller: at.controller, domain: at.domain }))
    }
  }
  const succeeded = trials.filter(TrialAudit.isSuccess)
  const median = (of: (trial: LangGraphTrial.Trial) => number | undefined): number | null =>
    succeeded.length === 0 ? null : Statistics.median(succeeded.map((trial) => of(trial) ?? Number.NaN))
  return {
    domain: at.domain.name,
    regime: at.regime,
    controller: at.controller,
    trials: trials.length,
    success: succeeded.length / trials.length,
    replay: median(({ replayed }) => replayed?.length),
    upstream: median(
      ({ case: { fails }, replayed, steps }) =>
        replayed?.filter(({ instance }) => instance !== steps[fails]?.instance).length
    ),
    millis: median(({ millis }) => millis),
    blocked: trials.filter(({ end }) => end === "blocked").length
  }
}

const witnessOf = (trial: LangGraphTrial.Trial): Witness => ({
  domain: trial.domain.name,
  case: trial.case.id,
  controller: trial.controller,
  restore: trial.end === "blocked" ? "blocked" : "allowed",
  named: trial.decided?._tag === "Blocked" ? Calibration.consumersOf(trial.decided) : [],
  invalidated: trial.end === "blocked" ? [] : trial.invalidated,
  survived: trial.end === "blocked" ? null : TrialAudit.isSuccess(trial)
})
