/** One run whose commits are sent to many readers at once, as server-sent events. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Limits from "../../apps/server/src/Limits.ts"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import { stepsOfRun } from "./agent.ts"
import { Client, type Reading } from "./Client.ts"
import * as Served from "./Served.ts"

/** A fan-out: the store and its name, the readers, and the time between two steps of the run. */
export interface Fanout {
  readonly name: "SQLite" | "Postgres"
  readonly store: string
  readonly readers: number
  readonly toolMillis: number
  readonly options?: ReadonlyArray<string> | undefined
}

const { keyStreamsMax } = Limits.refusing

/** The time that readers have to catch up. */
const catchUpMillisMax = 60_000

/** Reads the commits of a run by many readers, and counts what comes to each. */
export const measure = async ({ name, options, readers, store, toolMillis }: Fanout) => {
  const count = Math.ceil(readers / keyStreamsMax) + 1
  const served = await Served.start({ store, keys: count, toolMillis, options })
  const [owner = "", ...others] = served.keys
  const streams: Array<Reading> = []
  try {
    const client = new Client(served.address, owner)
    const run = { run: "watched", agent: "pages", clauses: { page: "watched" } }
    await client.ask("/v1/runs", run)
    let review: string | undefined
    // A first reader pays for what is compiled once.
    const first = await client.follow("watched", ({ data }) => {
      review ??= (JSON.parse(data) as Told).data?.review
    })
    await until(() => review !== undefined)
    const before = served.residentBytes()
    const commits = new Map<number, Commit>()
    const next = Array.from({ length: readers }, () => 1)
    let isDone = false
    let twice = 0
    let lost = 0
    const heard = (reader: number, id: number, data: string): void => {
      const expected = next[reader] ?? 1
      if (id < expected) twice++
      else lost += id - expected
      next[reader] = id + 1
      const known = commits.get(id) ?? { at: timeOf(data), last: 0, seen: 0 }
      commits.set(id, { ...known, last: Date.now(), seen: known.seen + 1 })
      if (data.includes('"goal.complete"')) isDone = true
    }
    for (let reader = 0; reader < readers; reader++) {
      const own = new Client(served.address, others[Math.floor(reader / keyStreamsMax)] ?? owner)
      streams.push(await own.follow("watched", ({ data, id }) => heard(reader, id, data)))
    }
    await until(() => next.every((each) => each === next[0] && each > 1))
    const perReader = (served.residentBytes() - before) / readers
    const opened = Date.now()
    await client.ask(`/v1/runs/watched/approvals/${review}`, { verdict: "approved", reason: "they are all here" })
    await until(() => isDone && next.every((each) => each === next[0]))
    first.close()
    client.close()
    const missing = next.reduce((sum, each) => sum + Math.max(...next) - each, 0)
    const live = [...commits.values()].filter(({ at }) => at >= opened)
    const delays = live.map(({ at, last }) => last - at)
    const delivered = [...commits.values()].reduce((sum, { seen }) => sum + seen, 0)
    return figuresOf(name, readers, { delivered, lost: lost + missing, twice, delays, perReader, live: live.length })
  } finally {
    for (const { close } of streams) close()
    await served.stop()
  }
}

/** A commit: when it was made, when the last reader had it, and how many had. */
interface Commit {
  readonly at: number
  readonly last: number
  readonly seen: number
}

const timeOf = (data: string): number => Date.parse((JSON.parse(data) as { readonly ts: string }).ts)

interface Told {
  readonly data: { readonly review?: string } | null
}

/** Waits for a condition, or until readers have had long enough. */
const until = async (isMet: () => boolean): Promise<void> => {
  const deadline = Date.now() + catchUpMillisMax
  while (Date.now() < deadline && !isMet()) await sleep(50)
}

interface Counted {
  readonly delivered: number
  readonly lost: number
  readonly twice: number
  readonly delays: ReadonlyArray<number>
  readonly perReader: number
  readonly live: number
}

const figuresOf = (
  name: Fanout["name"],
  readers: number,
  { delays, delivered, live, lost, perReader, twice }: Counted
): ReadonlyArray<Figure.Measured> => {
  const figure = (what: string, title: string, unit: Figure.Figure["unit"]): Figure.Figure => ({
    name: `server-fanout-${name.toLowerCase()}-${what}`,
    title: `${title}, ${readers} readers, ${name}`,
    better: "less",
    unit,
    durability: "each event after its commit"
  })
  const note = `${delivered} delivered; ${live} transitions of ${stepsOfRun} steps while all read`
  return [
    Figure.measured({ ...figure("lost", "events that a reader missed", "events"), within: 0 }, [lost], note),
    Figure.measured({ ...figure("twice", "events that came to a reader twice", "events"), within: 0 }, [twice]),
    Figure.measured(figure("p50", "from a commit to its last reader, p50", "ms"), [Statistics.quantile(delays, 0.5)]),
    Figure.measured(figure("p99", "from a commit to its last reader, p99", "ms"), [Statistics.quantile(delays, 0.99)]),
    Figure.measured(figure("memory", "memory of the server for a reader", "kB"), [perReader / 1000])
  ]
}
