/**
 * Localization: whether the failed instance was found, and the instances with which a key with fewer fields would
 * have confused it.
 *
 * Three probes show the damage. If a key without its ordinal names two occurrences, a runtime has to abstain. The
 * older occurrence, restored by force, takes away a value that was committed.
 *
 * @source DART, table 23
 */
import * as Instance from "@backstitch/admissibility/Instance"
import * as Localization from "@backstitch/admissibility/Localization"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Strategy from "../harness/Strategy.ts"
import * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as Universe from "../universe/Universe.ts"
import * as TrialAudit from "./TrialAudit.ts"

/** Repeats whose failed instance, and whose restored checkpoint, are those of the specification. */
export interface Alignment {
  readonly repeats: number
  readonly instances: number
  readonly checkpoints: number
}

/** Candidate instances of all cases, and the number of them that a weaker key does not tell from another. */
export interface Ambiguity {
  readonly candidates: number
  readonly ambiguous: Readonly<Record<Localization.Key, number>>
  /** Entities of a case that one skeleton was entered for more than once. */
  readonly aliases: number
}

/**
 * One probe: the occurrences with which the failed instance is confused, and the task after the wrong one was
 * restored.
 */
export interface Probe {
  readonly domain: Domain.Name
  readonly case: string
  readonly instance: string
  readonly candidates: ReadonlyArray<string>
  readonly abstains: boolean
  /** Keys whose committed value the wrong restore takes away, and whether the task survived it. */
  readonly erased: ReadonlyArray<string>
  readonly survived: boolean | null
}

/** Compares the found instances with the specification. */
export const align = (trials: ReadonlyArray<Trial.Trial>): Alignment => ({
  repeats: trials.length,
  instances: trials.filter(({ case: { expected }, failed }) => nameOf(failed) === expected.instance).length,
  checkpoints: trials.filter(
    ({ case: { expected }, failed }) =>
      expected.verdict === "admitted" && failed.checkpoint?.kind === expected.checkpoint
  ).length
})

const nameOf = ({ localized }: Trial.Failed): string | undefined =>
  localized._tag === "Identified" ? Instance.show(localized.entry.instance) : undefined

/** Weakens the key of every instance of every case. */
export const weaken = (trials: ReadonlyArray<Trial.Trial>): Ambiguity => {
  const all = trials.map(({ registry }) => ({ registry, instances: [...registry.entries.values()] }))
  const ambiguous = (key: Localization.Key): number =>
    all.reduce(
      (sum, { instances, registry }) =>
        sum + instances.filter(({ instance }) => Localization.aliases(registry, instance, key).length > 0).length,
      0
    )
  return {
    candidates: all.reduce((sum, { instances }) => sum + instances.length, 0),
    ambiguous: {
      full: ambiguous("full"),
      without_entity: ambiguous("without_entity"),
      without_ordinal: ambiguous("without_ordinal")
    },
    aliases: all.reduce(
      (sum, { registry }) => sum + [...registry.families.values()].filter(({ length }) => length > 1).length,
      0
    )
  }
}

/** The cases of the probes: one failure in each domain that people review, of schedule form in a slot opened again. */
export const probed: ReadonlyArray<readonly [Domain.Name, string]> = [
  ["navigation", "details of the second stop"],
  ["schedule form", "choice of a slot that is opened again"],
  ["diagnosis", "judgment of the second check"]
]

/** Runs the probes. */
export const probe = async (): Promise<ReadonlyArray<Probe>> => {
  const probes: Array<Probe> = []
  for (const [name, id] of probed) {
    const domain = Universe.domains.find((each) => each.name === name)
    const each = domain?.cases.find((known) => known.id === id)
    if (domain === undefined || each === undefined) throw new Error(`there is no case ${id} of ${name}`)
    probes.push(await probeOf(domain, each))
  }
  return probes
}

const probeOf = async (domain: Domain.Domain, each: Domain.Case): Promise<Probe> => {
  const trial = await Trial.run({ case: each, domain, strategy: Strategy.compared["latest admissible"] })
  const { localized, working } = trial.failed
  if (localized._tag !== "Identified") throw new Error(`${each.id} was not localized`)
  const { instance } = localized.entry
  const rivals = Localization.aliases(trial.registry, instance, "without_ordinal")
  const candidates = [instance, ...rivals].map(Instance.show).sort()
  const [stale] = rivals
  const about = { domain: domain.name, case: each.id, instance: Instance.show(instance), candidates }
  if (stale === undefined) return { ...about, abstains: false, erased: [], survived: null }
  const forced = await Trial.run({ case: each, domain, strategy: Strategy.force("entry", Instance.show(stale)) })
  const written = trial.registry.entries.get(Instance.idOf(stale))?.writes.keys() ?? []
  const outputs = domain.skeletons[stale.skeleton]?.outputs ?? []
  const isCommitted = (key: string, facts: Readonly<Record<string, string>>): boolean =>
    facts[key] !== undefined && outputs.some((output) => key.startsWith(`${output}[`))
  return {
    ...about,
    abstains: true,
    erased: [...written].flatMap((key) => factOf(key) ?? []).filter((key) => isCommitted(key, working.facts)),
    survived: TrialAudit.isSuccess(forced)
  }
}

/** The value that a written key holds; `undefined` for a key of anything else. */
const factOf = (key: string): string | undefined => {
  const row = /^working\.facts\[(.*)\]$/.exec(key)?.[1]
  return row === undefined ? undefined : String(Canonical.parse(row))
}
