/**
 * Rules on the rows of the page that leads from a change to its module: it leads to a module of each folder and to each
 * larger module, and the row of a command names a module that the command calls. The list of phrases beside it names
 * modules that exist.
 *
 * @see docs/WHERE.md
 */
import * as Path from "node:path"
import * as Places from "./Places.ts"
import type { Finding, Repository, SourceFile } from "./Repository.ts"
import * as Rooms from "./Rooms.ts"
import * as Tiers from "./Tiers.ts"

const page = "docs/WHERE.md"

/** The number of lines from which on a module has a row of its own, or is named in one. */
const linesMin = 80

/** Rule: the page leads to a module of each folder of a stack, and leads to no folder. */
export function* reachedRooms(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  if (file === undefined) return undefined
  const leads = leadsOf(file.text)
  for (const path of leads) {
    if (Path.posix.extname(path) !== "") continue
    const line = file.lines.findIndex((each) => each.includes(`](../${path})`))
    yield file.find("where", line + 1, `name the module that decides, and not the folder ${path}`)
  }
  for (const [home, folders] of Object.entries(Rooms.stacks)) {
    if (Rooms.sourcesOf(repository, home).length === 0) continue
    for (const room of folders.split(" ")) {
      const folder = `${home}/src/${room}`
      if ([...leads].some((path) => path.startsWith(`${folder}/`))) continue
      yield file.find("where", 1, `name a change that begins in ${folder}`)
    }
  }
  return undefined
}

/** Rule: the page leads to each larger module of a package or an app. */
export function* reachedModules(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  if (file === undefined) return undefined
  const leads = leadsOf(file.text)
  for (const source of repository.code) {
    // The limits of all packages have a page of their own, and an index is a table of contents.
    const isRead = /^(?:packages|apps)\/.+\/src\//.test(source.path) && !/^(?:Limits|index)\.ts$/.test(source.name)
    const lines = source.lines.length - 1
    if (!isRead || lines < linesMin || leads.has(source.path)) continue
    yield file.find("where", 1, `name a change or a symptom that leads to ${source.path}, which has ${lines} lines`)
  }
  return undefined
}

/** Rule: the list of phrases names modules that exist, each once and in order. */
export function* askedModules(repository: Repository): Generator<Finding, undefined> {
  let last = ""
  for (const { line, path } of Places.asked(repository)) {
    const file = repository.files.get("docs/asked.txt")!
    if (!repository.files.has(path))
      yield file.find("where", line, `${path} is not there: name the module where it went`)
    if (path <= last) yield file.find("where", line, `${path} stands behind ${last}: one line for a module, in order`)
    last = path
  }
  return undefined
}

/** Rule: the page has a row for each command of the command line, with a module that the command itself calls. */
export function* reachedCommands(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  if (file === undefined) return undefined
  const named = new Set([...file.text.matchAll(/`([a-z -]+)`/g)].flatMap(([, words = ""]) => words.split(" ")))
  const leads = leadsOf(file.text)
  for (const command of Rooms.sourcesOf(repository, "apps/cli")) {
    if (!command.path.startsWith("apps/cli/src/commands/")) continue
    const [, name] = /export const \w+ = Command\.make\("([a-z-]+)"/.exec(command.text) ?? []
    if (name !== undefined && !named.has(name)) yield file.find("where", 1, `name the module that answers ${name}`)
    if (!isHandler(command.path) || leads.has(command.path)) continue
    yield file.find("where", 1, `name the module that answers ${command.path}`)
  }
  for (const [index, text] of file.lines.entries()) yield* unanswered(repository, file, index + 1, text)
  return undefined
}

/** The command of a row that does not call the module which is said to answer it. */
function* unanswered(
  repository: Repository,
  file: SourceFile,
  line: number,
  text: string
): Generator<Finding, undefined> {
  const [, first = "", second = ""] = text.split("|").map((cell) => cell.trim())
  const answers = [...leadsOf(second)]
  for (const path of leadsOf(first)) {
    const handler = repository.files.get(path)
    if (handler === undefined || !isHandler(path)) continue
    const called = calledBy(repository, handler)
    if (answers.length > 0 && answers.every((answer) => called.has(answer))) continue
    yield file.find(
      "where",
      line,
      `${path} does not call ${answers.join(", ") || "what answers it"}: name what it calls`
    )
  }
  return undefined
}

/** Modules that the handler of a command imports, and those that the command line's own modules import for it. */
const calledBy = (repository: Repository, handler: SourceFile): ReadonlySet<string> => {
  const direct = valuesOf(repository, handler)
  const own = direct.flatMap((path) => (path.startsWith("apps/cli/") ? (repository.files.get(path) ?? []) : []))
  return new Set([...direct, ...own.flatMap((each) => valuesOf(repository, each))])
}

/** The modules whose values a module imports. Types alone carry nothing out. */
const valuesOf = (repository: Repository, file: SourceFile): ReadonlyArray<string> =>
  Tiers.importsOf(file).flatMap(({ isType, specifier }) => {
    if (isType) return []
    if (specifier.startsWith(".")) return [Path.posix.join(Path.posix.dirname(file.path), specifier)]
    const home = Tiers.homeOf(repository, specifier)
    if (home === undefined) return []
    const target = repository.manifest(home).exports?.[`./${specifier.split("/").slice(2).join("/")}`]
    return typeof target === "string" ? [Path.posix.join(home, target)] : []
  })

/** Paths, from the root of the repository, to which a text of the page links. */
const leadsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path]) => path!))

const isHandler = (path: string): boolean => /^apps\/cli\/src\/commands\/.+\.run\.ts$/.test(path)
