/**
 * Reads from an answer whether the call did what it was asked for.
 *
 * A recording keeps the answer and no verdict, so its words are read, as fields where it is JSON. A success has to be
 * said. An error, a refusal, or a word that leaves it open outweighs any success beside it, and an answer in words that
 * nobody foresaw is open. The words are a hint, and prove nothing.
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Outcome } from "@backstitch/trace/Transition"
import * as Limits from "../Limits.ts"
import { recordedValue } from "./recordedValue.ts"

/** The readings of an answer, the weightiest first. */
const verdicts = ["failed", "open", "done"] as const

/** The reading of an answer: not done, undecided, or done. */
export type AnswerVerdict = (typeof verdicts)[number]

/**
 * Tells whether an answer is evidence of success.
 *
 * **Details**
 *
 * A run of its own has taken the status from the tool: `ok` is a success there unless the answer says otherwise. In a
 * recording of others, the status says no more than that the format marks no error.
 */
export const verdictOf = ({ basis, output = null, status }: Outcome): AnswerVerdict => {
  if (status === "error") return "failed"
  if (status !== "ok") return "open"
  return judged(output) ?? (basis === "recorded" ? "open" : "done")
}

/**
 * Lists the names that an answer gives to what was made: its own fields that are an id or a reference. The id of a
 * party, such as `customer_id`, is none, since all acts of that party have it in common.
 */
export const namesIn = (output: Canonical.Json): ReadonlyMap<string, string> => {
  const value = Canonical.objectOf(typeof output === "string" ? recordedValue(output) : output)
  return new Map(
    Object.entries(value).flatMap(([field, name]) =>
      isName(field, name) && !party.test(field) ? [[field, String(name)] as const] : []
    )
  )
}

/** Fields that name a party to an act, or the place in which it is done. */
const party = new RegExp(
  "^(?:account|app|card|channel|chat|client|contact|conversation|customer|member|merchant|org(?:anization)?|owner|" +
    "payee|payer|project|recipient|sender|session|team|tenant|thread|user|wallet|workspace)[_-]?(?:id|ref(?:erence)?)$",
  "i"
)

const isName = (field: string, value: Canonical.Json | undefined): boolean =>
  /(?:^|[_-])(?:id|ref|reference|receipt|confirmation)$|[a-z](?:Id|Ref|Reference)$/.test(field) &&
  !/^(?:request|trace|span|correlation|idempotency)/i.test(field) &&
  (typeof value === "number" || (typeof value === "string" && value !== ""))

/** The weightiest reading of any part of an answer; `undefined` if no part says anything. */
const judged = (value: Canonical.Json, level = 0): AnswerVerdict | undefined => {
  if (level > Limits.pacing.answerLevelsMax) return undefined
  if (typeof value === "string") {
    const inner = recordedValue(value)
    return typeof inner === "string" ? judgedText(inner) : judged(inner, level + 1)
  }
  if (typeof value === "boolean") return value ? "done" : "failed"
  if (typeof value !== "object" || value === null) return undefined
  const said = Array.isArray(value)
    ? value.map((each: Canonical.Json) => judged(each, level + 1))
    : Object.entries(value).map(([field, each]) => judgedField(field, each ?? null, level))
  return verdicts.find((verdict) => said.includes(verdict))
}

/** Names of fields that are read, by what their values say. */
const fields = {
  error: /error|exception|failure/i,
  state: /(?:status|state|result|outcome)(?:[_-]?(?:code|text))?$|^(?:http|code)$/i,
  text: /^(?:message|msg|description|details?|reason|note|info|warnings?|text|content|output|response|data|body)$/i
}

const judgedField = (field: string, value: Canonical.Json, level: number): AnswerVerdict | undefined => {
  if (fields.error.test(field)) return isNothing(value) ? undefined : "failed"
  if (fields.state.test(field) && typeof value === "number") return judgedCode(value)
  if (typeof value === "boolean") return judgedSwitch(field, value)
  if (isName(field, value)) return "done"
  const isRead = fields.state.test(field) || fields.text.test(field) || typeof value === "object"
  return isRead ? judged(value, level + 1) : undefined
}

/** Reads a switch by its name: `sent: false` and `accepted: false` are failures, and `pending: true` leaves it open. */
const judgedSwitch = (field: string, isOn: boolean): AnswerVerdict | undefined => {
  if (fields.state.test(field)) return judged(isOn)
  if (!isOn && /accepted|processed/i.test(field)) return "failed"
  const named = judgedText(field)
  return named === "done" ? judged(isOn) : isOn ? named : undefined
}

const isNothing = (value: Canonical.Json): boolean =>
  value === null || (typeof value === "object" ? Object.keys(value).length === 0 : !value)

const judgedCode = (code: number): AnswerVerdict | undefined => {
  if (code >= 400 && code < 600) return "failed"
  if (code === 202) return "open"
  return code >= 200 && code < 300 ? "done" : undefined
}

const failures = [
  /error|exception|traceback|\bfail|declin|denied|\bdeny|refus(?:ed|al)|reject|invalid|forbidden|unauthori[sz]ed/i,
  /\b(?:not?|never|none|nothing|without)\b|n['’]t\b|cannot|unable|missing|insufficient|unavailable|blocked/i,
  /cancel|expired|bounced|revers|rolled back|voided|too many|\blimit|\bfalse\b|\balready\b|duplicate/i,
  /\bun(?:successful|delivered|sent|paid|known|expected|processed)/i,
  /\b(?:http|status|code)\W{0,3}[45]\d\d\b|^\W*[45]\d\d\b/i
]

/** Words that leave it open whether an act was done, and not only that it is under way (`AnswerText.saysPending`). */
const doubts = [
  /\b(?:pending|queued?|processing|in[ -]progress|scheduled|(?:a)?waiting|on hold|in transit|accepted)\b|\?\s*$/i,
  /\b(?:requires?|needs?|needed|must|please|to be|confirm|confirmation|approval|review|verify|verification)\b/i,
  /\b(?:will|would|could|should|if|whether|but|however|partial(?:ly)?|retry|try again|timed?[ -]?out|202)\b/i,
  /\b(?:drafts?|dry[ -]?run|simulat\w*|preview|test mode|sandbox)\b/i
]

const successes: ReadonlySet<string> = new Set(
  (
    "200 201 approved booked bought captured charged completed confirmed created delivered done executed " +
    "filled invited issued notified ok okay ordered paid placed posted published purchased refunded reserved sent " +
    "settled shipped sold submitted succeeded success successful successfully transferred wired"
  ).split(" ")
)

const isSuccess = (word: string): boolean => successes.has(word.toLowerCase())

/** Phrases that deny a failure. */
const denials = /\b(?:no|without|0|zero) (?:errors?|failures?|problems?|issues?)\b|\b0 failed\b/gi

const judgedText = (text: string): AnswerVerdict | undefined => {
  const said = text
    .replaceAll(/([a-z])(?=[A-Z])/g, "$1 ")
    .replaceAll("_", " ")
    .replaceAll(denials, "")
  if (failures.some((pattern) => pattern.test(said))) return "failed"
  if (doubts.some((pattern) => pattern.test(said))) return "open"
  return said.split(/[^\p{L}\p{N}]+/u).some(isSuccess) ? "done" : undefined
}
