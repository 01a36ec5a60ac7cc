/**
 * The permitted imports between packages: the table of tiers as data, and its rules.
 *
 * Imports go downwards only. Packages up to `wording` are pure: from Effect they import only modules that compute. The
 * exceptions are the ports of `trace` with their memory layers, and the feed of a store.
 *
 * @source docs/ARCHITECTURE.md
 */
import * as Path from "node:path"
import type { Finding, Repository, SourceFile, SyntaxNode } from "./Repository.ts"
import { visit } from "./Repository.ts"

/** A place in the order of packages: it may import everything below `upTo`, and the named packages. */
export interface Tier {
  readonly tier: number
  /** Packages of tiers up to this one may be imported; -1 for none. */
  readonly upTo: number
  /** Further packages that may be imported. */
  readonly also?: ReadonlyArray<string>
}

/** The table. Packages under `adapters` share one entry. */
export const tiers: Readonly<Record<string, Tier>> = {
  trace: { tier: 0, upTo: -1 },
  expressions: { tier: 1, upTo: 0 },
  functions: { tier: 1, upTo: 0 },
  transparency: { tier: 1, upTo: 0 },
  contracts: { tier: 2, upTo: 1 },
  patterns: { tier: 3, upTo: 2 },
  reducer: { tier: 3, upTo: 2 },
  ledger: { tier: 4, upTo: 3 },
  "version-control": { tier: 4, upTo: 3 },
  reconciliation: { tier: 5, upTo: 3, also: ["ledger"] },
  admissibility: { tier: 5, upTo: 3, also: ["ledger"] },
  absorber: { tier: 6, upTo: 3, also: ["ledger", "admissibility"] },
  topology: { tier: 6, upTo: 3, also: ["ledger", "version-control"] },
  kernel: { tier: 7, upTo: 6 },
  wording: { tier: 8, upTo: 7 },
  runtime: { tier: 9, upTo: 8 },
  release: { tier: 10, upTo: 9 },
  sql: { tier: 10, upTo: 0 },
  host: { tier: 10, upTo: 9 },
  cluster: { tier: 10, upTo: 9, also: ["host", "sql"] },
  sdk: { tier: 10, upTo: 9, also: ["sql"] },
  api: { tier: 10, upTo: 9 },
  adapters: { tier: 10, upTo: 9, also: ["adapters", "sdk", "sql"] },
  conformance: { tier: 11, upTo: 10, also: ["adapters"] }
}

/** Packages that are published with what they import in their own files: they need it only to be built. */
export const bundled: ReadonlySet<string> = new Set(["sdk"])

/** The last tier whose packages are pure. */
export const pureUpTo = 8

/** Modules of Effect that compute and do not run. */
export const pureModules: ReadonlySet<string> = new Set(
  (
    "Array BigDecimal BigInt Boolean Brand Chunk Combiner Data DateTime Duration Encoding Equal Equivalence Function " +
    "Graph Hash HashMap HashSet Iterable JsonPatch JsonPointer JsonSchema Match MutableHashMap MutableHashSet " +
    "MutableList Number Option Order Pipeable Predicate Record Result Schema SchemaAST SchemaGetter SchemaIssue " +
    "SchemaParser SchemaRepresentation SchemaTransformation String Struct TextDiff Tuple Types UndefinedOr"
  ).split(" ")
)

/** The ports and their memory layers, which are the only services of the pure packages. */
const exempt = new Set(
  ["ApiKeys", "CommitSignal", "Leases", "Notes", "RunFeed", "TraceStore", "Vault", "WriteAnswers"].map(
    (port) => `packages/trace/src/port/${port}.ts`
  )
)

const scope = "@backstitch/"

/** The entry of a folder such as `packages/trace` or `packages/adapters/mcp`. */
export const nameOf = (home: string): string | undefined => /^packages\/([^/]+)/.exec(home)?.[1]

/** Tells whether a package may import another. */
export const mayImport = (from: string, to: string): boolean => {
  const [importer, imported] = [tiers[from], tiers[to]]
  if (importer === undefined || imported === undefined) return false
  return imported.tier <= importer.upTo || importer.also?.includes(to) === true
}

/** An import of a source: the named module, its place, and whether it takes types alone. */
export interface Import {
  readonly specifier: string
  readonly line: number
  readonly isType: boolean
}

/** All imports of a source, static or dynamic. */
export const importsOf = (file: SourceFile): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  visit(file.syntax.body, (node) => {
    if (!/^(Import|Export(All|Named))(Declaration|Expression)$/.test(node.type)) return
    const value = (node["source"] as SyntaxNode | null | undefined)?.["value"]
    if (typeof value !== "string") return
    const isType = node["importKind"] === "type" || node["exportKind"] === "type"
    found.push({ specifier: value, line: file.lineAt(node.start), isType })
  })
  return found
}

/** Folder of the package that a specifier names, if it is a package of this repository. */
export const homeOf = (repository: Repository, specifier: string): string | undefined => {
  if (!specifier.startsWith(scope)) return undefined
  const name = specifier.split("/").slice(0, 2).join("/")
  return repository.homes.find((home) => repository.manifest(home).name === name)
}

/** Rule: imports go downwards, by the name of the package, and are declared. */
export function* imports(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    const home = file.home
    if (home === undefined) continue
    for (const { line, specifier } of importsOf(file)) {
      const advice = adviceFor(repository, file, home, specifier)
      if (advice !== undefined) yield file.find("imports", line, advice)
    }
  }
  return undefined
}

const adviceFor = (repository: Repository, file: SourceFile, home: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    const target = Path.posix.join(Path.posix.dirname(file.path), specifier)
    if (!home.startsWith("packages/") || target.startsWith(`${home}/`)) return undefined
    if (file.isTest && isByPath(home, target)) return undefined
    return `"${specifier}" leaves the package: import another package by its name`
  }
  const to = homeOf(repository, specifier)
  if (to?.startsWith("apps/") === true && to !== home) return "nothing imports an app: move what is shared to a package"
  const from = nameOf(home)
  if (from === undefined || file.isTest) return undefined
  if (tiers[from] === undefined) return `"${from}" has no place in the table: add it to tooling/src/Tiers.ts`
  if (to === home) return `"${specifier}" is this package: import its module by a path`
  if (specifier.startsWith(scope) && to === undefined) return `there is no package "${specifier}" in the workspace`
  if (to !== undefined && !mayImport(from, nameOf(to) ?? to)) {
    return `${from} is below ${nameOf(to) ?? to} or beside it: move the code up, or the part that is needed down`
  }
  return effectAdvice(file, from, specifier) ?? undeclared(repository, home, specifier)
}

/**
 * Tests import by path what no dependency can name: a higher package, which would be a cycle for turbo, and the
 * helpers of other tests.
 */
const isByPath = (home: string, target: string): boolean => {
  const [from, above] = [nameOf(home), nameOf(target)]
  if (/^packages\/(?:adapters\/)?[\w-]+\/test\//.test(target)) return true
  return from !== undefined && above !== undefined && mayImport(above, from)
}

const effectAdvice = (file: SourceFile, from: string, specifier: string): string | undefined => {
  if (specifier === "effect") return "import the module of effect that you need, such as effect/Schema"
  if (!specifier.startsWith("effect/") || tiers[from]!.tier > pureUpTo || exempt.has(file.path)) return undefined
  const module = specifier.slice("effect/".length)
  return pureModules.has(module) || module.startsWith("encoding/")
    ? undefined
    : `${specifier} runs effects and ${from} is pure: move this to runtime`
}

const undeclared = (repository: Repository, home: string, specifier: string): string | undefined => {
  if (/^(node:|#)/.test(specifier)) return undefined
  const parts = specifier.split("/")
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/")
  const manifest = repository.manifest(home)
  const built = bundled.has(nameOf(home) ?? home) ? manifest.devDependencies : {}
  if (
    name === manifest.name ||
    { ...built, ...manifest.dependencies, ...manifest.peerDependencies }[name] !== undefined
  ) {
    return undefined
  }
  return `${name} is not among the dependencies of ${home}/package.json: add it there`
}
