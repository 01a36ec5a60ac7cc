/**
 * Rules on names that stand for two things: modules of two packages with one noun, and types whose name is no noun.
 *
 * A module is found by its name, so of two with one name every second look is at the wrong one. Some stand for another
 * module and have its name: a command of the terminal, the words for a thing, and the face that the SDK has of it.
 *
 * @see GLOSSARY.md
 */
import type { Finding, Repository, SyntaxNode } from "./Repository.ts"

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
    if (!/^(?:packages|apps)\/.*\/src\//.test(file.path)) continue
    for (const node of file.syntax.body) {
      const declaration = node["declaration"] as SyntaxNode | null | undefined
      if (node.type !== "ExportNamedDeclaration" || !/^TS|^Class/.test(declaration?.type ?? "")) continue
      const name = String((declaration?.["id"] as SyntaxNode | undefined)?.["name"])
      if (bare.has(name)) {
        yield file.find("bare type", file.lineAt(node.start), `"${name}" names no thing: say what it is, as a noun`)
      }
    }
  }
  return undefined
}
