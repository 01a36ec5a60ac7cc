/**
 * One trial: processes that pay bills are killed, stopped and cut off at random. Then the faults stop, the open
 * actions are settled, and the judge compares the reports with the books.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as Random from "../world/Random.ts"
import * as Account from "./Account.ts"
import * as Judge from "./Judge.ts"
import type { Plan } from "./Plan.ts"
import * as Program from "./Program.ts"

/** The result of a trial. */
export interface Result {
  readonly plan: Plan
  readonly processes: number
  readonly kills: number
  readonly violations: ReadonlyArray<string>
}

/** Faults of the store: Postgres may be cut off and killed. */
export interface Store {
  readonly address: string
  readonly tenant: string
  readonly cut?: (() => void) | undefined
  readonly outage?: (() => Promise<void>) | undefined
}

const hour = 3_600_000
const roundsMax = 25

/** Resumptions in a row that find nothing open and only tell the failure again: then the run is over. */
const repeatsMax = 2

/** Runs a trial in a folder of its own. */
export const run = async (
  plan: Plan,
  about: { readonly folder: string; readonly program: string; readonly store: Store }
): Promise<Result> => {
  const { folder, program, store } = about
  mkdirSync(folder, { recursive: true })
  const bank = await Program.bank(join(folder, "bank.db"), plan.seed)
  const { address, tenant } = store
  const place = { bank: bank.url, errand: plan.errand, folder, program, store: address, tenant }
  try {
    await bank.trouble(plan.trouble)
    const { kills, processes } = await befall(plan, place, store)
    await bank.trouble(0)
    const last = plan.moves ? await moved(plan, place) : place
    const names = runsOf(plan)
    for (const name of names) await settle(last, name, bank)
    const accounts: Array<Judge.Account> = []
    for (const name of names) accounts.push(await Account.read(last, name))
    return { kills, plan, processes, violations: Judge.judge(accounts, await bank.books()) }
  } finally {
    await bank.stop()
  }
}

const runsOf = ({ runs }: Plan): ReadonlyArray<string> => (runs === 2 ? ["bills-a", "bills-b"] : ["bills-a"])

/** Keeps processes running on every run, and stops or kills them, until the time is over. */
const befall = async (plan: Plan, place: Program.Place, store: Store) => {
  const random = Random.make(plan.seed ^ 0x5eed)
  const living = new Set<ReturnType<typeof Program.start>["child"]>()
  const until = Date.now() + plan.chaosMillis
  const isOn = () => Date.now() < until
  let [processes, kills] = [0, 0]
  const fate = (): Program.Fate => ({
    fileKiB: plan.full && random.chance(0.4) ? random.between(40, 400) : undefined,
    leaps:
      plan.leaps && random.chance(0.6)
        ? `${random.between(50, 1_500)}:${random.pick([-3, -1, 1, 5]) * hour},${random.between(500, 3_000)}:${random.pick([-1, 1]) * hour}`
        : undefined
  })
  const keepGoing = async (name: string): Promise<void> => {
    for (let begun = false; isOn(); begun = true) {
      const words = begun ? ["resume", name] : ["run", name]
      const { child, ended } = Program.start(place, [...words, "--agent", Program.agent], fate())
      processes++
      living.add(child)
      await ended
      living.delete(child)
      await pause(random.between(5, 80))
    }
  }
  const strike = async (): Promise<void> => {
    while (isOn()) {
      await pause(random.between(20, plan.killWithinMillis))
      const victim = [...living][random.between(0, Math.max(0, living.size - 1))]
      if (victim === undefined || victim.pid === undefined) continue
      if (plan.stops && random.chance(0.3)) {
        victim.kill("SIGSTOP")
        await pause(random.between(200, 1_500))
        victim.kill("SIGCONT")
      } else if (victim.kill("SIGKILL")) kills++
      if (plan.cuts && random.chance(0.5)) store.cut?.()
    }
  }
  const fail = async (): Promise<void> => {
    if (!plan.outage) return
    await pause(random.between(500, plan.chaosMillis - 1_000))
    await store.outage?.()
  }
  const crews = runsOf(plan).flatMap((name) => Array.from({ length: plan.processes }, () => keepGoing(name)))
  const reaper = async (): Promise<void> => {
    // Processes that are still running when the time is over are ended.
    while (isOn()) await pause(50)
    for (const child of living) {
      child.kill("SIGCONT")
      if (child.kill("SIGKILL")) kills++
    }
  }
  await Promise.all([...crews, strike(), fail(), reaper()])
  return { kills, processes }
}

/** Moves every run to another store, as a person does who moves to another machine. */
const moved = async (plan: Plan, place: Program.Place): Promise<Program.Place> => {
  const next = { ...place, store: join(place.folder, "moved.db") }
  for (const name of runsOf(plan)) {
    const file = join(place.folder, `${name}.trace.gz`)
    const { code } = await Program.run(place, ["export", name, "--out", file])
    if (code === 0) await Program.run(next, ["import", file])
  }
  // An export brings keys without a fingerprint. The secret is the same, and `--accept` says so.
  await Program.run(next, ["secret", "--accept"])
  return next
}

/** Resumes a run until it needs no decision any more. A person looks up each letter with an unknown outcome. */
const settle = async (place: Program.Place, name: string, bank: Program.Bank): Promise<void> => {
  let repeats = 0
  for (let round = 0; round < roundsMax; round++) {
    const { code, err, out } = await Program.run(place, ["resume", name, "--agent", Program.agent])
    repeats = /^RESUME: .*open=0/m.test(out) && /^FAILED/m.test(out) ? repeats + 1 : 0
    if (code === 0 || repeats === repeatsMax) return
    if (/no run|There is no store/i.test(err)) {
      await Program.run(place, ["run", name, "--agent", Program.agent])
      continue
    }
    const held = out.match(/resolve \S+ (a\d+)/)?.[1]
    if (held !== undefined) await decide(place, { action: held, bank, name })
    await pause(400)
  }
}

/** Looks up an action at the bank, as a person does, and resolves it with the answer. */
const decide = async (
  place: Program.Place,
  { action, bank, name }: { readonly action: string; readonly bank: Program.Bank; readonly name: string }
): Promise<void> => {
  const { actions, waitsFor } = await Account.read(place, name)
  const told = actions.find((each) => each.action === action)
  const settled = async (as: string, ...more: ReadonlyArray<string>): Promise<void> => {
    const words = ["resolve", name, action, "--as", as, "--evidence", "asked at the counter", "--by", "Ada", ...more]
    await Program.run(place, words)
  }
  // An act on which the other run relies stays as it is: its reversal is settled as failed.
  if (waitsFor.some((why) => why.startsWith(`${action}: `) && why.includes("relies on it"))) return settled("failure")
  if (told?.tool !== "letter") return
  const record = (await bank.books()).letters[0]
  if (record === undefined) return settled("failure")
  const file = join(place.folder, "letter.json")
  writeFileSync(file, JSON.stringify(record))
  return settled("success", "--record", file)
}
