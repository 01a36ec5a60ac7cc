/**
 * Which databases the calls of a task's solution can lead to.
 *
 * A run has **deviated** once no selection of the solution's calls, in any
 * order, leads from the beginning to where it is. It is past the **point of no
 * return** once no selection leads from there to the solution's database. Both
 * are functions of committed state, and once true stay true, so a bisect finds
 * where they began. A run that ends short of the solution and has not deviated has
 * committed nothing wrong: something is missing.
 *
 * @since 0.1.0
 */
import type { World } from "./World.ts"

/**
 * A call of the solution, as a change of the world.
 *
 * @category models
 * @since 0.1.0
 */
export type Change = (world: World) => World

/**
 * A solution: where runs begin, its mutating calls, and the world after all of them in order.
 *
 * @category models
 * @since 0.1.0
 */
export type Solution = {
  readonly initial: World
  readonly calls: ReadonlyArray<Change>
  readonly solved: World
}

/**
 * What became of a run.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = "match" | "wrong_commit" | "missing_commit"

/**
 * Names a database: runs that end in the same tables have the same name. `cabins` is ours, and left out.
 *
 * @category getters
 * @since 0.1.0
 */
export const nameOf = ({ flights, reservations, users }: World): string =>
  `${flights.digest()} ${reservations.digest()} ${users.digest()}`

/**
 * Makes a solution of calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const solution = (initial: World, calls: ReadonlyArray<Change>): Solution => ({
  initial,
  calls,
  solved: calls.reduce((world, change) => change(world), initial)
})

/**
 * Tells whether no selection of the solution's calls leads here.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const hasDeviated = (self: Solution, world: World): boolean => !leadsTo(self, self.initial, nameOf(world))

/**
 * Tells whether no selection of the solution's calls leads from here to the solution.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const isPastReturn = (self: Solution, world: World): boolean => !leadsTo(self, world, nameOf(self.solved))

/**
 * Says what became of a run that ended here.
 *
 * @category getters
 * @since 0.1.0
 */
export const verdict = (self: Solution, world: World): Verdict =>
  nameOf(world) === nameOf(self.solved) ? "match" : hasDeviated(self, world) ? "wrong_commit" : "missing_commit"

/** Breadth first over selections: each call at most once, in any order, no database twice with the same rest. */
const leadsTo = ({ calls }: Solution, from: World, goal: string): boolean => {
  const seen = new Set<string>()
  let edge: ReadonlyArray<{ readonly world: World; readonly used: number }> = [{ world: from, used: 0 }]
  while (edge.length > 0) {
    const next: Array<{ readonly world: World; readonly used: number }> = []
    for (const { used, world } of edge) {
      const name = nameOf(world)
      if (name === goal) return true
      if (seen.has(`${used} ${name}`)) continue
      seen.add(`${used} ${name}`)
      calls.forEach((change, index) => {
        const bit = 2 ** index
        if (Math.floor(used / bit) % 2 === 0) next.push({ world: change(world), used: used + bit })
      })
    }
    edge = next
  }
  return false
}
