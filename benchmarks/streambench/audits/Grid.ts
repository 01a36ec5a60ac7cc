/**
 * The grid of trials: which settings, revisions and policies are run, and what is recorded of each.
 *
 * | experiment | varies |
 * | --- | --- |
 * | main | scenario, ratio, kind of revision, policy |
 * | timing | the same, and the step after which the revision comes |
 * | several | the number of revisions |
 * | length | the parts of the plan, for a substitution at ρ = 0.5 |
 * | silent | the same as timing, under contracts that do not say what their calls assume |
 */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Policy from "../harness/Policy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Scenario from "../scenario/Scenario.ts"
import * as Scenarios from "../scenario/Scenarios.ts"
import * as Setting from "../scenario/Setting.ts"

/** Regimes of timing, from early to late. */
export const regimes = ["early", "mid", "late", "very late"] as const

/** A regime of timing. */
export type Regime = (typeof regimes)[number]

/** The place of a trial in the grid. */
export interface Cell {
  readonly experiment: "length" | "main" | "several" | "silent" | "timing"
  readonly scenario: Scenario.Name
  readonly ratio: Setting.Ratio
  /** The kind of the only revision; `null` if there are several. */
  readonly kind: RevisedSpecification.RevisionKind | null
  readonly regime: Regime | null
  readonly revisions: number
  readonly parts: number
  readonly seed: number
  readonly policy: Policy.Name
}

/** The record of one trial. */
export interface Observation extends Cell {
  readonly quality: number
  readonly wasted: number
  readonly compensations: number
  readonly inversions: number
  /** All acts, and all that took something back. */
  readonly steps: number
  readonly tokens: number
  /** Acts of the plan that are of class K or X. */
  readonly committing: number
  readonly planned: number
  readonly absorptions: ReadonlyArray<Pick<Trial.Absorbed, "byRule" | "committed" | "questions" | "steps">>
}

/** A trial of the grid, not yet run. */
export interface Planned {
  readonly cell: Cell
  readonly request: Trial.Request
}

/** The number of steps after which a revision of a regime comes. */
export const dueAfter = ({ parts, steps }: Pick<Setting.Setting, "parts" | "steps">, regime: Regime): number => {
  switch (regime) {
    case "early":
      return 4
    case "mid":
      return 8 * parts + 1
    case "late":
      return Math.round(0.9 * steps.length)
    case "very late":
      return steps.length
  }
}

/** Several revisions, evenly over the plan, their kinds in an order of the seed. */
export const several = (setting: Setting.Setting, count: number): ReadonlyArray<Trial.Due> =>
  orderOf(setting)
    .slice(0, count)
    .map((kind, index) => ({
      after: Math.round((setting.steps.length * (index + 1)) / (count + 1)),
      revision: setting.revisions[kind]
    }))

/** Seeds of the experiments that vary timing, the number of revisions or length. */
const seedsOfAudits = 3

/** The whole grid for some seeds. Only the main experiment runs all of them. */
export const plan = (seeds: number): ReadonlyArray<Planned> =>
  Array.from({ length: seeds }, (_, seed) => [
    ...Scenarios.settings(seed).flatMap((setting) => [
      ...single("main", setting, ["mid"], Policy.names),
      ...(seed < seedsOfAudits ? varied(setting) : []),
      ...(seed < 1 ? single("silent", setting, ["mid", "late"], ["absorber", "closure"]) : [])
    ]),
    ...(seed < seedsOfAudits ? [1, 2, 3, 4, 5, 6] : []).flatMap((parts) =>
      Scenarios.settings(seed, parts)
        .filter(({ ratio }) => ratio === 0.5)
        .flatMap((setting) =>
          single("length", setting, ["mid"], ["absorber", "closure", "full restart"], ["substitutive"])
        )
    )
  ]).flat()

/** One revision of each kind under each policy, in each regime. */
export const single = (
  experiment: Cell["experiment"],
  setting: Setting.Setting,
  when: ReadonlyArray<Regime>,
  policies: ReadonlyArray<Policy.Name>,
  kinds: ReadonlyArray<RevisedSpecification.RevisionKind> = Setting.kinds
): ReadonlyArray<Planned> =>
  when.flatMap((regime) =>
    kinds.flatMap((kind) =>
      policies.map((policy) => ({
        cell: { ...placeOf(experiment, setting, policy), kind, regime, revisions: 1 },
        request: {
          setting,
          policy,
          dues: [{ after: dueAfter(setting, regime), revision: setting.revisions[kind] }],
          ...(experiment === "silent" ? { silent: true } : {})
        }
      }))
    )
  )

/** Runs a trial of the grid. */
export const observe = async ({
  cell,
  request
}: Planned): Promise<{ observation: Observation; trial: Trial.Trial }> => {
  const trial = await Trial.run(request)
  const { absorptions, taken, takenBack, tokens, verdict } = trial
  const { steps } = request.setting
  const observation: Observation = {
    ...cell,
    quality: verdict.quality,
    wasted: absorptions.reduce((sum, { plan }) => sum + plan.discarded.length, 0),
    ...takenBack,
    steps: taken.length + takenBack.compensations + takenBack.inversions,
    tokens,
    committing: steps.filter((step) => step.class === "K" || step.class === "X").length,
    planned: steps.length,
    absorptions: absorptions.map(({ byRule, committed, questions, steps }) => ({ byRule, committed, questions, steps }))
  }
  return { observation, trial }
}

const varied = (setting: Setting.Setting): ReadonlyArray<Planned> => [
  ...single("timing", setting, ["early", "late", "very late"], ["absorber", "closure", "full restart", "naive"]),
  ...[1, 2, 3, 4, 5].flatMap((count) => severally(setting, count))
]

const severally = (setting: Setting.Setting, count: number): ReadonlyArray<Planned> =>
  (["absorber", "closure", "full restart", "naive", "ignore"] as const).map((policy) => ({
    cell: { ...placeOf("several", setting, policy), kind: null, regime: null, revisions: count },
    request: { setting, policy, dues: several(setting, count) }
  }))

const placeOf = (
  experiment: Cell["experiment"],
  { parts, ratio, scenario, seed }: Setting.Setting,
  policy: Policy.Name
) => ({ experiment, scenario: scenario.name, ratio, parts, seed, policy })

/** The kinds as the seed shuffles them. A shift comes before a cancellation, which takes away one of its clauses. */
const orderOf = ({ chance }: Setting.Setting): ReadonlyArray<RevisedSpecification.RevisionKind> => {
  const order = [...Setting.kinds].sort((left, right) => chance(`several ${left}`) - chance(`several ${right}`))
  const [shift, cancellation] = [order.indexOf("priority_shift"), order.indexOf("cancellation")]
  if (shift < cancellation) return order
  return order.map((kind, index) =>
    index === shift ? "cancellation" : index === cancellation ? "priority_shift" : kind
  )
}
