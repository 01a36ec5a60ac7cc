/** Runs in the memory layer. Each has the ticks that it committed itself, and shares those of its ancestors. */
import type * as HashChain from "../chain/HashChain.ts"
import type { Run, RunId } from "../chain/Run.ts"
import type { Sealed } from "../transition/Transition.ts"

interface Kept {
  readonly tick: number
  readonly text: string
}

/** A run, its own transitions and its own snapshots. */
export interface MemoryRun {
  readonly run: Run
  readonly parent: { readonly id: RunId; readonly tick: number } | undefined
  readonly transitions: Array<Sealed>
  readonly snapshots: Array<Kept>
  head: HashChain.Head
}

/** Creates the runs of a store. */
export const make = () => {
  const runs = new Map<string, MemoryRun>()
  const find = (run: Run): MemoryRun | undefined => runs.get(runKey(run))

  /** Ticks of the shared history belong to the ancestor that committed them. */
  const owner = (run: MemoryRun, tick: number): MemoryRun => {
    let at = run
    while (at.parent !== undefined && tick <= at.parent.tick) {
      at = runs.get(runKey({ tenant: at.run.tenant, id: at.parent.id }))!
    }
    return at
  }

  const read = (run: Run, from: number, to: number): ReadonlyArray<Sealed> => {
    const known = find(run)
    if (known === undefined) return []
    const found: Array<Sealed> = []
    let tick = from
    const end = Math.min(to, known.head.tick)
    while (tick <= end) {
      const own = owner(known, tick)
      const first = own.parent === undefined ? 1 : own.parent.tick + 1
      const limit = Math.min(end, endWithin(known, own))
      found.push(...own.transitions.slice(tick - first, limit - first + 1))
      tick = limit + 1
    }
    return found
  }

  /** The last tick that `run` shares with its ancestor `own`, or the end of `own` if they are the same. */
  const endWithin = (run: MemoryRun, own: MemoryRun): number => {
    let at = run
    let end = Number.POSITIVE_INFINITY
    while (at !== own && at.parent !== undefined) {
      end = Math.min(end, at.parent.tick)
      at = runs.get(runKey({ tenant: at.run.tenant, id: at.parent.id }))!
    }
    return end
  }

  const snapshots = (run: Run): ReadonlyArray<Kept> => {
    let at = find(run)
    let limit = Number.POSITIVE_INFINITY
    const found: Array<Kept> = []
    while (at !== undefined) {
      found.push(...at.snapshots.filter((snapshot) => snapshot.tick <= limit))
      if (at.parent === undefined) break
      limit = Math.min(limit, at.parent.tick)
      at = runs.get(runKey({ tenant: at.run.tenant, id: at.parent.id }))
    }
    return found.sort((left, right) => left.tick - right.tick)
  }

  return {
    add: (run: MemoryRun) => void runs.set(runKey(run.run), run),
    all: () => runs.values(),
    find,
    read,
    snapshots
  }
}

const runKey = (run: Run): string => `${run.tenant}/${run.id}`
