/** Rule on the versions of dependencies that manifests name. */
import * as Path from "node:path"
import type { Finding, Repository } from "./Repository.ts"

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
