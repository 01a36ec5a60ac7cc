/** Graphs with interrupts, forks, parallel branches and subgraphs, on this checkpointer and on LangGraph's own. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Backstitch, BackstitchError } from "@backstitch/sdk"
import { factsOf } from "@backstitch/sdk/adapter"
import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  END,
  emptyCheckpoint,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph
} from "@langchain/langgraph"
import { commitsOf } from "../../../sdk/test/walCommits.ts"
import { BackstitchSaver } from "../src/checkpointer/BackstitchSaver.ts"
import { checkpoints } from "../src/checkpointer/checkpointTypes.ts"
import { folder } from "./places.ts"

const secret = "the secret of the tests"
const open = (store = "memory:") => Backstitch.open({ store, secret, types: [checkpoints] })

const State = Annotation.Root({
  notes: Annotation<ReadonlyArray<string>>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  question: Annotation<string>(),
  log: () =>
    new DeltaChannel<ReadonlyArray<string>, ReadonlyArray<string>>((state, writes) => [...state, ...writes.flat()], {
      initialValueFactory: () => []
    })
})

/** A graph that branches, asks a person, sends tasks and calls a subgraph. */
const graphOf = (checkpointer: BaseCheckpointSaver) => {
  const inner = new StateGraph(State)
    .addNode("look", ({ notes }) => ({ notes: [`looked at ${notes.length}`], log: ["look"] }))
    .addNode("wait", () => ({ notes: [`was told ${interrupt("which one?")}`] }))
    .addEdge(START, "look")
    .addEdge("look", "wait")
    .compile({ checkpointer: true })
  return new StateGraph(State)
    .addNode("left", () => ({ notes: ["left"], log: ["left"] }))
    .addNode("right", () => ({ notes: ["right"], log: ["right"] }))
    .addNode("join", ({ notes }) => ({ question: `after ${notes.join(", ")}` }))
    .addNode("inner", inner)
    .addNode("each", ({ question }) => ({ notes: [`each ${question}`], log: ["each"] }))
    .addNode("last", ({ log }) => ({ notes: [`the log is ${log.join(", ")}`] }))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge(["left", "right"], "join")
    .addEdge("join", "inner")
    .addConditionalEdges("inner", () => ["a", "b"].map((question) => new Send("each", { question })), ["each"])
    .addEdge("each", "last")
    .addEdge("last", END)
    .compile({ checkpointer })
}

const thread = { configurable: { thread_id: "trip-42" } }

/** The history of a thread, without what differs from run to run. */
const told = async (graph: ReturnType<typeof graphOf>) => {
  const found: Array<unknown> = []
  for await (const { metadata, next, tasks, values } of graph.getStateHistory(thread)) {
    const { parents: _, ...kept } = metadata ?? {}
    found.push({
      kept,
      next,
      values,
      tasks: tasks.map(({ interrupts, name }) => [name, interrupts.map(({ value }) => value)])
    })
  }
  return found
}

/** Runs the graph to its end, goes back to before its question, and answers otherwise. */
const play = async (checkpointer: BaseCheckpointSaver) => {
  const graph = graphOf(checkpointer)
  await graph.invoke({ notes: ["begun"] }, thread)
  await graph.invoke(new Command({ resume: "the first" }), thread)
  const history: Array<{ config: object; next: ReadonlyArray<string> }> = []
  for await (const each of graph.getStateHistory(thread)) history.push(each)
  const before = history.find(({ next }) => next.includes("inner"))
  const forked = await graph.updateState(before!.config, { notes: ["edited"] }, "join")
  await graph.invoke(null, forked)
  await graph.invoke(new Command({ resume: "the second" }), thread)
  return { graph, history: await told(graph), state: (await graph.getState(thread)).values }
}

const bytesOf = (path: string): number =>
  readdirSync(path)
    .filter((name) => name.startsWith("trace.db"))
    .reduce((sum, name) => sum + statSync(join(path, name)).size, 0)

const thrown = async (does: () => Promise<unknown>): Promise<BackstitchError> => {
  try {
    await does()
  } catch (cause) {
    assert.instanceOf(cause, BackstitchError)
    return cause
  }
  return assert.fail("nothing was thrown")
}

describe("BackstitchSaver", () => {
  it("tells the history that LangGraph's own saver tells: interrupts, forks, branches and subgraphs", async () => {
    await using bs = await open()
    const [own, theirs] = [await play(new BackstitchSaver(bs)), await play(new MemorySaver())]
    assert.deepStrictEqual(own.state, theirs.state)
    assert.deepStrictEqual(own.history, theirs.history)
    const run = await bs.run("trip-42")
    const { consistent, ticks } = await run.verify()
    assert.isTrue(consistent && ticks > 20)
  })

  it("goes on where a thread has stopped, in a store that is opened again", async () => {
    using own = folder()
    const store = join(own.path, "trace.db")
    {
      await using bs = await open(store)
      await graphOf(new BackstitchSaver(bs)).invoke({ notes: ["begun"] }, thread)
    }
    await using bs = await open(store)
    const { notes } = await graphOf(new BackstitchSaver(bs)).invoke(new Command({ resume: "the first" }), thread)
    assert.include(notes, "was told the first")
    assert.match(notes.at(-1) ?? "", /^the log is left, right/)
  })

  it("stores what a step adds, however long the conversation is", async () => {
    using own = folder()
    await using bs = await open(join(own.path, "trace.db"))
    const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)
    const graph = new StateGraph(State)
      .addNode("step", ({ notes }) => ({ notes: [`${notes.length} ${text}`] }))
      .addEdge(START, "step")
      .compile({ checkpointer: new BackstitchSaver(bs) })
    const after = async (steps: number) => {
      for (let step = 0; step < steps; step++) await graph.invoke({ question: "more" }, thread)
      return bytesOf(own.path)
    }
    const [short, middle, long] = [await after(20), await after(30), await after(30)]
    assert.isBelow((long - middle) / 30, 16_000)
    assert.isBelow(long - middle, (middle - short) * 1.5)
  })

  it("flushes once for a checkpoint, and once for the writes of a task", async () => {
    using own = folder()
    const store = join(own.path, "trace.db")
    await using bs = await open(store)
    const saver = new BackstitchSaver(bs)
    const metadata = { source: "input", step: -1, parents: {} } as const
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } }
    const long = Array.from({ length: 20 }, (_, item) => `${item} ${"a long answer ".repeat(30)}`)
    const put = async (notes: ReadonlyArray<string>) => {
      const checkpoint = { ...emptyCheckpoint(), channel_values: { notes }, channel_versions: { notes: notes.length } }
      return saver.put(config, checkpoint, metadata, { notes: notes.length })
    }
    const begun = await put(long)
    const before = commitsOf(store)
    const kept = await put([...long, "one more"])
    assert.strictEqual(commitsOf(store) - before, 1)
    await saver.putWrites(begun, [["notes", long]], "task-1")
    assert.strictEqual(commitsOf(store) - before, 2)
    const read = await new BackstitchSaver(bs).getTuple(kept)
    assert.deepStrictEqual(read?.checkpoint.channel_values["notes"], [...long, "one more"])
  })

  it("lets several writers of one thread take turns, and keeps the first write of each place", async () => {
    using own = folder()
    const store = join(own.path, "trace.db")
    await using first = await open(store)
    await using second = await open(store)
    const savers = [new BackstitchSaver(first), new BackstitchSaver(second)]
    const begun = await savers[0]!.put(
      { configurable: { thread_id: "t", checkpoint_ns: "" } },
      emptyCheckpoint(),
      { source: "input", step: -1, parents: {} },
      {}
    )
    await Promise.all(
      [0, 1, 2, 3].flatMap((task) =>
        savers.map((saver, by) => saver.putWrites(begun, [["notes", `${task} by ${by}`]], `task-${task}`))
      )
    )
    const [one, other] = await Promise.all(savers.map((saver) => saver.getTuple(begun)))
    assert.deepStrictEqual(one, other)
    assert.deepStrictEqual(
      one?.pendingWrites?.map(([task]) => task),
      ["task-0", "task-1", "task-2", "task-3"]
    )
    assert.isTrue((await (await first.run("t")).verify()).consistent)
  })

  it("refuses checkpoints and facts of another version, and says what to do", async () => {
    await using bs = await open()
    const saver = new BackstitchSaver(bs)
    const metadata = { source: "input", step: -1, parents: {} } as const
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } }
    const newer = await thrown(() => saver.put(config, { ...emptyCheckpoint(), v: 5 }, metadata, {}))
    assert.deepStrictEqual(newer.code, "checkpoint_format")
    assert.match(newer.message, /format 5, and formats 1 to 4 are known\. Go on with the version/)
    await factsOf(bs).record("t", { type: "langgraph.checkpoint", fields: { format: 2, checkpoint: "x" } })
    const facts = await thrown(() => saver.getTuple(config))
    assert.deepStrictEqual(facts.code, "checkpoint_format")
  })

  it("keeps values of any kind, in threads of any name, and answers none of a deleted thread", async () => {
    await using bs = await open()
    const saver = new BackstitchSaver(bs)
    const metadata = { source: "input", step: -1, parents: {} } as const
    const values = {
      bytes: new Uint8Array([0, 255, 128]),
      set: new Set(["a"]),
      when: null,
      deep: { z: 1, a: "é\u0000\ud83d\ude00", big: "x".repeat(50_000) }
    }
    for (const thread_id of ["plain-1", "user:1/ä thread"]) {
      const config = { configurable: { thread_id, checkpoint_ns: "" } }
      const channel_versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]))
      const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions }
      const kept = await saver.put(config, checkpoint, metadata, channel_versions)
      const read = (await new BackstitchSaver(bs).getTuple(kept))?.checkpoint.channel_values as typeof values
      assert.deepStrictEqual(read, values)
      assert.deepStrictEqual(Object.keys(read.deep), ["z", "a", "big"])
      await saver.deleteThread(thread_id)
      assert.isUndefined(await saver.getTuple(config))
      const again = await saver.put(config, emptyCheckpoint(), metadata, {})
      assert.deepStrictEqual((await new BackstitchSaver(bs).getTuple(config))?.config, again)
    }
    const listed: Array<string> = []
    for await (const { config } of saver.list({})) listed.push(config.configurable?.["thread_id"])
    assert.sameMembers(listed, ["plain-1", "user:1/ä thread"])
  })
})
