/**
 * Rules on the README of a package: its table of modules names each module that others may import and no other, and a
 * paragraph says which of them are not in the index, and why.
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

/** Rule: a table of modules with a column of rooms names the room of each module: its folder, or `–` for none. */
export function* roomsOfModules(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    const readme = repository.files.get(`${home}/README.md`)
    if (readme === undefined) continue
    for (const { line, name, room } of namesIn(readme)) {
      if (room === undefined) continue
      const folder = `${home}/src/${room === "–" ? "" : `${room}/`}`
      if (repository.files.has(`${folder}${name}.ts`)) continue
      yield readme.find("modules", line, `\`${name}\` does not stand in ${folder}: name its room`)
    }
  }
  return undefined
}

/** Rule: a paragraph of the README that begins with "Not in the index" names the exports that the index omits. */
export function* unindexed(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    const readme = repository.files.get(`${home}/README.md`)
    const index = repository.files.get(`${home}/src/index.ts`)
    if (!home.startsWith("packages/") || readme === undefined || index === undefined) continue
    const listed = listedIn(index)
    const omitted = [...exportsOf(repository, home)].filter((name) => !listed.has(name) && name !== "Limits")
    const at = readme.lines.findIndex((text) => text.startsWith("Not in the index"))
    const said = new Set([...(readme.lines[at] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name!))
    for (const name of omitted) {
      if (said.has(name)) continue
      const advice = `\`${name}\` is not in the index: list it there, or say why under "Not in the index"`
      yield readme.find("modules", Math.max(1, at + 1), advice)
    }
    for (const name of said) {
      if (listed.has(name)) yield readme.find("modules", at + 1, `\`${name}\` is in the index: take it out`)
    }
  }
  return undefined
}

const listedIn = (index: SourceFile): ReadonlySet<string> =>
  new Set([...index.text.matchAll(/^export \* as (\w+)/gm)].map(([, name]) => name!))

/** Modules that the index of a package lists, and those that its manifest exports by name. */
const exportsOf = (repository: Repository, home: string): ReadonlySet<string> => {
  const index = repository.files.get(`${home}/src/index.ts`)
  const listed = index === undefined ? [] : listedIn(index)
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

/** A module in a table, with its room if the table has a column of rooms. */
interface Named {
  readonly line: number
  readonly name: string
  readonly room: string | undefined
}

/** The names in the column of modules, in each table whose header has one. */
const namesIn = (readme: SourceFile): ReadonlyArray<Named> => {
  let column = -1
  let rooms = -1
  return readme.lines.flatMap((text, index) => {
    const cells = cellsOf(text)
    if (!text.startsWith("|")) column = -1
    else if (column === -1) {
      column = cells.findIndex((cell) => /^modules?$/.test(cell))
      rooms = cells.indexOf("room")
    } else {
      const room = cells[rooms]?.replaceAll("`", "")
      return [...(cells[column] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => ({
        line: index + 1,
        name: name!,
        room
      }))
    }
    return []
  })
}

const cellsOf = (row: string): ReadonlyArray<string> => row.split("|").map((cell) => cell.trim())
