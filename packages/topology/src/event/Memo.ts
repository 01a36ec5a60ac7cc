/**
 * Memos by which agents of one run coordinate: `data.topology` of a transition that an agent authors.
 *
 * | memo | is committed when | fields |
 * | --- | --- | --- |
 * | `dispatch` | a boss gives a task to a worker | `task`, `worker`, `brief` |
 * | `report` | a worker hands its result in | `task`, `result`, `fits` if it was found to fit |
 * | `failure` | a worker ends with an error in place of a result | `task`, `reason` |
 * | `wait` | a boss has waited long for a worker that gives no sign | `task`, `worker`, `millis` |
 * | `collect` | a boss takes a result over | `task` |
 * | `gate` | the output of a stage, or of the whole, is judged | `stage`, `green`, `whole`, `score`, `item` |
 * | `plan` | a plan is made | `steps`, `assumes` |
 * | `step` | a step of the plan begins or ends | `step`, `status`, `missing` |
 * | `round` | a round of a debate is complete | `round`, `draft`, `delta`, `score` |
 * | `load` | a root notes its queue | `waiting`, `idle` |
 * | `aggregate` | the results of a level are brought together | `level`, `of` |
 *
 * Memos are committed facts of the run, so the next process knows what the last one ordered.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Payload from "@backstitch/trace/Payload"
import type { Body } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const { Boolean: Flag, Natural, Number: Real, String: Text, optionalKey: optional } = Schema

const { Json } = Payload

const share = Real.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const tagged = <const T extends string, const F extends Schema.Struct.Fields>(memo: T, fields: F) =>
  Schema.Struct({ memo: Schema.Literal(memo), ...fields })

/** A memo. See the module. */
export const Memo = Schema.Union([
  tagged("dispatch", { task: Text, worker: Text, brief: optional(Json) }),
  tagged("report", { task: Text, result: Json, fits: optional(Flag) }),
  tagged("failure", { task: Text, reason: Text }),
  tagged("wait", { task: Text, worker: Text, millis: Natural }),
  tagged("collect", { task: Text }),
  tagged("gate", { stage: Text, green: Flag, whole: optional(Flag), score: optional(share), item: optional(Text) }),
  tagged("plan", { steps: Schema.Array(Text), assumes: optional(Schema.Record(Text, Json)) }),
  tagged("step", {
    step: Natural,
    status: Schema.Literals(["begun", "done", "failed", "skipped"]),
    missing: optional(Text)
  }),
  tagged("round", { round: Natural, draft: Text, delta: optional(share), score: optional(share) }),
  tagged("load", { waiting: Natural, idle: Natural }),
  tagged("aggregate", { level: Natural, of: Natural })
])

/** A memo. See the module. */
export type Memo = typeof Memo.Type

/** A report whose result does not fit its task, as a worker handed it in. It is read as malformed. */
export interface Unfit {
  readonly memo: "report"
  readonly task: string
  /** The value that was handed in; absent if there was none. */
  readonly unfit?: Canonical.Json
}

/** A text that names a memo and does not fit it, such as a report without a result. */
export interface Malformed {
  readonly memo: "malformed"
  readonly meant: string
  readonly task?: string | undefined
  /** The result that did not fit its task. */
  readonly unfit?: Canonical.Json | undefined
}

const carrying = Payload.open({ topology: Payload.optional(Payload.Json) })

/** The fields that a topology reads of payloads. Those of agents are open, so each may carry a memo. */
export const views = {
  "artifact.write": carrying,
  "goal.complete": carrying,
  "memory.write": carrying,
  "message.sent": Payload.open({
    content: Payload.optional(Payload.Json),
    to: Payload.optional(Payload.Json),
    topology: Payload.optional(Payload.Json)
  }),
  "observation.add": carrying,
  "plan.update": Payload.open({ steps: Payload.optional(Payload.Json), topology: Payload.optional(Payload.Json) })
} as const

/** Types of transitions that may carry a memo. */
export const types = Object.keys(views) as ReadonlyArray<keyof typeof views>

/** The payload of a body, if the body is of the given type and has one. */
export const payloadOf = Payload.getter(views)

const given = (body: Body): Canonical.Json | undefined => {
  const type = types.find((each) => each === body.type)
  return body.author !== "agent" || type === undefined ? undefined : payloadOf(body, type)?.topology
}

const decode = Schema.decodeUnknownResult(Memo)

/**
 * Reads the memo of a body. `undefined` if it has none.
 *
 * **Example** (A report without a result)
 *
 * ```ts import.meta.vitest
 * import { Memo } from "@backstitch/topology"
 *
 * const body = { type: "artifact.write", author: "agent" } as const
 * Memo.of({ ...body, data: { topology: { memo: "report", task: "t1" } } })?.memo // => "malformed"
 * Memo.of({ ...body, data: { topology: { memo: "report", task: "t1", result: 7 } } })?.memo // => "report"
 * Memo.of(body) // => undefined
 * ```
 */
export const of = (body: Body): Malformed | Memo | undefined => {
  const memoOf = given(body)
  if (memoOf === undefined) return undefined
  const read = decode(memoOf)
  if (Result.isSuccess(read)) return read.success
  const { memo, task, unfit } = Canonical.objectOf(memoOf)
  return {
    memo: "malformed",
    meant: typeof memo === "string" ? memo : "",
    ...(typeof task === "string" ? { task } : {}),
    ...(unfit === undefined ? {} : { unfit })
  }
}
