/**
 * Tells how near two calls, two answers or two drafts are to each other.
 *
 * Heuristics over text and values. They look for signals, and decide nothing about an act: whether two calls are one
 * act is said by a contract, or by `Repeats` of the ledger.
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Limits from "../Limits.ts"

/**
 * A way to read texts: the words of one, each as often as it stands there, and an answer without what changes. The
 * hours for which its call has asked stay.
 */
export interface Reading {
  readonly allWords: (text: string) => Iterable<string>
  readonly lasting: (answer: string, asked: ReadonlyArray<string>) => string
}

/**
 * Reads every script alike. A letter keeps its marks, however they are encoded. Where a script sets no spaces between
 * its words, each character is a word. Of a moment, the date stays, and the hour for which was asked: an answer for the
 * next day, or for the next slot of a day, is another answer.
 */
export const reading: Reading = {
  allWords: (text) => wordsAs(text.normalize("NFC"), wordForm),
  lasting: (answer, asked) =>
    answer.replaceAll(
      /(?<=\b\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?|\b\d\d:\d\d:\d\d(?:\.\d+)?/g,
      (moment) => (asked.some((hour) => moment.includes(hour)) ? moment : "~")
    )
}

/**
 * Reads as the deciders of earlier versions did, whose alarms are on record. A word ended at each mark, and at no
 * character of a script without spaces; of a moment, nothing stayed.
 */
export const formerReading: Reading = {
  allWords: (text) => wordsAs(text, /[\p{L}\p{N}_]+/gu),
  lasting: (answer) =>
    answer.replaceAll(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?|\b\d\d:\d\d:\d\d(?:\.\d+)?/g, "~")
}

/** Letters of the scripts that set no spaces between words. */
const spaceless = "[[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&\\p{L}]"

const wordForm = new RegExp(`${spaceless}\\p{M}*|[[\\p{L}\\p{M}\\p{N}_]--${spaceless}]+`, "gv")

function* wordsAs(text: string, form: RegExp): Generator<string> {
  for (const [word] of text.toLowerCase().matchAll(form)) yield word
}

/** Words of a text in lower case, each once, in order. */
export const words = (text: string, { allWords } = reading): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const word of allWords(text)) {
    if (found.size >= Limits.pacing.draftWordsMax) break
    found.add(word)
  }
  return [...found]
}

/** The share of the words of two texts that both have, from 0 to 1; 1 for two texts without words. */
export const similarity = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  if (one.length === 0 && other.length === 0) return 1
  const right = new Set(other)
  const both = one.filter((word) => right.has(word)).length
  return both / (one.length + right.size - both)
}

/**
 * Tells whether a value ends with a text, most of its words in the same places, and no other number stands before it.
 * A text that was sorted, corrected or answered is not merely said again.
 */
export const saysAgain = (text: string, value: Json): boolean => {
  const said = [...reading.allWords(text)]
  const told = [...reading.allWords(typeof value === "string" ? value : valuesOf(value).join(" "))]
  const before = told.slice(0, Math.max(0, told.length - said.length))
  const again = told.slice(before.length).filter((word, place) => word === said[place]).length
  return (
    again >= Limits.pacing.saidAgainShareMin * said.length &&
    !before.some((word) => /\d/.test(word) && !said.includes(word))
  )
}

/** The words of the values of a call's arguments. */
export const wordsOf = (params: Json, as?: Reading): ReadonlyArray<string> =>
  words(valuesOf(params).join(" "), as).slice(0, Limits.pacing.callWordsMax)

/** The values of arguments as text, without their names. */
export const valuesOf = (value: Json): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap((each) => valuesOf((each ?? null) as Json))
    : [String(value)]

/** Tells whether two calls of one tool are near to each other, by the words of their arguments. */
export const areNear = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  similarity(one, other) >= Limits.pacing.nearCallShareMin

/** Digest of a call: its tool and its arguments. */
export const callDigest = (tool: string, params: Json): string => Digest.ofBytes(`${tool} ${Canonical.encode(params)}`)

/** The hours that the arguments of a call name, such as `09:30`. */
export const hoursOf = (params: Json): ReadonlyArray<string> => [
  ...new Set(valuesOf(params).flatMap((value) => value.match(/(?<!\d)\d\d:\d\d/g) ?? []))
]

/**
 * Digest of an answer without what changes by itself: clock times but for those that were asked for, random
 * identifiers, and the name of the request.
 */
export const answerDigest = (output: Json, { lasting } = reading, asked: ReadonlyArray<string> = []): string =>
  Digest.ofBytes(
    lasting(Canonical.encode(output), asked)
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{24,}\b/gi, "~")
      .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|seconds?)\b/g, "~")
      .replaceAll(/"(?:correlation|request|span|trace)[_-]?(?:id)?":"[^"]*"/gi, "~")
  )

/** The numbers of a call's arguments, and a digest of everything else in them. */
export interface Numbers extends JsonObject {
  readonly rest: string
  readonly values: ReadonlyArray<number>
}

/** Reads the numbers of a call's arguments, except those that count tries. */
export const numbersOf = (params: Json): Numbers => {
  const values: Array<number> = []
  const left = (value: Json, name = ""): Json => {
    if (typeof value === "number" && !/attempt|retr(?:y|ies)|tries/i.test(name)) {
      values.push(value)
      return null
    }
    if (Array.isArray(value)) return value.map((each: Json) => left(each))
    if (!Canonical.isObject(value)) return value
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, left(value[key] ?? null, key)])
    )
  }
  const rest = Digest.ofBytes(Canonical.encode(left(params)))
  return { rest, values }
}

/** Tells whether a call goes on from another one: nothing but numbers differ, and none of them is smaller. */
export const goesOn = (before: Numbers, now: Numbers): boolean =>
  before.rest === now.rest &&
  before.values.length === now.values.length &&
  now.values.every((value, index) => value >= before.values[index]!) &&
  now.values.some((value, index) => value > before.values[index]!)
