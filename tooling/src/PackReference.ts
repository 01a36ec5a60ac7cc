/**
 * The reference of packs, drawn from the schema of packs and from the tables of the code, so that it is always current.
 *
 * `node tooling/src/PackReference.ts` prints the part of docs/PACK.md between its two markers.
 */
import { pathToFileURL } from "node:url"
import * as CheckCoverage from "@backstitch/contracts/CheckCoverage"
import * as PackSchema from "@backstitch/contracts/PackSchema"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationCheck from "@backstitch/contracts/VerificationCheck"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as English from "@backstitch/wording/English"

/** A JSON Schema, as far as the schema of packs uses the language. */
interface Shape {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<Shape>
  readonly additionalProperties?: boolean | Shape
  readonly const?: unknown
  readonly description?: string
  readonly enum?: ReadonlyArray<string>
  readonly items?: Shape
  readonly maximum?: number
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly type?: string | ReadonlyArray<string>
}

const definitions = PackSchema.schema["$defs"] as Readonly<Record<string, Shape>>

/** The part of the page between its markers. */
export const section = (): string =>
  [
    "## Keys",
    Object.entries(definitions).map(definition).join("\n\n"),
    "## Checks",
    checks(),
    "## Discrepancies",
    discrepancies(),
    "## States of an action",
    states()
  ].join("\n\n")

const definition = ([name, shape]: readonly [string, Shape]): string => {
  const about = shape.description ?? `${upper(valueOf(shape))}.`
  const tables = [shape, ...(shape.anyOf ?? [])].flatMap(tableOf)
  return [`### ${name}`, about, ...tables].join("\n\n")
}

/** The keys of a mapping, as a table; nothing for other values. */
const tableOf = (shape: Shape): ReadonlyArray<string> =>
  shape.properties === undefined ? [] : [table(["key", "value", "about"], rowsOf(shape, ""))]

/** The rows of a mapping. Keys of a mapping within it, which has no name of its own, follow it. */
const rowsOf = ({ properties = {}, required }: Shape, before: string): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(properties).flatMap(([key, each]) => [
    [
      `\`${before}${key}\`${required?.includes(key) === true ? " (needed)" : ""}`,
      valueOf(each),
      each.description ?? ""
    ],
    ...rowsOf(each, `${before}${key}.`)
  ])

/** A value in words: kinds of values, words, and links to other definitions. */
const valueOf = (shape: Shape): string => {
  if (shape.$ref !== undefined) {
    const name = shape.$ref.slice("#/$defs/".length)
    return `[${name}](#${name})`
  }
  if (shape.anyOf !== undefined) {
    const [first = {}, second] = shape.anyOf
    const isOneOrMany = second?.type === "array" && valueOf(second.items ?? {}) === valueOf(first)
    if (isOneOrMany) return `${valueOf(first)}, or a list of them`
    const options = shape.anyOf.filter(({ type }) => type !== "null").map(valueOf)
    return [...new Set(options)].join(" or ")
  }
  if (shape.const !== undefined) return `\`${String(shape.const)}\``
  if (shape.enum === VerificationCheck.names) return "[a check](#checks)"
  if (shape.enum !== undefined) return shape.enum.map((word) => `\`${word}\``).join(", ")
  if (Array.isArray(shape.type)) return shape.type.join(", ")
  return plain(shape)
}

const plain = ({ additionalProperties, description, items, maximum, pattern, properties, type }: Shape): string => {
  switch (type) {
    case "array":
      return `a list of ${items === undefined ? "anything" : inside(items)}`
    case "boolean":
      return "true or false"
    case "integer":
      return maximum === undefined ? "a whole number" : `a whole number up to ${maximum}`
    case "object":
      if (properties !== undefined) return "a mapping with the keys below"
      return typeof additionalProperties === "object" ? `${inside(additionalProperties)} by name` : "arguments"
    case "string":
      return pattern === undefined || description !== undefined ? "text" : `text like \`${pattern}\``
    default:
      return type === undefined ? "any value" : `a ${String(type)}`
  }
}

/** A value inside of a list or a mapping: several kinds of values are set in parentheses. */
const inside = (shape: Shape): string => {
  const text = valueOf(shape)
  return text.includes(" or ") || text.includes(", ") ? `(${text})` : text
}

const checks = (): string => {
  const rows = VerificationCheck.names.map((name) => [
    `\`${name}\``,
    upper(VerificationCheck.facts[name]),
    ToolContract.sideEffects
      .filter((each) => CheckCoverage.required[each].includes(name))
      .map((each) => `\`${each}\``)
      .join(", ")
  ])
  return table(["check", "compares", "demanded of"], rows)
}

const discrepancies = (): string =>
  table(
    ["discrepancy", "means"],
    Object.entries(English.words.discrepancies).map(([name, meaning]) => [`\`${name}\``, upper(meaning)])
  )

/** The meaning of each state of an action, with a table from Action Verification behind it. */
const meanings: { readonly [State in ActionState.State]: string } = {
  proposed: "A planner proposed the call. Nothing was checked.",
  validated: "Every condition of the contract is met. Nothing was sent.",
  executing: "The request may have left. Its key is durable.",
  accepted: "The provider took the request on. Nothing is done yet.",
  pending: "The provider works on it, and will be asked again.",
  committed: "The tool says that it is done. Nobody has looked yet.",
  partially_committed: "Some of the parts took effect and others did not.",
  reconciled_success: "The record shows what was intended. It may be believed and reported.",
  reconciliation_failed: "The record shows something else than was intended.",
  failed: "Nothing happened.",
  verification_timeout: "The record did not answer in time.",
  unknown: "It may have happened. Its target stays held.",
  compensating: "The call that undoes it is under way.",
  compensated: "The call that undoes it was verified.",
  compensation_failed: "The call that undoes it failed.",
  forward_recovery: "The steps behind it are being completed.",
  rolled_back: "An open transaction was aborted: others never saw it.",
  review_required: "A person has to decide.",
  abandoned: "A person gave it up, with the discrepancy unresolved."
}

const states = (): string => {
  const rows = ActionState.states.map((state) => [
    `\`${state}\``,
    meanings[state],
    (["kernel", "retry_policy", "operator"] as const)
      .flatMap((by) => {
        const next = ActionState.next(state, by).map((each) => `\`${each}\``)
        return next.length === 0 ? [] : [`${by === "kernel" ? "" : `${movers[by]}: `}${next.join(", ")}`]
      })
      .join("; ") || "none"
  ])
  return table(["state", "means", "moves to"], rows)
}

const movers = { operator: "by a person", retry_policy: "by the retry policy" } as const

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) console.log(section())
