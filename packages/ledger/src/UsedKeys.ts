/**
 * Keys that this lineage has used, and what became of them.
 *
 * A key that is here is never used for another request, and an intent that
 * derives it again is answered from the record instead of from the world (L6).
 *
 * @since 0.1.0
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as OpenActions from "./OpenActions.ts"

/**
 * What became of a key: the action that used it, and the tick at which it was settled.
 *
 * @category models
 * @since 0.1.0
 */
export interface Used extends JsonObject {
  readonly action: string
  readonly requestHash: string
  readonly started: number
  readonly settled?: number | undefined
  readonly status?: string | undefined
}

const settle = (self: Table.Table<Used>, transition: Transition, before: State): Table.Table<Used> => {
  const open = OpenActions.of(before)[transition.body.action?.id ?? ""]
  const used = open?.key === undefined ? undefined : self.get(open.key)
  if (open?.key === undefined || used === undefined) return self
  const { action, requestHash, started } = used
  const status = transition.body.result?.status ?? "unknown"
  // In canonical order: what is, is digested as it stands.
  return self.set(open.key, { action, requestHash, settled: transition.tick, started, status })
}

/**
 * The part of the fold that remembers keys.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<Table.Table<Used>> = Part.make<Table.Table<Used>>("keys", {
  version: 1,
  init: Table.empty,
  on: {
    "action.started": (self, { body, stamp, tick }) =>
      stamp.key === undefined || body.action?.requestHash === undefined || self.has(stamp.key)
        ? self
        : self.set(stamp.key, { action: body.action.id, requestHash: body.action.requestHash, started: tick }),
    "action.reconciled": settle
  }
})

/**
 * What became of a key in this lineage.
 *
 * @category getters
 * @since 0.1.0
 */
export const find = (state: State, key: string): Used | undefined => Part.get(part, state).get(key)
