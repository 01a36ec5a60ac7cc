/**
 * Which types the declarations of a package need, and whether those who install it get them.
 *
 * A declaration that imports a library whose types are a package of their own,
 * which is a development dependency here, does not compile for anybody else.
 */
import * as Path from "node:path"

/**
 * Finds the libraries that public declarations import and whose types nobody gets.
 *
 * `files` are the declarations of a package by path, from where it is published, and `exported` those that `exports`
 * names; other modules count where one of those leads to them.
 */
export const missing = (
  files: ReadonlyMap<string, string>,
  exported: ReadonlyArray<string>,
  developmentDependencies: ReadonlySet<string>
): ReadonlyArray<{ readonly file: string; readonly library: string }> => {
  const found: Array<{ readonly file: string; readonly library: string }> = []
  const reached = new Set(exported)
  for (const file of reached) {
    for (const [, name = ""] of (files.get(file) ?? "").matchAll(/(?:from |import\()"([^"]+)"/g)) {
      if (name.startsWith(".")) reached.add(Path.join(Path.dirname(file), name).replace(/\.(?:ts|js)$/, ".d.ts"))
      else if (developmentDependencies.has(typesOf(name))) found.push({ file, library: libraryOf(name) })
    }
  }
  return found
}

const libraryOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name

const typesOf = (name: string): string => `@types/${libraryOf(name).replace(/^@(?<scope>[^/]+)\//, "$<scope>__")}`
