/**
 * The payloads of a trace as docs/FORMAT.md shows them, drawn from the schemas, so that the page is always current.
 *
 * `node tooling/src/Payloads.ts` prints the section.
 */
import { frame, parts, payloads } from "@backstitch/kernel/Payload"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * The section: the fields beside a payload in a body, the named forms, the findings by code, and each type with its
 * authors and its fields.
 */
export const section = (): string => {
  const forms: Forms = new Map()
  const body = fieldsOf(frame.ast, forms).filter((line) => !/^(?:author|data|type)\b/.test(line))
  const types = Object.entries(Ontology.types).map(([type, { authors }]) => {
    const { ast } = payloads[type as Ontology.Type]
    const beside = parts[type as Ontology.Type] ?? []
    const has = beside.length === 0 ? "" : `, with ${beside.join(" and ")}`
    return [`${type} (${authors.join(", ")})${has}`, ...linesOf(ast, forms).map((line) => `  ${line}`)].join("\n")
  })
  // A form may name others, so the map grows while it is read.
  const named = new Map<string, string>()
  for (const [name, ast] of forms) named.set(name, wrapped(lineOf(name, ast, forms)))
  const sorted = [...named].sort(([left], [right]) => (left < right ? -1 : 1))
  const findings = sorted.filter(([name]) => isFinding(name))
  const others = sorted.filter(([name]) => !isFinding(name))
  return [[...body.map(wrapped)], others.map(([, text]) => text), findings.map(([, text]) => text), types]
    .map((lines) => `\`\`\`\n${lines.join("\n")}\n\`\`\``)
    .join("\n\n")
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

const isFinding = (name: string): boolean => name.startsWith("finding.")

/** A finding is its code, and its arguments. */
const lineOf = (name: string, ast: SchemaAST.AST, forms: Forms): string => {
  if (name === "finding") return "finding = by any code"
  if (!isFinding(name) || ast._tag !== "Objects") return `${name} = ${bare(ast, forms)}`
  const args = ast.propertySignatures.find((each) => each.name === "args")!
  return `${codeOf(name)} ${formOf(args.type, forms)}`
}

const codeOf = (name: string): string => name.slice("finding.".length)

const linesOf = (ast: SchemaAST.AST, forms: Forms): ReadonlyArray<string> => {
  if (ast._tag === "Never") return ["not written yet"]
  if (ast._tag !== "Objects") return [formOf(ast, forms)]
  const fields = fieldsOf(ast, forms)
  const open = ast.indexSignatures.length === 0 ? [] : ["and what the contract or the program declares"]
  return [...fields, ...open].map(wrapped).flatMap((line) => line.split("\n"))
}

const fieldsOf = ({ propertySignatures }: SchemaAST.Objects, forms: Forms): ReadonlyArray<string> =>
  [...propertySignatures]
    .sort((left, right) => (String(left.name) < String(right.name) ? -1 : 1))
    .map(({ name, type }) => `${String(name)}${type.context?.isOptional === true ? "?" : ""}: ${formOf(type, forms)}`)

const formOf = (ast: SchemaAST.AST, forms: Forms): string => {
  if (ast._tag === "Suspend") return formOf(ast.thunk(), forms)
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
      return `${ast.checks?.some(isWhole) === true ? "whole" : "number"}${boundsOf(ast.checks ?? [])}`
    case "Objects": {
      const [rest] = ast.indexSignatures
      return rest === undefined ? `{ ${fieldsOf(ast, forms).join(", ")} }` : `{ [name]: ${formOf(rest.type, forms)} }`
    }
    case "String":
      return ast.checks === undefined ? "text" : `text like ${patternOf(ast.checks)}`
    case "Union":
      return unionOf(ast.types, forms)
    default:
      throw new Error(`A payload has a form that the page has no word for: ${ast._tag}`)
  }
}

type Check = SchemaAST.Check<never>

const heldBy = (check: Check) =>
  check.annotations?.["representation"] as
    | { readonly id: string; readonly payload: { readonly [name: string]: unknown } | null }
    | undefined

const isWhole = (check: Check): boolean => heldBy(check)?.id === "effect/schema/isInt"

const patternOf = (checks: ReadonlyArray<Check>): string =>
  checks.map((check) => String(heldBy(check)?.payload?.["source"])).join(" and ")

/** The bounds of a number. A lower bound of 0 for a whole number is not written. */
const boundsOf = (checks: ReadonlyArray<Check>): string => {
  const bounds = Object.assign({}, ...checks.map((check) => heldBy(check)?.payload)) as Record<string, number>
  const { maximum, minimum } = bounds
  if (maximum !== undefined) return ` from ${minimum} to ${maximum}`
  return minimum === undefined || checks.some(isWhole) ? "" : ` from ${minimum}`
}

/** Findings are named by their codes. */
const unionOf = (members: ReadonlyArray<SchemaAST.AST>, forms: Forms): string => {
  const drawn = members.map((member) => formOf(member, forms))
  if (!drawn.every(isFinding)) return drawn.join(" | ")
  return `${drawn.map(codeOf).join(" | ")}`
}

if (import.meta.main) process.stdout.write(`${section()}\n`)
