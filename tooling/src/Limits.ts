/**
 * Rules on limits: each number that bounds a loop, a size or a wait is in the module `Limits` of its package, under a
 * name that no other limit has, and in docs/LIMITS.md.
 *
 * `pnpm tidy --limits` prints the tables of that page.
 */
import type { Finding, Repository, SourceFile, SyntaxNode } from "./Repository.ts"
import { visit } from "./Repository.ts"

/** A limit as its module declares it. */
export interface Limit {
  readonly file: SourceFile
  readonly line: number
  readonly kind: string
  readonly name: string
  /** The number; `undefined` where the text is not one. */
  readonly value: bigint | number | undefined
  /** The doc comment, without the setting at its end. */
  readonly about: string
  /** The setting that replaces the limit, as Markdown. */
  readonly setBy: string | undefined
  /** The version with which the limit changes. */
  readonly changesWith: string | undefined
}

/** The kinds of limits, in the order of the page, each with its heading and a line about it. */
const kinds = {
  deciding: [
    "Limits that decide",
    "What the kernel commits, or what a trace means, depends on these. Each changes with the version of the last " +
      "column alone: a test that records the numbers of every version fails otherwise, and says what to do. Where a " +
      "contract sets a limit, the pack of the run pins it."
  ],
  refusing: ["Limits that refuse", "These bound what comes from outside. What goes beyond is refused, with a message."],
  pacing: [
    "Limits that pace",
    "How long, how often and how much at once: these may be changed freely. What the kernel commits depends on none " +
      "of them; those of topologies decide which cracks are noticed."
  ],
  showing: ["Limits of what is shown", "People, models and pages see no more than this. A trace holds the whole."]
} as const

/** Lists the limits of every package, by the path of their modules. */
export const list = (repository: Repository): ReadonlyArray<Limit> =>
  [...repository.files.values()].filter(isHome).sort(byPath).flatMap(limitsOf)

/** Draws the tables of the page. */
export const draw = (repository: Repository): string => {
  const limits = list(repository)
  return Object.entries(kinds)
    .map(([kind, [heading, about]]) => {
      const own = limits.filter((limit) => limit.kind === kind)
      const isPinned = own.some(({ changesWith }) => changesWith !== undefined)
      const columns = ["limit", "is", "package", "of what", "set by", ...(isPinned ? ["changes with"] : [])]
      const rows = own.map((limit) => [
        `<a id="${limit.name}"></a>\`${limit.name}\``,
        shown(limit),
        `[${label(limit.file)}](../${limit.file.path})`,
        limit.about,
        limit.setBy ?? "",
        ...(isPinned ? [limit.changesWith ?? ""] : [])
      ])
      const table = [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
      return `## ${heading}\n\n${about}\n\n${table.join("\n")}\n`
    })
    .join("\n")
}

/** Rule: the module of limits holds numbers alone, each with a unit in its name, a comment, and a name of its own. */
export function* limits(repository: Repository): Generator<Finding, undefined> {
  const seen = new Map<string, Limit>()
  for (const limit of list(repository)) {
    const { file, kind, line, name } = limit
    const other = seen.get(name)
    seen.set(name, limit)
    if (!Object.hasOwn(kinds, kind)) {
      yield file.find("limits", line, `${kind} is no kind of limits: ${Object.keys(kinds).join(", ")}`)
    }
    if (limit.value === undefined) yield file.find("limits", line, `${name} has to be a number that stands here`)
    if (limit.about === "") yield file.find("limits", line, `${name} needs a doc comment: the page shows it`)
    if (unitOf(name) === undefined) {
      yield file.find("limits", line, `${name} states no unit: end it as in ${forms}`)
    }
    if (other !== undefined) {
      yield file.find("limits", line, `${other.file.path} has a limit ${name}: use that one, or give this another name`)
    }
  }
  return undefined
}

/** Rule: no other module of a package or an app holds a number under the name of a limit, or a wait in words. */
export function* strays(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    // The suites of conformance are tests themselves.
    const isBuilt = /^(packages|apps)\/.*\/src\//.test(file.path) && file.home !== "packages/conformance"
    if (!isBuilt || isHome(file)) continue
    const found: Array<Finding> = []
    const advice = (what: string) => `${what} is a limit: move it to ${file.home}/src/Limits.ts, and read it from there`
    visit(file.syntax.body, (node) => {
      const line = file.lineAt(node.start)
      const [name, value] = bindingOf(node)
      if (name !== undefined && limitName.test(name) && isBound(numberOf(value))) {
        found.push(file.find("limits", line, advice(name)))
      }
      if (node.type === "Literal" && wait.test(String(node["value"]))) {
        found.push(file.find("limits", line, advice(`"${String(node["value"])}"`)))
      }
    })
    yield* found
  }
  return undefined
}

/** Rule: the page shows the limits as they are, and a text that links to one states its number. */
export function* areCurrent(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  const drawn = file && markers.exec(file.text)
  if (file !== undefined && drawn?.[1] !== draw(repository)) {
    const line = file.lineAt(drawn?.index ?? 0)
    const advice = "the tables are not those of the code: replace them with the output of pnpm tidy --limits"
    yield file.find("limits", line, advice)
  }
  const known = new Map(list(repository).map((limit) => [limit.name, limit]))
  for (const other of repository.files.values()) {
    if (!other.path.endsWith(".md")) continue
    for (const { 0: link, 1: text = "", 2: name = "", index } of other.text.matchAll(links)) {
      const limit = known.get(name)
      const line = other.lineAt(index)
      if (limit === undefined) yield other.find("limits", line, `${link} names no limit`)
      else if (!text.includes(shown(limit))) yield other.find("limits", line, `${name} is ${shown(limit)}: say so`)
    }
  }
  return undefined
}

const page = "docs/LIMITS.md"
const markers = /<!-- limits -->\n([\s\S]*?)<!-- \/limits -->/
const links = /\[([^\]]+)\]\((?:[^)\s]*\/)?LIMITS\.md#(\w+)\)/g

/** A name whose number is a bound or a time. */
const limitName = /(Max|Min|Millis|Limit|Timeout|Size)$|^(max|min)[A-Z]|^(concurrency|times|timeout|limit)$/

/** A wait in the notation of effect. */
const wait = /^\d+ (millis|seconds?|minutes?|hours?)$/

const forms = "bytesMax, ticksMin, waitMillis, pageBytes, factor, batchesPerTurn"

const isHome = (file: SourceFile): boolean =>
  file.home !== undefined && file.home !== "tooling" && file.path === `${file.home}/src/Limits.ts`

const byPath = (left: SourceFile, right: SourceFile): number => (left.path < right.path ? -1 : 1)

const label = ({ home = "" }: SourceFile): string => home.replace(/^(packages|apps)\/(adapters\/)?/, "")

const limitsOf = (file: SourceFile): ReadonlyArray<Limit> =>
  file.syntax.body.flatMap((statement) => {
    const [name, value] = bindingOf(declarationOf(statement))
    const table = value?.type === "TSAsExpression" ? (value["expression"] as SyntaxNode) : undefined
    if (name === undefined || table?.type !== "ObjectExpression") return []
    const changesWith = /They change with (.+?) alone\./.exec(commentAbove(file, statement))?.[1]
    return (table["properties"] as ReadonlyArray<SyntaxNode>).map((property): Limit => {
      const [own = "", number] = bindingOf(property)
      const [about = "", setBy] = commentAbove(file, property).split(" Set by ")
      return {
        file,
        line: file.lineAt(property.start),
        kind: name,
        name: own,
        value: numberOf(number),
        about,
        setBy: setBy?.replace(/\.$/, ""),
        changesWith
      }
    })
  })

const declarationOf = (statement: SyntaxNode): SyntaxNode => {
  const declaration = (statement["declaration"] ?? statement) as SyntaxNode
  const [first] = (declaration["declarations"] ?? []) as ReadonlyArray<SyntaxNode>
  return first ?? statement
}

/** Fields of the nodes that bind a name to a value. */
const bindings: Readonly<Record<string, readonly [name: string, value: string]>> = {
  AssignmentPattern: ["left", "right"],
  Property: ["key", "value"],
  VariableDeclarator: ["id", "init"]
}

/** The name and the value that a declarator, a property or a default binds. */
const bindingOf = (node: SyntaxNode): readonly [string | undefined, SyntaxNode | undefined] => {
  const [name, value] = bindings[node.type] ?? []
  const bound = name === undefined ? undefined : (node[name] as SyntaxNode)
  if (bound?.type !== "Identifier" || value === undefined) return [undefined, undefined]
  return [String(bound["name"]), (node[value] as SyntaxNode | null) ?? undefined]
}

/** One line of the doc comment that ends right above a node. */
const commentAbove = (file: SourceFile, node: SyntaxNode): string => {
  const comment = file.syntax.comments.findLast(({ end }) => end <= node.start)
  if (comment === undefined || file.text.slice(comment.end, node.start).trim() !== "") return ""
  return comment.value
    .replace(/^\*/, "")
    .replaceAll(/\n\s*\*/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
}

/** The value of an expression of literals. */
const numberOf = (node: SyntaxNode | undefined): bigint | number | undefined => {
  const value = node?.type === "Literal" ? node["value"] : undefined
  if (typeof value === "number" || typeof value === "bigint") return value
  if (node?.type !== "BinaryExpression") return undefined
  const [left, right] = [numberOf(node["left"] as SyntaxNode), numberOf(node["right"] as SyntaxNode)]
  if (typeof left === "bigint" && typeof right === "bigint") return operators[String(node["operator"])]?.(left, right)
  if (typeof left !== "number" || typeof right !== "number") return undefined
  const exact = operators[String(node["operator"])]?.(BigInt(left), BigInt(right))
  return exact === undefined ? undefined : Number(exact)
}

const operators: Readonly<Record<string, (left: bigint, right: bigint) => bigint>> = {
  "*": (left, right) => left * right,
  "**": (left, right) => left ** right,
  "<<": (left, right) => left << right,
  "+": (left, right) => left + right,
  "-": (left, right) => left - right
}

/** Zero, one and an empty wait bound no work, so they are no limits. */
const isBound = (value: bigint | number | undefined): boolean => value !== undefined && value > 1

/** The unit that the name of a limit states; empty for a ratio. */
const unitOf = (name: string): string | undefined => {
  const [, each, whole] = /([A-Z]?[a-z]+)Per([A-Z][a-z]+)$/.exec(name) ?? []
  if (each !== undefined) return `${each} per ${whole}`.toLowerCase()
  const [, bound] = /(?:^|[a-z])([A-Z]?[a-z]+)(?:Max|Min)$/.exec(name) ?? []
  const unit = bound ?? /(Millis|Bytes|Factor)$/.exec(name)?.[1]
  return unit !== undefined && /^(Cost|Factor|Ratio|Share)$/.test(unit) ? "" : unit?.toLowerCase()
}

/** A limit with its unit, for people. */
const shown = ({ name, value = 0 }: Limit): string => {
  const unit = unitOf(name) ?? ""
  const large = [unit === "millis" ? times : [], unit === "bytes" ? sizes : []].flat()
  const [most, of] = large.find(([size]) => typeof value === "number" && value >= size && value % size === 0) ?? []
  if (most !== undefined) return `${Number(value) / most} ${of}`
  // The end of a name counts things only if it is a plural.
  const things = /s( per |$)/.test(unit) ? unit : ""
  const counted = value === 1 ? things.replace(/s$/, "") : things
  return `${value.toLocaleString("en")} ${unit === "millis" ? "ms" : counted}`.trim()
}

const times = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"]
] as const

const sizes = [
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"]
] as const
