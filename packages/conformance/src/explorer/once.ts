/** Answers about a log. Each is computed once, since the history before a commit never changes. */
import type * as ExploredLog from "./ExploredLog.ts"
import type { Setting } from "./ExplorerSetting.ts"

/** A question about a log, answered once for each of its commits. */
export const once = <A>(read: (head: ExploredLog.Node, setting: Setting) => A) => {
  const known = new WeakMap<ExploredLog.Node, { readonly answer: A }>()
  return (head: ExploredLog.Node, setting: Setting): A => {
    const found = known.get(head) ?? { answer: read(head, setting) }
    known.set(head, found)
    return found.answer
  }
}
