/** A value as people read it on one line: in full, or the beginning of a long one. */
import * as Finding from "@backstitch/kernel/Finding"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Wording from "@backstitch/wording/Wording"
import * as Limits from "../Limits.ts"

const { valueCharactersMax } = Limits.showing

/** A short value for one line: `name=value` for objects, cut if it is long. */
export const brief = (value: Json): string => {
  const line = oneLine(value).slice(0, 1000).replace(/\s+/g, " ")
  return line.length > 72 ? `${line.slice(0, 71)}…` : line
}

/** A whole value on one line. A value larger than a screen is cut, with a hint at `--json`. */
export const full = (value: Json): string => {
  const line = oneLine(value)
  return line.length > valueCharactersMax
    ? `${line.slice(0, valueCharactersMax)}… (${line.length} characters: --json has all)`
    : line
}

/** A value as text: a text as it is, anything else as JSON, and nothing for an absent one. */
export const plain = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, named)

const oneLine = (value: Json): string =>
  Finding.isFinding(value)
    ? Wording.tell(value)
    : Canonical.isObject(value)
      ? Object.entries(value)
          .map(([name, part]) => `${name}=${plain(part)}`)
          .join(" ")
      : plain(value)

/** A sealed value by the beginning of its commitment, which is enough to compare values. */
const named = (_: string, value: unknown): unknown =>
  SealedValue.isSealedValue(value) ? `sealed ${value.$sealed.slice(0, 8)}…` : value
