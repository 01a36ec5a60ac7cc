/**
 * Ranks modules by how well they answer to the words of a reader who looks for the place of a change.
 *
 * A row of the page counts most for the module in which its change begins, and less for those to which it leads on. The
 * headers and the names of modules count as well, so a module without a row is found. Words are compared by their
 * stems: `approvals` finds `approval`. Sentences that the product says are not among the words.
 *
 * @see docs/WHERE.md
 */
import MiniSearch from "minisearch"
import { stemmer } from "stemmer"
import type { Repository, SourceFile } from "./Repository.ts"

/** A module, with the row of the page or the header that answers best. */
export interface Place {
  readonly path: string
  readonly text: string
  readonly score: number
}

/** A text that leads to a module, and further words that count less and are not shown. */
interface Lead {
  readonly path: string
  readonly text: string
  readonly about: string
  readonly weight: number
}

const weights = { begin: 1, header: 0.7, see: 0.6 }
/** The part that each further text of a module adds to its score. */
const furtherPart = 1 / 4

/** Reads all that leads to modules once, and answers a function from words to places, the likeliest first. */
export const make = (repository: Repository): ((words: string) => ReadonlyArray<Place>) => {
  const leads = [...rowLeads(repository), ...headerLeads(repository)]
  const index = new MiniSearch<Lead & { readonly id: number }>({
    fields: ["text", "about"],
    processTerm: stemOf,
    searchOptions: { boost: { about: 0.4 } },
    tokenize: wordsOf
  })
  index.addAll(leads.map((lead, id) => ({ ...lead, id })))
  return (words) => {
    const places = new Map<string, Place>()
    for (const { id, score } of index.search(words)) {
      const { path, text, weight } = leads[id as number]!
      const place = places.get(path)
      const own = score * weight
      places.set(path, place === undefined ? { path, score: own, text } : further(place, { path, score: own, text }))
    }
    return [...places.values()].sort((left, right) => right.score - left.score)
  }
}

const further = (place: Place, other: Place): Place => {
  const [best, rest] = place.score >= other.score ? [place, other] : [other, place]
  return { ...best, score: best.score + rest.score * furtherPart }
}

function* rowLeads(repository: Repository): Generator<Lead, undefined> {
  let section = ""
  for (const line of repository.files.get("docs/WHERE.md")?.lines ?? []) {
    if (line.startsWith("## ")) section = line.slice("## ".length)
    if (!line.startsWith("| ")) continue
    const [change = "", begin = "", see = ""] = line.split("|").slice(1)
    const said = change.replaceAll(link, "$1").trim()
    const leadsOf = (cell: string, weight: number): ReadonlyArray<Lead> =>
      cell.split("; ").flatMap((part) => {
        let label = ""
        let read = 0
        return [...part.matchAll(link)].map(({ 0: whole, 2: path = "", index }) => {
          // Words up to a colon say what follows. Around a link in a sentence they would be cut in the middle.
          const [, words] = /^[,\s]*(.+):\s*$/.exec(part.slice(read, index)) ?? []
          label = words ?? label
          read = index + whole.length
          return { about: `${section} ${path}`, path, text: label === "" ? said : `${said}; ${label}`, weight }
        })
      })
    yield* leadsOf(begin, weights.begin)
    yield* leadsOf(see, weights.see)
  }
  return undefined
}

const link = /\[([^\]]*)\]\(\.\.\/([^)]+)\)/g

function* headerLeads(repository: Repository): Generator<Lead, undefined> {
  for (const file of repository.code) {
    if (!/^(?:packages|apps)\/.+\/src\//.test(file.path) || file.name === "index.ts") continue
    const [header = "", ...comments] = commentsOf(file)
    yield { about: `${file.path} ${comments.join(" ")}`, path: file.path, text: header, weight: weights.header }
  }
  return undefined
}

/** The doc comments of a module as plain text: its header first. */
const commentsOf = (file: SourceFile): ReadonlyArray<string> =>
  Array.from(file.text.matchAll(/\/\*\*(.*?)\*\//gs), ([, text = ""]) =>
    text
      .replaceAll(/^\s*\*/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  )

/** Parts a text at all that is neither letter nor digit, and names at their capitals. */
const wordsOf = (text: string): Array<string> => text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}\p{N}]+/u)

const stemOf = (word: string): string | undefined => {
  const lower = word.toLowerCase()
  return lower === "" || bare.has(lower) ? undefined : stemmer(lower)
}

/** Words that say nothing of a place. */
const bare = new Set(
  "a an and are as at be by for from has have in is it its not of on or src that the there to ts was with".split(" ")
)
