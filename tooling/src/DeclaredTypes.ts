/**
 * Finds the types that the declarations of a package need, and checks that its users get them.
 *
 * A declaration may import a library whose types are a separate package. If that package is only a development
 * dependency here, the declaration does not compile for users.
 */
import * as Path from "node:path"

/**
 * Finds the libraries that public declarations import and whose types users do not get.
 *
 * `files` are the declarations of a package by path, relative to the published folder, and `exported` those that
 * `exports` names. Other modules count if one of those imports them.
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
