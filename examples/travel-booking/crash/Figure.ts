/**
 * The crash at step 4 of 7, with two continuations: the work is begun again from the first step, or the run is
 * resumed.
 *
 * An agent process is killed with SIGKILL after the airline has booked and before the agent has the answer. An agent
 * that begins again has no record and sends no key, as an agent without a ledger does. An agent that resumes
 * continues from the record. The world counts steps and effects in its own database. The cost of each is declared by
 * the contract, or reported by the agent.
 *
 * @source Crash Recovery, "Worked example"
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Amount from "@backstitch/contracts/Amount"
import * as Cost from "@backstitch/contracts/Cost"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as History from "@backstitch/runtime/History"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as World from "../world/World.ts"
import type * as Crew from "./Crew.ts"
import * as Job from "./Job.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Truth from "./Truth.ts"

/** The result of one continuation. */
export interface Column {
  /**
   * Number of times that each step was taken, by its name: tools as the world counts requests, thoughts as the traces
   * count them.
   */
  readonly steps: Readonly<Record<string, number>>
  /** Money by the prices of the contract. */
  readonly cost: string
  /** Rows that the world holds in the end. */
  readonly flights: number
  readonly owed: number
  readonly charged: number
  readonly ended: string
}

/** Both continuations, side by side. */
export interface Figure {
  readonly restart: Column
  readonly resume: Column
}

const times = { sendWithinMillis: 900, settleAfterMillis: 300, readWithinMillis: 2000 }
const tenant = "figure"
const death = { place: "effect/answered", nth: 1, tool: "book_flight" } as const
const money = "money.USD"
const tools = ["search_flights", "search_hotels", ...Truth.tools]

/** Kills the agent at step 4 in two worlds, and continues in both ways. */
export const run = async (crew: Crew.Crew): Promise<Figure> => ({
  restart: await goOn(crew, "restart"),
  resume: await goOn(crew, "resume")
})

const goOn = async (crew: Crew.Crew, way: "restart" | "resume"): Promise<Column> => {
  const folder = mkdtempSync(join(tmpdir(), "backstitch-figure-"))
  const world = await World.start({ settleAfterMillis: times.settleAfterMillis })
  try {
    const isKeyless = way === "restart"
    const storeOf = (name: string): Job.Store => ({ dialect: "sqlite", filename: join(folder, `${name}.db`) })
    // An agent that begins again has lost the record: its store is a new one.
    const stores = isKeyless ? [storeOf("first"), storeOf("second")] : [storeOf("first")]
    const jobs = stores.map((store) => ({ store, tenant, times, world: world.url, isKeyless }))
    const killed = await crew.mortal((worker) => worker.do({ ...jobs[0]!, death }))
    if (killed.signal !== "SIGKILL") throw new Error(`the agent was not killed: ${killed.ended ?? killed.signal}`)
    const { ended, signal } = await crew.immortals[0].do(jobs.at(-1)!)
    return { ...(await count(world.url, stores)), ended: ended ?? signal ?? "" }
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const count = async (world: string, stores: ReadonlyArray<Job.Store>): Promise<Omit<Column, "ended">> => {
  const truth = await Truth.read(world)
  const requests = truth["requests"] ?? []
  const thoughts = (await Promise.all(stores.map(thoughtsOf))).flat()
  const called = tools.map((tool): [string, number] => [tool, requests.filter((each) => each["tool"] === tool).length])
  const steps = Object.fromEntries([...called.slice(0, 2), ["compare", thoughts.length], ...called.slice(2)])
  const costs = [...called.map(([tool, count]) => multiple(priceOf(tool), count)), ...thoughts]
  const sum = (table: string, field: string) =>
    (truth[table] ?? []).reduce((total, row) => total + Number(row[field]), 0)
  return {
    steps,
    cost: String(costs.reduce(Amount.plus, "0")),
    flights: (truth["bookings"] ?? []).length,
    owed: sum("bookings", "price") + sum("stays", "price"),
    charged: sum("charges", "amount")
  }
}

/** Reads the cost of each thought of a run from its trace. */
const thoughtsOf = (store: Job.Store): Promise<ReadonlyArray<Amount.Amount>> =>
  Effect.gen(function* () {
    const history = yield* History.History
    const transitions = yield* history.transitions(Run.make("trip", tenant))
    return transitions.flatMap(({ body, stamp }) =>
      body.type === "plan.update" ? [Amount.of(stamp.spent ?? {}, money)] : []
    )
  }).pipe(Effect.scoped, Effect.provide(Services.layer(Job.storeLayer(store)), { local: true }), Effect.runPromise)

/** Reads the price of a call from the contract. */
const priceOf = (tool: string): Amount.Amount => {
  const { cost } = TaskPack.tool(TravelPack.under(times), tool)
  if (cost === undefined) return "0"
  return Amount.of(Result.getOrThrow(Cost.expected(cost, { args: {} })), money)
}

const multiple = (price: Amount.Amount, count: number): Amount.Amount =>
  Array.from({ length: count }, () => price).reduce(Amount.plus, "0")

/** Writes both columns as a table. */
export const render = ({ restart, resume }: Figure): string => {
  const total = ({ steps }: Column): number => Object.values(steps).reduce((sum, count) => sum + count, 0)
  const rows: ReadonlyArray<readonly [string, string | number, string | number]> = [
    ["crash at step 4 of 7", "restart", "resume"],
    ...Object.keys(restart.steps).map(
      (step) => [`  ${step}`, restart.steps[step] ?? 0, resume.steps[step] ?? 0] as const
    ),
    ["steps taken", total(restart), total(resume)],
    ["cost, USD", restart.cost, resume.cost],
    ["flights booked", restart.flights, resume.flights],
    ["owed to airline and hotel", restart.owed, resume.owed],
    ["charged to the card", restart.charged, resume.charged],
    ["ended", restart.ended, resume.ended]
  ]
  return rows
    .map(([name, ...cells]) => name.padEnd(28) + cells.map((cell) => String(cell).padStart(10)).join(""))
    .join("\n")
}
