/**
 * Reads of a body by the name of a field, where no type says that the field is there.
 *
 * What a body has in `data` is known by its type: `Payload.read` and `Payload.of` answer it with the fields of its
 * schema, so that a slip of a name does not compile. The rule finds what can be seen in a line. The compiler finds the
 * rest: it checks the product where `data` is an object of which no field is known.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { API } from "typescript/unstable/sync"
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const rule = "reads"
const advice = "read the payload of its type: Payload.of(body, type), or Payload.read(body) and its cases"

/**
 * Rule: product code names no field of what is called `data` by a string, casts it to nothing but JSON, and takes it
 * for no object that it might not be. Formats of others, which importers read, have no schema here.
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

/** Tells whether an expression is called `data`: the name alone, a member of that name, or either with a fallback. */
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
 * Lets the compiler find what the rule cannot see: fields that are named in a pattern, and data that are handed to what
 * takes them for an object of JSON with fields of its own. `added` are files that are checked as if they were there.
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

/** A field that a type does not have, named by a dot or in a pattern, and by a string. */
const unknown: ReadonlySet<number> = new Set([2339, 7053])

/** JSON alone is what is written down or compared as a whole. */
const handedOn = /^Argument of type 'object' is not assignable to parameter of type '(?!Json')/

/** The declaration of a body whose data are an object, and no more is known of it. */
const opaque = (text: string): string => {
  const field = "  data: Schema.optionalKey(Form.JsonObject),"
  if (!text.includes(field)) throw new Error(`${declared} declares the data of a body otherwise: correct this rule`)
  return text.replace(field, "  data: Schema.optionalKey(Schema.declare((_): _ is object => true)),")
}
