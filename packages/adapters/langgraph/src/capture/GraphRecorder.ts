/**
 * Records an existing graph: its nodes, calls of models and calls of tools, as they begin and end.
 *
 * Nothing of the graph changes: it is given a callback. The trace says what was asked, what was answered, what failed
 * and what it used. A tool that is called once more with equal arguments, although an earlier call had no good answer,
 * is named as a repeat of that call: so a double charge is found, and not prevented.
 */
import type { Backstitch, JsonObject } from "@backstitch/sdk"
import { type FactStore, factsOf, type TextsApart } from "@backstitch/sdk/adapter"
import { BaseCallbackHandler } from "@langchain/core/callbacks/base"
import type { Serialized } from "@langchain/core/load/serializable"
import type { BaseMessage } from "@langchain/core/messages"
import type { LLMResult } from "@langchain/core/outputs"
import { isGraphBubbleUp } from "@langchain/langgraph"
import * as RunName from "../checkpointer/runName.ts"

/** Options of a recorder. */
export interface Options {
  /** The run of what belongs to no thread. By default nothing of it is recorded. */
  readonly run?: string | undefined
}

/** Kinds of what is recorded. */
type Kind = "graph" | "model" | "node" | "tool"

interface Began {
  readonly kind: Kind
  readonly run: string
  readonly tick: Promise<number>
  readonly call: string | undefined
}

/** The latest call of a tool with some arguments: its tick, and whether it came to a good end. */
interface Called {
  readonly tick: number
  readonly isDone: boolean
}

type Metadata = Readonly<Record<string, unknown>> | undefined

/**
 * A callback that records: `graph.invoke(input, { callbacks: [recorder], configurable })`. The store has to be opened
 * with `types: [checkpoints]`.
 *
 * **Gotchas**
 *
 * Facts are committed behind the graph, in order. `flush` waits for them, and throws if one could not be committed.
 */
export class GraphRecorder extends BaseCallbackHandler {
  name = "backstitch"
  readonly #store: FactStore
  readonly #options: Options
  readonly #began = new Map<string, Began>()
  readonly #called = new Map<string, Promise<Map<string, Called>>>()
  #last: Promise<unknown> = Promise.resolve()
  #failure: unknown

  constructor(backstitch: Backstitch.Backstitch, options: Options = {}) {
    super()
    this.#store = factsOf(backstitch)
    this.#options = options
  }

  /** Waits until everything is committed. */
  async flush(): Promise<void> {
    await this.#last
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  // The manager passes the name last and the parent first, unlike the declaration says.
  override handleChainStart(
    _: Serialized,
    inputs: unknown,
    id: string,
    parent?: string,
    _tags?: Array<string>,
    metadata?: Record<string, unknown>,
    _type?: string,
    name?: string
  ): void {
    const node = metadata?.["langgraph_node"]
    // Runnables within a node have the metadata of the node, and another name.
    if (parent === undefined) this.#begin({ kind: "graph", id, name: name ?? "graph", input: inputs, metadata })
    else if (node !== undefined && node === name) this.#begin({ kind: "node", id, name, input: undefined, metadata })
  }

  override handleChainEnd(_: unknown, id: string): void {
    this.#end(id, { status: "done" })
  }

  override handleChainError(cause: Error, id: string): void {
    this.#fail(id, cause)
  }

  override handleChatModelStart(
    llm: Serialized,
    messages: Array<Array<BaseMessage>>,
    id: string,
    _parent?: string,
    _extra?: Record<string, unknown>,
    _tags?: Array<string>,
    metadata?: Record<string, unknown>,
    name?: string
  ): void {
    this.#begin({ kind: "model", id, name: name ?? llm.id.at(-1) ?? "model", input: messages, metadata })
  }

  override handleLLMStart(
    llm: Serialized,
    prompts: Array<string>,
    id: string,
    _parent?: string,
    _extra?: Record<string, unknown>,
    _tags?: Array<string>,
    metadata?: Record<string, unknown>,
    name?: string
  ): void {
    this.#begin({ kind: "model", id, name: name ?? llm.id.at(-1) ?? "model", input: prompts, metadata })
  }

  override handleLLMEnd({ generations, llmOutput }: LLMResult, id: string): void {
    const messages = generations.flat().map((each) => ("message" in each ? each.message : each.text))
    const used = messages.map((each) => (each as { readonly usage_metadata?: object }).usage_metadata)
    const usage = used.find((each) => each !== undefined) ?? llmOutput?.["tokenUsage"]
    this.#end(id, { status: "done", output: messages, ...(usage === undefined ? {} : { usage: jsonOf(usage) }) })
  }

  override handleLLMError(cause: Error, id: string): void {
    this.#fail(id, cause)
  }

  override handleToolStart(
    tool: Serialized,
    input: string,
    id: string,
    _parent?: string,
    _tags?: Array<string>,
    metadata?: Record<string, unknown>,
    name?: string
  ): void {
    this.#begin({ kind: "tool", id, name: name ?? tool.id.at(-1) ?? "tool", input, metadata })
  }

  override handleToolEnd(output: unknown, id: string): void {
    // A node of tools turns errors into messages.
    const isError = (output as { readonly status?: string } | undefined)?.status === "error"
    this.#end(id, { status: isError ? "failed" : "done", output })
  }

  override handleToolError(cause: Error, id: string): void {
    this.#fail(id, cause)
  }

  #begin(of: { kind: Kind; id: string; name: string; input: unknown; metadata: Metadata }): void {
    const { id, input, kind, metadata, name } = of
    const run = this.#runOf(metadata)
    if (run === undefined) return
    const text = input === undefined ? undefined : textOf(input)
    const call = kind === "tool" && text !== undefined ? callOf(name, this.#store.addressOf(text)) : undefined
    const node = metadata?.["langgraph_node"]
    const fields = { kind, id, name, ...(kind !== "node" && typeof node === "string" ? { node } : {}) }
    const tick = this.#record(async () => {
      const repeated = call === undefined ? undefined : (await this.#callsOf(run)).get(call)
      const { address, parts } = this.#apart(text)
      const more = {
        ...(address === undefined ? {} : { input: address }),
        ...(repeated === undefined || repeated.isDone ? {} : { repeats: repeated.tick })
      }
      const at = await this.#store.record(run, { type: types.began, fields: { ...fields, ...more } }, parts)
      if (call !== undefined) (await this.#callsOf(run)).set(call, { tick: at, isDone: false })
      return at
    })
    this.#began.set(id, { kind, run, tick, call })
  }

  #end(
    id: string,
    { output, ...said }: { status: string; output?: unknown; error?: string; usage?: JsonObject }
  ): void {
    const began = this.#began.get(id)
    if (began === undefined) return
    this.#began.delete(id)
    const { call, kind, run } = began
    void this.#record(async () => {
      const of = await began.tick
      const { address, parts } = this.#apart(output === undefined ? undefined : textOf(output))
      const more = address === undefined ? {} : { output: address }
      if (call !== undefined && said.status === "done") {
        ;(await this.#callsOf(run)).set(call, { tick: of, isDone: true })
      }
      return this.#store.record(run, { type: types.ended, fields: { kind, of, ...said, ...more } }, parts)
    })
  }

  #fail(id: string, cause: Error): void {
    this.#end(id, isGraphBubbleUp(cause) ? { status: "interrupted" } : { status: "failed", error: cause.message })
  }

  /** Commits behind the graph, one fact after the other. A failure is kept for `flush`. */
  #record(commit: () => Promise<number>): Promise<number> {
    const done = this.#last.then(commit)
    this.#last = done.catch((cause: unknown) => {
      this.#failure ??= cause
    })
    return done.catch(() => 0)
  }

  #apart(text: string | undefined): { readonly address: string | undefined; readonly parts: TextsApart["parts"] } {
    const { parts, texts } = this.#store.apart(text === undefined ? [] : [{ text }])
    return { address: texts[0]?.address, parts }
  }

  #runOf(metadata: Metadata): string | undefined {
    const thread = metadata?.["thread_id"]
    return typeof thread === "string" && thread !== "" ? RunName.runOf(thread) : this.#options.run
  }

  /** The calls of tools that the run has on record, by tool and arguments: also those of an earlier process. */
  #callsOf(run: string): Promise<Map<string, Called>> {
    const known = this.#called.get(run) ?? this.#readCalls(run)
    this.#called.set(run, known)
    return known
  }

  async #readCalls(run: string): Promise<Map<string, Called>> {
    const calls = new Map<string, Called>()
    const names = new Map<number, string>()
    const { facts } = await this.#store.read(run, { namespace: "langgraph", from: 1 })
    for (const { fields, tick, type } of facts) {
      const { input, kind, name, of, status } = fields
      if (type === types.began && kind === "tool" && typeof name === "string" && typeof input === "string") {
        names.set(tick, callOf(name, input))
        calls.set(callOf(name, input), { tick, isDone: false })
      }
      const ended = type === types.ended && status === "done" ? names.get(Number(of)) : undefined
      if (ended !== undefined) calls.set(ended, { tick: Number(of), isDone: true })
    }
    return calls
  }
}

const types = { began: "langgraph.began", ended: "langgraph.ended" } as const

/** A call of a tool, by the address of its arguments. */
const callOf = (tool: string, input: string): string => `${tool} ${input}`

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return JSON.stringify(String(value))
  }
}

const jsonOf = (value: object): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([, each]) => typeof each === "number" || typeof each === "string")
  ) as JsonObject
