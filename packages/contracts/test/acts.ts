import type { Json } from "@backstitch/trace/Canonical"
import * as Schema from "effect/Schema"
import type { Normaliser } from "../src/index.ts"

/** The style of a text: each number chooses among the ways of writing at its place. */
export const Style = Schema.Array(Schema.Literals([0, 1, 2, 3])).check(Schema.isMinLength(6), Schema.isMaxLength(6))
export type Style = typeof Style.Type

/** An act in the one way in which it cannot be misread, and in the many in which it may be written. */
export interface Act {
  readonly rule: Normaliser.Normaliser
  readonly means: string
  readonly write: (style: Style) => Json
}

const pick = <A>(style: Style, place: number, ways: ReadonlyArray<A>): A =>
  ways[(style[place % style.length] ?? 0) % ways.length] as A

const wide = (text: string): string =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replace(/ /g, "\u3000")

/** The face of a text, which means nothing. */
const faced = (text: string, style: Style): string => {
  const cased = pick(style, 0, [text, text.toLowerCase(), text.toUpperCase(), text])
  const encoded = pick(style, 1, [cased, cased.normalize("NFD"), wide(cased), cased.normalize("NFC")])
  return pick(style, 2, [encoded, ` ${encoded}`, `${encoded}\n`, `\u00a0${encoded} `])
}

const isDigits = (text: string): boolean => /^\d+$/.test(text)

/**
 * A code is a sequence of letters and of digits, with a sign before or behind it. Of few characters with cuts between
 * them: many codes differ by a cut alone.
 */
export const Code = Schema.Struct({
  before: Schema.Literals(["", "-", "+"]),
  characters: Schema.Array(Schema.Literals(["1", "2", "é"])).check(Schema.isMinLength(2), Schema.isMaxLength(3)),
  cuts: Schema.Array(Schema.Boolean).check(Schema.isMinLength(2), Schema.isMaxLength(2)),
  behind: Schema.Literals(["", "-", "#"])
})

export const code = ({ before, behind, characters, cuts }: typeof Code.Type): Act => {
  const [first = "", ...rest] = characters
  const parts = rest.map((character, index) => ({
    character,
    isChange: isDigits(character) !== isDigits(characters[index]!),
    isCut: cuts[index]!
  }))
  const apart = parts.map(({ character, isChange, isCut }) => (isCut && !isChange ? `-${character}` : character))
  return {
    rule: "code",
    means: JSON.stringify([before, first, ...apart, behind]),
    write: (style) => {
      const written = parts.map(({ character, isChange, isCut }, index) => {
        const ways = isChange ? ["", "-", " ", "."] : isCut ? ["-", " ", " - ", "–"] : [""]
        return pick(style, index, ways) + character
      })
      return faced([before, first, ...written, behind].join(""), style)
    }
  }
}

/** A name is a sequence of words. */
export const Name = Schema.Array(Schema.Literals(["Ada", "Zoë", "Zoe", "d'Or", "dOr", "Ána", "XIV", "XVI"])).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(3)
)

export const name = (words: typeof Name.Type): Act => ({
  rule: "name",
  means: JSON.stringify(words.map((word) => word.toLowerCase())),
  write: (style) => {
    const joined = words.join(pick(style, 3, [" ", "  ", "\t", "\u2009"]))
    return faced(pick(style, 4, [joined, joined.replaceAll("'", "’")]), style)
  }
})

/** A number is the country and the subscriber, with an extension. */
export const Phone = Schema.Struct({
  country: Schema.Literals(["41", "1"]),
  groups: Schema.Array(Schema.Literals(["44", "4", "668", "12", "1"])).check(
    Schema.isMinLength(3),
    Schema.isMaxLength(4)
  ),
  extension: Schema.Literals(["", "1", "12", "2"])
})

export const phone = ({ country, extension, groups }: typeof Phone.Type): Act => ({
  rule: "phone",
  means: JSON.stringify([country + groups.join(""), extension]),
  write: (style) => {
    const joined = groups.join(pick(style, 3, [" ", "-", ".", ""]))
    const number = pick(style, 4, ["+", "00", "tel:+", "+"]) + country + pick(style, 3, [" ", "-", " ", ""]) + joined
    const more = pick(style, 5, [" ext. ", ";ext=", " x", " Ext "]) + extension
    return faced(extension === "" ? number : number + more, style)
  }
})

/** A moment is a day, or a time of it at an offset in minutes. */
export const Moment = Schema.Struct({
  day: Schema.Literals(["2026-11-21", "2026-11-22", "2026-02-28", "2026-12-31"]),
  minutes: Schema.Literals([0, 30, 90, 1410]),
  offset: Schema.Literals([0, 60, -330])
})

const two = (value: number): string => String(Math.trunc(value)).padStart(2, "0")

export const date = ({ day, minutes, offset }: typeof Moment.Type): Act => ({
  rule: "date",
  means: minutes === 0 ? day : JSON.stringify([day, minutes, offset]),
  write: (style) =>
    minutes === 0
      ? faced(pick(style, 3, [day, day.replaceAll("-", ""), `${day}T00:00:00Z`, `${day} 00:00`]), style)
      : faced(clock({ day, minutes, offset }, style), style)
})

export const datetime = ({ day, minutes, offset }: typeof Moment.Type): Act => ({
  rule: "datetime",
  means: String(Date.parse(`${day}T00:00:00Z`) / 60_000 + minutes - offset),
  write: (style) => faced(clock({ day, minutes, offset }, style), style)
})

const clock = ({ day, minutes, offset }: typeof Moment.Type, style: Style): string => {
  const [hh, mm] = [two(minutes / 60), two(minutes % 60)]
  const [oh, om] = [two(Math.abs(offset) / 60), two(Math.abs(offset) % 60)]
  const zone = offset === 0 ? pick(style, 4, ["Z", "+00:00", "-00:00", "+00"]) : `${offset < 0 ? "-" : "+"}${oh}:${om}`
  return `${day}${pick(style, 5, ["T", " "])}${pick(style, 3, [`${hh}:${mm}`, `${hh}:${mm}:00`, `${hh}:${mm}:00.000`, `${hh}${mm}`])}${zone}`
}

/** A decimal is units over a power of ten. */
export const Amount = Schema.Struct({
  units: Schema.Literals([0, 1, -1, 15, 150, -15, 1500, 12_345, -1_000_000, 7_000_500]),
  scale: Schema.Literals([0, 1, 2, 3])
})

export const decimal = ({ scale, units }: typeof Amount.Type): Act => ({
  rule: "decimal",
  means: String(units / 10 ** scale),
  write: (style) => {
    const value = units / 10 ** scale
    // Of three digits behind a point nobody knows what they mean.
    const plain = /^-?[1-9]\d{0,2}\.\d{3}$/.test(String(value)) ? value.toFixed(4) : String(value)
    return pick(style, 3, [value, value.toFixed(4), faced(plain, style), `${units}e-${scale}`])
  }
})

/** Signs that part the thousands, and the fraction, somewhere. */
export const conventions = [",.", ".,", " ,", "'.", "_.", "\u202f,", ".\u066b", ",\u00b7", "."] as const

/** An amount as it is written by one convention: the first sign parts the thousands, the second the fraction. */
export const grouped = ({ scale, units }: typeof Amount.Type, convention: (typeof conventions)[number]): string => {
  const [thousands = "", point = ","] = convention
  const [whole = "", fraction] = (units / 10 ** scale).toFixed(scale).split(".")
  const parted = whole.replace(/\B(?=(?:\d{3})+$)/g, thousands)
  return fraction === undefined ? parted : parted + point + fraction
}
