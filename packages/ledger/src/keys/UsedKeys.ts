/**
 * Keys that this lineage has used, each with the action that used it and its settlement.
 *
 * A used key is never used for another request, and an intent that derives it again is answered from the record and
 * not from the world (L6). A key is `undone` once the undoing of its effect is verified, its effect is found absent,
 * or a person attests that it is undone. Then the same act may be done again, under the next generation.
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { BodyOf } from "@backstitch/trace/Payload"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as EffectStatus from "../moves/EffectStatus.ts"
import * as Payload from "../payload/Payload.ts"
import * as OpenActions from "../state/OpenActions.ts"
import * as SettledActions from "../state/SettledActions.ts"

/** The use of a key: the action that used it, and the tick of its settlement. */
export interface Used extends JsonObject {
  readonly action: string
  /** The number of equal requests without a key. The entry is then named after the request. */
  readonly count?: number | undefined
  readonly requestHash: string
  readonly started: number
  readonly settled?: number | undefined
  readonly status?: string | undefined
}

const settle = (self: Table.Table<Used>, transition: Transition, before: State): Table.Table<Used> => {
  if (OpenActions.isRefused(transition, before)) return self
  const open = OpenActions.of(before)[transition.body.action?.id ?? ""]
  const used = open?.key === undefined ? undefined : self.get(open.key)
  const settled = open?.key === undefined || used === undefined ? self : self.set(open.key, settledAs(used, transition))
  const undone = open?.undoes ?? (open?.reverses?.whole === true ? open.reverses.action : undefined)
  return undone !== undefined && EffectStatus.isVerified(transition) ? undo(settled, undone, before) : settled
}

/** The fields in canonical order, so that an entry is digested without sorting. */
const settledAs = ({ action, requestHash, started }: Used, { body, tick }: Transition): Used => ({
  action,
  requestHash,
  settled: tick,
  started,
  status: body.result?.status ?? "unknown"
})

const undo = (self: Table.Table<Used>, undone: string, before: State): Table.Table<Used> => {
  const key = SettledActions.known(before, undone)?.key
  const used = key === undefined ? undefined : self.get(key)
  return key === undefined || used === undefined ? self : self.set(key, { ...used, status: "undone" })
}

type Read<T> = Transition<BodyOf<typeof Payload.views, T>>

/** Records the key of an act that this run takes over from another. It is then used in this run and its forks. */
const adopt = (self: Table.Table<Used>, transition: Read<"action.request">, before: State): Table.Table<Used> => {
  const { body, stamp, tick } = transition
  const { action, data } = body
  if (stamp.key === undefined || action?.requestHash === undefined || data?.startedAt === undefined) return self
  return OpenActions.isRefused(transition, before)
    ? self
    : self.set(stamp.key, { action: action.id, requestHash: action.requestHash, started: tick })
}

/** A person found that nothing happened under the earlier key, so that key has failed for good. */
const renewed = (self: Table.Table<Used>, transition: Transition, before: State): Table.Table<Used> => {
  const open = OpenActions.of(before)[transition.body.action?.id ?? ""]
  const used = open?.resend === true && open.key !== undefined ? self.get(open.key) : undefined
  return open?.key === undefined || used === undefined
    ? self
    : self.set(open.key, { ...settledAs(used, transition), status: "error" })
}

/** Records the start of an action: under its key, or counted under its request if it has no key. */
const start = (self: Table.Table<Used>, transition: Read<"action.started">, before: State): Table.Table<Used> => {
  const {
    body: { action, data },
    stamp,
    tick
  } = transition
  const { id, requestHash } = action ?? {}
  if (id === undefined || requestHash === undefined || OpenActions.isRefused(transition, before)) return self
  const used = { action: id, requestHash, started: tick }
  if (stamp.key !== undefined) {
    return self.has(stamp.key) ? self : renewed(self, transition, before).set(stamp.key, used)
  }
  const act = data?.act
  return act === undefined ? self : self.set(act.name, { action: id, count: act.ordinal, requestHash, started: tick })
}

const isDeclined = ({ body }: Transition): boolean =>
  body.result?.status === "error" && Payload.of(body, "action.result")?.state === "forward_recovery"

/** The part of the fold that remembers keys. */
export const part: Part.Part<Table.Table<Used>> = Part.make<Table.Table<Used>, typeof Payload.views>("keys", {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": adopt,
    "action.started": start,
    "action.result": (self, transition, before) => {
      const { body } = transition
      const key = OpenActions.of(before)[body.action?.id ?? ""]?.key
      const used = key === undefined ? undefined : self.get(key)
      // A step that was refused behind a pivot is done under the next generation, so this key has failed for good.
      return key === undefined || used === undefined || !isDeclined(transition)
        ? self
        : self.set(key, settledAs(used, transition))
    },
    "action.reconciled": settle,
    // A fork begins in the present world: an act that its parent has undone since may be done again.
    "run.fork": (self, transition) => {
      const gone = new Set(
        EffectStatus.inherited(transition).flatMap((each) => (EffectStatus.isGone(each) ? [each.action] : []))
      )
      let next = self
      for (const [key, used] of gone.size === 0 ? [] : self) {
        if (gone.has(used.action)) next = next.set(key, { ...used, status: "undone" })
      }
      return next
    },
    "action.verified": (self, { body: { action, data } }, before) =>
      action !== undefined && data?.absent === true ? undo(self, action.id, before) : self,
    "review.decided": (self, { body: { data } }, before) =>
      data?.undo === "attested" ? undo(self, data.action ?? "", before) : self
  }
})

/** Finds the use of a key in this lineage. */
export const find = (state: State, key: string): Used | undefined => Part.get(part, state).get(key)

/** The last use of a key, among the first so many keys of this lineage in the order of their table. */
export const lastUsed = (state: State, keysMax: number): (Used & { readonly key: string }) | undefined => {
  let found: (Used & { readonly key: string }) | undefined
  let keys = 0
  for (const [key, used] of Part.get(part, state)) {
    if (used.count !== undefined) continue
    if (found === undefined || used.started > found.started) found = { ...used, key }
    if (++keys >= keysMax) break
  }
  return found
}
