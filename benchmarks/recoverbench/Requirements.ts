/**
 * The requirements on recovery, each with what was measured.
 *
 * @source DART, tables 1, 4, 9, 16, 17, 19 to 24 and 28 to 30
 */
import type { Requirement } from "../src/Requirement.ts"
import type * as Outcomes from "./audits/Outcomes.ts"
import * as TrialAudit from "./audits/TrialAudit.ts"
import type { External } from "./external/External.ts"
import type * as Strategy from "./harness/Strategy.ts"
import type { Results } from "./Results.ts"
import * as Domain from "./universe/Domain.ts"

/** Steps that the latest admissible checkpoint may replay after a commitment, and the status of entry only. */
export const demanded: Readonly<Record<Domain.Name, { readonly replay: number; readonly entry: Outcomes.Status }>> = {
  navigation: { replay: 1, entry: "contract" },
  "schedule form": { replay: 1, entry: "no-recov" },
  diagnosis: { replay: 2, entry: "no-recov" },
  "etl pipeline": { replay: 1, entry: "no-recov" },
  "travel planning": { replay: 1, entry: "blocked" }
}

/** Everything that requirements are checked on. Without `external`, LangGraph.js was left out. */
export interface Checked {
  readonly results: Results
  readonly measured: ReadonlyArray<Outcomes.Measured>
  readonly external?: External | undefined
}

/** Checks every requirement. */
export const all = ({ external, measured, results }: Checked): ReadonlyArray<Requirement> => [
  ...Domain.names.flatMap((domain) => committed(results, domain)),
  ...Domain.names.map((domain) => official(results, domain)),
  reruns(measured),
  ...safety(results),
  ...consumers(results),
  ...localization(results),
  ...boundaries(results),
  ...ablations(results),
  atLeast("inline ÷ registry bytes, five slots deep", 10, results.overhead.ratios.payload),
  ...(external === undefined ? [] : langGraph(external))
]

/** A requirement whose measure is written as what is required. */
const same = (name: string, required: string, measured: string): Requirement => ({
  name,
  required,
  measured,
  isMet: measured === required
})

const atLeast = (name: string, required: number, measured: number): Requirement => ({
  name,
  required: `at least ${required}`,
  measured: String(Number(measured.toFixed(2))),
  isMet: measured >= required
})

/** A requirement on each of some things. It is missed where there are none. */
const every = (name: string, count: number, of: number): Requirement =>
  same(name, `${Math.max(1, of)} of ${of}`, `${count} of ${of}`)

const none = (name: string, count: number, of: number): Requirement => same(name, `0 of ${of}`, `${count} of ${of}`)

const find = ({ outcomes }: Results, domain: Domain.Name, regime: Domain.Regime, strategy: Strategy.Name) =>
  outcomes.find((each) => each.domain === domain && each.regime === regime && each.strategy === strategy)

const committed = (results: Results, domain: Domain.Name): ReadonlyArray<Requirement> => {
  const { entry, replay } = demanded[domain]
  const [latest, first] = (["latest admissible", "entry only"] as const).map((strategy) =>
    find(results, domain, "commitment", strategy)
  )
  return [
    same(
      `latest admissible, ${domain} after a commitment`,
      `success 1, replay ${replay}, upstream 0`,
      `success ${latest?.success}, replay ${latest?.replay}, upstream ${latest?.upstream}`
    ),
    same(
      `entry only, ${domain} after a commitment`,
      `success 0, ${entry}`,
      `success ${first?.success}, ${first?.status.join(" and ")}`
    )
  ]
}

const official = (results: Results, domain: Domain.Name): Requirement => {
  const [latest, entry] = (["latest admissible", "entry only"] as const).map((strategy) =>
    find(results, domain, "official", strategy)
  )
  const shown = (each: Outcomes.Outcome | undefined, upstream: number | null | undefined) =>
    `success ${each?.success}, replay ${each?.replay}, preserved ${each?.preserved}, upstream ${upstream}`
  return same(`latest admissible, ${domain} in official cases`, shown(entry, 0), shown(latest, latest?.upstream))
}

const reruns = (measured: ReadonlyArray<Outcomes.Measured>): Requirement => {
  const trials = measured.filter(({ strategy }) => strategy === "retry only").map(({ trial }) => trial)
  const whole = trials.filter((each) => TrialAudit.isSuccess(each) && each.replayed?.length === each.case.fails + 1)
  return every("reruns that succeed and replay the whole prefix", whole.length, trials.length)
}

const safety = ({ calibration, semantics, universe }: Results): ReadonlyArray<Requirement> => {
  const equivalent = semantics.reduce((sum, { safeEquivalent }) => sum + safeEquivalent, 0)
  const all = calibration.counts.find(({ scope }) => scope === "all")
  const { admitted = 0, agreed = 0, blocked = 0, checkpoints = 0, events = 0 } = all ?? {}
  return [
    every("cases that are safe and equivalent to a rerun", equivalent, universe.cases),
    every("events decided as specified", agreed, events),
    none("unsafe admissions", all?.unsafe ?? 0, admitted),
    none("events blocked falsely", all?.falselyBlocked ?? 0, blocked),
    none("checkpoints blocked falsely", all?.checkpointsFalselyBlocked ?? 0, checkpoints)
  ]
}

const consumers = ({ consumers: { rules, witness } }: Results): ReadonlyArray<Requirement> => {
  const standard = rules.find(({ rule }) => rule === "checkpoint")
  const rejected = witness.filter(({ consumers, rule, verdict }) => {
    return rule === "instance" && verdict === "blocked" && consumers.length === 2
  })
  const free = witness.filter(({ rule, verdict }) => rule === "none" && verdict === "admitted")
  return [
    none(
      "events blocked falsely by the standard rule about consumers",
      standard?.falselyBlocked ?? 0,
      standard?.blocked ?? 0
    ),
    every("witness: rejected for its two consumers by the published rule", rejected.length, 2),
    every("witness: admitted without the condition", free.length, 2)
  ]
}

const localization = ({ localization: { alignment, ambiguity, probes } }: Results): ReadonlyArray<Requirement> => {
  const { full, without_ordinal: weakened } = ambiguity.ambiguous
  return [
    every("failed instances found", alignment.instances, alignment.repeats),
    every("checkpoints restored as specified", alignment.checkpoints, alignment.repeats),
    none("instances ambiguous under the full key", full, ambiguity.candidates),
    atLeast("instances ambiguous without the ordinal", 1, weakened),
    atLeast(
      "probes without the ordinal in which the runtime abstains",
      1,
      probes.filter((each) => each.abstains).length
    )
  ]
}

const boundaries = ({ exits, signals }: Results): ReadonlyArray<Requirement> => {
  const stable = signals.filter(({ decisions, recoveries }) => decisions.length === 1 && recoveries === 1)
  return [
    every("reviewed exits that a played plan realises", exits.filter((each) => each.isRealised).length, exits.length),
    every("sites with one decision and one recovery for every signal", stable.length, signals.length)
  ]
}

const ablations = ({ ablations: { edges, unguarded } }: Results): ReadonlyArray<Requirement> => {
  const harmed = unguarded.filter(
    (each) => each.guarded === "blocked" && each.unguarded === "admitted" && !each.survived
  )
  const needed = edges.filter(({ forced, frozen }) => frozen !== "exited" && forced === "exited")
  return [
    every("counterexamples, each conjunct of the gate left out", harmed.length, unguarded.length),
    atLeast("guards left out that drop consumers", 1, unguarded.filter(({ dropped }) => dropped > 0).length),
    every("legal edges that only certification keeps from being exits", needed.length, edges.length)
  ]
}

const langGraph = ({ absent, cells, overlays, witnesses }: External): ReadonlyArray<Requirement> => {
  const by = (controller: "G2" | "G3") =>
    witnesses.filter((each) => each.domain === "schedule form" && each.controller === controller)
  const gated = by("G3")
  const blocked = gated.filter(({ restore }) => restore === "blocked").length
  const admitted = cells.filter(({ controller }) => controller === "G3")
  const done = admitted.filter(({ success }) => success === 1).length
  const restored = by("G2").map(({ invalidated }) => invalidated.length)
  const requirements = [
    atLeast(
      "LangGraph.js: consumers that a restore of the schedule invalidates",
      2,
      restored.length === 0 ? 0 : Math.min(...restored)
    ),
    every("LangGraph.js: the same restores that the gate blocks", blocked, gated.length),
    every("LangGraph.js: cells that succeed with the gate", done, admitted.length),
    every(
      "LangGraph.js: ends with the gate that are safe and equivalent to ours",
      overlays.reduce((sum, each) => sum + each.safeEquivalent, 0),
      overlays.reduce((sum, each) => sum + each.comparable, 0)
    )
  ]
  return absent === undefined
    ? requirements
    : requirements.map((each) => ({ ...each, required: "–", measured: "not measured", isMet: null }))
}
