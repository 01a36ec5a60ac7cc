/**
 * Rules on the first word of a doc comment and of a test title: the thing, or what it does.
 *
 * A comment that opens with "what" or "who" leaves its object unnamed, and is
 * true of five things. `<verb> <object> <the condition that matters>` is the
 * form: "Lists the checks that the contract omits."
 */
import { titled } from "./Modules.ts"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

/** Comments and titles that still open so, by the folder that they stand in. The numbers fall, and never rise. */
export const left: Readonly<Record<string, number>> = {
  "apps/cli": 55
}

/** Rule: no doc comment and no test title opens with a pronoun, beyond those that are still left. */
export const openings = (repository: Repository): Generator<Finding, undefined> =>
  beyond(repository, repository.files.has(self) ? left : {})

const self = "tooling/src/Openings.ts"

/** Lists the openings of folders that have more of them than are left, and the folders that have fewer. */
export function* beyond(repository: Repository, left: Readonly<Record<string, number>>): Generator<Finding, undefined> {
  const found = new Map<string, Array<Finding>>()
  for (const file of repository.code) {
    for (const { line, opening } of [...comments(file), ...titles(file)]) {
      const word = pronoun.exec(opening)?.[0]
      if (word === undefined) continue
      const home = homeOf(file)
      const advice = `"${opening.slice(0, 40)}": open with the thing, or a verb, and not with "${word}"`
      found.set(home, [...(found.get(home) ?? []), file.find("openings", line, advice)])
    }
  }
  for (const home of new Set([...found.keys(), ...Object.keys(left)])) {
    const findings = found.get(home) ?? []
    const kept = left[home] ?? 0
    if (findings.length > kept) yield* findings
    if (findings.length >= kept) continue
    const advice = `${home} has ${findings.length} left: write that down, and let it fall`
    yield { file: self, line: 1, rule: "openings", advice }
  }
  return undefined
}

const pronoun = /^(?:of |to |by |for |in |on |from |with )?(what|who|whom|whose|where|how|that|whether)(ever)?\b/i

/** A package, an app, an example or another folder of the workspace. */
const homeOf = ({ path }: SourceFile): string => {
  const parts = path.split("/")
  return parts.slice(0, parts[1] === "adapters" ? 3 : /^(packages|apps|examples)$/.test(parts[0]!) ? 2 : 1).join("/")
}

interface Opening {
  readonly line: number
  readonly opening: string
}

const comments = (file: SourceFile): ReadonlyArray<Opening> =>
  file.syntax.comments.flatMap(({ start, type, value }) => {
    const opening = /^\*\s*(?:\*\s+)?(.*)/.exec(value)?.[1]
    return type === "Block" && opening !== undefined ? [{ line: file.lineAt(start), opening }] : []
  })

const titles = (file: SourceFile): ReadonlyArray<Opening> =>
  /\.test\.tsx?$/.test(file.name)
    ? titled(file).flatMap(({ isGroup, node, title }) =>
        isGroup ? [] : [{ line: file.lineAt(node.start), opening: title }]
      )
    : []
