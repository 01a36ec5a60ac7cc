/**
 * Kills a process at the first place of a path that is reached, then at the second, and so on, until a process
 * reaches the end of its work.
 *
 * The matrix names the places of a plain mutation. Paths that wait, ask again or hold a transaction open pass more
 * places, and some of them several times: here they are counted.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Report from "@backstitch/runtime/Report"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as Crew from "./Crew.ts"
import * as Desk from "./Desk.ts"
import * as Forward from "./Forward.ts"
import * as Job from "./Job.ts"
import * as Services from "./Services.ts"
import * as TravelPack from "./TravelPack.ts"
import * as Trial from "./Trial.ts"

/**
 * One death of a path: the number of the place, the resumption, whether the place was reached, and the claims that
 * failed.
 */
export interface Verdict {
  readonly nth: number
  readonly resumption: Trial.Resumption
  readonly killed: boolean
  readonly end: string
  readonly effects: number
  readonly problems: ReadonlyArray<string>
}

/** A path: its id and name, and the verdict on a death at its n-th place. */
export interface Path {
  readonly id: string
  readonly name: string
  readonly play: (
    at: { readonly nth: number; readonly resumption: Trial.Resumption; readonly store: Job.Store },
    crew: Crew.Crew
  ) => Promise<Omit<Verdict, "nth" | "resumption">>
}

/** A request that the world accepts and carries out later: its status is asked for, and the record settles it. */
export const accepted: Path = {
  id: "accepted",
  name: "a request that is accepted, and done later",
  play: async ({ nth, resumption, store }, crew) => {
    const death = { place: "any", nth, tool: "book_flight" } as const
    const armed = [{ tool: "book_flight", kind: "queued", times: 1, delayMillis: 400 }]
    const { effects, end, killed, problems } = await Trial.run(
      { death, armed, resumption, store, tenant: "sweep" },
      crew
    )
    return { effects, end, killed, problems: killed ? problems : [] }
  }
}

/**
 * A final card charge, with a messenger that refuses once and loses an answer: the kernel completes the remaining
 * steps.
 */
export const forward: Path = {
  id: "forward",
  name: "what remains behind a pivot, completed without the agent",
  play: async ({ nth, resumption, store }, crew) => {
    const faults = [{ kind: "refuse" }, { kind: "lost_response" }]
    const death = { place: "any", nth } as const
    const trial = { store, faults, silent: true, death, resumedBy: resumption === "two" ? 2 : 1 } as const
    const { charges, divergences, ended, killed, messages, remaining, report } = await Forward.run(trial, crew)
    const problems = [
      ...(messages.length === 1 && charges === 1 ? [] : [`${messages.length} messages of ${charges} charges`]),
      ...(remaining.length === 0 ? [] : [`${remaining.join(", ")} remains`]),
      ...(divergences === 0 ? [] : [`${divergences} ticks fold to another state`]),
      // If two processes resume at the same time, one may be told that the action is held which the other completes.
      ...(ended.some((end) => end === "Done") && ended.every((end) => end === "Done" || end === "Held")
        ? []
        : [`resumed processes ended with ${ended.join(", ")}`])
    ]
    return { killed, end: report.standing, effects: messages.length, problems }
  }
}

/**
 * A seat that is assigned in a local transaction: committed after it was verified inside, or aborted with its
 * process.
 */
export const transaction: Path = {
  id: "transaction",
  name: "a call that is held in a local transaction",
  play: async ({ nth, resumption, store }, crew) => {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-desk-"))
    const desk = join(folder, "desk.db")
    try {
      const job = { store, tenant: "sweep", times: TravelPack.brief, world: "", desk }
      const reports = await Trial.play(job, { crew, death: { place: "any", nth }, resumption })
      const [first, ...rest] = reports
      const seats = Desk.committed(desk)
      const told = await Effect.runPromise(
        standingsOf(Run.make("trip", "sweep")).pipe(
          Effect.scoped,
          Effect.provide(Services.layer(Job.storeLayer(store)), { local: true })
        )
      )
      const end = told.standings.join(", ")
      const isDone = told.standings.includes("success")
      const problems = [
        ...rest.flatMap(({ ended, signal }) =>
          ended?.startsWith("Crashed") || (ended ?? signal) === undefined
            ? [`a resumed process ended with ${ended}`]
            : []
        ),
        ...(seats.length > 1 ? [`${seats.length} commits`] : []),
        ...(isDone === (seats.length === 1) ? [] : [`${seats.length} commits are told as ${end}`]),
        ...(told.standings.every((standing) => standing === "success" || standing === "rolled_back")
          ? []
          : [`it ended as ${end}`]),
        ...(told.divergences > 0 ? [`${told.divergences} ticks fold to another state`] : [])
      ]
      return { killed: first?.signal === "SIGKILL", end, effects: seats.length, problems }
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** All paths. */
export const paths: ReadonlyArray<Path> = [accepted, transaction, forward]

/** More places than any path passes: a sweep that gets there does not end. */
const placesMax = 200

/**
 * Sweeps a path: a death at every place, or at every n-th place. The runs are resumed in turn by one process, by two
 * at once, and by one that is killed again.
 */
export const run = async (
  path: Path,
  {
    crew,
    every = 1,
    lanes = 3,
    storeOf
  }: {
    readonly crew: Crew.Crew
    readonly every?: number
    readonly lanes?: number
    readonly storeOf: (name: string) => Job.Store
  }
): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  const resumptions: ReadonlyArray<Trial.Resumption> = ["one", "two", "again"]
  let next = 1
  let isOver = false
  const lane = async (): Promise<void> => {
    while (!isOver && next <= placesMax) {
      const nth = next
      next += every
      const resumption = resumptions[nth % resumptions.length]!
      const verdict = await path.play({ nth, resumption, store: storeOf(`${path.id}-${nth}`) }, crew)
      verdicts.push({ nth, resumption, ...verdict })
      if (!verdict.killed) isOver = true
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return verdicts.toSorted((left, right) => left.nth - right.nth)
}

/** One line for each path: its deaths, and their outcomes. */
export const render = (path: Path, verdicts: ReadonlyArray<Verdict>): string => {
  const deaths = verdicts.filter(({ killed }) => killed)
  const ends = Map.groupBy(deaths, ({ effects, end }) => `${end} with ${effects} effect${effects === 1 ? "" : "s"}`)
  const told = [...ends].map(([end, those]) => `${those.length} ${end}`).toSorted()
  return `${path.name}: ${deaths.length} places, ${told.join("; ")}`
}

/** Lists the claims that failed, a line for each death. A path on which no process died has failed as well. */
export const broken = (path: Path, verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> => {
  const found = verdicts.flatMap(({ nth, problems, resumption }) =>
    problems.map((problem) => `${path.name}, place ${nth}, resumed by ${resumption}: ${problem}`)
  )
  if (!verdicts.some(({ killed }) => killed)) found.push(`${path.name}: nobody was killed`)
  if (verdicts.every(({ killed }) => killed)) found.push(`${path.name}: its end was not reached`)
  return found
}

const standingsOf = Effect.fnUntraced(function* (run: Run.Run) {
  const { divergences, misfit } = yield* StrictReplay.of(run)
  const { actions } = yield* Report.of(run)
  return {
    divergences: divergences.length + (misfit === undefined ? 0 : 1),
    standings: actions.map(({ standing }) => standing)
  }
})
