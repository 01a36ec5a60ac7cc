/**
 * Rules on words: names, headings and help use no word that the glossary excludes, and the glossary has each term
 * once.
 *
 * The last column of the glossary lists excluded words. They are searched in modules, their exports, headings of
 * documents, and the help of an app. An excluded word is allowed if it is a term itself, alone or as a part of one:
 * then its own row gives its only meaning. Functions of private modules, comments and titles of tests are not
 * searched, since these use mostly everyday words.
 *
 * @see GLOSSARY.md
 */
import { type Finding, type Repository, type SourceFile, type SyntaxNode, visit } from "./Repository.ts"

const page = "GLOSSARY.md"

/** A row of the glossary: its terms, and the excluded words. */
export interface Row {
  readonly line: number
  readonly terms: ReadonlyArray<string>
  readonly not: ReadonlyArray<string>
}

/** Reads the rows of a glossary. */
export const rowsOf = (file: SourceFile): ReadonlyArray<Row> =>
  file.lines.flatMap((text, index) => {
    const [, terms, not = ""] = /^\| \*\*(.+?)\*\* \|.*\|([^|]*)\|$/.exec(text) ?? []
    return terms === undefined ? [] : [{ line: index + 1, terms: listed(terms), not: listed(not) }]
  })

/** Notes in parentheses are not part of the list. */
const listed = (cell: string): ReadonlyArray<string> =>
  cell
    .replaceAll(/\(.*?\)/g, "")
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "")

/** Rule: the glossary has each term once, in order, and names, headings and help use no excluded word. */
export function* glossary(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  if (file === undefined) return undefined
  const rows = rowsOf(file)
  let previous = ""
  const terms = new Set<string>()
  for (const { line, terms: own } of rows) {
    for (const term of own) {
      if (terms.has(term)) yield file.find("glossary", line, `"${term}" stands there twice: it has one meaning`)
      terms.add(term)
    }
    if (own[0]! < previous) yield file.find("glossary", line, `"${own[0]}" is not in the order of the alphabet`)
    previous = own[0]!
  }
  const unwanted = unwantedOf(rows)
  for (const each of repository.files.values()) {
    for (const { line, name } of [...exportsOf(each), ...headingsOf(each), ...helpOf(each)]) {
      const found = unwanted(wordsOf(name))
      if (found === undefined) continue
      const advice = `"${name}": ${page} has ${found.terms.join(" or ")} for that, and not "${found.word}"`
      yield each.find("glossary", line, `${advice}. Rename it, or give the word a row of its own`)
    }
  }
  return undefined
}

/** Makes the search for an excluded word. Terms of several words are removed from a text first. */
const unwantedOf = (rows: ReadonlyArray<Row>) => {
  const terms = rows.flatMap((row) => row.terms)
  const phrases = terms.filter((term) => term.includes(" ")).map((term) => patternOf(term, "g"))
  const unwanted = rows.flatMap((row) => row.not.map((word) => ({ term: row.terms[0]!, word })))
  const words = Map.groupBy(
    unwanted.filter(({ word }) => !terms.includes(word)),
    ({ word }) => word
  )
  const patterns = [...words].map(([word, all]) => ({
    pattern: patternOf(word),
    terms: all.map(({ term }) => term),
    word
  }))
  return (text: string) => {
    const rest = phrases.reduce((left, phrase) => left.replace(phrase, " "), text)
    return patterns.find(({ pattern }) => pattern.test(rest))
  }
}

/** A word or a phrase, in the singular or the plural. */
const patternOf = (word: string, flags = ""): RegExp =>
  new RegExp(`(?<![a-z])${word.replace(/y$/, "(?:y|ie)")}(?:e?s)?(?![a-z])`, flags)

/** The words of a name in PascalCase or camelCase, or of a text. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()

interface Named {
  readonly line: number
  readonly name: string
}

/** Names of a module and of its exported types, and those of its functions unless it is private. */
const exportsOf = (file: SourceFile): ReadonlyArray<Named> => {
  if (!/^(?:packages|apps)\/.*\/src\/.*\.tsx?$/.test(file.path) || file.name === "index.ts") return []
  const isPrivate = /^[a-z]/.test(file.name)
  return [
    { line: 1, name: file.name.split(".")[0]! },
    ...file.syntax.body.flatMap((node) => {
      const declaration = node["declaration"] as SyntaxNode | null | undefined
      if (node.type !== "ExportNamedDeclaration" || !declaration) return []
      const isType = /^TS|^Class/.test(declaration.type)
      const declared = (declaration["declarations"] as ReadonlyArray<SyntaxNode> | undefined) ?? [declaration]
      return declared.flatMap(({ id }) => {
        const name = nameOf(id)
        return name !== "" && (isType || !isPrivate) ? [{ line: file.lineAt(node.start), name }] : []
      })
    })
  ]
}

/** Descriptions of commands, flags and examples, as an app shows them. */
const helpOf = (file: SourceFile): ReadonlyArray<Named> => {
  if (!file.isCode || !/^apps\/.*\/src\//.test(file.path)) return []
  const found: Array<Named> = []
  visit(file.syntax.body, (node) => {
    const isCall = node.type === "CallExpression" && /Description$/.test(nameOf(node["callee"], "property"))
    const isField = node.type === "Property" && nameOf(node["key"]) === "description"
    const text = isCall ? (node["arguments"] as ReadonlyArray<SyntaxNode>)[0] : isField ? node["value"] : undefined
    const name = (text as SyntaxNode | undefined)?.["value"]
    if (typeof name === "string") found.push({ line: file.lineAt(node.start), name })
  })
  return found
}

/** The name of an identifier, or of one that stands in a field of a node. */
const nameOf = (node: unknown, field?: string): string => {
  const named = node as SyntaxNode | undefined
  const name = (field === undefined ? named : (named?.[field] as SyntaxNode | undefined))?.["name"]
  return typeof name === "string" ? name : ""
}

/** Headings of documents. Records of decisions are never changed, so they are not searched. */
const headingsOf = (file: SourceFile): ReadonlyArray<Named> => {
  if (!file.path.endsWith(".md") || /^docs\/(?:api|decisions)\/|CHANGELOG|^\.changeset\//.test(file.path)) return []
  return file.lines.flatMap((text, index) => {
    const [, name] = /^#{1,6} (.+)$/.exec(text) ?? []
    return name === undefined ? [] : [{ line: index + 1, name }]
  })
}
