/**
 * The recovery that a pack asks of its agent's loop (`recovery`): which checkpoints it may restore (`policy`,
 * `consumers`), how often (`tries`), and what comes where none may be restored (`blocked`).
 */
import * as SelfRecovery from "../../subtask/SelfRecovery.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"

/** The section of a pack that has an agent's loop restore failed subtasks by itself. */
export const recovery = Grammar.object("recovery", "Has the loop of an agent restore failed subtasks by itself.", {
  consumers: Grammar.key(
    "Readers of a subtask forbid every restore of it (`instance`), or those that take from them (default).",
    Grammar.oneOf(SelfRecovery.consumerRules)
  ),
  policy: Grammar.key(
    "The latest kind of checkpoint that may be restored. Default: `commit`.",
    Grammar.oneOf(SelfRecovery.policies)
  ),
  tries: Grammar.key("Restores of one subtask in a run. Default: 1.", Grammar.count()),
  blocked: Grammar.key(
    "The step if nothing may be restored: the run is held (default), or its task is done again in a fork.",
    Grammar.oneOf(SelfRecovery.fallbacks)
  )
})

/** Reads the section; `undefined` if the pack has none. Without subtasks nothing could be restored. */
export const readRecovery = (node: Node, hasSubtasks: boolean): SelfRecovery.SelfRecovery | undefined => {
  if (node.value === undefined) return undefined
  if (node.value === null) {
    const expected = "{} for one try and a hold, or no section"
    return node.fail({ found: "a section without a value", expected, key: true })
  }
  if (!node.hasKeysOf(recovery.keys)) return undefined
  if (!hasSubtasks) {
    return node.fail({ found: "recovery without subtasks", expected: "a pack with machine and skeletons", key: true })
  }
  return { ...SelfRecovery.standard, ...Grammar.pick(recovery, node, {}, "consumers", "policy", "tries", "blocked") }
}
