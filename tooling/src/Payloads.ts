/**
 * The payloads of a trace as docs/FORMAT.md shows them: drawn from the schemas, so that the page cannot fall behind.
 *
 * `node tooling/src/Payloads.ts` prints the section.
 *
 * @since 0.1.0
 */
import { payloads } from "@backstitch/kernel/Payload"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * The section: the forms that have a name, and each type with its authors and its fields.
 *
 * @category conversions
 * @since 0.1.0
 */
export const section = (): string => {
  const forms = new Map<string, SchemaAST.AST>()
  const types = Object.entries(Ontology.types).map(([type, { authors }]) => {
    const { ast } = payloads[type as Ontology.Type]
    return [`${type} (${authors.join(", ")})`, ...linesOf(ast, forms).map((line) => `  ${line}`)].join("\n")
  })
  // A form may name others: the map grows as it is walked.
  const named = new Map<string, string>()
  for (const [name, ast] of forms) {
    const codes = codesOf(ast, forms)
    named.set(name, codes === undefined ? wrapped(`${name} = ${bare(ast, forms)}`) : [`${name} =`, ...codes].join("\n"))
  }
  const sorted = [...named].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, text]) => text)
  return `\`\`\`\n${sorted.join("\n")}\n\`\`\`\n\n\`\`\`\n${types.join("\n")}\n\`\`\``
}

type Forms = Map<string, SchemaAST.AST>

const width = 116

const wrapped = (text: string): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line !== "" && line.length + 1 + word.length > width) lines.push(`    ${word}`)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.join("\n")
}

const linesOf = (ast: SchemaAST.AST, forms: Forms): ReadonlyArray<string> => {
  if (ast._tag === "Never") return ["not written yet"]
  if (ast._tag !== "Objects") return [formOf(ast, forms)]
  const fields = fieldsOf(ast, forms)
  const open = ast.indexSignatures.length === 0 ? [] : ["and what the contract or the program declares"]
  return [...fields, ...open].map(wrapped).flatMap((line) => line.split("\n"))
}

/** A code with its arguments on a line of its own, where a form is nothing but such codes. */
const codesOf = (ast: SchemaAST.AST, forms: Forms): ReadonlyArray<string> | undefined => {
  if (ast._tag !== "Union") return undefined
  const lines = ast.types.flatMap((member) => {
    const { args, code, ...others } = member._tag === "Objects" ? fieldsByName(member) : {}
    if (args === undefined || code?._tag !== "Literal" || Object.keys(others).length > 0) return []
    return [`  ${wrapped(`{ code: ${bare(code, forms)}, args: ${formOf(args, forms)} }`).replaceAll("\n", "\n  ")}`]
  })
  return lines.length === ast.types.length ? lines.sort() : undefined
}

const fieldsByName = ({ propertySignatures }: SchemaAST.Objects): { readonly [name: string]: SchemaAST.AST } =>
  Object.fromEntries(propertySignatures.map(({ name, type }) => [String(name), type]))

const fieldsOf = ({ propertySignatures }: SchemaAST.Objects, forms: Forms): ReadonlyArray<string> =>
  [...propertySignatures]
    .sort((left, right) => (String(left.name) < String(right.name) ? -1 : 1))
    .map(({ name, type }) => `${String(name)}${type.context?.isOptional === true ? "?" : ""}: ${formOf(type, forms)}`)

const formOf = (ast: SchemaAST.AST, forms: Forms): string => {
  const name = ast.annotations?.["identifier"]
  if (typeof name !== "string") return bare(ast, forms)
  if (ast._tag !== "Declaration" && !forms.has(name)) forms.set(name, ast)
  return name
}

const bare = (ast: SchemaAST.AST, forms: Forms): string => {
  switch (ast._tag) {
    case "Arrays":
      return `[${ast.rest.map((item) => formOf(item, forms)).join(" | ")}]`
    case "Boolean":
      return "flag"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Null":
      return "null"
    case "Number":
      return isWhole(ast) ? "whole" : "number"
    case "Objects": {
      const [rest] = ast.indexSignatures
      return rest === undefined ? `{ ${fieldsOf(ast, forms).join(", ")} }` : `{ [name]: ${formOf(rest.type, forms)} }`
    }
    case "String":
      return "text"
    case "Union":
      return ast.types.map((member) => formOf(member, forms)).join(" | ")
    default:
      throw new Error(`A payload has a form that the page has no word for: ${ast._tag}`)
  }
}

const isWhole = ({ checks }: SchemaAST.Number): boolean =>
  checks !== undefined && checks.some(({ annotations }) => annotations?.arbitraryConstraint?.number === "integer")

if (import.meta.main) process.stdout.write(`${section()}\n`)
