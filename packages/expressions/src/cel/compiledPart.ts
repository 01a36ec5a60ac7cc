/** The parts of an expression: how each is computed, and the type that it has before it runs. */
import * as Decimal from "../values/Decimal.ts"
import type * as Field from "../values/Field.ts"
import type { Evaluate } from "./evaluation.ts"
import type * as Functions from "./functions.ts"

/** A compiled part, with its known properties. `whole` marks whole numbers that the expression itself makes. */
export interface CompiledPart {
  readonly run: Evaluate
  readonly type: Field.Field | undefined
  readonly whole?: boolean
  readonly literal?: unknown
  readonly sealed?: string
}

/** The type of a condition. */
export const boolean: Field.Field = { type: "bool" }
/** The type of text. */
export const string: Field.Field = { type: "string" }
/** The type of a whole number. */
export const integer: Field.Field = { type: "int" }
/** The type of a number. */
export const float: Field.Field = { type: "float" }

/** A part with exact decimals and known sensitivity. */
export const typed = (run: Evaluate, type: Field.Field | undefined, path: string): CompiledPart => {
  const exact: Evaluate =
    type?.type === "decimal"
      ? (frame) => {
          const value = run(frame)
          return Decimal.from(value) ?? value
        }
      : run
  return { run: exact, type, ...(type?.sensitive === undefined ? {} : { sealed: path }) }
}

/** The facts about a sealed value, which are in clear. */
export const factsOf = ({ sealed, type }: CompiledPart): Field.Field | undefined => {
  const facts = sealed === undefined ? undefined : type?.sensitive?.facts
  if (facts === undefined) return undefined
  const fields = Object.keys(facts).map((name) => [name, { type: "json" }] as const)
  return { type: "object", fields: Object.fromEntries(fields) }
}

/** Type of the value that a function answers. */
export const answers = (answer: Functions.ResultType): Pick<CompiledPart, "type" | "whole"> => {
  switch (answer) {
    case "int":
      return { type: integer, whole: true }
    case "number":
      return { type: float }
    case "string":
      return { type: string }
    case "bool":
      return { type: boolean }
    case "list":
      return { type: { type: "list", item: string } }
    case "any":
      return { type: undefined }
  }
}
