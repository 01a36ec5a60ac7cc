/**
 * The rule that a package below wording carries codes and typed facts: the sentences that users read are in
 * `packages/wording`.
 */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

/** Packages whose facts are reported to people as a code with arguments. */
const homes: ReadonlySet<string> = new Set(
  ["absorber", "admissibility", "kernel", "ledger", "reconciliation", "reducer"].map((name) => `packages/${name}`)
)

/** Two words with a space between them. A text with a line break belongs to a format. */
const sentence = /^[^\n]*[A-Za-z]{2,}[,;]? [a-z]{2,}[^\n]*$/

/**
 * Rule: no string of two words in a package below wording.
 *
 * Four kinds of strings are exempt, since their reader is a programmer: a class that extends an error, with its
 * message; arguments of `new` and `throw`; the `message`, `title` or `description` of a schema, with modules that
 * describe a form (`…Schema.ts`); and the `problem` at a `path` that a schema finds.
 */
export function* userSentences(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!file.isModule || !homes.has(file.home ?? "") || file.name.endsWith("Schema.ts")) continue
    const exempt = exemptIn(file)
    const found: Array<SyntaxNode> = []
    visit(file.syntax.body, (node) => {
      const text = textOf(node)
      if (text !== undefined && sentence.test(text) && !exempt.some((each) => holds(each, node))) found.push(node)
    })
    for (const { start } of found) {
      const advice = "answer a code with its facts, and give it words in packages/wording (see its README)"
      yield file.find("sentence", file.lineAt(start), advice)
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

const exemptIn = (file: SourceFile): ReadonlyArray<SyntaxNode> => {
  const exempt: Array<SyntaxNode> = []
  visit(file.syntax.body, (node) => {
    if (isForProgrammers(node, file)) exempt.push(node)
  })
  return exempt
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
