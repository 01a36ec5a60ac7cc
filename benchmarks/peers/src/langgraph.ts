/** LangGraph.js: a graph of one node that loops, and keeps every message in its state. */
import * as Fs from "node:fs"
import { Annotation, DeltaChannel, END, START, StateGraph } from "@langchain/langgraph"
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"

const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

const State = Annotation.Root({
  messages: Annotation<ReadonlyArray<object>>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  steps: Annotation<number>()
})

type Messages = ReadonlyArray<object>

/** The same state, with only the additions of a step stored. */
const Delta = Annotation.Root({
  messages: () =>
    new DeltaChannel<Messages, Messages>((state, writes) => [...state, ...writes.flat()], {
      initialValueFactory: () => []
    }),
  steps: Annotation<number>()
})

/** Stores all of a channel at each step, as is usual, or only the additions of the step. */
export type Channels = "whole" | "delta"

const compile = (checkpointer: SqliteSaver | PostgresSaver, channels: Channels) =>
  new StateGraph((channels === "delta" ? Delta : State) as typeof State)
    .addNode("step", ({ messages }) => ({ messages: [{ id: `m${messages.length}`, role: "tool", text }] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages, steps }) => (messages.length < steps ? "step" : END))
    .compile({ checkpointer })

const run = async (
  checkpointer: SqliteSaver | PostgresSaver,
  thread: string,
  { channels, steps }: { readonly channels: Channels; readonly steps: number }
): Promise<void> => {
  const graph = compile(checkpointer, channels)
  const config = { configurable: { thread_id: thread }, recursionLimit: steps + 10 }
  const { messages } = await graph.invoke({ steps }, config)
  if (messages.length !== steps) throw new Error(`LangGraph took ${messages.length} steps and not ${steps}`)
}

const open = (filename: string, synchronous: "FULL" | "NORMAL"): SqliteSaver => {
  const saver = SqliteSaver.fromConnString(filename)
  saver.db.pragma("journal_mode = WAL")
  saver.db.pragma(`synchronous = ${synchronous}`)
  return saver
}

/** Runs n steps on a new file; answers milliseconds and the bytes of the file after a checkpoint. */
export const sqlite = async (
  filename: string,
  steps: number,
  {
    channels = "whole",
    synchronous = "FULL"
  }: { readonly channels?: Channels; readonly synchronous?: "FULL" | "NORMAL" } = {}
) => {
  const saver = open(filename, synchronous)
  await run(saver, "warm", { channels, steps: 1 })
  const before = bytesOf(saver, filename)
  const began = performance.now()
  await run(saver, "thread", { channels, steps })
  const millis = performance.now() - began
  const bytes = bytesOf(saver, filename) - before
  saver.db.close()
  return { bytes, millis }
}

/** Takes one more step in a file with a thread of n steps. */
export const resume = async (filename: string): Promise<void> => {
  const saver = open(filename, "FULL")
  const graph = compile(saver, "whole")
  const config = { configurable: { thread_id: "thread" }, recursionLimit: 10 }
  const { values } = await graph.getState(config)
  const count = values.messages.length
  const { messages } = await graph.invoke({ steps: count + 1 }, config)
  if (messages.length !== count + 1) throw new Error(`LangGraph has ${messages.length} messages and not ${count + 1}`)
  saver.db.close()
}

const bytesOf = (saver: SqliteSaver, filename: string): number => {
  saver.db.pragma("wal_checkpoint(TRUNCATE)")
  return Fs.statSync(filename).size
}

/** Opens the Postgres saver; answers a function that runs n steps in a thread and answers milliseconds. */
export const postgres = async (url: string, channels: Channels = "whole") => {
  const saver = PostgresSaver.fromConnString(url, { schema: "peer_langgraph" })
  await saver.setup()
  return {
    steps: async (thread: string, steps: number): Promise<number> => {
      const began = performance.now()
      await run(saver, thread, { channels, steps })
      return performance.now() - began
    },
    close: () => saver.end()
  }
}
