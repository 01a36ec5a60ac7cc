/**
 * Rules on the first word of a comment, of a test title, of a text for users and of a law: it names the thing, or what
 * the thing does.
 *
 * A sentence that begins with "what" or "who" leaves its object unnamed, and could be about anything. The form is
 * `<verb> <object> <the condition that matters>`: "Lists the checks that the contract omits."
 */
import { titled } from "./Modules.ts"
import { type Finding, type Repository, type SourceFile, visit } from "./Repository.ts"

/** Rule: no comment, test title, text of a help or a form, and no law begins with a relative pronoun. */
export function* openings(repository: Repository): Generator<Finding, undefined> {
  for (const file of [...repository.code, ...lawBook(repository)]) {
    for (const { line, opening } of [...comments(file), ...titles(file), ...texts(file), ...laws(file)]) {
      const word = pronoun.exec(opening)?.[0]
      if (word === undefined) continue
      yield file.find("openings", line, `"${opening.slice(0, 40)}": open with the thing, or a verb, not with "${word}"`)
    }
  }
  return undefined
}

/** A doc comment of an article and a noun. The commands of an app have one each, since their headers say all. */
const bare = /^\*\s*(?:An?|The) [\w`]+\.\s*$/

/** Rule: a doc comment says more than the name of the thing under it. */
export function* bareComments(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    if (!/\/src\//.test(file.path) || /^apps\/\w+\/src\/commands\//.test(file.path)) continue
    for (const { start, type, value } of file.syntax.comments) {
      if (type !== "Block" || !bare.test(value)) continue
      yield file.find("openings", file.lineAt(start), `"${value.slice(2).trim()}": say what distinguishes it`)
    }
  }
  return undefined
}

/** Folders of documents whose sentences are checked: records of decisions, and changes for users. */
const documents = /^(?:docs\/decisions\/\d{4}-|\.changeset\/).*\.md$/

/** A sentence, an item or a bold phrase that begins with "what" or "who" and asks nothing. */
const unnamed = /(?:^\s*(?:[*-]\s+)?|[.:;!?]\**\s+|\*\*)(What|Who)(?:ever)? [^.?!]*[.!:]/

/** Rule: no sentence of a decision record or a changeset begins with "what" or "who". */
export function* sentences(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.files.values()) {
    if (!documents.test(file.path) || file.path.endsWith("0000-template.md")) continue
    for (const [index, text] of file.lines.entries()) {
      const word = unnamed.exec(text)?.[1]
      if (word === undefined) continue
      yield file.find("openings", index + 1, `name the thing: a sentence does not begin with "${word}"`)
    }
  }
  return undefined
}

const pronoun = /^(?:of |to |by |for |in |on |from |with )?(what|who|whom|whose|where|how|that|whether)(ever)?\b/i

interface Opening {
  readonly line: number
  readonly opening: string
}

const comments = (file: SourceFile): ReadonlyArray<Opening> =>
  file.isCode ? file.syntax.comments.flatMap((comment, index) => openingOf(file, comment, index)) : []

/** The opening of a doc comment or, in a source, of the first of several line comments. */
const openingOf = (
  file: SourceFile,
  { start, type, value }: SourceFile["syntax"]["comments"][number],
  index: number
): ReadonlyArray<Opening> => {
  const line = file.lineAt(start)
  if (type === "Line" && file.isTest) return []
  const opening = (type === "Block" ? /^\*\s*(?:\*\s+)?(.*)/ : /^ ([A-Z].*)/).exec(value)?.[1]
  const before = file.syntax.comments[index - 1]
  const isContinued = type === "Line" && before?.type === "Line" && file.lineAt(before.start) === line - 1
  return opening === undefined || isContinued ? [] : [{ line, opening }]
}

/** Sentences in the sources of packages and apps: helps, descriptions of forms, hints. A question may ask. */
const texts = (file: SourceFile): ReadonlyArray<Opening> => {
  const found: Array<Opening> = []
  if (!/^(?:packages|apps)\/.*\/src\/.*\.tsx?$/.test(file.path)) return found
  visit(file.syntax.body, ({ start, type, ...node }) => {
    const value = type === "TemplateElement" ? (node["value"] as { readonly cooked: string }).cooked : node["value"]
    if (!/^(?:Literal|TemplateElement)$/.test(type) || typeof value !== "string") return
    if (/^[A-Z]\w+ [^?]*$/.test(value)) found.push({ line: file.lineAt(start), opening: value })
  })
  return found
}

/** Laws as the explorer names them, and as the book states them. */
const laws = (file: SourceFile): ReadonlyArray<Opening> => {
  const named = file.isCode ? (/Laws\.ts$/.test(file.name) ? /^ {4}name: "(.+)",$/ : undefined) : /^\| (.+)/
  return file.lines.flatMap((text, index) => {
    const opening = named?.exec(text)?.[1]
    return opening === undefined ? [] : [{ line: index + 1, opening }]
  })
}

const lawBook = ({ files }: Repository): ReadonlyArray<SourceFile> => {
  const book = files.get("docs/LAWS.md")
  return book === undefined ? [] : [book]
}

const titles = (file: SourceFile): ReadonlyArray<Opening> =>
  /\.test\.tsx?$/.test(file.name)
    ? titled(file).flatMap(({ isGroup, node, title }) =>
        isGroup ? [] : [{ line: file.lineAt(node.start), opening: title }]
      )
    : []
