/**
 * Makes one conversation from many model calls.
 *
 * Exports of observability tools hold model calls, each with all earlier messages, and tool spans beside them. A part
 * of a message, such as a text or a call, is read once, however many model calls repeat it. A tool's answer is read
 * from its span or from the next model call, whichever comes first, and only once.
 *
 * A transcript goes on from the steps of a run that was begun before, so that spans may come live, late and twice.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Schema from "effect/Schema"
import * as Chat from "../chat/Chat.ts"
import type { ChatMessage } from "../chat/chatMessage.ts"

/**
 * A span of a tool. Without an id, it answers the earliest open call of its name. A span that `isOpen` was recorded
 * before the tool ended: it tells the call and no answer.
 */
export interface ToolSpan {
  readonly id?: string | undefined
  readonly tool: string
  readonly args: Schema.Json
  readonly output: string | null
  readonly error?: boolean | undefined
  readonly isOpen?: boolean | undefined
  readonly at?: number | undefined
}

/** A step of the run before, and whether the span of a tool told it, rather than a model call. */
export interface Recalled {
  readonly step: RecalledStep
  readonly isToolSpan: boolean
}

/** A step of the run before, as its transitions tell it. */
export type RecalledStep =
  | { readonly _tag: "Received"; readonly role: string; readonly content: string }
  | { readonly _tag: "Sent"; readonly content: string }
  | { readonly _tag: "Called"; readonly action: string; readonly call: Omit<Chat.ChatCall, "id"> }
  | { readonly _tag: "Answered"; readonly action: string; readonly output: string | null }

/** Collects model calls and tool spans, best in the order in which they began. */
export class Transcript {
  private readonly builder = new Chat.Builder()
  /** Parts of messages that were told, with how often one model call has held them. */
  private readonly told = new Map<string, number>()
  private readonly settled = new Set<string>()
  /** Calls that a tool's span has told, and that no model call has named yet. */
  private readonly unnamed: Array<Chat.ChatCall> = []
  /** Calls whose answer a model call has told, and that no tool's span has claimed yet. */
  private readonly unclaimed: Array<Chat.ChatCall> = []
  private calls = 0
  private messages = 0
  private taken = 0

  /** Goes on from the steps of a run. */
  static recalling(steps: Iterable<Recalled>): Transcript {
    const self = new Transcript()
    for (const each of steps) self.recall(each)
    self.taken = self.builder.steps.length
    return self
  }

  model(given: ReadonlyArray<ChatMessage>, answered: ReadonlyArray<ChatMessage>, at?: number | undefined): this {
    const counts = new Map<string, number>()
    for (const message of [...given, ...answered]) this.tell(message, { at, counts })
    return this
  }

  tool(span: ToolSpan): this {
    const open = this.openFor(span)
    if (open === undefined && this.claim(span)) return this
    if (open !== undefined && span.isOpen === true) return this
    this.next(span.at)
    const call = { id: open ?? this.newId(span.id), tool: bare(span.tool), args: span.args }
    if (open === undefined) {
      this.builder.called(call)
      this.unnamed.push({ ...call, id: span.id ?? "" })
    }
    if (span.isOpen !== true) this.settle(call.id, span)
    return this
  }

  /** The number of messages. An export without messages is no conversation. */
  get length(): number {
    return this.messages
  }

  /** Takes the steps that were added since they were taken last, by message. */
  take(): ReadonlyArray<ReadonlyArray<Chat.ChatStep>> {
    const steps = this.builder.steps.slice(this.taken)
    this.taken = this.builder.steps.length
    return steps
  }

  /** Counts data of the export that are not in the conversation. */
  lose(kind: keyof Chat.LossCounts, count = 1): this {
    this.builder.lose(kind, count)
    return this
  }

  done(task: string | undefined): Chat.Chat {
    return this.builder.done({ task })
  }

  private tell(
    { answers, calls, lost, role, words }: ChatMessage,
    { at, counts }: { readonly at: number | undefined; readonly counts: Map<string, number> }
  ): void {
    const isNew = (name: string) => {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      if (count <= (this.told.get(name) ?? 0)) return false
      this.told.set(name, count)
      return true
    }
    const isWhole = isNew(wholeName({ answers, calls, lost, role, words }))
    if (isWhole) for (const kind of lost) this.builder.lose(kind)
    const saysWords = words !== "" && isNew(wordsName(role, words))
    const called = calls.filter((call) => isNew(callName(call)) && !this.name(call))
    const open = answers.flatMap((answer) => {
      const id = this.openFor(answer)
      return id === undefined ? [] : [{ ...answer, id }]
    })
    // A message that no call asked for and that is in no span is still kept.
    const stray = answers.filter(
      (answer) =>
        this.openFor(answer) === undefined &&
        !this.settled.has(answer.id ?? answer.tool ?? "") &&
        isNew(wordsName("tool", answer.output ?? ""))
    )
    if (!saysWords && called.length + open.length + stray.length === 0) return
    this.next(at)
    if (saysWords && role === "assistant") this.builder.sent(words)
    else if (saysWords) this.builder.received(role, words)
    for (const call of called) this.builder.called({ ...call, id: this.newId(call.id) })
    for (const answer of open) {
      const call = this.builder.unanswered.findLast(({ id }) => id === answer.id)
      if (call !== undefined) this.unclaimed.push(call)
      this.settle(answer.id, answer)
    }
    for (const { output } of stray) this.builder.received("tool", output ?? "")
  }

  /** Recognises the call of a model that a tool's span has told before it. */
  private name(call: Chat.ChatCall): boolean {
    const at = this.unnamed.findIndex((each) => isSame(each, call))
    if (at >= 0) this.unnamed.splice(at, 1)
    return at >= 0
  }

  /** Recognises the span of a tool whose answer a model call has told before it. */
  private claim(span: ToolSpan): boolean {
    const call = { id: span.id ?? "", tool: bare(span.tool), args: span.args }
    const at = this.unclaimed.findIndex((each) => isSame(call, each))
    if (at >= 0) this.unclaimed.splice(at, 1)
    return at >= 0
  }

  private recall({ isToolSpan, step }: Recalled): void {
    const count = (name: string) => this.told.set(name, (this.told.get(name) ?? 0) + 1)
    this.next(undefined)
    switch (step._tag) {
      case "Received":
        count(wordsName(step.role, step.content))
        return
      case "Sent":
        count(wordsName("assistant", step.content))
        return
      case "Called": {
        const call = { ...step.call, id: this.builder.idOf(step.action) }
        this.calls++
        this.builder.called(call)
        if (isToolSpan) this.unnamed.push(unnumbered(call))
        else count(callName(call))
        return
      }
      case "Answered": {
        const call = this.builder.unanswered.findLast(({ id }) => id === this.builder.idOf(step.action))
        if (call === undefined) return
        if (!isToolSpan) this.unclaimed.push(unnumbered(call))
        this.settle(call.id, step)
      }
    }
  }

  private settle(
    id: string,
    { error, output }: { readonly output: string | null; readonly error?: boolean | undefined }
  ): void {
    const tool = this.builder.unanswered.findLast((call) => call.id === id)?.tool
    this.builder.answered(id, output, { error })
    this.settled.add(id)
    if (tool !== undefined) this.settled.add(tool)
  }

  private openFor({
    id,
    tool
  }: {
    readonly id?: string | undefined
    readonly tool: string | undefined
  }): string | undefined {
    const { unanswered } = this.builder
    const named = unanswered.findLast((call) => call.id === id)
    if (named !== undefined) return named.id
    // A span with the id of another call is not matched by guessing; a span without an id is.
    if (tool !== undefined && id !== undefined && id !== "") {
      return unanswered.find((call) => call.tool === bare(tool) && isNumber(call.id))?.id
    }
    return unanswered.find((call) => (tool === undefined ? id === undefined || id === "" : call.tool === bare(tool)))
      ?.id
  }

  private newId(id: string | undefined): string {
    this.calls++
    return id === undefined || id === "" ? `call-${this.calls}` : id
  }

  private next(at: number | undefined): void {
    this.messages++
    this.builder.message(at)
  }
}

/** Instrumentations add a prefix to a tool's name. */
const bare = (tool: string): string => tool.replace(/^(?:execute_tool|running tool:?) /, "")

/** A number that a call without an id was given identifies no call of a model. */
const unnumbered = (call: Chat.ChatCall): Chat.ChatCall => (isNumber(call.id) ? { ...call, id: "" } : call)

const isNumber = (id: string): boolean => /^call-\d+$/.test(id)

/** The call of a span is that of a model by its id, or without an id by tool and arguments, if it has any. */
const isSame = (span: Chat.ChatCall, call: Chat.ChatCall): boolean => {
  if (span.id !== "") return span.id === call.id
  const isBare = Canonical.isObject(span.args) && Object.keys(span.args).length === 0
  return (
    span.tool === call.tool && (isBare || Canonical.equals(span.args as Canonical.Json, call.args as Canonical.Json))
  )
}

const wordsName = (role: string, words: string): string => JSON.stringify(["words", role, words])

/** Calls are the same if their text is; ids differ between providers' spellings of one call. */
const callName = ({ args, id, tool }: Chat.ChatCall): string =>
  JSON.stringify(["call", id, tool, Canonical.encode(args as Canonical.Json)])

const wholeName = ({ answers, calls, lost, role, words }: ChatMessage): string =>
  JSON.stringify([role, words, lost, calls.map(callName), answers.map(({ id, output }) => [id, output])])
