/**
 * The net change of a goal's clauses by one revision or several: two revisions of a clause are one change of it.
 *
 * A clause that is set and set back has not changed. One that comes into force counts as added, whether a pack
 * declares it or not.
 */
import type * as Compatibility from "@backstitch/absorber/Compatibility"
import * as Condition from "@backstitch/contracts/Condition"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Canonical from "@backstitch/trace/Canonical"

/** A changed clause. `past` are the clauses with which it has changed places in the order of priorities. */
export interface ClauseChange {
  readonly clause: string
  readonly change: Compatibility.ChangeKind
  readonly past?: ReadonlyArray<string> | undefined
}

/** Lists the changes between two goals, by clause. */
export const between = (
  pack: TaskPack.TaskPack,
  before: RevisedSpecification.RevisedClauses,
  after: RevisedSpecification.RevisedClauses
): ReadonlyArray<ClauseChange> => {
  // A clause may have the name of a member that every object has, such as `constructor`.
  const clausesOf = (goal: RevisedSpecification.RevisedClauses) =>
    new Map(Object.entries(RevisedSpecification.inForce(pack, goal)))
  const valuesOf = (goal: RevisedSpecification.RevisedClauses) =>
    new Map(Object.entries(RevisedSpecification.values(pack, goal)))
  const [was, is, old, now] = [clausesOf(before), clausesOf(after), valuesOf(before), valuesOf(after)]
  const withdrawn = [...was.keys()].filter((clause) => !is.has(clause))
  const own = [...is].flatMap(([clause, { holds }]): ReadonlyArray<ClauseChange> => {
    const earlier = was.get(clause)
    if (earlier === undefined) return [{ clause, change: "add" }]
    const isSame =
      Condition.source(earlier.holds) === Condition.source(holds) &&
      Canonical.equals(old.get(clause) ?? null, now.get(clause) ?? null)
    return isSame ? [] : [{ clause, change: "set" }]
  })
  return [
    ...withdrawn.map((clause) => ({ clause, change: "withdraw" }) as const),
    ...own,
    ...moved(RevisedSpecification.order(pack, before), RevisedSpecification.order(pack, after))
  ]
}

/** Clauses that have changed places with others, in two orders of priority. */
const moved = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<ClauseChange> => {
  const places = new Map(before.map((clause, place) => [clause, place]))
  const both = after.filter((clause) => places.has(clause))
  return both.flatMap((clause, place): ReadonlyArray<ClauseChange> => {
    const was = places.get(clause) ?? 0
    const past = both.filter((other, at) => at < place !== (places.get(other) ?? 0) < was && other !== clause)
    return past.length === 0 ? [] : [{ clause, change: "prioritise", past }]
  })
}
