/** Rule on text that no file of the repository may hold. */
import type { Finding, Repository } from "./Repository.ts"

// Split into parts, so that the rule does not find these lines.
const machinePath = new RegExp(`(^|[\\s"'\`(=:,])/(${["work", "tmp", "root", "home", "Users"].join("|")})(/|["'\`])`)
const registry = new RegExp(`registry\\.${"npmjs"}|registry\\.${"yarnpkg"}|https?://[^\\s/]*registry`)
const openTask = /\b(TODO|FIXME|XXX)\b(?!.*#\d+)/

/** Rule: no paths of a particular machine, no addresses of registries, no open tasks without the number of an issue. */
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
