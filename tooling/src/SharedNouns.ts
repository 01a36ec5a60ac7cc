/**
 * Rules on names that stand for two things: modules of two packages with one noun, types of many modules with one
 * name, and types whose name is no noun.
 *
 * A module is found by its name, so of two with one name every second look is at the wrong one. Some stand for another
 * module and have its name: a command of the terminal, the words for a thing, and the face that the SDK has of it.
 *
 * @see GLOSSARY.md
 */
import type { Finding, Repository, SourceFile, SyntaxNode } from "./Repository.ts"

/** Modules that stand for another one. */
const faces = /^(?:apps\/cli\/src\/commands|packages\/wording\/src\/english|packages\/sdk\/src)\//

/** Nouns that mean the same in every package, without their case. */
const sameEverywhere: ReadonlySet<string> = new Set([
  "index",
  "main",
  // The bounds of a package, and the schemas of its payloads.
  "limits",
  "payload",
  // The program: its number, and what it sends to a collector.
  "version",
  "telemetry",
  // The framework of that name.
  "aisdk"
])

/** Rule: modules of two packages have two nouns, ignoring case. */
export function* sharedNouns(repository: Repository): Generator<Finding, undefined> {
  const places = new Map<string, string>()
  for (const file of repository.code) {
    if (!/^(?:packages|apps)\/.*\/src\//.test(file.path) || faces.test(file.path)) continue
    const noun = file.name.split(".")[0]!.toLowerCase()
    if (sameEverywhere.has(noun)) continue
    const place = places.get(noun)
    if (place === undefined) places.set(noun, file.path)
    else if (!place.startsWith(`${file.home}/`)) {
      yield file.find("shared noun", 1, `${place} has this noun: name each for what sets it apart`)
    }
  }
  return undefined
}

/** Names of types for their part in a module. Each is only ever read with the name of its module. */
const roles: ReadonlySet<string> = new Set([
  // The arguments of a command, the options of a function, and the settings of a layer.
  "Input",
  "Options",
  "Settings"
])

/** The maximum number of modules that export a type of one name: the thing, and its faces in other packages. */
const modulesMax = 3

/** Rule: few modules export a type of one name. */
export function* sharedTypes(repository: Repository): Generator<Finding, undefined> {
  const declared = repository.code.flatMap((file) => {
    const named = new Map(typesOf(file).map(({ line, name }) => [name, line]))
    return [...named].map(([name, line]) => ({ file, line, name }))
  })
  for (const [name, modules] of Map.groupBy(declared, ({ name }) => name)) {
    if (roles.has(name) || modules.length <= modulesMax) continue
    const advice = `${modules.length} modules have a type ${name}: import it where it is the same, else say whose it is`
    for (const { file, line } of modules) yield file.find("shared type", line, advice)
  }
  return undefined
}

/** The types that a module of a package or an app exports. */
const typesOf = (file: SourceFile): ReadonlyArray<{ readonly name: string; readonly line: number }> => {
  if (!/^(?:packages|apps)\/.*\/src\//.test(file.path)) return []
  return file.syntax.body.flatMap((node) => {
    const declaration = node["declaration"] as SyntaxNode | null | undefined
    if (node.type !== "ExportNamedDeclaration" || !/^TS|^Class/.test(declaration?.type ?? "")) return []
    return [{ name: String((declaration?.["id"] as SyntaxNode | undefined)?.["name"]), line: file.lineAt(node.start) }]
  })
}

/** Names that say of a thing what was done with it, and leave out the thing. */
const bare: ReadonlySet<string> = new Set([
  "Arrived",
  "Asked",
  "Given",
  "Judged",
  "Known",
  "Met",
  "Standing",
  "Taken",
  "Told"
])

/** Rule: an exported type is named for a thing. */
export function* bareTypes(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.code) {
    for (const { line, name } of typesOf(file)) {
      if (bare.has(name)) yield file.find("bare type", line, `"${name}" names no thing: say what it is, as a noun`)
    }
  }
  return undefined
}
