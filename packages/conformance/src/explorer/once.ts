/** Answers about a log, each worked out once, since the history behind a commit never changes. */
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
