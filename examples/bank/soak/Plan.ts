/** The plan of one trial, drawn from its seed: the number of runs and processes, and their faults. */
import * as Random from "../world/Random.ts"

/** The faults of a trial. */
export interface Plan {
  readonly seed: number
  /** `more`: the bank declines the last bill, and the earlier payments are reversed. */
  readonly errand: "pay" | "more"
  /** Two runs are twins: runs of the same goal, begun at the same moment in one store. */
  readonly runs: 1 | 2
  /** Processes at a time on each run. */
  readonly processes: 1 | 2 | 3
  /** The probability that a request to the bank goes wrong. */
  readonly trouble: number
  readonly chaosMillis: number
  /** The longest time between two kills. */
  readonly killWithinMillis: number
  readonly stops: boolean
  readonly leaps: boolean
  /** SQLite: writes of some processes fail as on a full disk. */
  readonly full: boolean
  /** Postgres: connections are cut now and then. */
  readonly cuts: boolean
  /** Postgres: the server is killed and started again. */
  readonly outage: boolean
  /** Every run is exported and imported into another store before its last resumption. */
  readonly moves: boolean
}

/** Draws the plan of a seed. */
export const make = (seed: number, store: "sqlite" | "postgres"): Plan => {
  const random = Random.make(seed)
  const isSqlite = store === "sqlite"
  return {
    seed,
    errand: random.pick(["pay", "more"]),
    runs: random.chance(0.25) ? 2 : 1,
    processes: random.pick([1, 2, 3]),
    trouble: random.pick([0, 0.1, 0.3]),
    chaosMillis: random.between(3_000, 8_000),
    killWithinMillis: random.pick([400, 900, 2_000]),
    stops: random.chance(0.3),
    leaps: random.chance(0.3),
    full: isSqlite && random.chance(0.2),
    cuts: !isSqlite && random.chance(0.4),
    outage: !isSqlite && random.chance(0.2),
    moves: isSqlite && random.chance(0.2)
  }
}

/** Names the parts of a plan on one line. */
export const render = (plan: Plan): string => {
  const { errand, processes, runs, trouble } = plan
  const befalls = (["stops", "leaps", "full", "cuts", "outage", "moves"] as const).filter((name) => plan[name])
  const trials = `${runs === 2 ? "twins" : "one run"}, ${processes} ${processes === 1 ? "process" : "processes"}`
  return [trials, errand, `trouble ${trouble}`, ...befalls].join(", ")
}
