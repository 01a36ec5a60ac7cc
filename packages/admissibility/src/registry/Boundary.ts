/**
 * Recoverable boundaries: reviewed points of an instance's life that pass four tests, each with its evidence.
 *
 * A controller can put an agent back to any legal transition, but the task may no longer make sense there. So a
 * transition alone is no boundary.
 *
 * | test | passes if |
 * | --- | --- |
 * | `decidable` | the point belongs to one live occurrence of its skeleton and entity |
 * | `closed` | the reviewed predicate holds, and every declared output was written |
 * | `separable` | no other instance wrote what the instance wrote since it began |
 * | `controllable` | no effect of the instance is open: commit means reconciled |
 *
 * @source DART, definition 5, equation 6
 */
import type { Candidate, Certificate, Gap } from "../instance/Certificate.ts"
import type { Entry } from "../instance/Entry.ts"
import * as Instance from "../instance/Instance.ts"
import * as Dependency from "./Dependency.ts"

/** The instances and keys that the tests for a boundary read. */
interface Known extends Pick<Dependency.Keys, "parts" | "writers"> {
  readonly families: ReadonlyMap<string, ReadonlyArray<Entry>>
}

/** Tests a candidate of an instance. */
export const certify = (known: Known, entry: Entry, candidate: Candidate): Certificate => ({
  ...candidate,
  instance: entry.instance,
  decidable: decidable(known, entry),
  closed: closed(known, entry, candidate),
  separable: separable(known, entry),
  controllable: controllable(entry)
})

/** Rival occurrences: live ones of the same skeleton and entity. */
const decidable = (known: Known, entry: Entry): ReadonlyArray<Instance.Instance> =>
  (known.families.get(Instance.familyOf(entry.instance)) ?? [])
    .filter((each) => each !== entry && each.phase === "open")
    .map(({ instance }) => instance)

const closed = (known: Known, { outputs, writes }: Entry, { holds, kind }: Candidate): ReadonlyArray<Gap> => [
  ...(holds ? [] : [{ predicate: kind }]),
  ...outputs
    .filter((key) => !Dependency.overlapping(known, key).some((each) => writes.has(each)))
    .map((output) => ({ output }))
]

/** Keys of this instance that another one wrote since this one began. */
const separable = (known: Known, entry: Entry): Certificate["separable"] =>
  Dependency.overwrites(known, entry, entry.checkpoints[0]?.tick ?? 0).map(({ by, key }) => ({ by: by.instance, key }))

/** Actions whose effect is open. */
const controllable = ({ effects }: Entry): ReadonlyArray<string> =>
  effects.filter(({ effect }) => effect.standing === "open").map(({ effect }) => effect.action)
