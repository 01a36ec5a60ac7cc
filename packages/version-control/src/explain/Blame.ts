/**
 * Finds the transition that set a field of the state, and the earlier value.
 *
 * A field is named in the form that people type, `world.spent`, or by a JSON pointer, `/world/bookings/LX1/price`, if
 * a key contains dots. It may be a whole field, a row of a table, an item of a list or a value within.
 *
 * Laws: between two settings of a field its value is the same at every tick.
 */
import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as List from "@backstitch/trace/List"
import type * as Ontology from "@backstitch/trace/Ontology"
import * as Table from "@backstitch/trace/Table"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Step } from "../compare/Step.ts"

/** A place in a state: section, field, and keys within. */
export interface Path {
  readonly section: "world" | "working" | "kernel"
  readonly field: string
  readonly keys: ReadonlyArray<string>
}

/** A transition that set a field. On an absent side, there is no value. */
export interface Setting {
  readonly tick: number
  readonly type: Ontology.TypeName
  readonly author: Ontology.Author
  /** The tool or the intent, for people. */
  readonly about?: string
  readonly before?: Canonical.Json
  readonly after?: Canonical.Json
}

/** Error for text that names no field of a state. */
export class FieldInvalid extends Schema.TaggedError<FieldInvalid>("@backstitch/version-control/FieldInvalid")(
  "FieldInvalid",
  { text: Schema.String }
) {
  override get message(): string {
    return (
      `"${this.text}" names no field. Write world.NAME or working.NAME, with keys after it as in world.orders.milk.price, ` +
      "or a JSON pointer as in /world/orders/milk/price"
    )
  }
}

/**
 * Error for a field that no transition of a run set up to a tick; `later` is the first transition that set it
 * afterwards.
 */
export class FieldUnknown extends Schema.TaggedError<FieldUnknown>("@backstitch/version-control/FieldUnknown")(
  "FieldUnknown",
  {
    field: Schema.String,
    run: Schema.String,
    known: Schema.Array(Schema.String),
    upTo: Schema.Natural,
    later: Schema.optional(Schema.Natural)
  }
) {
  override get message(): string {
    if (this.later !== undefined) {
      return `No transition of run ${this.run} set ${this.field} up to tick ${this.upTo}; tick ${this.later} was the first to`
    }
    const known = this.known.length === 0 ? "The run has no fields" : `The fields are ${this.known.join(", ")}`
    return `No transition of run ${this.run} set ${this.field}. ${known}`
  }
}

/**
 * Reads the name of a field.
 *
 * **Example** (A value in a row of a table)
 *
 * ```ts import.meta.vitest
 * import { Blame } from "@backstitch/version-control"
 * import { Result } from "effect"
 *
 * const path = Result.getOrThrow(Blame.parse("world.orders.milk.price"))
 * path.field // => "orders"
 * Blame.pointer(path) // => "/world/orders/milk/price"
 * ```
 */
export const parse = (text: string): Result.Result<Path, FieldInvalid> => {
  const tokens = text.startsWith("/")
    ? text
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    : text.split(".")
  const [section, field, ...keys] = tokens
  if ((section !== "world" && section !== "working" && section !== "kernel") || field === undefined || field === "") {
    return Result.fail(new FieldInvalid({ text }))
  }
  return Result.succeed({ section, field, keys })
}

/** Writes the path of a field as a JSON pointer. */
export const pointer = ({ field, keys, section }: Path): string =>
  ["", section, field, ...keys].map((token) => token.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")

/** The value of a field in a state; `undefined` if there is none. */
export const valueAt = (state: State.State, { field, keys, section }: Path): Canonical.Json | undefined => {
  const found = own(state[section], field)
  if (found === undefined || keys.length === 0) return found === undefined ? undefined : State.fieldToJson(found)
  const [key, ...rest] = keys
  const within = Table.is(found) ? found.get(key!) : List.is(found) ? itemOf(found, key!) : childOf(found, key!)
  return rest.reduce<Canonical.Json | undefined>(childOf, within)
}

/** Reads the value that a step set for a field; `undefined` if the step left it unchanged. */
export const settingOf = ({ after, before, tool, transition }: Step, path: Path): Setting | undefined => {
  const { field, section } = path
  // An unchanged field is the same object, and then nothing is read.
  if (own(before[section], field) === own(after[section], field)) return undefined
  const [from, to] = [valueAt(before, path), valueAt(after, path)]
  if (from === to || (from !== undefined && to !== undefined && Canonical.equals(from, to))) return undefined
  const { body, tick } = transition
  const about = tool ?? body.intent?.description
  return {
    tick,
    type: body.type,
    author: body.author,
    ...defined({ about, before: from, after: to })
  }
}

const itemOf = (list: List.List, key: string): Canonical.Json | undefined =>
  /^\d+$/.test(key) ? list.get(Number(key)) : undefined

const own = <A>(fields: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

const childOf = (value: Canonical.Json | undefined, key: string): Canonical.Json | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  return Array.isArray(value) ? value[Number(key)] : own(value as Canonical.JsonObject, key)
}
