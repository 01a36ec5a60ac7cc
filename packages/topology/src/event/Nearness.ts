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

const wordForm = /[\p{L}\p{N}_]+/gu

/** Words of a text in lower case, each once, in order. */
export const words = (text: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(wordForm)) {
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
 * Tells whether a value says a text again, word for word, and nothing of its own: no other words behind it, and no
 * number before it. Whoever sorts, corrects or answers a text does not merely say it again.
 */
export const saysAgain = (text: string, value: Json): boolean => {
  const said = allWords(text)
  const told = allWords(typeof value === "string" ? value : valuesOf(value).join(" "))
  const before = told.slice(0, Math.max(0, told.length - said.length))
  const again = told.slice(before.length).filter((word, place) => word === said[place]).length
  return (
    again >= Limits.pacing.saidAgainShareMin * said.length &&
    !before.some((word) => /\d/.test(word) && !said.includes(word))
  )
}

const allWords = (text: string): ReadonlyArray<string> => text.toLowerCase().match(wordForm) ?? []

/** The words of the values of a call's arguments. */
export const wordsOf = (params: Json): ReadonlyArray<string> =>
  words(valuesOf(params).join(" ")).slice(0, Limits.pacing.callWordsMax)

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

/** Digest of an answer without what changes by itself: times, random identifiers, and the name of the request. */
export const answerDigest = (output: Json): string =>
  Digest.ofBytes(
    Canonical.encode(output)
      .replaceAll(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?|\b\d\d:\d\d:\d\d(?:\.\d+)?/g, "~")
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
