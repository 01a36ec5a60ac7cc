/**
 * A world in memory that answers like a recorded one, and fails in one way.
 *
 * @source Action Verification, "Regression Control and Release Gates": failure injection and recovery drill
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Finding from "@backstitch/kernel/Finding"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import { meets, synthesise, withArguments } from "./syntheticRecord.ts"

/** One recorded call: its request, its key, the tool's answer and the record. */
export interface CallRecord {
  readonly tool: string
  readonly params: Json
  readonly key: string | undefined
  readonly observed: Json
  readonly actual: Json
}

/**
 * The fault of a world.
 *
 * - `none`: it does not fail.
 * - `stale_read`: the first reads show the earlier state.
 * - `timeout`: the effect happens, and no answer comes any more.
 * - `duplicate`: the effect is on record twice.
 * - `wrong_tenant`: the record is about another target than the requested one.
 * - `partial_commit`: a part of the request was done.
 * - `lost`: the first request never arrives.
 * - `mismatch`: the record shows other values. A reversal takes effect, and that record shows it.
 * - `apart`: the record shows other values. A reversal takes effect, and creates a record of its own, which shows it.
 * - `ignored`: the tool answers success, and does nothing.
 * - `no_op`: the effect was there before.
 * - `stale_version`: somebody else has changed the target before.
 * - `unreversed`: the record shows other values, and the reversal is refused.
 * - `remains`: the call succeeds, and the first request to every other tool never arrives.
 */
export type WorldFault =
  | "none"
  | "stale_read"
  | "timeout"
  | "duplicate"
  | "wrong_tenant"
  | "partial_commit"
  | "lost"
  | "mismatch"
  | "apart"
  | "ignored"
  | "no_op"
  | "stale_version"
  | "unreversed"
  | "remains"

/**
 * A world.
 *
 * **Details**
 *
 * - `shown`: whether a read has shown the truth yet.
 * - `reversals`: how often another tool has taken effect.
 * - `unmade`: tools for which no record could be made that meets their contract.
 */
export interface SimulatedWorld {
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly keys: () => number
  readonly effects: () => number
  readonly shown: () => boolean
  readonly reversals: () => number
  readonly unmade: () => ReadonlyArray<string>
}

const silence: ToolExecutor.ToolAnswer = { _tag: "Unknown", reason: Finding.make("answer.late", {}) }

/** Makes a world for one recorded call. */
export const make = (
  recorded: CallRecord,
  options: {
    readonly fault: WorldFault
    readonly pack: TaskPack.TaskPack
    /** Recorded successes of other tools, which give their records when one of them is called. */
    readonly others?: ReadonlyArray<CallRecord> | undefined
    /** The names of the state in which it is played. */
    readonly state?: JsonObject | undefined
  }
): SimulatedWorld => {
  const { fault, others = [], pack, state = {} } = options
  const contract = TaskPack.tool(pack, recorded.tool)
  const isKeyed = contract.idempotency === "idempotent_write"
  const keys = new Set<string>()
  const done = new Map<string, number>()
  const lost = new Set<string>()
  let requests = 0
  let reads = 0
  let truth = false
  const ours = ({ tool }: ToolExecutor.ToolRequest): boolean => tool === recorded.tool
  const isDone = (key: string): boolean => (done.get(key) ?? 0) > 0
  const spelt = (json: Json, key: string): Json => rekeyed(json, recorded.key, key)
  const unmade = new Set<string>()

  /** Shows the record of another tool once it has taken effect; nothing if no record of its effect is known. */
  const made = (request: ToolExecutor.ToolRequest): ToolExecutor.ToolAnswer => {
    const output = recordOf(pack, request, { others, state })
    if (output !== undefined) return { _tag: "Ok", output }
    unmade.add(request.tool)
    return { _tag: "Unknown", reason: Finding.make("answer.not_simulated", {}) }
  }

  const call = (request: ToolExecutor.ToolRequest): ToolExecutor.ToolAnswer => {
    const { key = "" } = request
    if (!ours(request)) {
      if (fault === "unreversed") return { _tag: "Error", error: Finding.make("reversal.refused", {}) }
      if (fault === "remains" && !lost.has(request.tool)) {
        lost.add(request.tool)
        return silence
      }
      done.set(`${request.tool} ${key}`, 1)
      return { _tag: "Ok", output: answerOf(request, others) }
    }
    requests++
    keys.add(key)
    if (fault === "lost" && requests === 1) return silence
    if (fault === "ignored") return { _tag: "Ok", output: spelt(recorded.observed, key) }
    if (!isKeyed || !isDone(key)) done.set(key, (done.get(key) ?? 0) + 1)
    return fault === "timeout" ? silence : { _tag: "Ok", output: spelt(recorded.observed, key) }
  }

  const status = (request: ToolExecutor.ToolRequest): ToolExecutor.ToolAnswer => {
    const { key = "" } = request
    if (!ours(request)) {
      return isDone(`${request.tool} ${key}`) ? { _tag: "Ok", output: answerOf(request, others) } : { _tag: "NotFound" }
    }
    if (fault === "timeout") return silence
    return isDone(key) ? { _tag: "Ok", output: spelt(recorded.observed, key) } : { _tag: "NotFound" }
  }

  /** Shows an effect that stands until it is undone: in a shared record, or in one that shows no reversal. */
  const elsewhere = (request: ToolExecutor.ToolRequest): ToolExecutor.ToolAnswer => {
    const isReversed = isDone(`${request.tool} ${request.key ?? ""}`)
    const isShared = fault === "mismatch" || fault === "unreversed"
    if (!isReversed && !isShared) return { _tag: "NotFound" }
    const record = made(request)
    if (isReversed || record._tag !== "Ok") return record
    // The record before has to differ from the record afterwards; otherwise the two tools share no record.
    const before = othersOf(record.output).find(
      (each) => !meets(expectationsOf(pack, request), scopeOf(request, state), each)
    )
    return before === undefined ? { _tag: "NotFound" } : { _tag: "Ok", output: before }
  }

  const readback = (request: ToolExecutor.ToolRequest): ToolExecutor.ToolAnswer => {
    const { key = "" } = request
    if (!ours(request)) return elsewhere(request)
    if (fault === "timeout") return silence
    const before = isDone(key) ? undefined : earlier(recorded, fault, contract)
    if (before !== undefined) return { _tag: "Ok", output: spelt(before, key) }
    if (!isDone(key)) return { _tag: "NotFound" }
    if (fault === "stale_read" && ++reads <= Limits.pacing.drillStaleReadsMax) return { _tag: "NotFound" }
    truth = true
    const actual = spelt(recorded.actual, key)
    return { _tag: "Ok", output: distorted(actual, { fault, key, pack, tool: recorded.tool, params: recorded.params }) }
  }

  /**
   * Opens a transaction: it is read inside, and visible to others once it is committed. Without an answer, the commit
   * happened unnoticed.
   */
  const open = (request: ToolExecutor.ToolRequest): ToolExecutor.Opened => {
    const { key = "", tool } = request
    if (!ours(request)) return { answer: call(request), transaction: undefined }
    requests++
    keys.add(key)
    if (fault === "lost" && requests === 1) return { answer: silence, transaction: undefined }
    const seen = distorted(spelt(recorded.actual, key), { fault, key, pack, tool, params: recorded.params })
    const conclude = (how: "commit" | "roll_back"): ToolExecutor.ToolAnswer => {
      if (how === "commit") done.set(key, (done.get(key) ?? 0) + 1)
      return fault === "timeout" ? silence : { _tag: "Ok", output: null }
    }
    return {
      answer: { _tag: "Ok", output: spelt(recorded.observed, key) },
      transaction: {
        read: Effect.succeed({ _tag: "Ok", output: seen }),
        conclude: (how) => Effect.sync(() => conclude(how))
      }
    }
  }

  return {
    executor: {
      mode: "live",
      isSealed: true,
      open: (request) => Effect.sync(() => open(request)),
      call: (request) => Effect.sync(() => call(request)),
      status: (request) => Effect.sync(() => status(request)),
      readback: (request) => Effect.sync(() => readback(request))
    },
    keys: () => keys.size,
    effects: () => [...done].reduce((sum, [name, count]) => sum + (name.includes(" ") ? 0 : count), 0),
    shown: () => truth,
    reversals: () => [...done.keys()].filter((name) => name.includes(" ")).length,
    unmade: () => [...unmade].sort()
  }
}

/** Shows the record before anything is sent, for faults with an earlier effect. */
const earlier = (
  { actual }: CallRecord,
  fault: WorldFault,
  { readback }: ToolContract.ToolContract
): Json | undefined => {
  if (fault === "no_op") return actual
  if (fault !== "stale_version") return undefined
  return changed(actual, named(readback?.version?.actual.reads ?? [], "actual"))
}

/** Shows the record, changed by the fault of the world. */
const distorted = (
  actual: Json,
  about: {
    readonly fault: WorldFault
    readonly key: string
    readonly pack: TaskPack.TaskPack
    readonly tool: string
    readonly params: Json
  }
): Json => {
  const { fault, key, pack, params, tool } = about
  const contract = TaskPack.tool(pack, tool)
  switch (fault) {
    case "duplicate": {
      const entry = Canonical.isObject(actual) ? { ...actual, key } : { actual, key }
      return [entry, entry]
    }
    case "wrong_tenant": {
      const names = named(contract.target?.reads ?? [], "args")
      return changed(
        actual,
        names.filter((name) => Canonical.isObject(params) && Object.hasOwn(params, name))
      )
    }
    case "apart":
    case "mismatch":
    case "unreversed":
    case "partial_commit": {
      const judged = (contract.readback?.expect ?? []).flatMap((each) => {
        const reads = Condition.reads(each)
        return reads === "any" ? [] : named(reads, "actual")
      })
      const target = named(contract.target?.reads ?? [], "args")
      const values = judged.filter((name) => !target.includes(name))
      // Fields that no condition reads may all differ.
      const rest = Canonical.isObject(actual) ? Object.keys(actual).filter((name) => !target.includes(name)) : []
      return changed(actual, values.length > 0 ? values.slice(-1) : rest)
    }
    default:
      return actual
  }
}

/** The fields of a name in scope that an expression reads. */
const named = (reads: ReadonlyArray<string>, scope: string): ReadonlyArray<string> =>
  reads.flatMap((path) => (path.startsWith(`${scope}.`) ? [path.split(".")[1] ?? ""] : []))

const changed = (actual: Json, fields: ReadonlyArray<string>): Json =>
  Canonical.isObject(actual)
    ? { ...actual, ...Object.fromEntries(fields.map((name) => [name, other(actual[name] ?? null)])) }
    : other(actual)

const other = (value: Json): Json => {
  switch (typeof value) {
    case "number":
      return value + 1
    case "string":
      return `${value} of another`
    case "boolean":
      return !value
    default:
      return null
  }
}

/** Answers for another tool: with its recorded answer, otherwise with its arguments. */
const answerOf = ({ params, tool }: ToolExecutor.ToolRequest, others: ReadonlyArray<CallRecord>): Json => {
  const known = others.find((each) => each.tool === tool)
  return known === undefined ? params : withArguments(known.observed, asked(known.params), asked(params))
}

const asked = (params: Json): JsonObject => (Canonical.isObject(params) ? params : {})

/**
 * Shows a record that meets the contract of another tool: a recorded one, otherwise a synthetic one, otherwise none.
 */
const recordOf = (
  pack: TaskPack.TaskPack,
  request: ToolExecutor.ToolRequest,
  known: { readonly others: ReadonlyArray<CallRecord>; readonly state: JsonObject }
): Json | undefined => {
  const key = request.key ?? ""
  const params = asked(request.params)
  const recorded = known.others.flatMap((each) =>
    each.tool === request.tool ? [rekeyed(withArguments(each.actual, asked(each.params), params), each.key, key)] : []
  )
  const begun = [...recorded, { ...params, key }, params]
  return synthesise(expectationsOf(pack, request), scopeOf(request, known.state), begun)
}

const expectationsOf = (
  pack: TaskPack.TaskPack,
  { source, tool }: ToolExecutor.ToolRequest
): ReadonlyArray<Condition.Condition> => {
  const { readback } = TaskPack.tool(pack, tool)
  return (readback?.sources.find((each) => each.source === source) ?? readback)?.expect ?? []
}

const scopeOf = ({ key = "", observed = null, params }: ToolExecutor.ToolRequest, state: JsonObject): JsonObject => ({
  ...state,
  args: params,
  key,
  observed
})

/** The same record with one field changed, the last first, and finally with all changed. */
const othersOf = (record: Json): ReadonlyArray<Json> => {
  const fields = Canonical.isObject(record) ? Object.keys(record).reverse() : []
  return [...fields.map((name) => [name]), fields].map((names) => changed(record, names))
}

/** Replaces the recorded key by the present key wherever it occurs. */
const rekeyed = (json: Json, from: string | undefined, to: string): Json => {
  if (from === undefined) return json
  if (typeof json === "string") return json === from ? to : json
  if (Array.isArray(json)) return json.map((each: Json) => rekeyed(each, from, to))
  if (!Canonical.isObject(json)) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, rekeyed(value ?? null, from, to)]))
}
