/**
 * Reads from the text of an answer, or of an argument, whether it says that something is under way or is not there, and
 * which objects it names. Heuristics, as those of `Nearness` are.
 */
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"

/** The text of a value: itself, or as JSON. */
export const of = (value: Json): string => (typeof value === "string" ? value : Canonical.encode(value))

/**
 * Tells whether an answer says that what was asked about is still under way, so that it is asked again in time.
 *
 * **Details**
 *
 * `Doubles` of the ledger has other words for another question: whether an act was done. An answer such as "accepted"
 * or "needs a review" leaves that open, and is no reason to ask again and again.
 */
export const saysPending = (output: Json): boolean =>
  /\b(?:pending|queued|processing|running|scheduled|in[ _-]progress|under way|not (?:ready|finished|done) yet)\b/i.test(
    of(output)
  )

/** Tells whether a text says that a thing is not there. */
export const saysNotFound = (text: string): boolean => absences.some((pattern) => pattern.test(text))

const absences = [
  /\bnot[ _]found\b|\b404\b|doe(?:sn't|s not) exist|no longer (?:available|exists|on sale|there)|cannot find/i,
  /(?:could not|couldn't) (?:be found|find)|unable to (?:find|locate)|(?:is|are) (?:gone|missing)\b|there is no\b/i,
  /no (?:records?|rows?|results?|entry) match|did not match any|(?:has|have) (?:been archived|expired)/i,
  /no such (?:file|object|resource|table|key|id)|(?:unknown|invalid) (?:id|reference|resource|object)/i,
  /\b410\b|(?:was|been) (?:deleted|removed)\b/i
]

/** Names of objects in a text: words that look like a path, an id or an address. */
export const objectsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    [...text.matchAll(/[\w./:@#-]{3,200}/g)]
      .map(([word]) => word.replace(/^[.:/-]+(?=\w)|[.:,/-]+$/g, ""))
      .filter((word) => word.length >= 3 && /[./_@#-]|\d/.test(word) && !/^[\d.:-]+$/.test(word))
  )
]
