/**
 * Bytes that a graph of LangGraph stores a step with the checkpointer of this repository, early and late in a thread.
 *
 * The conversation gains about 600 bytes at each step. A checkpointer that stores a conversation whole at each step
 * stores the more the longer it is. These counts are the same on every machine.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { BackstitchSaver, checkpoints } from "@backstitch/langgraph"
import { Backstitch } from "@backstitch/sdk"
import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import * as Figure from "../src/Figure.ts"

const durability = "after a checkpoint of the file"

const figures = {
  growth: {
    name: "checkpoint-growth",
    title: "bytes of a checkpoint per step of a LangGraph graph: steps 900 to 1,000 ÷ steps 100 to 200",
    better: "less",
    unit: "x",
    within: 1.2,
    aim: 1.1,
    durability
  },
  bytes: {
    name: "checkpoint-bytes",
    title: "the same: bytes per step, of which the conversation gains 600",
    better: "less",
    unit: "kB",
    durability
  }
} satisfies Record<string, Figure.Figure>

/** Growth of a step, and its bytes. */
export const benchmark: Figure.Benchmark = {
  name: "checkpoints",
  run: async ({ folder }) => {
    const [early, late] = await perStep(Path.join(folder, "thread.db"), [100, 900], 100)
    if (early === undefined || late === undefined) throw new Error("no step was measured")
    return [Figure.measured(figures.growth, [late / early]), Figure.measured(figures.bytes, [late / 1000])]
  }
}

/** The bytes per step of some windows of a thread, each of which begins at a number of steps. */
export const perStep = async (
  filename: string,
  from: ReadonlyArray<number>,
  steps: number
): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (const begin of from) {
    const before = await bytesAt(filename, begin)
    found.push(((await bytesAt(filename, begin + steps)) - before) / steps)
  }
  return found
}

const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

const State = Annotation.Root({
  messages: Annotation<ReadonlyArray<string>>({ reducer: (left, right) => [...left, ...right], default: () => [] })
})

/** Lets a thread go on to a number of steps; the bytes of its file then. */
const bytesAt = async (filename: string, steps: number): Promise<number> => {
  const backstitch = await Backstitch.open({ store: filename, secret: "of a benchmark", types: [checkpoints] })
  const graph = new StateGraph(State)
    .addNode("step", ({ messages }) => ({ messages: [`${messages.length} ${text}`] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length >= steps ? END : "step"))
    .compile({ checkpointer: new BackstitchSaver(backstitch) })
  await graph.invoke({ messages: [] }, { configurable: { thread_id: "thread" }, recursionLimit: steps + 2 })
  // Closing the store moves the log into the file.
  await backstitch.close()
  return Fs.statSync(filename).size
}
