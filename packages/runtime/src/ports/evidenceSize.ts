/** Limits the answers of the world to sizes that a trace should keep. */
import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import { Unrecordable } from "./traceJson.ts"

const { answerCharactersMax, reasonCharactersMax } = Limits.refusing

/** Answers the value if a trace can keep it. Throws {@link Unrecordable}. */
export const withinSize = (answer: Json): Json => {
  if (room(answer, answerCharactersMax) < 0) {
    throw new Unrecordable({ finding: Finding.make("answer.too_large", { charactersMax: answerCharactersMax }) })
  }
  return answer
}

/** The detail of a refusal. A detail that is too large is left out; the refusal stays. */
export const detailWithinSize = (detail: Json): Json =>
  room(detail, answerCharactersMax) < 0
    ? Finding.make("refusal.too_large", { charactersMax: answerCharactersMax })
    : detail

/** A reason as text, shortened. */
export const shortened = (reason: string): string =>
  reason.length > reasonCharactersMax ? `${reason.slice(0, reasonCharactersMax).toWellFormed()}…` : reason

/** Subtracts the size of a value from the remaining room, and stops once that is negative. */
const room = (value: Json, left: number): number => {
  if (typeof value === "string") return left - value.length
  if (typeof value !== "object" || value === null) return left - 1
  let rest = left - 1
  if (Array.isArray(value)) {
    for (const item of value as ReadonlyArray<Json>) {
      rest = room(item, rest)
      if (rest < 0) return rest
    }
    return rest
  }
  for (const [name, item] of Object.entries(value)) {
    rest = room((item ?? null) as Json, rest - name.length)
    if (rest < 0) return rest
  }
  return rest
}
