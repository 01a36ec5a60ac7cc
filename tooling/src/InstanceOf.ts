/** The rule on `instanceof`: it distinguishes copies of a package, which is never intended. */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const advice =
  "a process may hold two copies of a package: make the guard with Branded.guard, or ask Branded.isError for an error"

/**
 * Rule: published code uses no `instanceof` with a class of Backstitch that other modules can import.
 *
 * **Details**
 *
 * `instanceof` is allowed for classes of the language, of libraries, and of the module itself if they are not
 * exported.
 */
export function* instanceOf(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!/^(packages|apps)\//.test(file.path) || !file.path.includes("/src/")) continue
    const ours = namesOfOurs(file)
    const found: Array<Finding> = []
    visit(file.syntax.body, (node) => {
      if (node.type !== "BinaryExpression" || node["operator"] !== "instanceof") return
      const name = rootOf(node["right"] as SyntaxNode)
      if (ours.has(name)) found.push(file.find(`no instanceof ${name}`, file.lineAt(node.start), advice))
    })
    yield* found
  }
  return undefined
}

/** Names of a module for classes of Backstitch: those that it imports from its modules, and those that it exports. */
const namesOfOurs = (file: SourceFile): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const node of file.syntax.body) {
    const { declaration, source, specifiers } = node as {
      readonly declaration?: SyntaxNode | null
      readonly source?: { readonly value: string } | null
      readonly specifiers?: ReadonlyArray<{ readonly local: SyntaxNode }>
    }
    if (node.type === "ImportDeclaration" && /^(\.|#|@backstitch\/)/.test(source?.value ?? "")) {
      for (const { local } of specifiers ?? []) names.add(String(local["name"]))
    }
    if (node.type === "ExportNamedDeclaration" && declaration?.type === "ClassDeclaration") {
      names.add(String((declaration["id"] as SyntaxNode)["name"]))
    }
  }
  return names
}

/** `Table` of `Table.Table`. */
const rootOf = (node: SyntaxNode): string =>
  node.type === "MemberExpression" ? rootOf(node["object"] as SyntaxNode) : String(node["name"])
