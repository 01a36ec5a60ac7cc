/**
 * Ablations: what happens without a guard. Each row is a counterexample that the guard keeps from happening.
 *
 * @source DART, tables 4 and 30
 */
import * as Boundary from "@backstitch/admissibility/Boundary"
import * as Certificate from "@backstitch/admissibility/Certificate"
import type * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"
import * as Calibration from "./Calibration.ts"
import * as TrialAudit from "./TrialAudit.ts"

/** One blocked event with a conjunct left out of the policy: it is admitted, and the task does not survive. */
export interface Unguarded {
  readonly domain: Domain.Name
  readonly case: string
  readonly conjunct: RecoveryPolicy.Conjunct
  readonly guarded: "admitted" | "blocked"
  readonly unguarded: "admitted" | "blocked"
  /** Committed instances that stand on what is taken away. */
  readonly dropped: number
  readonly survived: boolean
}

/** A legal edge that leaves a subtask and was not reviewed as its exit. */
export interface WrongEdge {
  readonly domain: Domain.Name
  readonly edge: string
  /** The tests that a candidate at that edge fails, and whether it would be an exit checkpoint without them. */
  readonly failed: ReadonlyArray<Certificate.Test>
  readonly frozen: "absent" | "emitted"
  readonly forced: "absent" | "emitted"
}

/** Leaves out the conjunct that blocks each blocked event. */
export const unguarded = async (): Promise<ReadonlyArray<Unguarded>> => {
  const rows: Array<Unguarded> = []
  for (const domain of Universe.domains) {
    for (const each of Universe.casesOf(domain, "blocked")) {
      if (each.expected.verdict !== "blocked") continue
      const conjunct = each.expected.family === "dependency" ? "no_committed_conflict" : "effect_allowed"
      const guarded = await Trial.run({ case: each, domain, strategy: Strategy.compared["latest admissible"] })
      const loose = await Trial.run({ case: each, domain, strategy: Strategy.without(conjunct) })
      const { decided } = guarded.failed
      rows.push({
        domain: domain.name,
        case: each.id,
        conjunct,
        guarded: verdictOf(guarded),
        unguarded: verdictOf(loose),
        dropped: decided?._tag === "Blocked" ? Calibration.consumersOf(decided).length : 0,
        survived: TrialAudit.isSuccess(loose)
      })
    }
  }
  return rows
}

const verdictOf = ({ failed }: Trial.Trial): "admitted" | "blocked" =>
  failed.restored === undefined ? "blocked" : "admitted"

/** Domains with a legal edge that skips what a subtask hands over. */
const skips = [
  ["navigation", "skip_stop"],
  ["schedule form", "skip_slot"]
] as const

/** Certifies an exit at each edge that skips a handover, as it was reviewed and by legality alone. */
export const wrongEdges = async (): Promise<ReadonlyArray<WrongEdge>> => {
  const rows: Array<WrongEdge> = []
  for (const [name, tool] of skips) {
    const domain = Universe.domains.find((each) => each.name === name)
    const edge = domain?.machine.edges.find((each) => each.tool === tool)
    const [each] = domain === undefined ? [] : Universe.casesOf(domain, "official")
    if (domain === undefined || edge === undefined || each === undefined) throw new Error(`${name} has no ${tool}`)
    const { failed, registry } = await Trial.run({ case: each, domain, strategy: Strategy.compared["entry only"] })
    if (failed.target === undefined) throw new Error(`${each.id} was not localized`)
    const isReviewed = Object.values(domain.skeletons).some(({ exits }) => exits.includes(tool))
    const candidate = { kind: "exit", tick: failed.event.tick, holds: isReviewed } as const
    // The instance as it was when it failed: nothing was handed over.
    const open = { ...failed.target, writes: new Map(), phase: "open" as const }
    const certificate = Boundary.certify(registry, open, candidate)
    const tests = Certificate.tests.filter((test) => !Certificate.passes(certificate, test))
    rows.push({
      domain: name,
      edge: `${edge.from} → ${edge.to}`,
      failed: tests,
      frozen: tests.length === 0 ? "emitted" : "absent",
      forced: tests.every((test) => test === "closed") ? "emitted" : "absent"
    })
  }
  return rows
}
