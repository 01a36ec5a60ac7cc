/**
 * Rules on calls and casts that code may not contain, by its place.
 *
 * A pure module takes the time, a random number and an id as values, and a service takes them from Effect, so that a
 * test can control them.
 */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

interface Ban {
  readonly what: string
  readonly advice: string
  readonly where: (file: SourceFile) => boolean
  readonly is: (node: SyntaxNode) => boolean
}

const isPublished = (file: SourceFile): boolean => file.home?.startsWith("packages/") === true

const bans: ReadonlyArray<Ban> = [
  {
    what: "Date.now",
    advice: "take the time as a value, or from effect's Clock",
    where: (file) => file.isModule,
    is: (node) => isMember(node, "Date", "now")
  },
  {
    what: "new Date()",
    advice: "take the time as a value, or from effect's Clock",
    where: (file) => file.isModule,
    is: (node) => node.type === "NewExpression" && isNamed(node["callee"], "Date") && isEmpty(node["arguments"])
  },
  {
    what: "Math.random",
    advice: "take the number as a value, or from effect's Random",
    where: (file) => file.isModule,
    is: (node) => isMember(node, "Math", "random")
  },
  {
    what: "structuredClone",
    advice: "values are immutable: share them",
    where: (file) => file.isModule,
    is: (node) => node.type === "CallExpression" && isNamed(node["callee"], "structuredClone")
  },
  {
    what: "JSON.parse",
    advice: "the engine mistakes escaped keys: read text with JsonText.read or Canonical.parse",
    where: (file) => file.isModule && /^(packages|apps)\//.test(file.path) && !file.path.endsWith("/JsonText.ts"),
    is: (node) => isMember(node, "JSON", "parse")
  },
  {
    what: "console",
    advice: "packages are silent: answer a value, or log with Effect.log",
    where: isPublished,
    is: (node) => node.type === "MemberExpression" && isNamed(node["object"], "console")
  },
  {
    what: "looking into drafts",
    advice: "read the rooms of the content: drafts are made last (docs/decisions/0046)",
    where: ({ path }) => path.startsWith("packages/kernel/src/") && !/\/(?:Commit|CommitContent)\.ts$/.test(path),
    is: (node) => looksInto(node, ["drafts", "records"])
  },
  {
    what: "number as a level of trust",
    advice: "Trust.of decides the level that evidence reaches (packages/ledger/src/machine/Trust.ts)",
    where: ({ isTest, path }) => !isTest && /^(packages|apps)\//.test(path) && path.includes("/src/"),
    is: (node) =>
      node.type === "Property" &&
      isNamed(node["key"], "trust") &&
      typeof (node["value"] as SyntaxNode)["value"] === "number"
  },
  {
    what: "as any",
    advice: "name the type, or decode the value with a schema",
    where: () => true,
    is: (node) => isCast(node, "TSAnyKeyword")
  },
  {
    what: "as unknown as",
    advice: "name the type, or decode the value with a schema",
    where: (file) => !file.isTest,
    is: (node) => node.type === "TSAsExpression" && isCast(node["expression"], "TSUnknownKeyword")
  }
]

/**
 * Rule: no clock, no randomness, no deep copies, no other reader of JSON, no printing in packages, no reading of
 * drafts that the kernel has made, no number as a level of trust, and no casts that evade the type checker.
 */
export function* calls(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    const active = bans.filter(({ where }) => where(file))
    const found: Array<Finding> = []
    visit(file.syntax.body, (node) => {
      for (const { advice, is, what } of active) {
        if (is(node)) found.push(file.find(`no ${what}`, file.lineAt(node.start), advice))
      }
    })
    yield* found
  }
  return undefined
}

const isNamed = (node: unknown, name: string): boolean => {
  const named = node as SyntaxNode | undefined
  return named?.type === "Identifier" && named["name"] === name
}

const isMember = (node: SyntaxNode, object: string, property: string): boolean =>
  node.type === "MemberExpression" && isNamed(node["object"], object) && isNamed(node["property"], property)

/** Tells whether a node reads a part of a list with one of these names: by a method, an index, a pattern or a loop. */
const looksInto = (node: SyntaxNode, names: ReadonlyArray<string>): boolean => {
  const isOne = (each: unknown): boolean => names.some((name) => isNamed(each, name) || endsWith(each, name))
  switch (node.type) {
    case "MemberExpression":
      return isOne(node["object"]) && (node["computed"] === true || !isNamed(node["property"], "length"))
    case "VariableDeclarator":
      return isPattern(node["id"]) && isOne(node["init"])
    case "Property":
      return isPattern(node["value"]) && isOne(node["key"])
    case "ForOfStatement":
      return isOne(node["right"])
    default:
      return false
  }
}

const endsWith = (node: unknown, name: string): boolean => {
  const member = node as SyntaxNode | undefined
  return member?.type === "MemberExpression" && member["computed"] !== true && isNamed(member["property"], name)
}

const isPattern = (node: unknown): boolean => (node as SyntaxNode | undefined)?.type === "ArrayPattern"

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0

const isCast = (node: unknown, type: string): boolean => {
  const cast = node as SyntaxNode | undefined
  return cast?.type === "TSAsExpression" && (cast["typeAnnotation"] as SyntaxNode).type === type
}
