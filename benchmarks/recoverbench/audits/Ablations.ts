/**
 * Ablations: what happens without a guard. Each row is a counterexample that the guard keeps from happening.
 *
 * @source DART, tables 4 and 30
 */
import * as Certificate from "@backstitch/admissibility/Certificate"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as Instance from "@backstitch/admissibility/Instance"
import type * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import type * as Registry from "@backstitch/admissibility/Registry"
import * as LiftedPlan from "../harness/LiftedPlan.ts"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"
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
  /** Tells whether the kernel refused the restore: its undo plans end before an effect that cannot be undone. */
  readonly kernel: "refused" | "restored"
  /** Committed instances that depend on values which are taken away. */
  readonly dropped: number
  readonly survived: boolean
}

/** A legal edge that leaves a subtask and was not reviewed as its exit. */
export interface WrongEdge {
  readonly domain: Domain.Name
  readonly edge: string
  /** The tests that a candidate at that edge fails. */
  readonly failed: ReadonlyArray<Certificate.BoundaryTest>
  /** The phase of the subtask after the edge: on the runtime, and without those tests. */
  readonly frozen: Entry["phase"]
  readonly forced: Entry["phase"]
}

/** Leaves out, for each blocked event, the conjunct that blocks it. */
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
        kernel: loose.failed.isRefused === true ? "refused" : "restored",
        dropped: decided?._tag === "Blocked" ? Calibration.consumersOf(decided).length : 0,
        survived: TrialAudit.isSuccess(loose)
      })
    }
  }
  return rows
}

const verdictOf = ({ failed }: Trial.Trial): "admitted" | "blocked" =>
  failed.checkpoint === undefined ? "blocked" : "admitted"

/**
 * Plans that take a legal edge out of a subtask before the subtask hands anything over; the step after that edge
 * fails.
 */
const skips: Readonly<Partial<Record<Domain.Name, ReadonlyArray<string>>>> = {
  navigation: ["set_origin trip", "search_poi 0", "rank_poi 0", "skip_stop 0", "search_poi 1", "rank_poi 1"],
  "schedule form": [
    "load_participants form",
    "query_calendars 0",
    "propose_times 0",
    "skip_slot 0",
    "query_calendars 1",
    "propose_times 1"
  ]
}

/** Treats each of those edges as if it had been reviewed as an exit, with certification and without it. */
export const wrongEdges = async (): Promise<ReadonlyArray<WrongEdge>> => {
  const rows: Array<WrongEdge> = []
  for (const domain of Universe.domains) {
    const plan = skips[domain.name]
    if (plan !== undefined) rows.push(await wrongEdge(domain, plan))
  }
  return rows
}

const wrongEdge = async (domain: Domain.Domain, plan: ReadonlyArray<string>): Promise<WrongEdge> => {
  const fails = plan.length - 1
  const expected = Domain.admitted("entry", "", "")
  const each: Domain.Case = {
    id: "skip",
    regime: "blocked",
    plan,
    fails,
    signal: "tool_exception",
    drifts: [],
    expected
  }
  const skip = Plan.steps(domain, each)[3]
  if (skip?.skeleton === undefined) throw new Error(`${domain.name} skips nothing`)
  const boundary = domain.skeletons[skip.skeleton]
  if (boundary === undefined) throw new Error(`${domain.name} has no ${skip.skeleton}`)
  const skeletons = { ...domain.skeletons, [skip.skeleton]: { ...boundary, exits: [...boundary.exits, skip.tool] } }
  const wrong = { ...domain, skeletons }
  const named = ({ entries }: Registry.Registry) => {
    const entry = [...entries.values()].find(({ instance }) => Instance.show(instance) === skip.instance)
    if (entry === undefined) throw new Error(`${domain.name} has no ${skip.instance}`)
    return entry
  }
  const frozen = named(
    (await Trial.run({ case: each, domain: wrong, strategy: Strategy.compared["entry only"] })).registry
  )
  const refused = frozen.refused.find(({ kind }) => kind === "exit")
  const failed = refused === undefined ? [] : Certificate.tests.filter((test) => !Certificate.passes(refused, test))
  // The first steps up to the edge are lifted again without the tests that refuse it.
  const forced = named(LiftedPlan.registryOf(wrong, Plan.steps(wrong, each).slice(0, 4), failed))
  return {
    domain: domain.name,
    edge: `${skip.from} → ${skip.to}`,
    failed,
    frozen: frozen.phase,
    forced: forced.phase
  }
}
