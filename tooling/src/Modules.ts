/** Rules on the modules of a package: their names, docs, tests and table of contents. */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const bannedNames = /^(utils?|helpers?|common|misc|shared|types|constants|errors)\.tsx?$/i

/** Rule: a file is one noun in PascalCase, an internal one in camelCase, and never a collection of helpers. */
export function* names(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (bannedNames.test(file.name)) {
      yield file.find("file name", 1, `${file.name} says nothing of what is in it: name it for its one noun`)
    }
    if (!file.isModule) continue
    if (file.path.includes("/src/internal/") && !/^[a-z][A-Za-z0-9]*\.tsx?$/.test(file.name)) {
      yield file.find("file name", 1, "internal files are named in camelCase")
    }
    // A folder has private modules beside those that others may import.
    const form = /\/src\/[^/]+$/.test(file.path) ? /^[A-Z][A-Za-z0-9]*\.tsx?$/ : /^[A-Za-z][A-Za-z0-9]*\.tsx?$/
    if (!form.test(file.name)) {
      yield file.find("file name", 1, "modules are named in PascalCase, for their one noun")
    }
  }
  return undefined
}

/**
 * Rule: no two modules of a package have the same noun, ignoring case. `fork.ts` and `fork.run.ts` in one folder
 * count as one.
 */
export function* nouns(repository: Repository): Generator<Finding, undefined> {
  const places = new Map<string, string>()
  for (const file of repository.code) {
    if (!/\/src\//.test(file.path) || file.name === "index.ts") continue
    const noun = file.name.split(".")[0]!
    const folder = file.path.slice(0, -file.name.length)
    const key = `${file.home} ${noun.toLowerCase()}`
    const place = places.get(key) ?? `${folder}${noun}`
    places.set(key, place)
    if (place === `${folder}${noun}`) continue
    yield file.find("noun", 1, `${place} has this noun, in whatever case: name one of the two otherwise`)
  }
  return undefined
}

/** Rule: a module opens with a doc comment of its own, and each export has one. */
export function* docs(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!file.isModule) continue
    if (!file.isInternal && !hasHeader(file)) {
      yield file.find("header", 1, "open the module with a doc comment: its subject and its use, before the imports")
    }
    const seen = new Set<string>()
    for (const node of file.syntax.body) {
      const declaration = node["declaration"] as SyntaxNode | null | undefined
      if (!/^Export(Named|Default)Declaration$/.test(node.type) || !declaration) continue
      const name = exportedName(declaration)
      // Overloads repeat the name under one comment.
      if (declaration.type.includes("Function") && seen.has(name)) continue
      seen.add(name)
      if (!isDocumented(file, node)) yield file.find("docs", file.lineAt(node.start), `${name} needs a doc comment`)
    }
  }
  return undefined
}

/** Rule: each module is named in a test of its package. */
export function* tests(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    // The suites of conformance are tests themselves, and run in the packages that they test.
    if (!file.isModule || file.isInternal || file.home === "packages/conformance") continue
    const noun = file.name.replace(/\.tsx?$/, "")
    const isNamed = repository.code.some(
      (other) => other.home === file.home && other.isTest && new RegExp(`\\b${noun}\\b`).test(other.text)
    )
    if (!isNamed) yield file.find("tests", 1, `no test of the package names ${noun}: add test/${noun}.test.ts`)
  }
  return undefined
}

/**
 * Rule: `index.ts` is a table of contents, in the order of folders and modules, with a capital before its small
 * letter.
 */
export function* contents(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!/^packages\/(adapters\/)?[^/]+\/src\/index\.ts$/.test(file.path)) continue
    let previous = ""
    for (const [index, line] of file.lines.entries()) {
      if (line === "") continue
      const [, noun, path, place] = /^export \* as (\w+) from "(\.\/(?:\w+\/)*(\w+)\.ts)"$/.exec(line) ?? []
      if (path === undefined || noun !== place) {
        yield file.find("index", index + 1, 'an index holds lines such as export * as Trace from "./Trace.ts" alone')
        continue
      }
      const name = path.replace(/[a-z]/gi, (letter) => letter.toLowerCase() + (letter < "a" ? 0 : 1))
      if (name < previous) yield file.find("index", index + 1, `${noun} is not in the order of folders and modules`)
      previous = name
    }
  }
  return undefined
}

/** Rule: the title of a test is a sentence in the present tense. */
export function* titles(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!/\.test\.tsx?$/.test(file.name)) continue
    for (const { isGroup, node, title } of titled(file)) {
      const advice = adviceFor(title, isGroup)
      if (advice !== undefined) yield file.find("test title", file.lineAt(node.start), advice)
    }
  }
  return undefined
}

/** A test or a group of tests, by the node of its title. */
export interface Titled {
  readonly isGroup: boolean
  readonly node: SyntaxNode
  readonly title: string
}

/** Lists the titles of the tests in a file. */
export const titled = (file: SourceFile): ReadonlyArray<Titled> => {
  const found: Array<Titled> = []
  visit(file.syntax.body, (call) => {
    const chain = call.type === "CallExpression" ? chainOf(call["callee"] as SyntaxNode) : []
    if (!/^(it|test|describe)$/.test(chain[0] ?? "")) return
    const [node] = call["arguments"] as ReadonlyArray<SyntaxNode>
    const title = titleOf(node)
    if (node === undefined || title === undefined) return
    found.push({ isGroup: chain[0] === "describe" || chain.includes("layer"), node, title })
  })
  return found
}

/** Lists the tests and groups of tests in a file that are skipped, or expected to fail. */
export const skipped = (file: SourceFile): ReadonlyArray<SyntaxNode> => {
  const found: Array<SyntaxNode> = []
  visit(file.syntax.body, (call) => {
    const [first = "", ...rest] = call.type === "CallExpression" ? chainOf(call["callee"] as SyntaxNode) : []
    if (/^(it|test|describe)$/.test(first) && rest.some((each) => /^(skip|todo|fails)$/.test(each))) found.push(call)
  })
  return found
}

const adviceFor = (title: string, isGroup: boolean): string | undefined => {
  if (/\bshould\b/i.test(title)) return `"${title}": say what it does, without "should"`
  if (isGroup) return undefined
  if (!title.trim().includes(" ")) return `"${title}": say in a sentence what holds`
  return title.endsWith(".") ? `"${title}": leave out the full stop` : undefined
}

const chainOf = (node: SyntaxNode): ReadonlyArray<string> => {
  if (node.type === "Identifier") return [node["name"] as string]
  if (node.type === "CallExpression") return chainOf(node["callee"] as SyntaxNode)
  if (node.type !== "MemberExpression") return []
  const property = node["property"] as SyntaxNode
  return [...chainOf(node["object"] as SyntaxNode), String(property["name"])]
}

const titleOf = (node: SyntaxNode | undefined): string | undefined => {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"]
  if (node?.type !== "TemplateLiteral") return undefined
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly raw: string } }>
  return quasis.map(({ value }) => value.raw).join("…")
}

const exportedName = (declaration: SyntaxNode): string => {
  const declared = declaration["declarations"] as ReadonlyArray<SyntaxNode> | undefined
  const named = (declared?.[0] ?? declaration)["id"] as SyntaxNode | null | undefined
  return typeof named?.["name"] === "string" ? named["name"] : "the export"
}

/** The first comment is a header if it is at the top of the file and not on an export. */
const hasHeader = (file: SourceFile): boolean => {
  const [header] = file.syntax.comments
  return header?.start === 0 && isDoc(header) && !/^\nexport (?!\*)/.test(file.text.slice(header.end))
}

const isDocumented = (file: SourceFile, node: SyntaxNode): boolean => {
  const comment = file.syntax.comments.findLast(({ end }) => end <= node.start)
  return comment !== undefined && isDoc(comment) && file.text.slice(comment.end, node.start) === "\n"
}

const isDoc = ({ type, value }: { readonly type: string; readonly value: string }): boolean =>
  type === "Block" && value.startsWith("*")
