/**
 * Packs in YAML: the form that reviewers read and sign.
 *
 * YAML 1.2 with its core schema, so that `no` is a word and `1_000` is text. Anchors, aliases, tags and repeated keys
 * are refused, so that a reviewer reads exactly what applies. Only this module loads a YAML parser.
 */
import * as Result from "effect/Result"
import * as YamlParser from "yaml"
import type { Locate, Path } from "./grammar/definitionReader.ts"
import type * as Issue from "./grammar/Issue.ts"
import * as Limits from "./Limits.ts"
import * as TaskPack from "./TaskPack.ts"

/**
 * Reads a pack from YAML text. Every issue carries its line and column.
 *
 * **Example** (Two mistakes, both found)
 *
 * ```ts import.meta.vitest
 * import * as Yaml from "@backstitch/contracts/Yaml"
 * import { Result } from "effect"
 *
 * const read = Yaml.fromYaml("pack: acme.notes\nguard: []\n", { file: "notes.yaml" })
 * Result.isFailure(read) && read.failure.issues.map((issue) => `${issue.line}:${issue.column}`) // => ["1:1", "2:1"]
 * ```
 */
export const fromYaml = (
  text: string,
  options: TaskPack.FunctionTreatment & { readonly file: string }
): Result.Result<TaskPack.TaskPack, TaskPack.PackInvalid> => {
  const read = document(text, options.file)
  return Result.isFailure(read)
    ? Result.fail(new TaskPack.PackInvalid({ file: options.file, issues: read.failure }))
    : TaskPack.read(read.success.value, options.file, read.success.locate, options)
}

/** A document of YAML as a value, with the places of its parts in the file. */
export interface YamlDocument {
  readonly value: unknown
  readonly locate: Locate
}

/** Reads a file that stands beside a pack, in the same language and with the same refusals. */
export const document = (text: string, file: string): Result.Result<YamlDocument, ReadonlyArray<Issue.Issue>> => {
  const lines = new YamlParser.LineCounter()
  const parsed = YamlParser.parseDocument(text, {
    version: "1.2",
    schema: "core",
    lineCounter: lines,
    merge: false,
    prettyErrors: false,
    strict: true,
    stringKeys: true,
    // The parser compares each key with every other. Repeated keys are found below instead.
    uniqueKeys: false
  })
  const place = (offset: number) => {
    const { col, line } = lines.linePos(offset)
    return { line, column: col }
  }
  const issues = [...syntax(parsed, file, place), ...forbidden(parsed, file, place)]
  return issues.length > 0
    ? Result.fail(issues)
    : Result.succeed({ value: parsed.toJS() ?? {}, locate: locator(parsed, place) })
}

type Place = (offset: number) => { readonly line: number; readonly column: number }

const syntax = (document: YamlParser.Document.Parsed, file: string, place: Place): ReadonlyArray<Issue.Issue> => {
  const errors = [...document.errors, ...document.warnings]
  const more = errors.length - Limits.showing.syntaxIssuesMax
  return errors.slice(0, Limits.showing.syntaxIssuesMax).map((error, index) => ({
    file,
    ...place(error.pos[0]),
    path: "",
    ...saidOf(error.message),
    ...(more > 0 && index === Limits.showing.syntaxIssuesMax - 1
      ? { hint: `The parser found ${more} more, perhaps because of these` }
      : {})
  }))
}

/** The parser recurses as deeply as the text nests, until the stack overflows. */
const saidOf = (message: string): Pick<Issue.Issue, "found" | "expected"> =>
  /call stack|stack overflow/i.test(message)
    ? { found: "values that are nested too deep to be read", expected: "fewer levels" }
    : { found: short(message), expected: "YAML 1.2 with the core schema" }

/** The parser quotes the text at a mistake, which may be a whole paragraph. */
const short = (message: string): string => {
  const line = message.replace(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

/**
 * Finds anchors, aliases, tags and repeated keys, which make one place of a file depend on another. No pack may have
 * them.
 */
const forbidden = (document: YamlParser.Document.Parsed, file: string, place: Place): ReadonlyArray<Issue.Issue> => {
  const issues: Array<Issue.Issue> = []
  const at = (node: YamlParser.Node) => ({ file, ...place(node.range?.[0] ?? 0) })
  const refuse = (node: YamlParser.Node, found: string, expected: string) =>
    issues.push({ ...at(node), path: "", found, expected })
  const check = (node: YamlParser.Node) => {
    if (YamlParser.isAlias(node)) return
    if (node.anchor !== undefined) refuse(node, `the anchor &${node.anchor}`, "no anchors: each value is written out")
    if (node.tag !== undefined) refuse(node, `the tag ${node.tag}`, "no tags: values have the type that they show")
    if (YamlParser.isScalar(node) && typeof node.value === "number" && !exact(node.value, node.source)) {
      refuse(node, `the number ${node.source}`, "a number that is exact in JSON, or text in quotes")
    }
  }
  const version = YamlParser.isMap(document.contents) ? document.contents.get("version", true) : undefined
  if (YamlParser.isScalar(version) && typeof version.value === "number" && version.source !== String(version.value)) {
    const { source, value } = version
    const hint = `${source} without quotes is the number ${value}`
    issues.push({ ...at(version), path: "version", found: `${source}`, expected: "a version in quotes", hint })
  }
  YamlParser.visit(document, {
    Alias: (_, node) => {
      refuse(node, `the alias *${node.source}`, "the value itself, written out")
    },
    Map: (_, node) => {
      check(node)
      const seen = new Set<string>()
      for (const { key } of node.items) {
        if (!YamlParser.isScalar(key)) continue
        const name = String(key.value)
        if (seen.has(name)) refuse(key, "a key for the second time", "each key once")
        seen.add(name)
      }
    },
    Node: (_, node) => check(node)
  })
  return issues
}

const exact = (value: number, source: string | undefined): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(source ?? ""))

/** Finds the nearest place in the file on a path. */
const locator =
  (document: YamlParser.Document.Parsed, place: Place): Locate =>
  (path, at) => {
    const found = nearest(document, path)
    if (found === undefined) return place(0)
    const { key, value, whole } = found
    if (at?.key === true || !whole || value === null) return place(key?.range?.[0] ?? value?.range?.[0] ?? 0)
    const start = value.range?.[0] ?? key?.range?.[0] ?? 0
    return place(start + (at?.offset === undefined ? 0 : offsetIn(value, at.offset)))
  }

/**
 * The place of a character of a scalar's text, after the opening quote if there is one. In a block, it counts from
 * the start of the block.
 */
const offsetIn = (node: YamlParser.Node, offset: number): number => {
  if (!YamlParser.isScalar(node)) return 0
  switch (node.type) {
    case "PLAIN":
      return offset
    case "QUOTE_SINGLE":
      return offset + 1 + countBefore(String(node.value), "'", offset)
    case "QUOTE_DOUBLE":
      return offset + 1 + countBefore(String(node.value), '"', offset)
    default:
      return 0
  }
}

/** Quotes inside quoted text take two characters each. */
const countBefore = (text: string, quote: string, offset: number): number =>
  text.slice(0, offset).split(quote).length - 1

interface Found {
  readonly key: YamlParser.Node | null
  readonly value: YamlParser.Node | null
  /** `true` if the whole path was found, and not only its beginning. */
  readonly whole: boolean
}

const pairs = new WeakMap<YamlParser.YAMLMap, ReadonlyMap<string, YamlParser.Pair>>()

/** Each map is read once, however many paths lead into it. Of a repeated key the first counts. */
const pairsOf = (map: YamlParser.YAMLMap): ReadonlyMap<string, YamlParser.Pair> => {
  const known = pairs.get(map)
  if (known !== undefined) return known
  const found = new Map<string, YamlParser.Pair>()
  for (const pair of map.items) {
    const name = YamlParser.isScalar(pair.key) ? String(pair.key.value) : undefined
    if (name !== undefined && !found.has(name)) found.set(name, pair)
  }
  pairs.set(map, found)
  return found
}

const nearest = (document: YamlParser.Document.Parsed, path: Path): Found | undefined => {
  let found: Found = { key: null, value: document.contents, whole: true }
  for (const part of path) {
    const { value } = found
    if (YamlParser.isMap(value) && typeof part === "string") {
      const pair = pairsOf(value).get(part)
      if (pair === undefined) return { ...found, whole: false }
      found = { key: pair.key as YamlParser.Node, value: (pair.value as YamlParser.Node | null) ?? null, whole: true }
    } else if (YamlParser.isSeq(value) && typeof part === "number") {
      const item = value.items[part] as YamlParser.Node | undefined
      if (item === undefined) return { ...found, whole: false }
      found = { key: item, value: item, whole: true }
    } else return { ...found, whole: false }
  }
  return found
}
