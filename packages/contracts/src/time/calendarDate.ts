/**
 * Dates and times in ISO 8601, read without a clock or a time zone.
 *
 * @source ISO 8601-1, complete calendar dates with or without a time; RFC 3339 for a space in place of the T
 */

/** A day as `YYYY-MM-DD`, a time as `hh:mm:ss` with a fraction that is not zero, an offset as `Z` or `±hh:mm`. */
export interface CalendarDate {
  readonly day: string
  readonly time?: string
  readonly offset?: string
}

const days = /^(\d{4})(?:-(\d{2})-(\d{2})|(\d{2})(\d{2}))$/
const times = /^(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?|(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?)$/
const offsets = /^([+-])(\d{2}):?(\d{2})?$/

/** Reads a date, with a time and an offset if they are given; `undefined` for anything else, including a range. */
export const read = (text: string): CalendarDate | undefined => {
  const [, date = "", clock, zone] = /^([\d-]+?)(?:[Tt ]([\d:.,]+) ?([Zz]|[+-][\d:]+)?)?$/.exec(text) ?? []
  const day = dayOf(date)
  const time = clock === undefined ? undefined : timeOf(clock)
  const offset = zone === undefined ? undefined : offsetOf(zone)
  if (
    day === undefined ||
    (clock !== undefined && time === undefined) ||
    (zone !== undefined && offset === undefined)
  ) {
    return undefined
  }
  return { day, ...(time === undefined ? {} : { time }), ...(offset === undefined ? {} : { offset }) }
}

/** A time of day in UTC if its offset is known, otherwise as written. */
export const instant = ({ day, offset, time }: CalendarDate & { readonly time: string }): string => {
  if (offset === undefined || offset === "Z") return `${day}T${time}${offset ?? ""}`
  const [, sign = "", hours = "", minutes = ""] = offsets.exec(offset) ?? []
  const [whole = "", fraction] = time.split(".")
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000)
  const utc = new Date(Date.parse(`${day}T${whole}Z`) - ahead).toISOString().slice(0, -".000Z".length)
  return `${utc}${fraction === undefined ? "" : `.${fraction}`}Z`
}

const dayOf = (text: string): string | undefined => {
  const [, year = "", month, date, monthToo = "", dateToo = ""] = days.exec(text) ?? []
  const [mm, dd] = [month ?? monthToo, date ?? dateToo]
  const limit = [31, isLeap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(mm) - 1]
  return limit !== undefined && Number(dd) >= 1 && Number(dd) <= limit ? `${year}-${mm}-${dd}` : undefined
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const timeOf = (text: string): string | undefined => {
  const match = times.exec(text)
  if (match === null) return undefined
  const [, hours = "", m1, s1, f1, m2, s2, f2] = match
  const [minutes, seconds] = [m1 ?? m2 ?? "00", s1 ?? s2 ?? "00"]
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const fraction = (f1 ?? f2 ?? "").replace(/0+$/, "")
  return `${hours}:${minutes}:${seconds}${fraction === "" ? "" : `.${fraction}`}`
}

/** Both `-00:00` and `+00:00` are UTC. */
const offsetOf = (text: string): string | undefined => {
  if (/^z$/i.test(text)) return "Z"
  const [, sign, hours = "", minutes = "00"] = offsets.exec(text) ?? []
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined
  return Number(hours) + Number(minutes) === 0 ? "Z" : `${sign}${hours}:${minutes}`
}
