/**
 * A cluster under siege: runs are begun on any node while nodes are killed, added, drained and paused, until every run
 * has ended.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import * as Assignments from "@backstitch/host/Assignments"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import type * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Client } from "pg"
import type * as TravelPack from "../crash/TravelPack.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as Fleet from "./Fleet.ts"
import * as Line from "./Line.ts"
import * as Verdict from "./Verdict.ts"

/** A blow to the cluster. */
export type Blow = "kill" | "pause" | "drain" | "add"

/** A siege: how many runs on how many nodes, and the blows, with the time between two of them. */
export interface Siege {
  readonly server: string
  readonly runs: number
  readonly nodes: number
  readonly blows: ReadonlyArray<Blow>
  readonly everyMillis: number
  readonly shardLockMillis: number
  /** The time for which the agent thinks before each step: runs that are soon over are hardly besieged. */
  readonly thinkMillis?: number | undefined
  readonly tell?: ((text: string) => void) | undefined
}

/**
 * The report: the verdict, the time until the last commit, for each lost node how long its runs stood still, the
 * shortest first, and the blows that were struck before every run had ended.
 */
export interface Report extends Verdict.Verdict {
  readonly millis: number
  readonly takeovers: ReadonlyArray<ReadonlyArray<number>>
  readonly blows: number
}

/** Long enough that a busy machine does not miss them. */
const times: TravelPack.Times = { sendWithinMillis: 4000, settleAfterMillis: 500, readWithinMillis: 20_000 }

/** Runs that have not ended by then are judged as they are. */
const endsWithinMillis = 300_000

/** Besieges a cluster over a new database and a new world. */
export const run = async (siege: Siege): Promise<Report> => {
  const { server, shardLockMillis, tell = () => {}, thinkMillis = 0 } = siege
  const database = await newDatabase(server)
  const world = await WorldProcess.start({ capacity: 2 * siege.runs, settleAfterMillis: times.settleAfterMillis })
  const fleet = new Fleet.Fleet({ url: database.url, world: world.url, times, shardLockMillis, thinkMillis })
  const assignments = ManagedRuntime.make(SqlNotes.layerPostgres({ url: database.url }))
  const tenants = Array.from({ length: siege.runs }, (_, index) => `siege-${index + 1}`)
  try {
    await fleet.add()
    await Promise.all(Array.from({ length: siege.nodes - 1 }, () => fleet.add()))
    const begun = performance.now()
    const starting = Promise.all(tenants.map((tenant) => start(fleet, tenant)))
    const { deaths, struck } = await strike(fleet, siege, () => isOver(assignments, tenants))
    await starting
    tell(`every run was begun, and ${deaths.length} nodes were lost`)
    await until(() => isOver(assignments, tenants))
    const millis = Math.max(...fleet.acknowledged.map(({ at }) => at)) - begun
    await Promise.all([...fleet.nodes].map((node) => node.drain()))
    const verdict = await Verdict.judge(tenants, {
      store: database.url,
      world: world.url,
      acknowledged: fleet.acknowledged
    })
    return { ...verdict, millis, takeovers: takeovers(fleet.acknowledged, deaths), blows: struck }
  } finally {
    await fleet.close()
    await assignments.dispose()
    await world.kill()
    await database.drop()
  }
}

/** Begins a run on any node, and on another one if that goes away before it has answered. */
const start = async (fleet: Fleet.Fleet, tenant: string): Promise<void> => {
  for (;;) {
    const problem = await fleet.any().start(tenant)
    if (problem === undefined) return
    await sleep(100)
  }
}

/** A node that was lost, and when. */
interface Death {
  readonly node: Fleet.Node
  readonly at: number
}

const strike = async (
  fleet: Fleet.Fleet,
  { blows, everyMillis, shardLockMillis, tell = () => {} }: Siege,
  isDone: () => Promise<boolean>
): Promise<{ readonly deaths: ReadonlyArray<Death>; readonly struck: number }> => {
  const deaths: Array<Death> = []
  let struck = 0
  const waking: Array<Promise<void>> = []
  for (const blow of blows) {
    await sleep(everyMillis)
    if (await isDone()) break
    struck++
    const node = fleet.any()
    tell(`${blow} ${blow === "add" ? "a node" : node.name}, at ${fleet.acknowledged.length} commits`)
    if (blow === "kill") {
      deaths.push({ node, at: performance.now() })
      await fleet.kill(node)
      await fleet.add()
    } else if (blow === "drain") {
      fleet.nodes.delete(node)
      await Promise.all([node.drain(), fleet.add()])
    } else if (blow === "pause") {
      node.signal("SIGSTOP")
      fleet.nodes.delete(node)
      deaths.push({ node, at: performance.now() })
      waking.push(
        sleep(2 * shardLockMillis).then(() => {
          fleet.nodes.add(node)
          node.signal("SIGCONT")
        })
      )
    } else await fleet.add()
  }
  await Promise.all(waking)
  return { deaths, struck }
}

/** Tells whether the assignment of every run is closed. Nodes are not asked: some died before they could say so. */
const isOver = (
  assignments: ManagedRuntime.ManagedRuntime<Notes.Notes, unknown>,
  tenants: ReadonlyArray<string>
): Promise<boolean> =>
  assignments.runPromise(
    Effect.map(
      Effect.forEach(tenants, (tenant) => Assignments.find(Run.make(Line.run, tenant))),
      (found) => found.every((assignment) => assignment?.ending !== undefined)
    )
  )

const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + endsWithinMillis
  while (performance.now() < deadline && !(await isDone())) await sleep(200)
}

/** For each lost node, and each run that it was the last to work on: the time until another node committed to it. */
const takeovers = (
  acknowledged: ReadonlyArray<Fleet.Acknowledged>,
  deaths: ReadonlyArray<Death>
): ReadonlyArray<ReadonlyArray<number>> =>
  deaths.flatMap(({ at, node }) => {
    const found: Array<number> = []
    for (const tenant of new Set(acknowledged.filter((each) => each.node === node).map((each) => each.tenant))) {
      const own = acknowledged.filter((each) => each.tenant === tenant)
      const before = own.findLast((each) => each.at <= at)
      const after = own.find((each) => each.at > at && each.node !== node)
      if (before?.node === node && after !== undefined) found.push(after.at - at)
    }
    return found.length === 0 ? [] : [found.sort((one, other) => one - other)]
  })

/** A database of its own on a server. */
const newDatabase = async (server: string): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> => {
  const name = `siege_${randomBytes(6).toString("hex")}`
  const execute = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await execute(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => execute(`drop database if exists ${name} with (force)`) }
}
