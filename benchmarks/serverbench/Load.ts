/**
 * Runs that clients begin, follow and decide over HTTP, beside the same steps of the same number of runs without the
 * server.
 *
 * A client begins a run, whose agent takes its steps in the server. It follows the run, approves its first step
 * once the run waits for it, and begins the next run when that one has ended.
 */
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "../throughputbench/Steps.ts"
import { stepsOfRun } from "./agent.ts"
import { Client } from "./Client.ts"
import * as Served from "./Served.ts"

/** A load: the store and its name, the clients at once, the runs of each, and the number of pairs. */
export interface Load {
  readonly name: "SQLite" | "Postgres"
  /** Answers a new store. */
  readonly place: (name: string) => Promise<string>
  readonly clients: number
  readonly runsOfClient: number
  readonly pairs: number
  readonly options?: ReadonlyArray<string> | undefined
}

/** The times of requests, in milliseconds, by what was asked. */
interface Times {
  readonly begin: Array<number>
  readonly decide: Array<number>
  readonly run: Array<number>
}

/** The processor time of each turn of the server, in milliseconds of a run: of its process, and of its clients. */
interface Processors {
  readonly server: Array<number>
  readonly clients: Array<number>
}

/** Measures a load: the ratio to the runtime alone, the latencies of the requests, and processor time. */
export const measure = async (load: Load): Promise<ReadonlyArray<Figure.Measured>> => {
  const { clients, name, pairs, place, runsOfClient } = load
  const served = await Served.start({ store: await place("served"), keys: clients, options: load.options })
  const alone = ManagedRuntime.make(Steps.layer(SqlTraceStore.layerFromAddress(await place("alone"))))
  const times: Times = { begin: [], decide: [], run: [] }
  const processors: Processors = { server: [], clients: [] }
  const steps = clients * runsOfClient * stepsOfRun
  let turn = 0
  const timed = async (work: () => Promise<unknown>) => {
    turn++
    const began = performance.now()
    await work()
    return (1000 * steps) / (performance.now() - began)
  }
  try {
    const ours = () =>
      timed(async () => {
        // The first pair compiles the code of both sides, and is not counted.
        if (turn <= 2) for (const list of [...Object.values(times), ...Object.values(processors)]) list.length = 0
        const [server, own] = [served.processorMillis(), process.cpuUsage()]
        await Promise.all(served.keys.map((key, at) => client(served.address, key, { at, load, times, turn })))
        const { system, user } = process.cpuUsage(own)
        processors.server.push((served.processorMillis() - server) / (clients * runsOfClient))
        processors.clients.push((system + user) / 1000 / (clients * runsOfClient))
      })
    const theirs = () =>
      timed(() =>
        alone.runPromise(
          Effect.forEach(
            Array.from({ length: clients * runsOfClient }, (_, at) => `alone-${turn}-${at}`),
            (run) => Steps.time(run, stepsOfRun),
            { concurrency: clients, discard: true }
          )
        )
      )
    const measured = await Statistics.interleave(pairs, { ours, theirs })
    return [
      Figure.ratio(ratioOf(name, clients), measured, "steps/s"),
      ...latencies(name, clients, times),
      ...processorTimes(name, clients, processors)
    ]
  } finally {
    await alone.dispose()
    await served.stop()
  }
}

/** Begins runs one after the other, and follows each to its end. */
const client = async (
  address: string,
  key: string,
  { at, load, times, turn }: { readonly at: number; readonly load: Load; readonly times: Times; readonly turn: number }
): Promise<void> => {
  const client = new Client(address, key)
  for (let count = 0; count < load.runsOfClient; count++) {
    const run = `run-${turn}-${at}-${count}`
    const began = performance.now()
    expect(202, await client.ask("/v1/runs", { run, agent: "pages", clauses: { page: run } }))
    times.begin.push(performance.now() - began)
    await new Promise<void>((resolve, reject) => {
      const reading = client.follow(run, ({ data }) => {
        const { data: said, transition_type: type }: Told = JSON.parse(data)
        if (type === "goal.complete") void reading.then(({ close }) => close()).then(resolve)
        if (type !== "review.requested") return
        const asked = performance.now()
        const decision = { verdict: "approved", reason: "it reads well" }
        client
          .ask(`/v1/runs/${run}/approvals/${said.review}`, decision)
          .then((answer) => expect(200, answer))
          .then(() => times.decide.push(performance.now() - asked))
          .catch(reject)
      })
      reading.catch(reject)
    })
    times.run.push(performance.now() - began)
  }
  client.close()
}

interface Told {
  readonly data: { readonly review?: string }
  readonly transition_type: string
}

const expect = (status: number, answer: { readonly status: number; readonly body: object }): void => {
  if (answer.status !== status) throw new Error(`answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
}

const durability = { SQLite: "FULL, both", Postgres: "fsync on, synchronous_commit on, both" } as const

const of = (clients: number): string => `${clients} ${clients === 1 ? "client" : "clients"}`

const ratioOf = (name: Load["name"], clients: number): Figure.Figure => ({
  name: `server-${name.toLowerCase()}-${clients}`,
  title: `steps/s of runs over HTTP ÷ the same number of runs without the server, ${name}, ${of(clients)}`,
  better: "more",
  unit: "x",
  durability: durability[name]
})

const latencies = (name: Load["name"], clients: number, times: Times): ReadonlyArray<Figure.Measured> =>
  (["begin", "decide", "run"] as const).flatMap((what) =>
    ([0.5, 0.99] as const).map((share) => {
      const label = share === 0.5 ? "p50" : "p99"
      const titles = {
        begin: "a run is begun and answered",
        decide: "an approval is decided and answered",
        run: `a run of ${stepsOfRun} steps, from its beginning to its last event`
      }
      const figure: Figure.Figure = {
        name: `server-${name.toLowerCase()}-${clients}-${what}-${label}`,
        title: `${titles[what]}, ${label}, ${name}, ${of(clients)}`,
        better: "less",
        unit: "ms",
        durability: durability[name]
      }
      return Figure.measured(figure, [Statistics.quantile(times[what], share)], `of ${times[what].length}`)
    })
  )

const processorTimes = (name: Load["name"], clients: number, found: Processors): ReadonlyArray<Figure.Measured> =>
  (["server", "clients"] as const).map((who) =>
    Figure.measured(
      {
        name: `server-${name.toLowerCase()}-${clients}-processor-${who}`,
        title: `processor time of a run of ${stepsOfRun} steps, of the ${who}, ${name}, ${of(clients)}`,
        better: "less",
        unit: "ms",
        durability: durability[name]
      },
      found[who]
    )
  )
