/**
 * Recognises calls that may be the same act although their arguments differ, where no contract names the identity.
 *
 * A heuristic, and a cautious one. Only two kinds of arguments may differ: text that comments on an act, such as a
 * note, and what a sender makes anew for each request, such as a request's own id. Everything else has to be equal,
 * and enough of it has to tell acts apart: one name of a thing, such as an order, or two values, of which one is a
 * number or an address. Whom or where an act concerns does not tell it from another one.
 */
import * as Canonical from "@backstitch/trace/Canonical"

/** Arguments that may differ, and the text of all others: calls with the same text may be alike. */
export interface Likeness {
  readonly text: string
  readonly params: Canonical.JsonObject
}

/** The arguments by which two calls are alike, and those in which they differ. */
export interface Alike {
  readonly fields: ReadonlyArray<string>
  readonly differ: ReadonlyArray<string>
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const comments = set(
  "comment comments description explanation justification memo note notes rationale reason remark remarks thought"
)

/** Texts for a reader if nothing else is in their name: `text`, but not the `newText` of an edit. */
const readings = set("body details message summary text")

const things = set(
  "booking cmd code command confirmation id iban invoice key no nr number order payment ref reference reservation " +
    "sku sql statement ticket transaction"
)

const surroundings = set(
  "account agent channel conversation customer environment file folder host mode org organization owner path project " +
    "region repo repository session tenant thread type user workspace"
)

const requestNames = set(
  "attempt clientrequestid clienttoken correlationid idempotencykey idempotencytoken nonce requestedat requestid " +
    "retries retry retrycount timestamp"
)

/** Reads the likeness of a call; `undefined` if its arguments are no object. */
export const of = (params: Canonical.Json): Likeness | undefined => {
  if (!Canonical.isObject(params)) return undefined
  const kept = Object.entries(params).filter(([name, value]) => !mayDiffer(name, value ?? null))
  return { text: Canonical.encode(Object.fromEntries(kept)), params }
}

/** Compares two calls whose likenesses have the same text; `undefined` if too little of it tells acts apart. */
export const compare = ({ params: one }: Likeness, { params: other }: Likeness): Alike | undefined => {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  const [fields, differ]: [Array<string>, Array<string>] = [[], []]
  for (const name of names) {
    const [left, right] = [one[name], other[name]]
    if (left === undefined || right === undefined || !Canonical.equals(left, right)) differ.push(name)
    else if (says(left)) fields.push(name)
  }
  const telling = fields.filter((name) => !isSurrounding(name))
  const isNamed = telling.some((name) => things.has(wordsOf(name).at(-1) ?? ""))
  const isDistinct = fields.length >= 2 && telling.some((name) => isExact(one[name] ?? null))
  return isNamed || isDistinct ? { fields, differ } : undefined
}

const mayDiffer = (name: string, value: Canonical.Json): boolean => {
  const words = wordsOf(name)
  if (requestNames.has(words.join(""))) return true
  const isComment = comments.has(words.at(-1) ?? "") || (words.length === 1 && readings.has(words[0] ?? ""))
  return isComment && (value === null || typeof value === "string")
}

/** `user_id` says whom the act concerns, and `id` or `order_id` which act it is. */
const isSurrounding = (name: string): boolean =>
  wordsOf(name)
    .slice(-2)
    .some((word) => surroundings.has(word))

const isExact = (value: Canonical.Json): boolean =>
  typeof value === "number" || (typeof value === "string" && /[\d@]/.test(value))

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** A switch, and a value that is not there, tell nothing. */
const says = (value: Canonical.Json): boolean => {
  if (typeof value === "string") return value.trim() !== ""
  if (typeof value === "number") return true
  return typeof value === "object" && value !== null && Object.keys(value).length > 0
}
