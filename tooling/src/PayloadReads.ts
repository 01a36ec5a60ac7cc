/**
 * Rule against reading a body by the name of a field without a type that has the field.
 *
 * The type of a body determines its `data`: `Payload.read` and `Payload.of` answer it with the fields of its schema,
 * so that a misspelt name does not compile. The rule finds violations that are visible in one line. The compiler
 * finds the others: it checks the product with `data` declared as an object without known fields.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { API } from "typescript/unstable/sync"
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const rule = "reads"
const advice = "read the payload of its type: Payload.of(body, type), or Payload.read(body) and its cases"

/**
 * Rule: product code reads no field of `data` by a string, casts it to nothing but JSON, and does not assume that it
 * is an object. Formats of others, which importers read, have no schema here.
 */
export function* reads(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!isProduct(file)) continue
    const found: Array<Finding> = []
    visit(file.syntax.body, (node) => {
      if (isRead(node)) found.push(file.find(rule, file.lineAt(node.start), advice))
    })
    yield* found
  }
  return undefined
}

const isProduct = ({ path }: SourceFile): boolean =>
  /^(packages|apps)\/.*\/?src\//.test(path) && !path.startsWith("packages/adapters/importers/")

const isRead = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "MemberExpression":
      return node["computed"] === true && isText(node["property"]) && isData(node["object"])
    case "TSAsExpression":
      return isData(node["expression"]) && !isJson(node["typeAnnotation"] as SyntaxNode)
    case "CallExpression":
      return isNamed(node["callee"], "objectOf") && (node["arguments"] as ReadonlyArray<unknown>).some(isData)
    default:
      return false
  }
}

/** Tells whether an expression is called `data`: the bare name, a member of that name, or either with a fallback. */
const isData = (node: unknown): boolean => {
  const { type, ...fields } = node as SyntaxNode
  switch (type) {
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "TSNonNullExpression":
      return isData(fields["expression"])
    case "LogicalExpression":
      return isData(fields["left"])
    default:
      return isNamed(node, "data")
  }
}

const isNamed = (node: unknown, name: string): boolean => {
  const { computed, name: own, property, type } = node as SyntaxNode
  if (type === "Identifier") return own === name
  return type === "MemberExpression" && computed === false && isNamed(property, name)
}

const isText = (node: unknown): boolean => {
  const { type, value } = node as SyntaxNode
  return type === "TemplateLiteral" || (type === "Literal" && typeof value === "string")
}

const isJson = ({ type, typeName }: SyntaxNode): boolean => {
  if (type !== "TSTypeReference") return false
  const { name, right } = typeName as SyntaxNode
  return /^Json(Object)?$/.test(String(name ?? (right as SyntaxNode | undefined)?.["name"]))
}

/**
 * Uses the compiler to find what the rule cannot see: fields in a pattern, and data passed to code that expects an
 * object with certain fields. `added` are files that are checked as if they existed.
 */
export const compiled = (root: string, added: ReadonlyMap<string, string> = new Map()): ReadonlyArray<Finding> => {
  const at = (path: string): string => Path.join(root, path)
  const files = new Map([...added].map(([path, text]) => [at(path), text] as const))
  files.set(at(declared), opaque(Fs.readFileSync(at(declared), "utf8")))
  files.set(at(project), JSON.stringify({ ...configuration, files: [...added.keys()] }))
  const api = new API({
    cwd: root,
    fs: {
      fileExists: (path) => (files.has(path) ? true : undefined),
      readFile: (path) => files.get(path)
    }
  })
  try {
    const program = api.updateSnapshot({ openProjects: [at(project)] }).getProject(at(project))?.program
    if (program === undefined) throw new Error(`The compiler has not opened ${project}`)
    return program.getSemanticDiagnostics().flatMap(({ code, fileName = "", pos, text }) => {
      if (!unknown.has(code) && !handedOn.test(text)) return []
      const file = Path.relative(root, fileName)
      const before = (files.get(fileName) ?? Fs.readFileSync(fileName, "utf8")).slice(0, pos)
      return [{ file, line: before.split("\n").length, rule, advice }]
    })
  } finally {
    api.close()
  }
}

const declared = "packages/trace/src/transition/Transition.ts"
const project = "reads.tsconfig.json"
const configuration = {
  exclude: ["**/node_modules", "**/dist"],
  extends: "./tsconfig.json",
  include: ["packages/*/src", "packages/adapters/*/src", "apps/*/src"]
}

/** Errors about a field that a type does not have: read with a dot, in a pattern, or by a string. */
const unknown: ReadonlySet<number> = new Set([2339, 7053])

/** JSON of any form is only written or compared as a whole. */
const handedOn = /^Argument of type 'object' is not assignable to parameter of type '(?!Json')/

/** The declaration of a body whose data are an object without known fields. */
const opaque = (text: string): string => {
  const field = "  data: Schema.optionalKey(Form.JsonObject),"
  if (!text.includes(field)) throw new Error(`${declared} declares the data of a body otherwise: correct this rule`)
  return text.replace(field, "  data: Schema.optionalKey(Schema.declare((_): _ is object => true)),")
}
