/** Contracts of the recorded histories. Like the histories, they are never changed: add another beside them. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import * as Fold from "../../src/fold/Fold.ts"
import type * as Rules from "../../src/pack/Rules.ts"
import type * as State from "../../src/state/State.ts"

/** Names of the two packs, as their digests would name them. */
export const packs = { first: "1a".repeat(32), second: "2b".repeat(32) }

const initial: Rules.Sections = {
  world: { bookings: Table.empty, spent: "0.00" },
  working: { log: List.empty, chosen: null, risk: 0 }
}

const apply: Rules.Rules["apply"] = (before, { body }) => {
  const { data, result, type } = body
  if (type === "action.reconciled" && result?.status === "ok") {
    const booking = result.output as { readonly pnr: string; readonly price: string; readonly spent: string }
    const bookings = before.world["bookings"] as Table.Table
    const row = { price: booking.price, status: "confirmed" }
    return { ...before, world: { ...before.world, bookings: bookings.set(booking.pnr, row), spent: booking.spent } }
  }
  if (type === "observation.add" && data !== undefined) {
    const log = (before.working["log"] as List.List).append(data["text"] ?? null)
    return { ...before, working: { ...before.working, log, ...(data["fields"] as State.Section | undefined) } }
  }
  if (type === "recovery.restored" && data !== undefined) {
    return { ...before, working: { ...before.working, ...(data["patch"] as State.Section) } }
  }
  return before
}

const predicate = (options: Pick<Rules.Predicate, "id" | "holds"> & Partial<Rules.Predicate>): Rules.Predicate => ({
  scope: undefined,
  window: "after",
  reads: undefined,
  each: undefined,
  monotone: "lift",
  ...options
})

const risky = (threshold: number) =>
  predicate({
    id: "risky",
    holds: ({ state }) => Number(state.working["risk"]) > threshold,
    reads: ["working.risk"]
  })

const dear = predicate({
  id: "dear",
  each: "world.bookings",
  holds: ({ row }) => Number((row as JsonObject)["price"]) > 400,
  reads: ["world.bookings"]
})

const unread = predicate({
  id: "unread",
  holds: ({ state }) => {
    if (state.working["chosen"] === "nothing") throw new Error("there is nothing to read")
    return false
  },
  reads: ["working.chosen"],
  scope: new Set(["plan.update"]),
  window: "before"
})

const extended = predicate({ id: "long_log", holds: ({ state }) => (state.working["log"] as List.List).length > 6 })

export const fold: Fold.Fold = Fold.make({
  parts: Fold.base,
  sources: {
    rules: (pack, extensions) => {
      const added = extensions.length === 0 ? [] : [extended]
      if (pack === packs.first) return { initial, apply, predicates: [risky(0.75), dear, unread, ...added] }
      if (pack === packs.second) return { initial, apply, predicates: [risky(0.5), dear, ...added] }
      return undefined
    }
  }
})
