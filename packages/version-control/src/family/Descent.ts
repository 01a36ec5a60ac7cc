/**
 * The descent of runs from each other, and the history that two of them share.
 *
 * A fork copies nothing: its first ticks are its parent's. So two runs of one family have the same transitions up to
 * the tick at which the first of them left the other, which is known without reading any.
 *
 * @source Dendrer, section 4.1
 */

/**
 * A run and where it left its parent, then the parent in the same way, up to the first of the line.
 *
 * `left` is the tick of the last transition that is shared with the parent; the first run of the lineage has none.
 */
export type Descent = ReadonlyArray<{ readonly id: string; readonly left?: number | undefined }>

/**
 * The last tick that two runs share by descent; 0 if they are not related, `Infinity` for a run and itself.
 *
 * **Example** (Two forks of one run)
 *
 * ```ts import.meta.vitest
 * import { Descent } from "@backstitch/version-control"
 *
 * const early = [{ id: "early", left: 12 }, { id: "main" }]
 * const late = [{ id: "late", left: 30 }, { id: "main" }]
 *
 * Descent.shared(early, late) // => 12
 * Descent.shared(early, [{ id: "other" }]) // => 0
 * ```
 */
export const shared = (left: Descent, right: Descent): number => {
  for (const [index, { id }] of left.entries()) {
    const other = right.findIndex((ancestor) => ancestor.id === id)
    if (other === -1) continue
    return Math.min(endOf(left.slice(0, index)), endOf(right.slice(0, other)))
  }
  return 0
}

/**
 * The name of the run that committed a tick of a history. The line begins with the run whose history it is.
 *
 * **Example** (A fork shares its first ticks)
 *
 * ```ts import.meta.vitest
 * import { Descent } from "@backstitch/version-control"
 *
 * const early = [{ id: "early", left: 12 }, { id: "main" }]
 *
 * Descent.owner(early, 12) // => "main"
 * Descent.owner(early, 13) // => "early"
 * ```
 */
export const owner = (line: Descent, tick: number): string | undefined => line.find(({ left = 0 }) => tick > left)?.id

/** The last shared tick along a line of descendants: the earliest tick at which one of them left. */
const endOf = (descendants: Descent): number =>
  Math.min(...descendants.map(({ left }) => left ?? Number.POSITIVE_INFINITY))
