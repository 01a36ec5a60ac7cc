/**
 * A family of runs as a graph of lines, one line per tick, newest first, as version control shows branches.
 *
 * A fork is drawn above the tick that it left, in a column of its own, and joins its parent's column there. The
 * shared history is shown once.
 *
 * Laws: every tick of every run occurs exactly once, in the run that committed it; no tick is above one that follows
 * it.
 *
 * @source Dendrer, section 4.1
 */

/** The facts about a run that the graph needs. */
export interface RunLine {
  readonly id: string
  readonly last: number
  /** The run of which it is a fork, and the last tick that both share. */
  readonly parent?: { readonly id: string; readonly tick: number } | undefined
}

/** One line: a tick, or the place where a fork joins its parent. `lanes` is the drawing to its left. */
export type GraphRow =
  | { readonly kind: "tick"; readonly run: string; readonly tick: number; readonly lanes: string }
  | { readonly kind: "join"; readonly run: string; readonly lanes: string }

/**
 * Draws runs. A run whose parent is not among them begins a family of its own; families come in the given order.
 *
 * **Example** (A fork from tick 2)
 *
 * ```ts import.meta.vitest
 * import { LogGraph } from "@backstitch/version-control"
 *
 * const rows = LogGraph.rows([{ id: "main", last: 3 }, { id: "try", last: 3, parent: { id: "main", tick: 2 } }])
 * const drawn = [...rows].map((row) => (row.kind === "tick" ? `${row.lanes} ${row.run}@${row.tick}` : row.lanes))
 *
 * drawn.join("\n") // => "* main@3\n| * try@3\n|/\n* main@2\n* main@1"
 * ```
 */
export function* rows(branches: ReadonlyArray<RunLine>): Generator<GraphRow> {
  const byId = new Map(branches.map((branch) => [branch.id, branch]))
  const placed = branches.map((branch) => ({ ...branch, parent: leftOf(branch, byId) }))
  const forks = Map.groupBy(placed, ({ parent }) => parent?.id)
  for (const root of forks.get(undefined) ?? []) yield* draw(root, forks, "")
}

/** The run that committed the tick at which a fork left: its parent may share that tick with its own parent. */
const leftOf = ({ parent }: RunLine, byId: ReadonlyMap<string, RunLine>): RunLine["parent"] => {
  const known = parent === undefined ? undefined : byId.get(parent.id)
  if (parent === undefined || known === undefined) return undefined
  return known.parent === undefined || known.parent.tick < parent.tick
    ? parent
    : leftOf({ ...known, parent: { id: known.parent.id, tick: parent.tick } }, byId)
}

type Forks = ReadonlyMap<string | undefined, ReadonlyArray<RunLine>>

function* draw(branch: RunLine, forks: Forks, left: string): Generator<GraphRow> {
  const { id, last, parent } = branch
  const waiting = [...(forks.get(id) ?? [])].sort((one, other) => other.parent!.tick - one.parent!.tick)
  let lane = " "
  for (let tick = last; tick > (parent?.tick ?? 0); tick--) {
    for (let fork = waiting[0]; fork !== undefined && fork.parent!.tick >= tick; fork = waiting[0]) {
      waiting.shift()
      yield* draw(fork, forks, `${left}${lane} `)
      yield { kind: "join", run: fork.id, lanes: `${left}${lane}/` }
    }
    yield { kind: "tick", run: id, tick, lanes: `${left}*` }
    lane = "|"
  }
}
