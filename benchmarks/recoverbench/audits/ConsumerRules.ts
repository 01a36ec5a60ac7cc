/**
 * The rules about consumers, compared: the decisions of each over the calibrated events, and over the witness of a
 * producer that two committed instances have read.
 *
 * The producer of the witness has not failed. A person asks for its rollback once the schedule was finalized with it.
 *
 * @source DART, equation 8, appendix F.4 and table 17
 */
import * as Instance from "@backstitch/admissibility/Instance"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import type { Registry } from "@backstitch/admissibility/Registry"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as Effect from "effect/Effect"
import * as DomainPack from "../harness/DomainPack.ts"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import * as Universe from "../universe/Universe.ts"
import * as Calibration from "./Calibration.ts"

/** Counts of the calibration under a rule, and the events that it decides otherwise than the standard rule. */
export interface Calibrated extends Calibration.Counts {
  readonly rule: RecoveryPolicy.ConsumerRule
  readonly others: ReadonlyArray<string>
}

/** The decision about the producer of the witness, under a rule or without the condition. */
export interface Witness {
  readonly policy: RecoveryPolicy.PolicyName
  readonly rule: RecoveryPolicy.ConsumerRule | "none"
  readonly verdict: "admitted" | "blocked"
  readonly reasons: ReadonlyArray<RollbackAdmission.InadmissibleReason["code"]>
  /** Committed instances that the rule names. */
  readonly consumers: ReadonlyArray<string>
}

/** Presents every calibrated event to the gate under each rule. */
export const calibrate = async (): Promise<ReadonlyArray<Calibrated>> => {
  const { consumers: standard } = RecoveryPolicy.policies.commit
  const all = new Map<RecoveryPolicy.ConsumerRule, ReadonlyArray<Calibration.Event>>()
  for (const rule of RecoveryPolicy.consumerRules) all.set(rule, await Calibration.run(Strategy.judging(rule)))
  const verdicts = new Map(all.get(standard)?.map((event) => [nameOf(event), event.verdict]))
  return [...all].map(([rule, events]) => ({
    rule,
    ...Calibration.count(events),
    others: events.filter((event) => verdicts.get(nameOf(event)) !== event.verdict).map(nameOf)
  }))
}

const nameOf = ({ case: id, domain }: Calibration.Event): string => `${domain}: ${id}`

const producer = "ResolveSlot::0::0"

/** Judges the rollback of the first slot of a finished form. */
export const witness = async (): Promise<ReadonlyArray<Witness>> => {
  const domain = Universe.domains.find(({ name }) => name === "schedule form")
  const finished = domain?.cases.find(({ id }) => id === "closing of a form whose invitations are sent")
  if (domain === undefined || finished === undefined) throw new Error("no schedule is finished")
  let rows: ReadonlyArray<Witness> = []
  await Trial.play({
    case: finished,
    domain,
    pack: DomainPack.of(domain),
    inspect: (handle) =>
      Effect.map(handle.subtasks, (lifted) => {
        if (lifted !== undefined) rows = judge(lifted.registry)
      })
  })
  return rows
}

const judge = (registry: Registry): ReadonlyArray<Witness> => {
  const entry = [...registry.entries.values()].find(({ instance }) => Instance.show(instance) === producer)
  if (entry === undefined) throw new Error(`${producer} never began`)
  return (["entry", "commit"] as const).flatMap((name) =>
    ([...RecoveryPolicy.consumerRules, "none"] as const).map((rule): Witness => {
      const named = RecoveryPolicy.policies[name]
      const policy =
        rule === "none" ? RecoveryPolicy.without(named, "no_committed_conflict") : RecoveryPolicy.judging(named, rule)
      const decided = RollbackAdmission.restore(registry, entry, { policy, now: 0 })
      const isBlocked = decided._tag === "Blocked"
      return {
        policy: name,
        rule,
        verdict: isBlocked ? "blocked" : "admitted",
        reasons: isBlocked ? decided.reasons.map(({ code }) => code) : [],
        consumers: isBlocked ? Calibration.consumersOf(decided) : []
      }
    })
  )
}
