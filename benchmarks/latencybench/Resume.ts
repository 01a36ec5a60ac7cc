/**
 * The time from the start of a new process, after one died, to its next durable step.
 *
 * Each sample is a separate process on a copy of the same file. The clock runs from the moment when its modules are
 * loaded until its step is durable.
 */
import * as Path from "node:path"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Effect from "effect/Effect"
import * as Figure from "../src/Figure.ts"
import * as Peers from "../src/Peers.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "../throughputbench/Steps.ts"
import * as Child from "./Child.ts"
import * as Copy from "./Copy.ts"

const durability = "FULL ÷ FULL"

const figures = {
  resume: {
    name: "resume",
    title: "fresh process: open a run of 1,000 steps from a snapshot and take one step, time ÷ LangGraph.js",
    better: "less",
    unit: "x",
    within: 0.5,
    aim: 0.2,
    durability
  },
  whole: {
    name: "resume-whole",
    title: "the same with the start of the process and its modules, TypeScript stripped ÷ LangGraph.js as built",
    better: "less",
    unit: "x",
    durability
  }
} satisfies Record<string, Figure.Figure>

/** Resuming in a fresh process. */
export const benchmark: Figure.Benchmark = {
  name: "resume",
  run: async ({ folder, runs, say }) => {
    const peer = await Peers.load("langgraph").catch((cause: Error) => cause)
    if (peer instanceof Error) return Object.values(figures).map((figure) => Figure.absent(figure, peer.message))
    const ours = Path.join(folder, "ours.db")
    const theirs = Path.join(folder, "theirs.db")
    say("writing 1,000 steps twice")
    await write(ours)
    await peer.sqlite(theirs, 1000)
    say("resuming")
    const walls = { ours: [] as Array<number>, theirs: [] as Array<number> }
    const time = (side: keyof typeof walls, task: Child.Task, filename: string): number => {
      const { millis, wallMillis } = Copy.of(filename, (file) => Child.run(task, file))
      walls[side].push(wallMillis)
      return millis
    }
    const resumed = await Statistics.interleave(runs, {
      ours: () => time("ours", "resume", ours),
      theirs: () => time("theirs", "resume-langgraph", theirs)
    })
    // The first sample of each side warms up and is not counted.
    const whole = Statistics.paired(
      walls.ours.slice(1).map((wall, index) => ({ ours: wall, theirs: walls.theirs[index + 1]! }))
    )
    return [Figure.ratio(figures.resume, resumed, "ms"), Figure.ratio(figures.whole, whole, "ms")]
  }
}

const write = (filename: string): Promise<number> =>
  Steps.time("thread", 1000).pipe(
    Effect.provide(Steps.layer(SqlTraceStore.layerSqlite({ filename }))),
    Effect.runPromise
  )
