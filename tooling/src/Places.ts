/**
 * Ranks modules by how well they answer to the words of a reader who looks for the place of a change.
 *
 * All that is said of a module is searched as one document. The rows of the page count most for the module in which
 * their change begins, and less for those to which they lead on. Its header, its name and its comments count as well,
 * so a module without a row is found, and so do the phrases in which strangers ask for it. Words are compared by their
 * stems: `approvals` finds `approval`. A word of other systems counts as the words that the page gives for it, too.
 * Sentences that the product says are not searched.
 *
 * @see docs/WHERE.md
 * @see docs/asked.txt
 */
import MiniSearch from "minisearch"
import { stemmer } from "stemmer"
import type { Repository, SourceFile } from "./Repository.ts"

/** A module, with the row of the page or the header that answers best. */
export interface Place {
  readonly path: string
  readonly text: string
}

/** All that is said of a module: in rows of the page, in the phrases of strangers, and in itself. */
interface Module {
  readonly path: string
  readonly begin: Array<string>
  readonly see: Array<string>
  asked: string
  header: string
  comments: string
}

const boosts = { begin: 2, asked: 1.5, path: 0.8, header: 0.7, see: 0.6, comments: 0.3 }
/** The part for which a word counts that stands for one of the reader. */
const otherWordPart = 0.5

/** Reads all that leads to modules once. Answers a function from words to so many places, the likeliest first. */
export const make = (repository: Repository): ((words: string, count: number) => ReadonlyArray<Place>) => {
  const modules = modulesOf(repository)
  const index = new MiniSearch<Module>({
    idField: "path",
    fields: Object.keys(boosts),
    extractField: (module, field) => [module[field as keyof Module]].flat().join(" "),
    // Stems are made before, so that the words that stand for others are compared as stems.
    processTerm: stemOf,
    tokenize: wordsOf,
    searchOptions: { boost: boosts, processTerm: (stem) => stem }
  })
  index.addAll([...modules.values()])
  const others = otherWords(repository)
  return (words, count) => {
    const own = new Set(stemsOf(words))
    const said = new Set(allStemsOf(words))
    const meant = new Set(others.flatMap(({ of, meant }) => (of.every((stem) => said.has(stem)) ? meant : [])))
    const found = index.search([...own.union(meant)].join(" "), {
      boostTerm: (stem) => (own.has(stem) ? 1 : otherWordPart)
    })
    // A module that has two words of three is likelier than one that has one of them often.
    const sharpened = found.map(({ id, queryTerms, score }) => {
      const shared = own.intersection(new Set(queryTerms)).size
      return { id, score: score * Math.sqrt((1 + shared) / (1 + own.size)) }
    })
    return sharpened
      .sort((one, other) => other.score - one.score)
      .slice(0, count)
      .map(({ id }) => ({ path: id, text: bestText(modules.get(id)!, own.union(meant)) }))
  }
}

/** The row or the header with most of the stems; of equals, a row that begins in the module. */
const bestText = ({ begin, header, see }: Module, stems: ReadonlySet<string>): string => {
  let best = header
  let most = 0
  for (const text of [...begin, header, ...see]) {
    const count = stems.intersection(new Set(stemsOf(text))).size
    if (count > most) {
      best = text
      most = count
    }
  }
  return best
}

const modulesOf = (repository: Repository): ReadonlyMap<string, Module> => {
  const modules = new Map<string, Module>()
  const at = (path: string): Module => {
    const known = modules.get(path) ?? { path, begin: [], see: [], asked: "", header: "", comments: "" }
    modules.set(path, known)
    return known
  }
  for (const file of repository.code) {
    if (!/^(?:packages|apps)\/.+\/src\//.test(file.path) || file.name === "index.ts") continue
    const [header = "", ...comments] = commentsOf(file)
    Object.assign(at(file.path), { header, comments: comments.join(" ") })
  }
  for (const [change = "", begin = "", see = ""] of rowsOf(repository)) {
    for (const { path, text } of linksOf(change, begin)) at(path).begin.push(text)
    for (const { path, text } of linksOf(change, see)) at(path).see.push(text)
  }
  for (const { path, phrases } of asked(repository)) at(path).asked = phrases
  return modules
}

/** The lines of the list of phrases: a module, and the phrases in which strangers ask for it. */
export const asked = (
  repository: Repository
): ReadonlyArray<{ readonly path: string; readonly phrases: string; readonly line: number }> =>
  (repository.files.get("docs/asked.txt")?.lines ?? []).flatMap((text, index) => {
    const [, path = "", phrases = ""] = /^(\S+): (.+)$/.exec(text) ?? []
    return path === "" ? [] : [{ path, phrases, line: index + 1 }]
  })

/** The cells of the rows of the page, section by section. */
function* rowsOf(repository: Repository): Generator<ReadonlyArray<string>, undefined> {
  for (const line of repository.files.get("docs/WHERE.md")?.lines ?? []) {
    if (line.startsWith("| ")) yield line.split("|").slice(1, -1)
  }
  return undefined
}

/** The modules to which a cell leads, each with the change and the words that the cell has for the module. */
const linksOf = (change: string, cell: string): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
  const said = change.replaceAll(link, "$1").trim()
  return cell.split("; ").flatMap((part) => {
    let label = ""
    let read = 0
    return [...part.matchAll(link)].map(({ 0: whole, 2: path = "", index }) => {
      // Words up to a colon say what follows. Around a link in a sentence they would be cut in the middle.
      const [, words] = /^[,\s]*(.+):\s*$/.exec(part.slice(read, index)) ?? []
      label = words ?? label
      read = index + whole.length
      return { path, text: label === "" ? said : `${said}; ${label}` }
    })
  })
}

/**
 * Words of other systems, and what is said here: the rows of two cells. A phrase needs each of its words, also those
 * that say nothing of a place: "not found" does not stand for each "found".
 */
const otherWords = (
  repository: Repository
): ReadonlyArray<{ readonly of: ReadonlyArray<string>; readonly meant: ReadonlyArray<string> }> =>
  [...rowsOf(repository)]
    .filter(({ length }) => length === 2)
    .flatMap(([theirs = "", ours = ""]) =>
      theirs.split(",").map((each) => ({ of: allStemsOf(each), meant: stemsOf(ours) }))
    )
    .filter(({ of }) => of.length > 0)

const link = /\[([^\]]*)\]\(\.\.\/([^)]+)\)/g

/** The doc comments of a module as plain text: its header first. */
const commentsOf = (file: SourceFile): ReadonlyArray<string> =>
  Array.from(file.text.matchAll(/\/\*\*(.*?)\*\//gs), ([, text = ""]) =>
    text
      .replaceAll(/^\s*\*/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  )

const stemsOf = (text: string): Array<string> => wordsOf(text).flatMap((word) => stemOf(word) ?? [])

/** Cuts a text at each character that is neither a letter nor a digit, and names at their capitals. */
const wordsOf = (text: string): Array<string> => text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}\p{N}]+/u)

const allStemsOf = (text: string): Array<string> =>
  wordsOf(text).flatMap((word) => (word === "" ? [] : stemmer(word.toLowerCase())))

const stemOf = (word: string): string | undefined => {
  const lower = word.toLowerCase()
  return lower === "" || bare.has(lower) ? undefined : stemmer(lower)
}

/** Words that say nothing of a place. */
const bare = new Set(
  (
    "a an and are as at be by can do does for from has have how i if in into is it its may more most must my no not " +
    "of on one only or our s same should so src than that the their then there they this to too ts us was we were " +
    "when where which who will with would you your"
  ).split(" ")
)
