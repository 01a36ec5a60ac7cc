/**
 * Rule on the table of modules in the README of a package: the table names each module that others may import, and
 * each of its names is that of a module of the package.
 */
import type { Finding, Repository, SourceFile } from "./Repository.ts"

/** Rule: in a table of modules, the README of a package names all its exports, and no module that does not exist. */
export function* moduleTables(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    const readme = repository.files.get(`${home}/README.md`)
    if (!home.startsWith("packages/") || readme === undefined) continue
    const nouns = nounsOf(repository, home)
    const named = namesIn(readme)
    const there = new Set(named.map(({ name }) => name))
    for (const name of exportsOf(repository, home)) {
      if (there.has(name) || !nouns.has(name)) continue
      yield readme.find("modules", 1, `\`${name}\` stands in no table of modules: add what it is, in a row`)
    }
    for (const { line, name } of named) {
      if (!nouns.has(name)) yield readme.find("modules", line, `\`${name}\` is no module of the package: take it out`)
    }
  }
  return undefined
}

/** Modules that the index of a package lists, and those that its manifest exports by name. */
const exportsOf = (repository: Repository, home: string): ReadonlySet<string> => {
  const index = repository.files.get(`${home}/src/index.ts`)?.text ?? ""
  const listed = [...index.matchAll(/^export \* as (\w+)/gm)].map(([, name]) => name!)
  const named = Object.keys(repository.manifest(home).exports ?? {}).flatMap(
    (path) => /^\.\/(\w+)$/.exec(path)?.[1] ?? []
  )
  return new Set([...listed, ...named])
}

const nounsOf = (repository: Repository, home: string): ReadonlySet<string> =>
  new Set(
    [...repository.files.values()].flatMap(({ isCode, name, path }) =>
      isCode && path.startsWith(`${home}/src/`) ? [name.replace(/\.tsx?$/, "")] : []
    )
  )

/** The names in the column of modules, in each table whose header has one. */
const namesIn = (readme: SourceFile): ReadonlyArray<{ readonly line: number; readonly name: string }> => {
  let column = -1
  return readme.lines.flatMap((text, index) => {
    if (!text.startsWith("|")) column = -1
    else if (column === -1) column = cellsOf(text).findIndex((cell) => /^modules?$/.test(cell))
    else {
      const names = [...(cellsOf(text)[column] ?? "").matchAll(/`(\w+)`/g)]
      return names.map(([, name]) => ({ line: index + 1, name: name! }))
    }
    return []
  })
}

const cellsOf = (row: string): ReadonlyArray<string> => row.split("|").map((cell) => cell.trim())
