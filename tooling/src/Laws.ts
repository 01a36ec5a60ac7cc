/**
 * Rules on the book of laws, and on citations in code and documents: each law is enforced and tested, and each
 * citation has its target in the repository.
 */
import * as Path from "node:path"
import * as Modules from "./Modules.ts"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

const book = "docs/LAWS.md"
const shelf = "docs/SOURCES.md"

interface Row {
  readonly line: number
  readonly section: string
  readonly cells: ReadonlyArray<string>
}

/** Rows of the tables of a document, by the heading above them. */
const rowsOf = (file: SourceFile): ReadonlyArray<Row> => {
  let section = ""
  return file.lines.flatMap((text, index) => {
    const [, heading] = /^#{2,3} (.+)$/.exec(text) ?? []
    if (heading !== undefined) section = heading
    const cells = /^\| (.+) \|$/.exec(text)?.[1]?.split(" | ") ?? []
    const isHead = file.lines[index + 1]?.startsWith("| ---") === true
    return cells.length === 0 || isHead || text.startsWith("| ---") ? [] : [{ line: index + 1, section, cells }]
  })
}

const unheld = "Not held yet"

const idOf = ({ cells: [first = ""] }: Row): string | undefined => /^\*\*(L\d+)\*\*$/.exec(first)?.[1]

/** Files to which a cell links. */
const linked = (repository: Repository, cell: string): ReadonlyArray<SourceFile> =>
  [...cell.matchAll(/\]\(([^)#]+)/g)].flatMap(
    ([, target = ""]) => repository.files.get(Path.posix.join(Path.posix.dirname(book), target)) ?? []
  )

/** The text of a test file without skipped tests, which prove nothing. */
const run = (file: SourceFile): string => {
  let text = file.text
  for (const { end, start } of Modules.skipped(file))
    text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end)
  return text
}

/**
 * Rule: a law names a module that enforces it and a test that shows it, by its title. Every package has its laws. A
 * module that states a law by its number in its header is linked from a row of its package with that number.
 */
export function* laws(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(book)
  if (file === undefined) return undefined
  const rows = rowsOf(file)
  for (const row of rows) {
    const id = idOf(row)
    if (row.section === unheld) continue
    const [enforced = "", shown = ""] = row.cells.slice(-2)
    const tests = linked(repository, shown).filter(({ path }) => /\/test\/|Suite\.ts$|\/conformance\/src\//.test(path))
    if (linked(repository, enforced).length === 0) yield file.find("laws", row.line, "link the module that enforces it")
    if (tests.length === 0) yield file.find("laws", row.line, "link the test that shows it")
    const title = id === undefined ? /: "(.+)"$/.exec(shown)?.[1] : undefined
    const isShown =
      id === undefined
        ? title !== undefined && tests.some((test) => run(test).includes(title))
        : tests.some((test) => namedIn(id).test(run(test)))
    if (isShown || tests.length === 0) continue
    const advice = id === undefined ? "quote a title of its test" : `name (${id}) in the title of its test`
    yield file.find("laws", row.line, advice)
  }
  yield* explored(repository)
  yield* unlisted(repository, rows)
  for (const home of repository.homes) {
    const [, name] = /^packages\/(.+)$/.exec(home) ?? []
    if (name === undefined || rows.some(({ section }) => section === name)) continue
    yield file.find("laws", 1, `state the laws of ${name} under a heading of its name`)
  }
  return undefined
}

/** A law that a module states by its number is in a row of its package that links the module. */
function* unlisted(repository: Repository, rows: ReadonlyArray<Row>): Generator<Finding, undefined> {
  const listed = new Set(
    rows.flatMap((row) => {
      const ids = lawsIn(row.cells[0] ?? "")
      const modules = linked(repository, row.cells.at(-2) ?? "").filter(
        ({ home }) => home === `packages/${row.section}`
      )
      return modules.flatMap(({ path }) => ids.map((id) => `${id} ${path}`))
    })
  )
  for (const file of repository.files.values()) {
    const header = file.isModule ? file.syntax.comments[0] : undefined
    if (header === undefined) continue
    // A law that a module follows is cited as a source, and is stated elsewhere.
    for (const id of new Set(lawsIn(header.value.split("@source")[0] ?? ""))) {
      if (listed.has(`${id} ${file.path}`)) continue
      yield file.find(
        "laws",
        file.lineAt(header.start),
        `link it in ${book} from a row of its package with (${id}), or state no law`
      )
    }
  }
  return undefined
}

/** A law of the explorer has a mutant with its name that breaks it. */
function* explored(repository: Repository): Generator<Finding, undefined> {
  const home = "packages/conformance"
  const tests = [...repository.files.values()].filter(({ path }) => path.startsWith(`${home}/test/`))
  for (const file of repository.files.values()) {
    if (!new RegExp(`^${home}/src/\\w+Laws\\.ts$`).test(file.path)) continue
    for (const [index, text] of file.lines.entries()) {
      const [, name] = /^ {4}name: "(.+)",$/.exec(text) ?? []
      if (name === undefined || tests.some((test) => test.text.includes(name))) continue
      yield file.find("laws", index + 1, "name it in a test that shows a mutant which breaks it")
    }
  }
  return undefined
}

/** The title of a test that names a law, in parentheses at its end. */
const namedIn = (id: string): RegExp => new RegExp(`\\([^()\\n]*\\b${id}\\b[^()\\n]*\\)["\`]`)

/** Rule: a cited law, decision or source is in the book, among the records, or on the list. */
export function* citations(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(book)
  const sources = repository.files.get(shelf)
  if (file === undefined || sources === undefined) return undefined
  const held = new Set(rowsOf(file).flatMap((row) => (row.section === unheld ? [] : (idOf(row) ?? []))))
  const names = rowsOf(sources).map(({ cells: [name = ""] }) => name)
  const records = new Set(
    [...repository.files.keys()].flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? [])
  )
  for (const each of repository.files.values()) {
    if (!/\.(ts|md|py)$/.test(each.path) || each.path === book || /^docs\/api\/|CHANGELOG/.test(each.path)) continue
    for (const [index, text] of each.lines.entries()) {
      for (const id of lawsIn(text)) {
        if (!held.has(id)) yield each.find("citation", index + 1, `${id} is no law of ${book} that is held: correct it`)
      }
      for (const number of decisionsIn(text)) {
        if (records.has(number)) continue
        yield each.find("citation", index + 1, `decision ${number} has no record in docs/decisions: correct it`)
      }
    }
    if (each.isCode) yield* unknownSources(each, names)
  }
  return undefined
}

/** Laws that a text cites, as `(L7)` or `law L7`. */
const lawsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\(([^()]*)\)|\blaws? (L\d+(?:(?:, | and )L\d+)*)/g)].flatMap(([, inside, named]) =>
    [...(inside ?? named ?? "").matchAll(/\bL\d{1,2}\b/g)].map(([id]) => id)
  )

/** Numbers of records, as `decision 0013` or `docs/decisions/0018, 0023`. */
const decisionsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bdecisions?[ /](\d+(?:(?:, | and )\d{4})*)/g)].flatMap(([, numbers = ""]) =>
    [...numbers.matchAll(/\d+/g)].map(([number]) => number)
  )

function* unknownSources(file: SourceFile, names: ReadonlyArray<string>): Generator<Finding, undefined> {
  for (const { start, value } of file.syntax.comments) {
    for (const found of value.matchAll(/@source ([^\n]+(?:\n \*(?! @| ?$| *\n)[^\n]*)*)/g)) {
      for (const cited of (found[1] ?? "").replace(/\n \*/g, "").split("; ")) {
        const isOurs = /^(?:docs\/|(?:laws? )?L\d|HS-\d)/.test(cited)
        if (isOurs || names.some((name) => cited.startsWith(name))) continue
        const line = file.lineAt(start + (found.index ?? 0))
        yield file.find("citation", line, `${cited} is no source of ${shelf}: name one, or add it there`)
      }
    }
  }
  return undefined
}
