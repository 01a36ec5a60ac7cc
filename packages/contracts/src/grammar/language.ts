/** The smallest parts of the language of packs: expressions, conditions, templates, functions and spans of time. */

import type * as Expression from "@backstitch/expressions/Expression"
import type * as Condition from "../state/Condition.ts"
import type * as Operation from "../state/Operation.ts"
import * as Grammar from "./Grammar.ts"
import { isFunctionNode, readCondition, readExpression, readFunction, readTemplate } from "./scope.ts"

/** Names in scope of a function in a pack. */
export interface FunctionScope {
  // biome-ignore lint/suspicious/noExplicitAny: the pack declares what is in scope, and its author knows
  readonly [name: string]: any
}

/** An expression, or a value that is not text. */
export type WrittenExpression = string | number | boolean | null

/** The source of a function. */
export interface WrittenFunction {
  readonly function: string
}

/** A condition: an expression, a function, or the source of one. */
export type WrittenCondition = string | boolean | ((scope: FunctionScope) => boolean) | WrittenFunction

/** A value with expressions in its leaves. */
export type WrittenTemplate =
  | WrittenExpression
  | ReadonlyArray<WrittenTemplate>
  | { readonly [name: string]: WrittenTemplate }

const plain = Grammar.named(
  "expression",
  Grammar.leaf<WrittenExpression, Expression.Expression>(
    { type: ["string", "number", "boolean", "null"], description: "An expression, or a value that is not text." },
    (node, names) => readExpression(node, names)
  )
)

/** An expression of any type. */
export const expression: Grammar.Grammar<WrittenExpression, Expression.Expression> = plain

/** An expression that answers text. */
export const textExpression: typeof plain = { ...plain, read: (node, names) => readExpression(node, names, "string") }

/** An expression that is true or false. */
export const boolExpression: typeof plain = { ...plain, read: (node, names) => readExpression(node, names, "bool") }

/** The source of a function, checked against the rules for functions in packs. */
export const functionOf = <W>(): Grammar.Grammar<W | WrittenFunction, NonNullable<ReturnType<typeof readFunction>>> =>
  Grammar.named("function", {
    schema: Grammar.inline("A pure function as JavaScript. It runs from this text, twice, over frozen values.", {
      function: Grammar.key("The source of a function without free names, as text.", Grammar.needed(Grammar.text))
    }).schema,
    uses: () => [],
    read: (node) => readFunction(node)
  })

/** A condition, in either language. */
export const condition: Grammar.Grammar<WrittenCondition, Condition.Condition> = Grammar.named("condition", {
  schema: { anyOf: [plain.schema, functionOf().schema] },
  uses: () => [...plain.uses(), ...functionOf().uses()],
  read: readCondition
})

/** A value with expressions in its leaves. */
export const template: Grammar.Grammar<WrittenTemplate, Operation.Template> = Grammar.named("template", {
  schema: {
    anyOf: [
      plain.schema,
      { type: "object", additionalProperties: { $ref: "#/$defs/template" } },
      { type: "array", items: { $ref: "#/$defs/template" } }
    ]
  },
  uses: plain.uses,
  read: readTemplate
})

/** A span of time, such as `500ms`. */
export const duration: Grammar.Duration = {
  ...Grammar.named(
    "duration",
    Grammar.leaf<string, number>(
      { type: "string", pattern: "^(\\d+(d|h|m|s|ms))+$", description: "Such as 500ms, 10s or 1h30m." },
      (node) => node.duration()
    )
  ),
  isDuration: true
}

/** A bare condition, or a mapping with further keys that is no function. */
export const conditionOr = <W, R>(
  full: Grammar.Grammar<W, R>
): Grammar.Grammar<WrittenCondition | W, Condition.Condition | R> => ({
  ...Grammar.bareOr(condition, full),
  read: (node, names) => (isFull(node) ? full : condition).read(node, names)
})

/** Tells whether a condition is written as a mapping with further keys, and is no function. */
export const isFull = (node: Parameters<typeof isFunctionNode>[0]): boolean => node.isRecord() && !isFunctionNode(node)
