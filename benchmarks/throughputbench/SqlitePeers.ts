/** Comparisons with peers on SQLite: LangGraph.js with its saver, and Emmett with one shared connection. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Effect from "effect/Effect"
import * as Figure from "../src/Figure.ts"
import * as Machine from "../src/Machine.ts"
import * as Peers from "../src/Peers.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Replay from "./Replay.ts"
import * as Steps from "./Steps.ts"
import * as Workload from "./Workload.ts"

const figures = {
  langgraph: {
    name: "langgraph-sqlite",
    title: "steps/s ÷ LangGraph.js SQLite saver, 200 steps",
    better: "more",
    unit: "x",
    within: 3,
    aim: 6,
    durability: "FULL, 1 flush a step ÷ FULL"
  },
  langgraphRead: {
    name: "langgraph-sqlite-read",
    title: "the same where the tool only reads, so that nothing has to be durable first",
    better: "more",
    unit: "x",
    within: 3,
    aim: 6,
    durability: "FULL, 1 flush in 5 ms ÷ FULL"
  },
  langgraphDelta: {
    name: "langgraph-sqlite-delta",
    title: "steps/s ÷ LangGraph.js SQLite saver with delta channels, 200 steps",
    better: "more",
    unit: "x",
    durability: "FULL, 1 flush a step ÷ FULL"
  },
  langgraphRam: {
    name: "langgraph-sqlite-ram",
    title: "the same where a flush costs nothing: both files on a RAM disk",
    better: "more",
    unit: "x",
    durability: "FULL, 1 flush a step ÷ FULL, to memory: nothing outlives a power cut"
  },
  langgraphNormal: {
    name: "langgraph-sqlite-normal",
    title: "steps/s ÷ LangGraph.js SQLite saver as it is by default, 200 steps",
    better: "more",
    unit: "x",
    durability: "FULL, 1 flush a step ÷ NORMAL: commits may be lost"
  },
  bytes: {
    name: "langgraph-bytes",
    title: "bytes per step at 1,000 steps ÷ LangGraph.js SQLite saver",
    better: "less",
    unit: "x",
    within: 1 / 50,
    aim: 1 / 80,
    durability: "after a checkpoint"
  },
  bytesDelta: {
    name: "langgraph-bytes-delta",
    title: "bytes per step at 1,000 steps ÷ LangGraph.js SQLite saver with delta channels",
    better: "less",
    unit: "x",
    durability: "after a checkpoint"
  },
  append: {
    name: "emmett-append",
    title: "append of 3 ÷ Emmett, one shared SQLite connection",
    better: "more",
    unit: "x",
    within: 1.5,
    aim: 3,
    durability: "FULL ÷ FULL"
  },
  replay: {
    name: "emmett-replay",
    title: "verified replay ÷ Emmett's unverified aggregate, 10,000, the same TypeScript reducer",
    better: "more",
    unit: "x",
    within: 0.9,
    aim: 1.4,
    durability: "reads"
  }
} satisfies Record<string, Figure.Figure>

/** LangGraph.js with SQLite. */
export const langgraph: Figure.Benchmark = {
  name: "langgraph-sqlite",
  run: async ({ folder, runs, say }) => {
    const all = [
      figures.langgraph,
      figures.langgraphDelta,
      figures.langgraphRead,
      figures.langgraphRam,
      figures.langgraphNormal,
      figures.bytes,
      figures.bytesDelta
    ]
    const peer = await Peers.load("langgraph").catch((cause: Error) => cause)
    if (peer instanceof Error) return all.map((figure) => Figure.absent(figure, firstLine(peer)))
    let turn = 0
    const file = (within = folder) => Path.join(within, `${turn++}.db`)
    const against = (
      synchronous: "FULL" | "NORMAL",
      { channels, tool, within }: { channels?: Peers.Channels; tool?: "look"; within?: string } = {}
    ) =>
      Statistics.interleave(
        runs,
        {
          ours: async () => 200_000 / (await ours(file(within), 200, tool)).millis,
          theirs: async () =>
            200_000 / (await peer.sqlite(file(within), 200, { synchronous, ...(channels && { channels }) })).millis
        },
        3
      )
    say("200 steps, FULL")
    const full = await against("FULL")
    say("200 steps, FULL, delta channels")
    const delta = await against("FULL", { channels: "delta" })
    say("200 steps that read, FULL")
    const read = await against("FULL", { tool: "look" })
    say("200 steps, FULL, on a RAM disk")
    const ram = await Machine.onRamDisk((within) => against("FULL", { within }))
    say("200 steps, NORMAL")
    const normal = await against("NORMAL")
    say("1,000 steps")
    const own = (await ours(file(), 1000)).bytes / 1000
    const long = { ours: own, theirs: (await peer.sqlite(file(), 1000)).bytes / 1000 }
    const short = { ours: own, theirs: (await peer.sqlite(file(), 1000, { channels: "delta" })).bytes / 1000 }
    return [
      Figure.ratio(figures.langgraph, full, "steps/s"),
      Figure.ratio(figures.langgraphDelta, delta, "steps/s"),
      Figure.ratio(figures.langgraphRead, read, "steps/s"),
      ram === undefined
        ? Figure.absent(figures.langgraphRam, "there is no RAM disk at /dev/shm")
        : Figure.ratio(figures.langgraphRam, ram, "steps/s"),
      Figure.ratio(figures.langgraphNormal, normal, "steps/s"),
      Figure.ratio(figures.bytes, Statistics.paired([long]), "bytes/step"),
      Figure.ratio(figures.bytesDelta, Statistics.paired([short]), "bytes/step")
    ]
  }
}

/** Emmett with SQLite. */
export const emmett: Figure.Benchmark = {
  name: "emmett",
  run: async ({ folder, runs, say }) => {
    const all = [figures.append, figures.replay]
    const peer = await Peers.load("emmett").catch((cause: Error) => cause)
    if (peer instanceof Error) return all.map((figure) => Figure.absent(figure, firstLine(peer)))
    let turn = 0
    const file = () => Path.join(folder, `${turn++}.db`)
    say("append of 3")
    const append = await Statistics.interleave(runs, {
      ours: () => appends(file(), 300),
      theirs: async () => {
        const store = await peer.open(file())
        const millis = await store.append(300, 3)
        store.close()
        return 300_000 / millis
      }
    })
    say("writing 10,000")
    const filename = file()
    await Replay.fill(filename, 10_000, Workload.counted)
    const replay = await Replay.open(filename, Workload.counting)
    const store = await peer.open(file())
    await store.append(200, 50)
    say("replay")
    const replayed = await Statistics.interleave(runs, {
      ours: replay.run,
      theirs: async () => {
        const { count, millis } = await store.aggregate()
        return (count / millis) * 1000
      }
    })
    store.close()
    await replay.close()
    return [Figure.ratio(figures.append, append, "appends/s"), Figure.ratio(figures.replay, replayed, "events/s")]
  }
}

/** Steps in a new file: milliseconds, and the bytes by which the file grew, snapshots included. */
const ours = async (filename: string, steps: number, tool?: "look") => {
  const time = (name: string, count: number) =>
    Steps.time(name, count, tool).pipe(
      Effect.provide(Steps.layer(SqlTraceStore.layerSqlite({ filename }))),
      Effect.runPromise
    )
  await time("warm", 1)
  const before = Fs.statSync(filename).size
  const millis = await time("thread", steps)
  return { bytes: Fs.statSync(filename).size - before, millis }
}

/** Appends of three transitions per second. */
const appends = (filename: string, commits: number) =>
  Workload.rate("stream", { commits, size: 3 }).pipe(
    Effect.provide(SqlTraceStore.layerSqlite({ filename })),
    Effect.runPromise
  )

const firstLine = (cause: Error): string => cause.message.split("\n")[0]!
