/**
 * Rules on the rooms of a package: its folders are a stack, none is too full, and no imports form a circle.
 *
 * A package with folders has a stack of them, by the noun that they serve, and a folder imports only lower ones.
 * Imports of types count, because a reader of a module has to read the types that it names. `Limits` is below all
 * folders.
 *
 * @see docs/ARCHITECTURE.md
 */
import * as Path from "node:path"
import type { Finding, Repository, SourceFile } from "./Repository.ts"
import * as Tiers from "./Tiers.ts"

/** The stacks: the folders of a package, from the top. A module in none of them is above all. */
export const stacks: Readonly<Record<string, string>> = {
  "apps/cli":
    "commands commands/runs commands/review commands/actions commands/deliveries commands/recovery " +
    "commands/revisions commands/proof commands/exchange commands/keys commands/webhooks commands/versions commands/causes " +
    "commands/predicates commands/releases commands/packs " +
    "commands/mcp commands/shell program server input output/page output/runs output/versions output terminal",
  "apps/server": "handlers stream caller questions answer store upkeep",
  "packages/adapters/importers": "run formats chat text",
  "packages/adapters/langgraph": "gate capture tools checkpointer",
  "packages/adapters/mcp": "proxy wire contract message",
  "packages/admissibility": "rollback failure registry instance",
  "packages/api": "groups form",
  "packages/conformance": "explorer suites store",
  "packages/contracts": "goal grammar/pack grammar/tool grammar rules subtask tool webhook state time",
  "packages/expressions": "cel values",
  "packages/functions": "isolation",
  "packages/host": "deliveries work webhooks waiting metrics",
  "packages/kernel":
    "resolution forward claims intent settlement revision undo admission recovery approval review verification action fork budget subtask decision " +
    "identity state payload",
  "packages/ledger": "repeats entry history plan keys state moves payload machine",
  "packages/reconciliation": "metrics reporting recovery evidence",
  "packages/reducer": "snapshot fold parts pack state",
  "packages/release": "simulation gates",
  "packages/runtime":
    "replay review access deliveries reporting vault files agent topology revisions projections pending versioning run engine telemetry proof exchange " +
    "sealing ports planner undo history",
  "packages/sdk": "open adapter run session contract failures values",
  "packages/sql": "tenants postgres sqlite queries",
  "packages/topology": "shapes event",
  "packages/trace": "port file chain transition table bytes",
  "packages/transparency": "bytes",
  "packages/version-control": "carry progress predicates explain find compare payload onset family address codes",
  "packages/wording": "english/pages english/findings english/terms said"
}

/** The maximum number of nouns in a folder: `fork.ts` and `fork.run.ts` count as one. */
const nounsMax = 15

/** Rule: folders are those of the stack, and import only lower ones. A package with folders has a stack. */
export function* rooms(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    const folders = stacks[home]
    const stack = folders?.split(" ") ?? []
    for (const file of sourcesOf(repository, home)) {
      const room = roomOf(home, file.path)
      if (room === "" || (room === ground && stack.length === 0)) continue
      if (room !== ground && !stack.includes(room)) {
        const advice = `${room} is no folder of a stack of ${home}: name it in tooling/src/Rooms.ts`
        yield file.find("rooms", 1, advice)
        continue
      }
      yield* raised(repository, { file, home, room, stack })
    }
  }
  return undefined
}

interface Placed {
  readonly file: SourceFile
  readonly home: string
  readonly room: string
  readonly stack: ReadonlyArray<string>
}

/** Imports of a module in a folder that come from above it. */
function* raised(repository: Repository, { file, home, room, stack }: Placed): Generator<Finding, undefined> {
  const floor = floorOf(stack, room)
  for (const { line, path } of importsWithin(repository, file)) {
    const other = roomOf(home, path)
    if (other === room || !path.startsWith(`${home}/src/`) || floorOf(stack, other) > floor) continue
    yield file.find(
      "rooms",
      line,
      `${other || "a module of no folder"} stands above ${room}: move what both need below both`
    )
  }
  return undefined
}

/** Rule: a folder of a package or an app has at most fifteen nouns. */
export function* sizes(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    if (!/^(?:packages|apps)\//.test(home)) continue
    const nouns = new Map<string, Set<string>>()
    for (const file of sourcesOf(repository, home)) {
      const room = roomOf(home, file.path)
      const own = nouns.get(room) ?? new Set()
      nouns.set(room, own.add(file.name.split(".")[0]!))
      if (own.size !== nounsMax + 1) continue
      yield file.find("rooms", 1, `the folder has more than ${nounsMax} nouns: split it`)
    }
  }
  return undefined
}

const page = "docs/ARCHITECTURE.md"

/** Rule: the page lists the folders of each package in the order of its stack, with what stands in them. */
export function* listedRooms(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  if (file === undefined || !file.lines.includes("## Rooms")) return undefined
  for (const [home, folders] of Object.entries(stacks)) {
    const name = Path.posix.basename(home)
    const head = file.lines.findIndex((line) => line.startsWith(`| ${name} | `))
    const listed = head < 0 ? [] : tableFrom(file.lines.slice(head + 2))
    if (listed.join(" ") === folders || !isRead(repository, home)) continue
    yield file.find("rooms", head + 1, `list the folders of ${home} in the order of its stack: ${folders}`)
  }
  return undefined
}

/** Folders in the rows of a table, up to its end. */
const tableFrom = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = lines.findIndex((line) => !line.startsWith("| "))
  return lines.slice(0, end < 0 ? undefined : end).flatMap((line) => /^\| `([^`]+)` \| \S/.exec(line)?.[1] ?? [])
}

const isRead = (repository: Repository, home: string): boolean => sourcesOf(repository, home).length > 0

/** Rule: no imports of a package, an app or an example form a circle. */
export function* rounds(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) yield* roundsOf(repository, home)
  return undefined
}

function* roundsOf(repository: Repository, home: string): Generator<Finding, undefined> {
  const done = new Set<string>()
  const open: Array<string> = []
  const visit = function* (file: SourceFile): Generator<Finding, undefined> {
    open.push(file.path)
    for (const { line, path } of importsWithin(repository, file)) {
      const since = open.indexOf(path)
      const next = repository.files.get(path)
      if (since >= 0) {
        const round = [...open.slice(since), path].map((each) => Path.posix.basename(each))
        yield file.find("rounds", line, `${round.join(" → ")}: move what both need below both`)
      } else if (next?.isCode && !done.has(path)) yield* visit(next)
    }
    open.pop()
    done.add(file.path)
    return undefined
  }
  for (const file of repository.code) if (file.home === home && !done.has(file.path)) yield* visit(file)
  return undefined
}

/** The sources of a package, an app or an example. */
export const sourcesOf = (repository: Repository, home: string): ReadonlyArray<SourceFile> =>
  [...repository.files.values()].filter(({ isCode, path }) => isCode && path.startsWith(`${home}/src/`))

/** The folder of a module; none if it is above all folders. */
const roomOf = (home: string, path: string): string =>
  path === `${home}/src/${ground}.ts` ? ground : Path.posix.dirname(path).slice(`${home}/src/`.length)

/** The module below all folders of a package: its limits, which every folder may import. */
const ground = "Limits"

/** The position of a folder, counted downwards. */
const floorOf = (stack: ReadonlyArray<string>, room: string): number =>
  room === ground ? stack.length : stack.indexOf(room)

/** The imports of a module from its own package, with their places, including types and subpaths such as `#sha256`. */
const importsWithin = (
  repository: Repository,
  file: SourceFile
): ReadonlyArray<{ readonly path: string; readonly line: number }> =>
  Tiers.importsOf(file).flatMap(({ line, specifier }) => {
    const home = file.home ?? ""
    const paths = specifier.startsWith("#")
      ? Object.values(repository.manifest(home).imports?.[specifier] ?? {}).map((path) => Path.posix.join(home, path))
      : specifier.startsWith(".")
        ? [Path.posix.join(Path.posix.dirname(file.path), specifier)]
        : []
    return paths.flatMap((path) => (repository.files.has(path) ? [{ path, line }] : []))
  })
