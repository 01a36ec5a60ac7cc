/**
 * A recorded conversation as steps, whatever framework wrote it down.
 *
 * Every importer reads its format into this model, so calls are matched with their answers in one place. Ids of tool
 * calls often repeat within a run: an answer belongs to the latest unanswered call of its id. A call that was never
 * answered stays open; no answer is made up for it.
 */
import { defined } from "@backstitch/trace/Defined"
import type * as Schema from "effect/Schema"

/**
 * One step of a recorded conversation. `message` counts from 0; `action` is unique within the run. `at` is the
 * recorded time, in milliseconds since 1970. `agent` names who spoke or called, where there are several agents, and
 * `to` the agent that was spoken to.
 */
export type ChatStep = { readonly message: number; readonly at?: number | undefined } & (
  | { readonly _tag: "Received"; readonly role: string; readonly content: string }
  | ({ readonly _tag: "Sent"; readonly content: string } & Speaker)
  | ({ readonly _tag: "Called"; readonly action: string; readonly call: ChatCall } & Pick<Speaker, "agent">)
  | Answered
)

/** The agent that speaks, and the agent that is spoken to, where a recording names them. */
export interface Speaker {
  readonly agent?: string | undefined
  readonly to?: string | undefined
}

/**
 * An answer, with its call. `error` is present if the recording marks errors, and `shown` if it keeps more of the
 * tool's answer than the text for the model.
 */
export interface Answered {
  readonly _tag: "Answered"
  readonly action: string
  readonly call: ChatCall
  readonly output: string | null
  readonly error?: boolean | undefined
  readonly shown?: Schema.Json | undefined
}

/**
 * Kinds of data in a recording that a conversation does not contain.
 *
 * | kind | data |
 * | --- | --- |
 * | `usage` | tokens and costs of a model call |
 * | `reasoning` | thoughts of a model, in clear or sealed |
 * | `snapshot` | copies of files |
 * | `summary` | summaries that replaced messages |
 * | `attachment` | images, documents and other parts of a message that are no text |
 * | `frame` | steps of a framework around model calls and tools |
 * | `notice` | settings, titles and notices of the program that recorded |
 */
export const losses = ["usage", "reasoning", "snapshot", "summary", "attachment", "frame", "notice"] as const

/** The number of skipped entries of each kind; kinds without any are left out. */
export type LossCounts = { readonly [Kind in (typeof losses)[number]]?: number }

/** A tool call. `args` is text if it was no JSON object. */
export interface ChatCall {
  readonly id: string
  readonly tool: string
  readonly args: Schema.Json
}

/** A recorded conversation. `steps` has one entry for each message: the steps that became durable together. */
export interface Chat {
  /** The name of the task or session in the recording. Together with `trial` it names the run. */
  readonly task: string | undefined
  readonly trial: string | undefined
  readonly messages: number
  readonly toolCalls: number
  readonly repeatedToolCallIds: boolean
  readonly lost: LossCounts
  readonly steps: ReadonlyArray<ReadonlyArray<ChatStep>>
}

/**
 * Collects the messages of a conversation in order, and remembers which calls have no answer yet.
 *
 * **Example** (Pairing a repeated id)
 *
 * ```ts import.meta.vitest
 * import { Chat } from "@backstitch/importers"
 *
 * const builder = new Chat.Builder()
 * builder.message().called({ id: "a", tool: "now", args: {} })
 * builder.message().answered("a", "noon")
 * builder.message().called({ id: "a", tool: "now", args: {} })
 * const chat = builder.done({})
 *
 * chat.repeatedToolCallIds // => true
 * chat.steps.flat().map((step) => step._tag) // => ["Called", "Answered", "Called"]
 * ```
 */
export class Builder {
  /** The steps of each message so far. */
  readonly steps: Array<Array<ChatStep>> = []
  private readonly times = new Map<string, number>()
  private readonly open: Array<{ readonly action: string; readonly call: ChatCall }> = []
  private at: number | undefined
  private toolCalls = 0
  private repeated = false
  private readonly lost = new Map<keyof LossCounts, number>()

  /** Begins the next message. An invalid time, or one that a transition cannot hold, is left out. */
  message(at = Number.NaN): this {
    this.at = at >= 0 && at <= 8.64e15 ? Math.floor(at) : undefined
    this.steps.push([])
    return this
  }

  received(role: string, content: string): this {
    return this.push({ _tag: "Received", role, content })
  }

  sent(content: string, { agent, to }: Speaker = {}): this {
    const speaker = defined({ agent, to })
    return this.push({ _tag: "Sent", content, ...speaker })
  }

  called(call: ChatCall, { agent }: Pick<Speaker, "agent"> = {}): this {
    const times = (this.times.get(call.id) ?? 0) + 1
    this.times.set(call.id, times)
    if (times > 1) this.repeated = true
    const action = times === 1 ? call.id : `${call.id}#${times}`
    this.toolCalls++
    this.open.push({ action, call })
    return this.push({ _tag: "Called", action, call, ...defined({ agent }) })
  }

  /** The id of an action's call. The second call of an id has an action of its own, and so on. */
  idOf(action: string): string {
    const [, id = action, count = ""] = /^(.*)#(\d+)$/s.exec(action) ?? []
    return Number(count) >= 2 && Number(count) <= (this.times.get(id) ?? 0) + 1 ? id : action
  }

  /** Answers the latest open call of an id; fails if there is none. */
  answered(
    id: string,
    output: string | null,
    about: { readonly error?: boolean | undefined; readonly shown?: Schema.Json | undefined } = {}
  ): string | undefined {
    const at = this.open.findLastIndex(({ call }) => call.id === id)
    const call = this.open[at]
    if (call === undefined) return `answers the tool call ${JSON.stringify(id)}, and no call of that id is unanswered`
    this.open.splice(at, 1)
    const { error, shown } = about
    const known = defined({ error, shown })
    this.push({ _tag: "Answered", ...call, output, ...known })
    return undefined
  }

  /** Counts data of the recording that are in no step. */
  lose(kind: keyof LossCounts, count = 1): this {
    if (count > 0) this.lost.set(kind, (this.lost.get(kind) ?? 0) + count)
    return this
  }

  /** The calls that have no answer yet, the earliest first. */
  get unanswered(): ReadonlyArray<ChatCall> {
    return this.open.map(({ call }) => call)
  }

  done(names: { readonly task?: string | undefined; readonly trial?: string | undefined }): Chat {
    return {
      task: names.task,
      trial: names.trial,
      messages: this.steps.length,
      toolCalls: this.toolCalls,
      repeatedToolCallIds: this.repeated,
      lost: Object.fromEntries([...this.lost].sort(([one], [other]) => (one < other ? -1 : 1))),
      steps: this.steps
    }
  }

  private push(step: StepOf): this {
    const last = this.steps.at(-1)
    const stamped = { ...step, message: Math.max(0, this.steps.length - 1) }
    const whole: ChatStep = this.at === undefined ? stamped : { ...stamped, at: this.at }
    if (last === undefined) this.steps.push([whole])
    else last.push(whole)
    return this
  }
}

type StepOf =
  | { readonly _tag: "Received"; readonly role: string; readonly content: string }
  | ({ readonly _tag: "Sent"; readonly content: string } & Speaker)
  | ({ readonly _tag: "Called"; readonly action: string; readonly call: ChatCall } & Pick<Speaker, "agent">)
  | Answered
