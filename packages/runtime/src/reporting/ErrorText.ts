/** Describes an error of a tool or of an undoing in words: facts with their names, and no JSON inside a sentence. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Finding from "@backstitch/trace/Finding"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Wording from "@backstitch/wording/Wording"

/** An error in words. */
export const of = (error: Json | undefined): string => {
  if (typeof error === "string") return text(error)
  if (error === null || typeof error !== "object") return String(error)
  if (Array.isArray(error)) return error.map(of).join(", ")
  if (SealedValue.isSealedValue(error)) return "[sealed]"
  if (Finding.isFinding(error)) return text(Wording.tell(error))
  const { because, residue, undone, ...others } = error as JsonObject
  const facts = Object.entries(others).map(([name, value]) => `${name} ${of(value)}`)
  return [
    ...(because === undefined ? [] : [of(because)]),
    ...facts,
    ...(Array.isArray(undone) && undone.length > 0 ? [`${of(undone)} undone`] : []),
    ...(Array.isArray(residue) && residue.length > 0 ? [`something of ${of(residue)} remains`] : [])
  ].join("; ")
}

/** Converts a text with a JSON object inside, as tools write it into messages, to words. */
export const text = (self: string): string => {
  const from = self.indexOf("{")
  if (from < 0) return self
  for (let to = self.lastIndexOf("}"); to > from; to = self.lastIndexOf("}", to - 1)) {
    const found = parsed(self.slice(from, to + 1))
    if (found !== undefined) return `${self.slice(0, from)}${of(found)}${self.slice(to + 1)}`
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
