/**
 * Compares the traces of a trial with the books of the bank.
 *
 * The judge uses neither our code nor the events of the trial. It reads documents of the command line and the books,
 * and asks:
 *
 * 1. Is every act done once? One standing transfer for each bill, and at most as many letters as the record says were
 *   sent.
 * 2. Is every report true? A success is on the books, a reversed transfer is reversed, and an action that failed or
 *   never began is not on the books.
 * 3. Does a run account for every entry of the books?
 * 4. Does every trace verify, and has every run ended?
 * 5. Does each run that has reached its goal believe the amounts that the books show, including the acts of its twin?
 */
import type { Everything, Transfer } from "../world/Books.ts"

/** One action, as `report --json` describes it, with the facts about its call from `show --json`. */
export interface Told {
  readonly run: string
  readonly action: string
  readonly tool: string
  readonly standing: string
  readonly say: string
  readonly key: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** Number of times that it was sent, by the record: `action.started`. */
  readonly starts: number
}

/** The books of a run. */
export interface Account {
  readonly run: string
  readonly verified: boolean
  readonly verdict: string
  readonly settled: boolean
  readonly waitsFor: ReadonlyArray<string>
  /** The sum that the run believes to have been paid, if it has reached its goal. */
  readonly paid: number | undefined
  readonly actions: ReadonlyArray<Told>
}

/** Lists every difference between the reports and the books. */
export const judge = (accounts: ReadonlyArray<Account>, books: Everything): ReadonlyArray<string> => [
  ...accounts.flatMap(({ run, settled, verdict, verified, waitsFor }) => [
    ...(verified ? [] : [`${run} does not verify: ${verdict}`]),
    ...(settled ? [] : [`${run} comes to no end: ${waitsFor.join("; ")}`])
  ]),
  ...twice(books),
  ...accounts.flatMap(({ paid, run }) => astray(run, paid, books)),
  ...accounts.flatMap(({ actions }) => actions.flatMap((told) => untrue(told, books))),
  ...unaccounted(accounts, books),
  ...letters(accounts, books)
]

const bill = ({ amount, source, target }: Transfer): string => `${source} to ${target}, ${amount}`

const twice = ({ transfers }: Everything): ReadonlyArray<string> => {
  const standing = transfers.filter(({ status }) => status === "booked").map(bill)
  return [...new Set(standing)].flatMap((each) => {
    const count = standing.filter((other) => other === each).length
    return count > 1 ? [`paid ${count} times: ${each}`] : []
  })
}

const astray = (run: string, paid: number | undefined, { transfers }: Everything): ReadonlyArray<string> => {
  const booked = transfers.reduce((sum, { amount, status }) => (status === "booked" ? sum + amount : sum), 0)
  return paid === undefined || paid === booked ? [] : [`${run} believes that ${paid} is paid, and ${booked} is booked`]
}

const done = new Set(["success", "verified_in_part"])
const undone = new Set(["compensated", "absent"])
const nothing = new Set(["failure", "not_attempted"])

const untrue = (told: Told, { reversals, transfers }: Everything): ReadonlyArray<string> => {
  const name = `${told.action} of ${told.run} (${told.tool})`
  const wrong = (found: string) => [`${name} is told as ${told.standing} ("${told.say}"), and ${found}`]
  if (told.tool === "transfer") {
    const booked = transfers.find(({ key }) => key === told.key)
    if (done.has(told.standing) && booked === undefined) return wrong("the bank has no such transfer")
    if (undone.has(told.standing) && booked?.status === "booked") return wrong("the transfer stands")
    if (nothing.has(told.standing) && booked?.status === "booked") return wrong("the bank has booked it")
  }
  if (told.tool === "reverse") {
    const booked = transfers.find(({ id }) => id === told.params["transfer"])
    const reversal = reversals.find(({ key, transfer }) => key === told.key || transfer === told.params["transfer"])
    if (done.has(told.standing) && reversal === undefined) return wrong("the bank has no such reversal")
    if (done.has(told.standing) && booked?.status === "booked") return wrong("the transfer stands")
  }
  return []
}

/** An entry of the books that no run reports, under its key. */
const unaccounted = (accounts: ReadonlyArray<Account>, { reversals, transfers }: Everything): ReadonlyArray<string> => {
  const keys = new Set(accounts.flatMap(({ actions }) => actions.map(({ key }) => key)))
  return [...transfers, ...reversals].flatMap(({ id, key }) =>
    keys.has(key) ? [] : [`${id} is on the books, and no run accounts for it`]
  )
}

/**
 * Checks letters, which have no keys: at most as many may exist as the record says were sent, and each that is
 * reported as sent has to exist.
 */
const letters = (accounts: ReadonlyArray<Account>, books: Everything): ReadonlyArray<string> => {
  const told = accounts.flatMap(({ actions }) => actions.filter(({ tool }) => tool === "letter"))
  const sent = told.reduce((sum, { starts }) => sum + starts, 0)
  const claimed = told.filter(({ standing }) => done.has(standing) || standing === "unverified").length
  const found = books.letters.length
  const failed = told.filter(({ standing }) => nothing.has(standing)).length
  return [
    ...(found > sent ? [`${found} letters were posted, and ${sent} are on record`] : []),
    ...(found < claimed ? [`${claimed} letters are told as sent, and the bank has ${found}`] : []),
    ...(found > told.length - failed
      ? [`${failed} of ${told.length} letters are told as not sent, and the bank has ${found}`]
      : [])
  ]
}
