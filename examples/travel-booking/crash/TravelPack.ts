/**
 * The contract of the example with shorter times, so that trials wait for tenths of seconds instead of seconds.
 *
 * Everything but `sendWithin`, `settleAfter` and the deadline of the readback is read from pack.yaml as it is.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Result from "effect/Result"

/** Times of every mutation of the contract. */
export interface Times {
  readonly sendWithinMillis: number
  readonly settleAfterMillis: number
  readonly readWithinMillis: number
}

/**
 * A pack with another pivot: the message to the traveller, or the charge. After the pivot the traveller is told in
 * any case, by the kernel if the agent does not tell. With `isRevisable`, the traveller may revise the goal while the
 * agent works.
 */
export interface Variation {
  readonly pivot?: "send_confirmation" | "charge_card" | undefined
  readonly isRevisable?: boolean | undefined
}

const pivots = {
  send_confirmation: "pivot: [send_confirmation]",
  charge_card: `pivot: [charge_card]
    forward:
      - tool: send_confirmation
        with:
          to: "'anna@example.com'"
          template: "'trip_confirmed'"
          body: "'Booked and paid: ' + working.chosen.flight + ', ' + working.chosen.hotel"
        within: 8000ms
        poll: { first: 200ms, max: 1s }`
} as const

/** Passages of a revisable pack: each booking names the day on which it rests, and what is cancelled is gone. */
const revisable: ReadonlyArray<readonly [string, string]> = [
  ["tools:\n", "revisions: { rule: dependency_closure }\ntools:\n"],
  [
    '"world.stays.all(stay, world.stays[stay].from == clause.date)"',
    `"world.stays.all(stay, world.stays[stay].status == 'cancelled' || world.stays[stay].from == clause.date)"`
  ],
  [
    "assumes: [max_total, traveller, date]",
    "assumes: { max_total: world.spent <= clause.max_total, traveller: args.traveller == clause.traveller, " +
      "date: args.flight.endsWith(clause.date) }"
  ],
  [
    "assumes: [max_total, date, nights]",
    "assumes: { max_total: world.spent <= clause.max_total, date: args.from == clause.date, " +
      "nights: args.nights == clause.nights }"
  ]
]

/** Replaces each passage, which has to be there. */
const replaced = (text: string, passages: ReadonlyArray<readonly [string, string]>): string =>
  passages.reduce((rest, [from, to]) => {
    if (!rest.includes(from)) throw new Error(`The pack does not say: ${from}`)
    return rest.replace(from, to)
  }, text)

/** Short enough to wait for; long enough to read a record back on a machine that is busy. */
export const brief: Times = { sendWithinMillis: 900, settleAfterMillis: 300, readWithinMillis: 10_000 }

const file = fileURLToPath(new URL("../pack.yaml", import.meta.url))
const packs = new Map<string, TaskPack.TaskPack>()

/** The contract under given times. */
export const under = (
  times: Times,
  { isRevisable = false, pivot = "send_confirmation" }: Variation = {}
): TaskPack.TaskPack => {
  const name = JSON.stringify([times, pivot, isRevisable])
  const known = packs.get(name)
  if (known !== undefined) return known
  const text = readFileSync(file, "utf8")
    .replaceAll(
      /sendWithin: \w+, settleAfter: \w+/g,
      `sendWithin: ${times.sendWithinMillis}ms, settleAfter: ${times.settleAfterMillis}ms`
    )
    .replaceAll(/within: \d+s/g, `within: ${times.readWithinMillis}ms`)
    .replace("pivot: [send_confirmation]", pivots[pivot])
  const own = isRevisable ? replaced(text, revisable) : text
  const pack = Result.getOrThrow(PackFile.parse(own, { file, read: (path) => readFileSync(path, "utf8") }))
  packs.set(name, pack)
  return pack
}
