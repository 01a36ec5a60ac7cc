/** Rule on the exports of a package: the modules that its manifest lets others import by name. */
import * as Path from "node:path"
import type { Finding, Repository } from "./Repository.ts"
import * as Tiers from "./Tiers.ts"

// The files that packages in chunks import from each other: see bundlePackages.
const chunks = "./chunks/*"
const chunked = "./dist/chunks/*.js"

/**
 * Rule: a package that names its exports has a module for each, names all that its index lists, and publishes the
 * same.
 */
export function* exports(repository: Repository): Generator<Finding, undefined> {
  for (const home of repository.homes) {
    const { exports = {}, publishConfig = {} } = repository.manifest(home)
    const published: Readonly<Record<string, unknown>> = publishConfig.exports ?? {}
    const file = repository.files.get(`${home}/package.json`)!
    const isBundle = Tiers.bundled.has(Path.posix.basename(home))
    const isChunked =
      !isBundle && repository.files.get(`${home}/tsconfig.build.json`)?.text.includes("emitDeclarationOnly") === true
    if (isChunked && published[chunks] !== chunked) {
      yield file.find(
        "exports",
        1,
        `publishConfig.exports["${chunks}"] has to be "${chunked}": chunks import one another`
      )
    }
    const index = repository.files.get(`${home}/src/index.ts`)
    if (index === undefined || exports["."] === undefined) continue
    const listed = [...index.text.matchAll(/^export \* as (\w+)/gm)].map(([, noun]) => noun!)
    const named = Object.keys(exports).flatMap((name) => /^\.\/(\w+)$/.exec(name)?.[1] ?? [])
    const places = new Map(
      [...repository.files.keys()]
        .filter((path) => path.startsWith(`${home}/src/`))
        .map((path) => [Path.posix.basename(path, ".ts"), path.slice(`${home}/src/`.length, -".ts".length)])
    )
    const nouns = [...new Set([...listed, ...named])].filter((noun) => /^[A-Z]/.test(noun) && places.has(noun))
    const wanted: Record<"exports" | "publishConfig.exports", Readonly<Record<string, unknown>>> = {
      exports: manifestOf(nouns, (noun) => `./src/${places.get(noun)}.ts`),
      "publishConfig.exports": {
        // Types are beside the modules. Node parses the table for each import, so it is short.
        ...manifestOf(nouns, (noun) => `./dist/${places.get(noun)}.js`),
        ...(isChunked ? { [chunks]: chunked } : {})
      }
    }
    const given = { exports, "publishConfig.exports": published }
    for (const field of ["exports", "publishConfig.exports"] as const) {
      for (const name of new Set([...Object.keys(wanted[field]), ...Object.keys(given[field])])) {
        const [is, expected] = [given[field][name], wanted[field][name]].map((target) => JSON.stringify(target))
        if (is === expected) continue
        const advice = expected === undefined ? "is no module of the package: take it out" : `has to be ${expected}`
        yield file.find("exports", 1, `${field}["${name}"] ${advice}`)
      }
    }
  }
  return undefined
}

const manifestOf = (
  nouns: ReadonlyArray<string>,
  target: (noun: string) => unknown
): Readonly<Record<string, unknown>> => ({
  ".": target("index"),
  ...Object.fromEntries(nouns.map((noun) => [`./${noun}`, target(noun)]))
})
