/**
 * Tells which states the calls of a task's solution can lead to.
 *
 * A run has **deviated** once no selection of the solution's calls, in any order, leads from the beginning to its
 * present state. It is past the **point of no return** once no selection leads from there to the end of the solution.
 * Both are functions of committed state and stay true once they are, so a bisect finds where they began. A run that
 * ends before the solution without deviating has committed nothing wrong: something is missing.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import type { DataFolder } from "../text/DataFolder.ts"

/** A call of the solution, as a change of the world. */
export type WorldChange<World> = (world: World) => World

/**
 * A solution: the state in which runs begin, its mutating calls, the world after all of them in order, and the
 * function that identifies worlds.
 */
export interface Solution<World> {
  readonly initial: World
  readonly calls: ReadonlyArray<WorldChange<World>>
  readonly solved: World
  readonly nameOf: (world: World) => string
}

/** The verdict on a run. */
export type SolutionVerdict = "match" | "wrong_commit" | "missing_commit"

/** A call that a task's solution makes. */
export interface Action {
  readonly name: string
  readonly kwargs: object
}

/** Makes a solution of calls. */
export const make = <World>(
  initial: World,
  calls: ReadonlyArray<WorldChange<World>>,
  nameOf: (world: World) => string
): Solution<World> => ({
  initial,
  calls,
  nameOf,
  solved: calls.reduce((world, change) => change(world), initial)
})

/**
 * Makes a solution from the mutating calls among the given actions, carried out by the models of a pack. Worlds are
 * compared by the tables of the data folder; other fields of the pack do not count.
 */
export const ofActions = (
  pack: TaskPack.TaskPack,
  data: DataFolder,
  actions: ReadonlyArray<Action>
): Solution<State.Section> => {
  const calls = actions.flatMap(({ kwargs, name }) => {
    const contract = TaskPack.tool(pack, name)
    const { model } = contract
    if (model === undefined || !ToolContract.isMutating(contract)) return []
    return [
      (world: State.Section): State.Section => ({
        ...world,
        ...(model.run({ world, args: kwargs }) as { readonly world?: State.Section }).world
      })
    ]
  })
  const tables = Object.keys(data.tables).sort()
  return make({ ...PackRules.of(pack).initial.world, ...data.tables }, calls, (world) =>
    tables.map((name) => State.fieldDigest(world[name] ?? null)).join(" ")
  )
}

/** Tells whether no selection of the solution's calls leads to this state. */
export const hasDeviated = <World>(self: Solution<World>, world: World): boolean =>
  !leadsTo(self, self.initial, self.nameOf(world))

/** Tells whether no selection of the solution's calls leads from this state to the solution. */
export const isPastReturn = <World>(self: Solution<World>, world: World): boolean =>
  !leadsTo(self, world, self.nameOf(self.solved))

/** Judges a run that ended in this state. */
export const verdict = <World>(self: Solution<World>, world: World): SolutionVerdict =>
  self.nameOf(world) === self.nameOf(self.solved)
    ? "match"
    : hasDeviated(self, world)
      ? "wrong_commit"
      : "missing_commit"

/**
 * Searches selections breadth first: each call at most once, in any order, and no world twice with the same remaining
 * calls.
 */
const leadsTo = <World>({ calls, nameOf }: Solution<World>, from: World, goal: string): boolean => {
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
