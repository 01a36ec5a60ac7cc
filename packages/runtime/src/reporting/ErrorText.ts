/** Describes an error of a tool or of an undoing in words: facts with their names, and no JSON inside a sentence. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as FindingForm from "@backstitch/trace/FindingForm"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as English from "@backstitch/wording/English"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"

/** An error in words. */
export const of = (error: Json | undefined, words: Words = English.words): string => {
  if (typeof error === "string") return text(error, words)
  if (error === null || typeof error !== "object") return String(error)
  if (Array.isArray(error)) return error.map((each) => of(each, words)).join(", ")
  if (SealedValue.isSealedValue(error)) return "[sealed]"
  if (FindingForm.isFinding(error)) return text(Wording.tell(error, words), words)
  const { because, residue, undone, ...others } = error as JsonObject
  const facts = Object.entries(others).map(([name, value]) => `${name} ${of(value, words)}`)
  return [
    ...(because === undefined ? [] : [of(because, words)]),
    ...facts,
    ...(Array.isArray(undone) && undone.length > 0 ? [words.reports.error.undone(of(undone, words))] : []),
    ...(Array.isArray(residue) && residue.length > 0 ? [words.reports.error.remains(of(residue, words))] : [])
  ].join("; ")
}

/** Converts a text with a JSON object inside, as tools write it into messages, to words. */
export const text = (self: string, words: Words = English.words): string => {
  const from = self.indexOf("{")
  if (from < 0) return self
  for (let to = self.lastIndexOf("}"); to > from; to = self.lastIndexOf("}", to - 1)) {
    const found = parsed(self.slice(from, to + 1))
    if (found !== undefined) return `${self.slice(0, from)}${of(found, words)}${self.slice(to + 1)}`
  }
  return self
}

const parsed = (json: string): Json | undefined => {
  try {
    return Canonical.parse(json)
  } catch {
    return undefined
  }
}
