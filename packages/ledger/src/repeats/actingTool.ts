/**
 * Reads from the name of a tool whether it acts on somebody: it sends, charges, publishes. Names are a hint, and prove
 * nothing. A name may stand behind those of its server: `mcp__stripe__create_charge`.
 *
 * Tools that leave the world as it is when they are called again, such as `deploy` and `delete_file`, are none: a
 * second call has no second effect, and is often meant.
 */

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const acts = set(
  "book buy charge deposit disburse donate email invite mail notify order pay publish purchase refund remit reserve " +
    "sell send ship submit transfer tweet wire withdraw"
)

const makes = set("add create execute initiate issue make place post")

const things = set(
  "booking charge email invoice message order payment payout purchase refund reservation sms ticket trade transfer"
)

/** Ways on which a thing goes to somebody: `bank_transfer`, `twilio_sms`. */
const ways = set("bank card cash email money payment paypal slack sms stripe twilio wire")

/** Words of a tool that looks something up, or works on a machine and nobody else. */
const others = set(
  "calculate check command count details draft estimate export fetch find get history info input key keys list " +
    "lookup policy preview query quote read report search show signal status template track validate verify view"
)

const takes = set("cancel delete refund remove revert undo void")

/** Tells whether the name of a tool says that it acts on somebody: `send_email`, `createPayment`. */
export const isActing = (tool: string): boolean => {
  const all = wordsOf(tool)
  const own = wordsOf(tool.split(/__|[./:]/).findLast((part) => part !== "") ?? "")
  const [first = ""] = own
  const [begin = ""] = all
  if (own.some((word) => others.has(word))) return false
  if (acts.has(first) || acts.has(begin)) return true
  const isThing = (word: string): boolean => things.has(word) || things.has(word.replace(/s$/, ""))
  if (own.some((word) => makes.has(word))) return all.some(isThing)
  return own.length > 1 && ways.has(first) && own.slice(1).some((word) => acts.has(word) || isThing(word))
}

/** Tells whether the name of a tool says that it takes something back: `cancelBooking`. */
export const isTakingBack = (tool: string): boolean => wordsOf(tool).some((word) => takes.has(word))
