/**
 * LangGraph.js as it recovers: a graph whose one node takes one step at a time, with its own checkpointer, which keeps
 * a checkpoint after each.
 */
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph"

/** Takes one step from a state; answers the next state, or `undefined` once nothing is left to do. */
export type Advance<A extends object> = (working: A) => Promise<A | undefined>

/** A checkpoint: its id and the state that it restores. */
export interface Checkpoint<A> {
  readonly id: string
  readonly working: A
}

/** Compiles the graph. */
export const make = <A extends object>(advance: Advance<A>) => {
  const State = Annotation.Root({ working: Annotation<A>(), isOver: Annotation<boolean>() })
  const graph = new StateGraph(State)
    .addNode("step", async ({ working }) => {
      const next = await advance(working)
      return next === undefined ? { isOver: true } : { working: next }
    })
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ isOver }) => (isOver ? END : "step"))
    .compile({ checkpointer: new MemorySaver() })
  const at = (thread: string, id?: string) => ({
    configurable: { thread_id: thread, ...(id === undefined ? {} : { checkpoint_id: id }) },
    recursionLimit: 1000
  })
  return {
    /** Begins a thread in a state, and runs it until it is over or a step throws. */
    begin: async (thread: string, working: A): Promise<void> => {
      await graph.invoke({ working, isOver: false }, at(thread))
    },
    /** Goes on from a checkpoint of a thread; from its last one unless another is named. */
    resume: async (thread: string, id?: string): Promise<void> => {
      await graph.invoke(null, at(thread, id))
    },
    /** The checkpoints of a thread, the last one first. */
    checkpoints: async (thread: string): Promise<ReadonlyArray<Checkpoint<A>>> => {
      const found: Array<Checkpoint<A>> = []
      for await (const { config, values } of graph.getStateHistory(at(thread))) {
        const id = config.configurable?.["checkpoint_id"]
        if (values.working !== undefined && typeof id === "string") found.push({ id, working: values.working })
      }
      return found
    },
    /** The state of a thread. */
    state: async (thread: string): Promise<A> => (await graph.getState(at(thread))).values.working
  }
}
