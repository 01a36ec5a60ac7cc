/** Gate 2: a person looked at every change of a predicate or of a source, by tool. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as GateVerdict from "./GateVerdict.ts"
import * as ToolVerification from "./ToolVerification.ts"

/** A tool whose verification changed, with the recorded actions that it affects. */
export interface PredicateChange {
  readonly tool: string
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly source: readonly [before: string, after: string] | null
  readonly actions: ReadonlyArray<string>
}

/** Lists the differences between two packs in the verification of results. */
export const changes = (
  before: TaskPack.TaskPack,
  after: TaskPack.TaskPack,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<PredicateChange> =>
  [...new Set([...Object.keys(before.tools), ...Object.keys(after.tools)])].sort().flatMap((tool) => {
    const was = ToolVerification.of(before.tools[tool])
    const is = ToolVerification.of(after.tools[tool])
    const added = is.rules.filter((rule) => !was.rules.includes(rule))
    const removed = was.rules.filter((rule) => !is.rules.includes(rule))
    const source = was.source === is.source ? null : ([was.source, is.source] as const)
    if (added.length + removed.length === 0 && source === null) return []
    const actions = [...histories.values()].filter((history) => history.tool === tool).map((history) => history.id)
    return [{ tool, added, removed, source, actions }]
  })

/** Objects to every changed tool that nobody has reviewed. `tools` counts the compared ones. */
export const judge = (
  changed: ReadonlyArray<PredicateChange>,
  reviewed: ReadonlySet<string>,
  tools: number
): GateVerdict.GateVerdict =>
  GateVerdict.make(
    "predicate_diff",
    tools,
    changed
      .filter(({ tool }) => !reviewed.has(tool))
      .map(({ actions, added, removed, tool }) => {
        return { code: "verification_changed", actions: actions.length, added, removed, tool }
      })
  )
