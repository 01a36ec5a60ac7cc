/**
 * Calibration of the gate: its decisions compared with the frozen specification, and with the result if they are
 * forced.
 *
 * A blocked event, or checkpoint, is blocked falsely if a forced restore leaves the task as its contract demands. An
 * admitted event is unsafe if any check that its domain demands fails afterwards.
 *
 * @source DART, tables 19 and 22
 */

import * as Instance from "@backstitch/admissibility/Instance"
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"
import * as TrialAudit from "./TrialAudit.ts"

/** A checkpoint that was blocked, and whether the task survived its forced restore. */
export interface Forced {
  readonly kind: "commit" | "entry"
  readonly survived: boolean
}

/** One event that reached the gate. */
export interface Event {
  readonly domain: Domain.Name
  readonly case: string
  readonly verdict: "admitted" | "blocked"
  readonly family: Domain.Family | null
  readonly consumers: number
  readonly agrees: boolean
  /** An admission after which a demanded check fails. */
  readonly isUnsafe: boolean
  readonly forced: ReadonlyArray<Forced>
}

/** Counts of events. */
export interface Counts {
  readonly events: number
  readonly agreed: number
  readonly admitted: number
  readonly unsafe: number
  readonly blocked: number
  readonly dependency: number
  readonly effect: number
  readonly falselyBlocked: number
  readonly checkpoints: number
  readonly checkpointsFalselyBlocked: number
}

/** Presents every calibrated event to a gate, and forces the blocked ones. */
export const run = async (
  gate: Strategy.Strategy = Strategy.compared["latest admissible"]
): Promise<ReadonlyArray<Event>> => {
  const events: Array<Event> = []
  for (const domain of Universe.domains) {
    for (const each of Universe.calibrated(domain)) events.push(await eventOf(domain, each, gate))
  }
  return events
}

/** Counts events. */
export const count = (events: ReadonlyArray<Event>): Counts => {
  const blocked = events.filter(({ verdict }) => verdict === "blocked")
  const forced = blocked.flatMap((event) => event.forced)
  return {
    events: events.length,
    agreed: events.filter(({ agrees }) => agrees).length,
    admitted: events.length - blocked.length,
    unsafe: events.filter(({ isUnsafe }) => isUnsafe).length,
    blocked: blocked.length,
    dependency: blocked.filter(({ family }) => family === "dependency").length,
    effect: blocked.filter(({ family }) => family === "effect").length,
    // A forced restore would take the latest checkpoint, which is the first in the list.
    falselyBlocked: blocked.filter(({ forced: [latest] }) => latest?.survived === true).length,
    checkpoints: forced.length,
    checkpointsFalselyBlocked: forced.filter(({ survived }) => survived).length
  }
}

const eventOf = async (domain: Domain.Domain, each: Domain.Case, gate: Strategy.Strategy): Promise<Event> => {
  const trial = await Trial.run({ case: each, domain, strategy: gate })
  const { decided } = trial.failed
  const about = { domain: domain.name, case: each.id, agrees: agrees(each.expected, trial) }
  if (decided?._tag !== "Blocked") {
    const isUnsafe = !TrialAudit.isSafe(trial)
    return { ...about, verdict: "admitted", family: null, consumers: 0, isUnsafe, forced: [] }
  }
  const forced: Array<Forced> = []
  for (const { checkpoint } of decided.judged) {
    if (checkpoint.kind === "exit") continue
    const after = await Trial.run({ case: each, domain, strategy: Strategy.force(checkpoint.kind) })
    forced.push({ kind: checkpoint.kind, survived: TrialAudit.isSuccess(after) })
  }
  const consumers = consumersOf(decided).length
  return {
    ...about,
    verdict: "blocked",
    family: consumers > 0 ? "dependency" : "effect",
    consumers,
    isUnsafe: false,
    forced
  }
}

/** Tells whether the gate decided as the specification demands, for the instance that the specification names. */
const agrees = (expected: Domain.Expected, { failed: { checkpoint, decided, localized } }: Trial.Trial): boolean => {
  if (localized._tag !== "Identified" || Instance.show(localized.entry.instance) !== expected.instance) return false
  if (expected.verdict === "admitted") return checkpoint?.kind === expected.checkpoint
  if (decided?._tag !== "Blocked") return false
  const kinds = decided.judged.map(({ checkpoint }) => checkpoint.kind)
  const named = consumersOf(decided)
  return (
    kinds.join() === expected.checkpoints.join() &&
    named.join() === expected.consumers.join() &&
    decided.reasons.every(({ code }) => code === codes[expected.family])
  )
}

const codes = { dependency: "committed_consumers_present", effect: "irreversible_effect_policy" } as const

/** Names the instances that, by a block, depend on values which would be taken away. */
export const consumersOf = ({ reasons }: RollbackAdmission.Blocked): ReadonlyArray<string> =>
  reasons.flatMap((reason) =>
    "consumers" in reason ? reason.consumers.map(({ instance }) => Instance.show(instance)) : []
  )
