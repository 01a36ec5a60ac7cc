/**
 * What the history before a fork imported under a key. A fork believes it, and its state no longer names the key.
 *
 * @since 0.1.0
 */
import type { Adopted } from "@backstitch/kernel/Import"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "../History.ts"

/** The act of the ancestors that stands, if there is one. What was undone since does not. */
export const inherited = Effect.fnUntraced(function* (
  history: History.History["Service"],
  run: Run,
  key: string | undefined
) {
  const { parent } = yield* history.info(run)
  if (key === undefined || parent === undefined) return undefined
  const undoes = new Map<string, string>()
  const asked = new Set<string>()
  let found: Adopted | undefined
  for (const transition of yield* history.transitions(run, { to: parent.tick + 1 })) {
    const { body, stamp, tick } = transition
    const { id = "", undoes: undone } = body.action ?? {}
    if (body.type === "action.request" && stamp.key === key) asked.add(id)
    if (body.type === "action.request" && undone !== undefined) undoes.set(id, undone)
    if (found !== undefined && Canonical.objectOf(body.data?.["undone"])[found.action ?? ""] !== undefined)
      found = undefined
    if (body.type !== "action.reconciled") continue
    if (asked.has(id) && body.result?.status === "ok") found = { action: id, run: run.id, tick }
    if (found !== undefined && undoes.get(id) === found.action && SettledActions.isVerified(transition)) {
      found = undefined
    }
  }
  return found
})
