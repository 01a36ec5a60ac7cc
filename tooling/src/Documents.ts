/** Rule on documents: the required ones, their parts, and the targets of their links. */
import * as Path from "node:path"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

/**
 * Rule: every package has a README, a decision has its four parts and a number of its own, and links between documents
 * have a target.
 */
export function* documents(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    if (!home.startsWith("packages/") || repository.files.has(`${home}/README.md`)) continue
    const advice = "write README.md: what it is, when to use it, one example that runs, its laws"
    yield { file: `${home}/README.md`, line: 1, rule: "readme", advice }
  }
  const numbers = new Map<string, SourceFile>()
  for (const file of repository.files.values()) {
    if (!file.path.endsWith(".md") || file.path.startsWith("docs/api/")) continue
    if (file.path.startsWith("docs/decisions/")) yield* decision(file, numbers)
    yield* links(repository, file)
  }
  return undefined
}

function* decision(file: SourceFile, numbers: Map<string, SourceFile>): Generator<Finding, undefined> {
  const number = file.name.slice(0, 4)
  const other = numbers.get(number)
  numbers.set(number, file)
  if (other !== undefined)
    yield file.find("decision", 1, `${other.name} has the number ${number}: take the next free one`)
  if (!file.text.startsWith(`# ${number} · `)) yield file.find("decision", 1, `begin the heading with "# ${number} · "`)
  if (!/^\d{4}-[a-z0-9-]+\.md$/.test(file.name)) {
    yield file.find("decision", 1, "name a decision 0012-as-a-short-phrase.md")
  }
  const missing = ["Context", "Options", "Decision", "Consequences"].filter(
    (part) => !new RegExp(`^## ${part}\\b`, "m").test(file.text)
  )
  if (missing.length > 0) yield file.find("decision", 1, `add the part ${missing.join(", ")}`)
  return undefined
}

function* links(repository: Repository, file: SourceFile): Generator<Finding, undefined> {
  for (const [index, line] of file.lines.entries()) {
    for (const [, target] of line.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)) {
      const path = Path.posix.join(Path.posix.dirname(file.path), target!).replace(/\/$/, "")
      const isThere = [...repository.files.keys()].some((known) => known === path || known.startsWith(`${path}/`))
      if (isThere || path === "LICENSE") continue
      yield file.find("link", index + 1, `${target} is not there: correct the link`)
    }
  }
  return undefined
}
