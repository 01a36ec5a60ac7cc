/** The crash matrix: every place of the commit path, times every tool that changes the world. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as FaultPoint from "@backstitch/runtime/FaultPoint"
import type * as Crew from "./Crew.ts"
import type * as Job from "./Job.ts"
import * as Trial from "./Trial.ts"
import * as Truth from "./Truth.ts"

/** A place of the commit path, and the number of times that it is reached. */
export interface Moment {
  readonly place: FaultPoint.PointName
  readonly nth: number
  readonly meaning: string
}

const moment = (place: FaultPoint.PointName, nth: number, meaning: string): Moment => ({ place, nth, meaning })

/**
 * Every moment of a mutation, in order. A question about the key is asked only if the answer was lost. The outcome
 * has a commit of its own if the next intent comes late, as it does in these trials.
 */
export const moments: ReadonlyArray<Moment> = [
  moment("propose/decided", 1, "allowed, and nothing is written"),
  moment("append/before", 1, "about to write intent and key"),
  moment("append/committed", 1, "intent and key are durable"),
  moment("effect/before", 1, "about to send"),
  moment("effect/answered", 1, "the world has acted, nobody knows"),
  moment("status/before", 1, "the answer was lost, about to ask"),
  moment("status/answered", 1, "asked, in memory"),
  moment("propose/decided", 2, "the answer is in memory"),
  moment("readback/before", 1, "about to read back"),
  moment("readback/answered", 1, "read back, in memory"),
  moment("propose/decided", 3, "reconciled, in memory"),
  moment("settle/staged", 1, "settled and told, in memory"),
  moment("settle/due", 1, "nothing followed, about to write the outcome"),
  moment("append/before", 2, "writing the outcome"),
  moment("append/committed", 2, "the outcome is durable")
]

/** The choice of trials. */
export interface Plan {
  readonly moments: ReadonlyArray<Moment>
  readonly tools: ReadonlyArray<Truth.Mutation>
  readonly resumptions: ReadonlyArray<Trial.Resumption>
  readonly isKeyless?: boolean
}

/** Runs trials on SQLite, with a file each, or on Postgres, with a tenant each; a few at the same time. */
export const run = async (
  plans: ReadonlyArray<Plan>,
  options: {
    readonly postgres?: { readonly url: string; readonly schema: string } | undefined
    readonly crew: Crew.Crew
    readonly lanes?: number
    /** The prefix of tenants: no two matrices share one on the same store. */
    readonly tenants?: string
    readonly progress?: (done: number, of: number) => void
  }
): Promise<ReadonlyArray<Trial.Verdict>> => {
  const folder = mkdtempSync(join(tmpdir(), "backstitch-crash-"))
  const storeOf = (tenant: string): Job.Store =>
    options.postgres === undefined
      ? { dialect: "sqlite", filename: join(folder, `${tenant}.db`) }
      : { dialect: "postgres", ...options.postgres }
  const trials = plans.flatMap((plan) =>
    plan.moments.flatMap(({ nth, place }) =>
      plan.tools.flatMap((tool) =>
        plan.resumptions.map((resumption) => {
          const { isKeyless = false } = plan
          return { death: { place, nth, tool }, resumption, isKeyless }
        })
      )
    )
  )
  const verdicts: Array<Trial.Verdict> = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < trials.length; index = next++) {
      const tenant = `${options.tenants ?? "trial"}-${index}`
      const trial = trials[index]!
      verdicts[index] = await Trial.run({ ...trial, tenant, store: storeOf(tenant) }, options.crew)
      options.progress?.(verdicts.filter(Boolean).length, trials.length)
    }
  }
  try {
    await Promise.all(Array.from({ length: options.lanes ?? 4 }, lane))
    return verdicts
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * The table of verdicts: a row for each moment, a column for each tool, and in a cell the effects that the world
 * counted after each resumption. `h` marks a held run, `!` a claim that failed.
 */
export const render = (verdicts: ReadonlyArray<Trial.Verdict>): string => {
  const cell = (at: Moment, tool: Truth.Mutation): string =>
    verdicts
      .filter(({ trial: { death } }) => death.place === at.place && death.nth === at.nth && death.tool === tool)
      .map(({ effects, end, problems }) => `${effects}${end === "held" ? "h" : ""}${problems.length > 0 ? "!" : ""}`)
      .join(" ")
  const rows = moments.map((at) => [
    `${at.place}${at.nth > 1 ? ` (${at.nth})` : ""}`,
    at.meaning,
    ...Truth.tools.map((tool) => cell(at, tool))
  ])
  const all = [["killed at", "where that is", ...Truth.tools], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join("   ")
        .trimEnd()
    )
    .join("\n")
}

/** Lists the claims that failed, a line for each trial. */
export const broken = (verdicts: ReadonlyArray<Trial.Verdict>): ReadonlyArray<string> =>
  verdicts.flatMap(({ problems, trial: { death, resumption } }) =>
    problems.map((problem) => `${death.tool}, ${death.place} ${death.nth}, resumed by ${resumption}: ${problem}`)
  )
