/**
 * A server under outages: callers begin runs and follow them, while the server is killed with SIGKILL and its Postgres
 * is restarted or killed, until every run has ended.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as SqlApiKeys from "@backstitch/sql/SqlApiKeys"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import { freePort } from "../../../tooling/src/freePort.ts"
import { ServerProcess } from "../../../tooling/src/serverProcess.ts"
import * as Verdict from "../cluster/Verdict.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import { Caller, type Experience } from "./Caller.ts"

/** A blow: the server is killed, or its database ends in order or by SIGKILL and is started again. */
export type Blow = "kill" | "restart" | "crash"

/** Callers that work at the same time, each on one run after another, and the blows, with the time between two. */
export interface Outage {
  readonly store: string
  /** The server is a node of a cluster. */
  readonly isNode?: boolean | undefined
  readonly callers: number
  readonly blows: ReadonlyArray<Blow>
  readonly everyMillis: number
  /** Ends the database, and starts it again after a while. */
  readonly restart?: ((how: "restart" | "crash", downMillis: number) => Promise<void>) | undefined
  readonly tell?: ((text: string) => void) | undefined
}

/** The verdict, with what the callers went through. */
export interface Report extends Verdict.Verdict {
  readonly runs: number
  /** Keys whose making was acknowledged, and those of them that the server still recognises. */
  readonly keys: number
  readonly recognised: number
  readonly reopened: number
  readonly putOff: ReadonlyMap<number, number>
}

const agent = fileURLToPath(new URL("../agent.ts", import.meta.url))

/** A database that is down for longer than a store tries again by itself. */
const downMillis = 1500

/** Begins runs in a new world until the blows are over, and judges them once they have ended. */
export const run = async (outage: Outage): Promise<Report> => {
  const { blows, callers, everyMillis, isNode = false, restart, store, tell = () => {} } = outage
  const world = await WorldProcess.start({ capacity: 1000, settleAfterMillis: 300 })
  const keys = ManagedRuntime.make(SqlApiKeys.layerFromAddress(store))
  const node = isNode ? { BACKSTITCH_CLUSTER: `127.0.0.1:${await freePort()}` } : {}
  const environment = { WORLD_URL: world.url, ...node }
  const server = new ServerProcess({ store, port: await freePort(), agents: { travel: agent }, environment })
  const experiences: Array<Experience> = []
  const tenants: Array<string> = []
  let isOver = false
  try {
    await server.start()
    const work = async (): Promise<void> => {
      while (!isOver) {
        const tenant = `outage-${tenants.length + 1}`
        tenants.push(tenant)
        const caller = new Caller(server.address, tenant, await keys.runPromise(keyOf(tenant)))
        experiences.push(caller)
        await caller.work()
      }
    }
    const working = Promise.all(Array.from({ length: callers }, work))
    for (const blow of blows) {
      await sleep(everyMillis)
      tell(`${blow}, at ${experiences.reduce((sum, { seen }) => sum + seen.length, 0)} events`)
      if (blow === "kill") {
        await server.end("SIGKILL")
        await server.start()
      } else await restart?.(blow, downMillis)
    }
    isOver = true
    await working
    const summary = summed(experiences)
    const recognised = await recognisedOf(server.address, experiences)
    await server.end("SIGTERM")
    const acknowledged = experiences.flatMap(({ seen }) => seen)
    const verdict = await Verdict.judge(tenants, { store, world: world.url, acknowledged })
    const problems = [...verdict.problems, ...experiences.flatMap((each) => each.problems)]
    const lost = summary.keys - recognised
    if (lost > 0) problems.push(`${lost} keys whose making was acknowledged are not recognised`)
    if (/nobody foresaw/.test(server.log))
      problems.push(`the server met what nobody foresaw: ${server.log.slice(0, 3000)}`)
    return { ...verdict, ...summary, problems, recognised, runs: tenants.length }
  } finally {
    await server.end("SIGKILL")
    await keys.dispose()
    await world.kill()
  }
}

/** Makes the key of a tenant, once the database is there. */
const keyOf = (tenant: string) =>
  CallerKeys.create({ tenant: Run.make("any", tenant).tenant, name: tenant, role: "admin", capacities: [] }).pipe(
    Effect.retry(Schedule.spaced(100)),
    Effect.map(({ text }) => text)
  )

/** The number of acknowledged keys that the server recognises. */
const recognisedOf = async (address: string, experiences: ReadonlyArray<Experience>): Promise<number> => {
  const answers = await Promise.all(
    experiences
      .flatMap(({ keys }) => keys)
      .map((key) => fetch(`${address}/v1/caller`, { headers: { authorization: `Bearer ${key}` } }))
  )
  return answers.filter(({ status }) => status === 200).length
}

const summed = (experiences: ReadonlyArray<Experience>) => {
  const putOff = new Map<number, number>()
  for (const each of experiences) {
    for (const [status, count] of each.putOff) putOff.set(status, (putOff.get(status) ?? 0) + count)
  }
  return {
    keys: experiences.reduce((sum, { keys }) => sum + keys.length, 0),
    reopened: experiences.reduce((sum, { reopened }) => sum + reopened, 0),
    putOff
  }
}
