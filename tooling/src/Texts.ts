/** Rules on what any text of the repository may say, and on documents that have to be there. */
import * as Path from "node:path"
import type { Finding, Repository, SourceFile } from "./Repository.ts"

// Written apart, so that these lines do not find themselves.
const machinePath = new RegExp(`(^|[\\s"'\`(=:,])/(${["work", "tmp", "root", "home", "Users"].join("|")})(/|["'\`])`)
const registry = new RegExp(`registry\\.${"npmjs"}|registry\\.${"yarnpkg"}|https?://[^\\s/]*registry`)
const openTask = /\b(TODO|FIXME|XXX)\b(?!.*#\d+)/

/** Rule: no paths of somebody's machine, no addresses of registries, no open tasks without the number of an issue. */
export function* words(repository: Repository): Generator<Finding, undefined> {
  for (const file of repository.files.values()) {
    for (const [index, line] of file.lines.entries()) {
      if (machinePath.test(line)) {
        yield file.find("machine path", index + 1, "this path exists on one machine: make it relative or temporary")
      }
      if (registry.test(line)) yield file.find("registry", index + 1, "leave the address of the registry out")
    }
    if (!file.isCode) continue
    for (const { start, value } of file.syntax.comments) {
      const line = value.split("\n").findIndex((text) => openTask.test(text))
      if (line === -1) continue
      yield file.find("open task", file.lineAt(start) + line, "do it now, or name the issue, such as #12")
    }
  }
  return undefined
}

/** Rule: every package has a README, a decision has its four parts, and links between documents lead somewhere. */
export function* documents(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    if (!home.startsWith("packages/") || repository.files.has(`${home}/README.md`)) continue
    const advice = "write README.md: what it is, when to use it, one example that runs, its laws"
    yield { file: `${home}/README.md`, line: 1, rule: "readme", advice }
  }
  for (const file of repository.files.values()) {
    if (!file.path.endsWith(".md") || file.path.startsWith("docs/api/")) continue
    if (file.path.startsWith("docs/decisions/")) yield* decision(file)
    yield* links(repository, file)
  }
  return undefined
}

/** Rule: dependencies are pinned, so that a clone builds what was tested. */
export function* pins(repository: Repository): Generator<Finding, undefined> {
  for (const home of [...repository.homes, "."]) {
    const path = Path.posix.join(home, "package.json")
    const file = repository.files.get(path)
    if (file === undefined) continue
    const { dependencies, devDependencies, private: own } = JSON.parse(file.text) as ReturnType<Repository["manifest"]>
    const isPublished = home.startsWith("packages/") && own !== true
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (/^(\d|workspace:)/.test(range)) continue
      const line = file.lines.findIndex((text) => text.includes(`"${name}"`)) + 1
      yield file.find("pins", line, `${name} ${range}: name one version`)
    }
    if (isPublished && dependencies?.["effect"] !== undefined) {
      const line = file.lines.findIndex((text) => text.includes('"effect"')) + 1
      yield file.find("pins", line, "name effect as a peer, and its version for development: an app has its own")
    }
  }
  return undefined
}

function* decision(file: SourceFile): Generator<Finding, undefined> {
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
