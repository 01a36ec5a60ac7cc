/**
 * Rules on the first word of a doc comment and of a test title: it names the thing, or what the thing does.
 *
 * A comment that begins with "what" or "who" leaves its object unnamed, and could be about anything. The form is
 * `<verb> <object> <the condition that matters>`: "Lists the checks that the contract omits."
 */
import { titled } from "./Modules.ts"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

/** Rule: no doc comment and no test title begins with a relative pronoun. */
export function* openings(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    for (const { line, opening } of [...comments(file), ...titles(file)]) {
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
  file.syntax.comments.flatMap(({ start, type, value }) => {
    const opening = /^\*\s*(?:\*\s+)?(.*)/.exec(value)?.[1]
    return type === "Block" && opening !== undefined ? [{ line: file.lineAt(start), opening }] : []
  })

const titles = (file: SourceFile): ReadonlyArray<Opening> =>
  /\.test\.tsx?$/.test(file.name)
    ? titled(file).flatMap(({ isGroup, node, title }) =>
        isGroup ? [] : [{ line: file.lineAt(node.start), opening: title }]
      )
    : []
