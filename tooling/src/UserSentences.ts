/**
 * The rule that a package below wording carries codes and typed facts: the sentences that users read are in
 * `packages/wording`.
 */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

/** Folders whose facts are reported to people as a code with arguments. */
const homes: ReadonlyArray<string> = [
  ...["absorber", "admissibility", "kernel", "ledger", "reconciliation", "reducer", "release", "version-control"],
  ...["access", "exchange", "pending", "projections", "proof", "replay", "review", "undo", "versioning"].map(
    (room) => `runtime/src/${room}`
  )
].map((folder) => `packages/${folder}/`)

/** Modules in them whose texts are no report: sources of tests, goals of drills, made-up records, names of samples. */
const others: ReadonlySet<string> = new Set(
  [
    "release/src/Fixture",
    "release/src/simulation/SimulatedWorld",
    "release/src/UndoDrill",
    "version-control/src/predicates/Variations"
  ].map((name) => `packages/${name}.ts`)
)

/** Two words with a space between them. A text with a line break belongs to a format. */
const sentence = /^[^\n]*[A-Za-z]{2,}[,;]? [a-z]{2,}[^\n]*$/

/**
 * Rule: no string of two words where facts are codes.
 *
 * Five kinds of strings are exempt, since their reader is a programmer: a class that extends an error, with its
 * message; arguments of `new`, `throw`, and a function of the module that only makes an error; the `message`, `title`
 * or `description` of a schema, with modules that describe a form (`…Schema.ts`); the `problem` at a `path` that a
 * schema finds; and a text that a type or a literal
 * schema of the module lists, which is a code.
 */
export function* userSentences(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!file.isModule || !homes.some((home) => file.path.startsWith(home))) continue
    if (file.name.endsWith("Schema.ts") || others.has(file.path)) continue
    const exempt = exemptIn(file)
    const codes = codesIn(file)
    const found: Array<SyntaxNode> = []
    visit(file.syntax.body, (node) => {
      const text = textOf(node)
      if (text === undefined || !sentence.test(text) || codes.has(text)) return
      if (!exempt.some((each) => holds(each, node))) found.push(node)
    })
    for (const { start } of found) {
      const advice = "answer a code with its facts, and give it words in packages/wording (see its README)"
      yield file.find("sentence", file.lineAt(start), advice)
    }
  }
  return undefined
}

/** Modules that take English words directly: the service with this default, and a part of the text of an error. */
const speakers: ReadonlySet<string> = new Set(
  ["runtime/src/ports/Lexicon", "runtime/src/topology/TopologyCheck"].map((name) => `packages/${name}.ts`)
)

/** Rule: packages take English words directly only in an error, and as the default of an argument. */
export function* directWords(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!file.isModule || file.home === "packages/wording" || speakers.has(file.path)) continue
    const exempt: Array<SyntaxNode> = []
    const found: Array<SyntaxNode> = []
    visit(file.syntax.body, (node) => {
      const isError = node.type === "ClassDeclaration" && /Error\b/.test(textAt(file, node["superClass"]))
      if (isError || node.type === "AssignmentPattern") exempt.push(node)
      if (node.type === "MemberExpression" && textAt(file, node) === "English.words") found.push(node)
    })
    for (const node of found) {
      if (exempt.some((each) => holds(each, node))) continue
      const advice = "take the words as an argument: an embedder may have another lexicon"
      yield file.find("words", file.lineAt(node.start), advice)
    }
  }
  return undefined
}

/** The text of a literal or a template, with a mark for each value in it. */
const textOf = ({ quasis, type, value }: SyntaxNode): string | undefined => {
  if (type === "Literal") return typeof value === "string" ? value : undefined
  if (type !== "TemplateLiteral") return undefined
  return (quasis as ReadonlyArray<{ readonly value: { readonly cooked: string } }>)
    .map((quasi) => quasi.value.cooked)
    .join("…")
}

/** Texts that the types and the literal schemas of a module list. */
const codesIn = (file: SourceFile): ReadonlySet<string> => {
  const codes = new Set<string>()
  const take = (node: SyntaxNode): void => {
    const text = textOf(node)
    if (text !== undefined) codes.add(text)
  }
  visit(file.syntax.body, (node) => {
    if (node.type === "TSLiteralType") take(node["literal"] as SyntaxNode)
    if (node.type !== "CallExpression" || textAt(file, node["callee"]) !== "Schema.Literals") return
    visit(node["arguments"] as ReadonlyArray<SyntaxNode>, take)
  })
  return codes
}

const exemptIn = (file: SourceFile): ReadonlyArray<SyntaxNode> => {
  const exempt: Array<SyntaxNode> = []
  const makers = errorMakers(file)
  visit(file.syntax.body, (node) => {
    const isMaking = node.type === "CallExpression" && makers.has(textAt(file, node["callee"]))
    if (isMaking || isForProgrammers(node, file)) exempt.push(node)
  })
  return exempt
}

/** Names of functions whose body is an expression that makes an error, or fails with one. */
const errorMakers = (file: SourceFile): ReadonlySet<string> => {
  const makers = new Set<string>()
  visit(file.syntax.body, (node) => {
    const made = node["init"] as SyntaxNode | undefined
    if (node.type !== "VariableDeclarator" || made?.type !== "ArrowFunctionExpression") return
    const body = textAt(file, made["body"]).replace(/^\{\s*throw /, "")
    if (/^(?:(?:Result|Effect)\.fail\(\s*)?new \w+/.test(body)) makers.add(textAt(file, node["id"]))
  })
  return makers
}

const isForProgrammers = (node: SyntaxNode, file: SourceFile): boolean => {
  switch (node.type) {
    case "ClassDeclaration":
      return /Error\b/.test(textAt(file, node["superClass"]))
    case "ImportDeclaration":
    case "NewExpression":
    case "ThrowStatement":
      return true
    case "Property":
      return /^(message|title|description)$/.test(textAt(file, node["key"]))
    case "ObjectExpression":
      return ["path", "problem"].every((name) =>
        (node["properties"] as ReadonlyArray<SyntaxNode>).some(({ key }) => textAt(file, key) === name)
      )
    default:
      return false
  }
}

const textAt = (file: SourceFile, node: unknown): string => {
  if (typeof node !== "object" || node === null) return ""
  const { end, start } = node as SyntaxNode
  return file.text.slice(start, end)
}

const holds = (outer: SyntaxNode, inner: SyntaxNode): boolean => outer.start <= inner.start && inner.end <= outer.end
