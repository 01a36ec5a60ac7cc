/**
 * Makes one conversation from many model calls.
 *
 * Exports of observability tools hold model calls, each with all earlier messages, and tool spans beside them. A
 * message is read once, however many calls repeat it. A tool's answer is read from its span or from the next model
 * call, whichever comes first.
 */
import type * as Schema from "effect/Schema"
import * as Chat from "../chat/Chat.ts"
import type { Message } from "./message.ts"

/** A span of a tool. Without an id, or with the id of no call, it answers the earliest open call of its name. */
export interface ToolSpan {
  readonly id?: string | undefined
  readonly tool: string
  readonly args: Schema.Json
  readonly output: string | null
  readonly error?: boolean | undefined
  readonly at?: number | undefined
}

/** Collects model calls and tool spans in the order in which they began. */
export class Transcript {
  private readonly builder = new Chat.Builder()
  private readonly told = new Map<string, number>()
  private readonly settled = new Set<string>()
  private calls = 0
  private messages = 0

  model(given: ReadonlyArray<Message>, answered: ReadonlyArray<Message>, at?: number | undefined): this {
    const counts = new Map<string, number>()
    for (const message of [...given, ...answered]) {
      const name = nameOf(message)
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      if (count <= (this.told.get(name) ?? 0)) continue
      this.told.set(name, count)
      this.tell(message, at)
    }
    return this
  }

  tool(span: ToolSpan): this {
    const open = this.openFor(span)
    this.next(span.at)
    const id = open ?? this.newId(span.id)
    if (open === undefined) this.builder.called({ id, tool: bare(span.tool), args: span.args })
    this.settle(id, span)
    return this
  }

  /** The number of messages. An export without messages is no conversation. */
  get length(): number {
    return this.messages
  }

  /** Counts data of the export that are not in the conversation. */
  lose(kind: keyof Chat.Lost, count = 1): this {
    this.builder.lose(kind, count)
    return this
  }

  done(task: string | undefined): Chat.Chat {
    return this.builder.done({ task })
  }

  private tell({ answers, calls, lost, role, words }: Message, at: number | undefined): void {
    for (const kind of lost) this.builder.lose(kind)
    const open = answers.flatMap((answer) => {
      const id = this.openFor(answer)
      return id === undefined ? [] : [{ ...answer, id }]
    })
    // A message that no call asked for and that is in no span is still kept.
    const stray = answers.filter(
      (answer) => this.openFor(answer) === undefined && !this.settled.has(answer.id ?? answer.tool ?? "")
    )
    if (words === "" && calls.length + open.length + stray.length === 0) return
    this.next(at)
    if (words !== "" && role === "assistant") this.builder.sent(words)
    else if (words !== "") this.builder.received(role, words)
    for (const call of calls) this.builder.called({ ...call, id: this.newId(call.id) })
    for (const answer of open) this.settle(answer.id, answer)
    for (const { output } of stray) this.builder.received("tool", output ?? "")
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

/** Messages are the same if their text, calls and answers are; ids differ between providers' spellings of one call. */
const nameOf = ({ answers, calls, role, words }: Message): string =>
  JSON.stringify([
    role,
    words,
    calls.map(({ args, id, tool }) => [id, tool, args]),
    answers.map(({ id, output }) => [id, output])
  ])
