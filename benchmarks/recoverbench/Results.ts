/** Everything that `pnpm bench:recover` computes, as one document. */
import * as Ablations from "./audits/Ablations.ts"
import * as BoundaryTransfer from "./audits/BoundaryTransfer.ts"
import * as Calibration from "./audits/Calibration.ts"
import * as Comparison from "./audits/Comparison.ts"
import * as ConsumerRules from "./audits/ConsumerRules.ts"
import * as ExitEdges from "./audits/ExitEdges.ts"
import * as LocalizationAudit from "./audits/LocalizationAudit.ts"
import * as Outcomes from "./audits/Outcomes.ts"
import * as Overhead from "./audits/Overhead.ts"
import * as SemanticAudit from "./audits/SemanticAudit.ts"
import * as SignalAudit from "./audits/SignalAudit.ts"
import * as Strategy from "./harness/Strategy.ts"
import * as Trial from "./harness/Trial.ts"
import type * as Domain from "./universe/Domain.ts"
import * as Universe from "./universe/Universe.ts"

/** The results of a run of the benchmark. */
export interface Results {
  readonly universe: { readonly digest: string; readonly cases: number; readonly repeats: number }
  readonly review: ReadonlyArray<{ readonly domain: Domain.Name } & ReturnType<typeof Universe.reviewLoad>>
  readonly transfer: ReadonlyArray<BoundaryTransfer.Transfer>
  readonly exits: ReadonlyArray<ExitEdges.ExitEdge>
  readonly outcomes: ReadonlyArray<Outcomes.Outcome>
  readonly semantics: ReadonlyArray<SemanticAudit.Row>
  readonly calibration: {
    readonly counts: ReadonlyArray<{ readonly scope: Domain.Name | "all" } & Calibration.Counts>
    readonly events: ReadonlyArray<Calibration.Event>
  }
  readonly consumers: {
    readonly rules: ReadonlyArray<ConsumerRules.Calibrated>
    readonly witness: ReadonlyArray<ConsumerRules.Witness>
  }
  readonly localization: {
    readonly alignment: LocalizationAudit.Alignment
    readonly ambiguity: LocalizationAudit.Ambiguity
    readonly probes: ReadonlyArray<LocalizationAudit.Probe>
  }
  readonly signals: ReadonlyArray<SignalAudit.Site>
  readonly statistics: ReadonlyArray<Comparison.Comparison>
  readonly ablations: {
    readonly unguarded: ReadonlyArray<Ablations.Unguarded>
    readonly edges: ReadonlyArray<Ablations.WrongEdge>
  }
  readonly overhead: {
    readonly hooks: ReadonlyArray<Overhead.Hook>
    readonly depths: ReadonlyArray<Overhead.Depth>
    readonly ratios: Overhead.Ratios
  }
}

/** Runs every compared case under every strategy, repeat by repeat. The strategies begin in another order each time. */
export const measure = async (
  repeats: number,
  say: (line: string) => void = () => {}
): Promise<ReadonlyArray<Outcomes.Measured>> => {
  const measured: Array<Outcomes.Measured> = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    say(`repeat ${repeat + 1} of ${repeats}`)
    const first = repeat % Strategy.names.length
    const order = [...Strategy.names.slice(first), ...Strategy.names.slice(0, first)]
    for (const domain of Universe.domains) {
      for (const each of Universe.compared(domain)) {
        for (const strategy of order) {
          const trial = await Trial.run({ case: each, domain, strategy: Strategy.compared[strategy] })
          measured.push({ strategy, repeat, trial })
        }
      }
    }
  }
  return measured
}

/** Computes all results from measured trials, and runs the audits with trials of their own. `timed` counts pairs. */
export const of = async (measured: ReadonlyArray<Outcomes.Measured>, timed: number): Promise<Results> => {
  const restored = measured.filter(({ strategy }) => strategy === "latest admissible")
  const trials = restored.map(({ trial }) => trial)
  const once = restored.filter(({ repeat }) => repeat === 0).map(({ trial }) => trial)
  const pairs = pairsOf(measured)
  const events = await Calibration.run()
  const depths = await Overhead.depths()
  return {
    universe: { digest: Universe.digest, cases: once.length, repeats: restored.length / once.length },
    review: Universe.domains.map((domain) => ({ domain: domain.name, ...Universe.reviewLoad(domain) })),
    transfer: BoundaryTransfer.all(),
    exits: await ExitEdges.all(),
    outcomes: (["commitment", "official"] as const).flatMap((regime) =>
      Universe.domains.flatMap(({ name }) =>
        Strategy.names.map((strategy) => Outcomes.summarise({ domain: name, regime, strategy }, measured))
      )
    ),
    semantics: SemanticAudit.count(pairs.filter(({ repeat }) => repeat === 0)),
    calibration: {
      counts: [
        { scope: "all", ...Calibration.count(events) },
        ...Universe.domains.map(({ name }) => ({
          scope: name,
          ...Calibration.count(events.filter(({ domain }) => domain === name))
        }))
      ],
      events
    },
    consumers: { rules: await ConsumerRules.calibrate(), witness: await ConsumerRules.witness() },
    localization: {
      alignment: LocalizationAudit.align(trials),
      ambiguity: LocalizationAudit.weaken(once),
      probes: await LocalizationAudit.probe()
    },
    signals: await SignalAudit.all(),
    statistics: Comparison.all(pairs),
    ablations: { unguarded: await Ablations.unguarded(), edges: await Ablations.wrongEdges() },
    overhead: { hooks: await Overhead.hooks(timed), depths, ratios: Overhead.ratios(depths) }
  }
}

/** The same case in the same repeat, under a rerun and under the latest admissible checkpoint. */
const pairsOf = (
  measured: ReadonlyArray<Outcomes.Measured>
): ReadonlyArray<SemanticAudit.Pair & { readonly repeat: number }> => {
  const of = (strategy: Strategy.Name) => measured.filter((each) => each.strategy === strategy)
  const reruns = new Map(of("retry only").map((each) => [keyOf(each), each.trial]))
  return of("latest admissible").flatMap((each) => {
    const rerun = reruns.get(keyOf(each))
    return rerun === undefined ? [] : [{ rerun, restored: each.trial, repeat: each.repeat }]
  })
}

const keyOf = ({ repeat, trial }: Outcomes.Measured): string => `${repeat} ${trial.domain.name} ${trial.case.id}`
