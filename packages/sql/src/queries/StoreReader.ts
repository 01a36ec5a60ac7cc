/**
 * All answers of a store that need no write. The code is the same for both databases.
 *
 * Long answers are read in pages with a pause between them: a page is a short transaction, which lets SQLite
 * checkpoint its log, and the event loop continues. Pages need no common snapshot, because committed data never
 * change.
 */

import * as Claims from "@backstitch/trace/Claims"
import type { Run, Tenant } from "@backstitch/trace/Run"
import type { RunInfo, TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import type { Sealed } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type { ClaimRow, Queries, Query, RunRow } from "./Queries.ts"
import * as SqlFailure from "./SqlFailure.ts"
import { fromBytes, fromName, rowId, tickOf, ticksPerRun, toEntry, toHead, toName, toRun, toSealed } from "./Tables.ts"

/** Runs one statement and answers its rows. */
export type Select = <Row>(
  operation: SqlFailure.Operation,
  query: Query<Row>,
  values: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, TraceStoreError>

/** The columns of a run that never change once it has a commit. */
export interface RunOrigin {
  readonly id: number
  readonly tenant: string
  readonly name: string
  readonly parent: number | null
  readonly parentTick: number
}

/** The ticks of a history that one run committed itself. */
interface Segment {
  readonly id: number
  readonly first: number
  readonly last: number
}

/** The reading half of a store, with the functions about runs that its writing half needs. */
export interface StoreReader
  extends Pick<
    TraceStore["Service"],
    "info" | "read" | "runs" | "claims" | "nearestSnapshot" | "snapshotTicks" | "fingerprint" | "identity"
  > {
  /** Origin of a committed run. It is remembered from then on. */
  readonly origin: (operation: SqlFailure.Operation, run: Run) => Effect.Effect<RunOrigin | undefined, TraceStoreError>
  /** The same, only if it is remembered. */
  readonly remembered: (run: Run) => RunOrigin | undefined
  readonly remember: (origin: RunOrigin) => void
  /** The run that has a key, if it is remembered. */
  readonly named: (id: number) => Run | undefined
  /** Segments of a run's history, the oldest first. */
  readonly segments: (
    operation: SqlFailure.Operation,
    origin: RunOrigin
  ) => Effect.Effect<ReadonlyArray<Segment>, TraceStoreError>
}

/**
 * Creates the reading half of a store from its address and a function that runs a statement. It remembers so many runs.
 */
export const make = (
  queries: Queries,
  store: string,
  select: Select,
  runsMax: number = Limits.pacing.rememberedRunsMax
): StoreReader => {
  const byName = new Map<string, Map<string, RunOrigin>>()
  const byId = new Map<number, RunOrigin>()

  const forgetOldest = () => {
    const [oldest] = byId.values()
    if (oldest === undefined) return
    byId.delete(oldest.id)
    const runs = byName.get(oldest.tenant)
    runs?.delete(oldest.name)
    if (runs?.size === 0) byName.delete(oldest.tenant)
  }

  const remember = (origin: RunOrigin): RunOrigin => {
    const runs = byName.get(origin.tenant) ?? new Map<string, RunOrigin>()
    byName.set(origin.tenant, runs.set(origin.name, origin))
    byId.set(origin.id, origin)
    if (byId.size > runsMax) forgetOldest()
    return origin
  }
  const remembered = (run: Run) => byName.get(run.tenant)?.get(run.id)

  const origin = Effect.fnUntraced(function* (operation: SqlFailure.Operation, run: Run) {
    const known = remembered(run)
    if (known !== undefined) return known
    const [row] = yield* select(operation, queries.findRun, [run.tenant, run.id])
    return row === undefined ? undefined : remember(originOf(row))
  })

  /** The parent of a run. It was created before the run; another value in a damaged row could lead to a circle. */
  const parentOf = Effect.fnUntraced(function* (operation: SqlFailure.Operation, child: RunOrigin, id: number) {
    const known = byId.get(id)
    const [row] = known === undefined && id < child.id ? yield* select(operation, queries.runById, [id]) : []
    const found = known ?? (row && remember(originOf(row)))
    if (found !== undefined && id < child.id) return found
    const cause = new Error("the row of the run names a parent that cannot be its parent")
    return yield* SqlFailure.make({ operation, run: child.name, store, reason: "corrupt", cause })
  })

  const segments = Effect.fnUntraced(function* (operation: SqlFailure.Operation, origin: RunOrigin) {
    const found: Array<Segment> = []
    let at = origin
    let last = ticksPerRun - 1
    while (true) {
      if (at.parentTick < last) found.unshift({ id: at.id, first: at.parentTick + 1, last })
      if (at.parent === null) return found
      last = Math.min(last, at.parentTick)
      at = yield* parentOf(operation, at, at.parent)
    }
  })

  const infoOf = Effect.fnUntraced(function* (operation: SqlFailure.Operation, row: RunRow) {
    const origin = originOf(row)
    const info: RunInfo = { run: toRun(row.tenant, row.name), head: toHead(row), parent: undefined }
    if (origin.parent === null) return info
    const { name } = yield* parentOf(operation, origin, origin.parent)
    return { ...info, parent: { id: toRun(row.tenant, name).id, tick: origin.parentTick } } satisfies RunInfo
  })

  const info: StoreReader["info"] = Effect.fnUntraced(function* (run) {
    const [row] = yield* select("read", queries.findRun, [run.tenant, run.id])
    if (row === undefined) return undefined
    remember(originOf(row))
    return yield* infoOf("read", row)
  })

  const read: StoreReader["read"] = Effect.fnUntraced(function* (
    run,
    { from = 1, limit = Infinity, to = Infinity } = {}
  ) {
    const start = yield* origin("read", run)
    const found: Array<Sealed> = []
    if (start === undefined) return found
    for (const { first, id, last } of yield* segments("read", start)) {
      const end = rowId(id, Math.min(last, to))
      let next = rowId(id, Math.max(first, from))
      while (next <= end && found.length < limit) {
        const size = Math.min(Limits.pacing.scannedRowsMax, limit - found.length)
        const rows = yield* select("read", queries.transitions, [next, end, size])
        for (const row of rows) found.push(toSealed(row))
        if (rows.length < size) break
        next = rows[rows.length - 1]!.id + 1
        yield* Effect.yieldNow
      }
    }
    return found
  })

  const runs: StoreReader["runs"] = Effect.fnUntraced(function* (tenant, { after = "", limit = Infinity } = {}) {
    const found: Array<RunInfo> = []
    let last: string = after
    while (found.length < limit) {
      const size = Math.min(Limits.pacing.scannedRowsMax, limit - found.length)
      const rows = yield* select("runs", queries.runsPage, [tenant, last, size])
      for (const row of rows) {
        remember(originOf(row))
        found.push(yield* infoOf("runs", row))
      }
      if (rows.length < size) break
      last = rows[rows.length - 1]!.name
    }
    return found
  })

  const claims: StoreReader["claims"] = (tenant, filter = {}) =>
    Effect.map(select("claims", ...claimsQuery(queries, tenant, filter)), (rows) =>
      rows.map(toEntry).sort(Claims.byName)
    )

  const nearestSnapshot: StoreReader["nearestSnapshot"] = Effect.fnUntraced(function* (run, tick) {
    const start = yield* origin("snapshots", run)
    if (start === undefined) return undefined
    for (const { first, id, last } of (yield* segments("snapshots", start)).toReversed()) {
      const range = [rowId(id, first), rowId(id, Math.min(last, tick))]
      const [row] = first > tick ? [] : yield* select("snapshots", queries.nearestSnapshot, range)
      if (row !== undefined) return { tick: tickOf(row.id), text: row.text }
    }
    return undefined
  })

  const snapshotTicks: StoreReader["snapshotTicks"] = Effect.fnUntraced(function* (run) {
    const start = yield* origin("snapshots", run)
    const found: Array<number> = []
    if (start === undefined) return found
    for (const { first, id, last } of yield* segments("snapshots", start)) {
      const rows = yield* select("snapshots", queries.snapshotIds, [rowId(id, first), rowId(id, last)])
      for (const row of rows) found.push(tickOf(row.id))
    }
    return found
  })

  const fingerprint: StoreReader["fingerprint"] = (tenant) =>
    Effect.map(select("fingerprint", queries.fingerprint, [tenant]), ([row]) => row && fromBytes(row.digest))

  const identity: StoreReader["identity"] = (tenant, tool) =>
    Effect.map(select("identity", queries.identity, [tenant, toName(tool)]), ([row]) => row && fromName(row.identity))

  return {
    claims,
    fingerprint,
    identity,
    info,
    named: (id) => {
      const known = byId.get(id)
      return known && toRun(known.tenant, known.name)
    },
    nearestSnapshot,
    origin,
    read,
    remember: (origin) => void remember(origin),
    remembered,
    runs,
    segments,
    snapshotTicks
  }
}

/** The part of a run's row that never changes. */
export const originOf = (row: Omit<RunRow, "tick" | "link" | "story">): RunOrigin => ({
  id: row.id,
  tenant: row.tenant,
  name: row.name,
  parent: row.parent,
  parentTick: row.parent_tick ?? 0
})

const claimsQuery = (
  queries: Queries,
  tenant: Tenant,
  { name, namespace }: { readonly namespace?: Claims.Namespace | undefined; readonly name?: string | undefined }
): [Query<ClaimRow>, ReadonlyArray<string>] => {
  if (name === undefined) {
    return namespace === undefined ? [queries.claims, [tenant]] : [queries.claimsOfNamespace, [tenant, namespace]]
  }
  return namespace === undefined
    ? [queries.claimsOfName, [tenant, toName(name)]]
    : [queries.claim, [tenant, namespace, toName(name)]]
}
