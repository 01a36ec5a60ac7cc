/** Parts of the format that a trace shows: fields of payloads, words of closed lists, and codes of findings. */
import * as Finding from "@backstitch/kernel/Finding"
import * as Payload from "@backstitch/kernel/Payload"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Transition from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

type Ast = SchemaAST.AST

const astOf = (schema: unknown): Ast => (schema as Schema.Top).ast

const membersOf = (ast: Ast): ReadonlyArray<Ast> => (ast._tag === "Union" ? ast.types.flatMap(membersOf) : [ast])

const literalsOf = (ast: Ast): ReadonlyArray<string> =>
  membersOf(ast).flatMap((each) => (each._tag === "Literal" ? [String(each.literal)] : []))

const isFindings = (ast: Ast): boolean =>
  membersOf(ast).some(({ annotations }) => String(annotations?.["identifier"]).startsWith("finding"))

const codeOf = (code: string): string => `finding ${code}`

/** Names the place of a schema; one with a name of its own is counted once, wherever it stands. */
const placeOf = (ast: Ast, path: string): string => {
  const identifier = ast.annotations?.["identifier"]
  return typeof identifier === "string" ? identifier : path
}

/** Features of a schema: all that a value of it can show. */
const featuresOf = (ast: Ast, from: string): ReadonlyArray<string> => {
  const path = placeOf(ast, from)
  if (isFindings(ast) || ast._tag === "Suspend") return []
  const literals = literalsOf(ast)
  const words = literals.length > 1 ? literals.map((word) => `${path} = ${word}`) : []
  const inner = membersOf(ast).flatMap((each) => {
    if (each._tag === "Arrays") return each.rest.flatMap((item) => featuresOf(item, `${path}[]`))
    if (each._tag !== "Objects") return []
    return [
      ...each.propertySignatures.flatMap(({ name, type }) => {
        const at = `${path}.${String(name)}`
        return [at, ...featuresOf(type, at)]
      }),
      ...each.indexSignatures.flatMap(({ type }) => featuresOf(type, `${path}.*`))
    ]
  })
  return [...words, ...inner]
}

/** Features of a value by its schema. What a schema does not name is not looked into. */
const shownBy = (value: unknown, ast: Ast, from: string, found: (feature: string) => void): void => {
  const path = placeOf(ast, from)
  if (Finding.isKnown(value)) {
    found(codeOf(value.code))
    shownBy(value.args, astOf(Finding.codes[value.code]), codeOf(value.code), found)
  } else if (Array.isArray(value)) {
    const rest = membersOf(ast).flatMap((each) => (each._tag === "Arrays" ? each.rest : []))
    for (const item of value) for (const each of rest) shownBy(item, each, `${path}[]`, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      for (const each of membersOf(ast)) {
        if (each._tag !== "Objects") continue
        const property = each.propertySignatures.find((signature) => signature.name === name)
        const type = property?.type ?? each.indexSignatures[0]?.type
        if (property !== undefined) found(`${path}.${name}`)
        if (type !== undefined) shownBy(field, type, `${path}.${property === undefined ? "*" : name}`, found)
      }
    }
  } else if (literalsOf(ast).length > 1) found(`${path} = ${String(value)}`)
}

const { data: _, type: __, ...beside } = Payload.frame.fields

const schemas: ReadonlyArray<readonly [name: string, ast: Ast]> = [
  ["body", astOf(Schema.Struct(beside))],
  ["stamp", astOf(Transition.Stamp)],
  ...Object.entries(Payload.payloads).map(([type, schema]) => [type, astOf(schema)] as const),
  ...Object.entries(Finding.codes).map(([code, schema]) => [codeOf(code), astOf(schema)] as const)
]

/** All that can be shown; a type that nothing writes shows nothing. */
export const all: ReadonlySet<string> = new Set(
  schemas.flatMap(([name, ast]) => (ast._tag === "Never" ? [] : [name, ...featuresOf(ast, name)]))
)

const asts = new Map(schemas)

/** Lists the parts of the format that transitions show. */
export const shown = (transitions: ReadonlyArray<Transition.Transition>): ReadonlySet<string> => {
  const found = new Set<string>(["body", "stamp"])
  const find = (feature: string): void => {
    if (all.has(feature)) found.add(feature)
  }
  for (const { body, stamp } of transitions) {
    const { data = {}, type, ...frame } = body
    find(type)
    shownBy(frame, asts.get("body")!, "body", find)
    shownBy(stamp, asts.get("stamp")!, "stamp", find)
    if (Ontology.isType(type)) shownBy(data, asts.get(type)!, type, find)
  }
  return found
}
