/** Rule on the names of test files: of a module, or of the law or feature that several modules hold. */
import type { Finding, Repository } from "./Repository.ts"

/** Rule: a test in PascalCase is that of a module of its package; any other is named in camelCase. */
export function* testNames(repository: Repository): Generator<Finding, undefined> {
  const sources = repository.code.filter(({ path }) => path.includes("/src/"))
  const modules = new Set(sources.map(({ home, name }) => `${home} ${name}`))
  for (const file of repository.code) {
    if (!file.path.startsWith("packages/") || !/^[A-Z]\w*\.test\.tsx?$/.test(file.name)) continue
    if (modules.has(`${file.home} ${file.name.replace(".test", "")}`)) continue
    yield file.find("test name", 1, "no module of the package has this name: name the law or the feature, in camelCase")
  }
  return undefined
}
