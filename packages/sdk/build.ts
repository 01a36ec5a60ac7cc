/**
 * Builds the package as it is published: one bundle, and declarations for `import` and for `require`.
 *
 * The package carries what it uses of other packages, so an app installs nothing beside it, and nothing twice. The
 * driver of Postgres stays outside: it is a peer that only a store on a server needs. A program in CommonJS is given
 * the same bundle, which Node loads by `require`: two bundles would be two copies in one process. Declarations name no
 * type of another package, so those of the modules that the entries reach are all there is.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type OutputChunk, rolldown } from "rolldown"

const home = import.meta.dirname
const dist = Path.join(home, "dist")
const declared = Path.join(dist, "declared")

/** The entries, by the names of their files. */
const entries = { adapter: "src/Adapter.ts", index: "src/Sdk.ts" }

/** The ways to import an entry, with the extensions of its code and its declarations. */
const ways = [
  { code: ".js", types: ".d.ts" },
  { code: ".cjs", types: ".d.cts" }
] as const

const bundle = async (): Promise<ReadonlyArray<OutputChunk>> => {
  const built = await rolldown({
    cwd: home,
    input: entries,
    platform: "node",
    external: [/^node:/, "pg", "pg-native"],
    checks: { bundlerTimings: false },
    logLevel: "warn"
  })
  const { output } = await built.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: { compress: { joinVars: false, sequences: false }, mangle: false, codegen: { removeWhitespace: false } },
    comments: { jsdoc: false }
  })
  await built.close()
  for (const name of Object.keys(entries)) {
    Fs.writeFileSync(Path.join(dist, `${name}.cjs`), `module.exports = require("./${name}.js")\n`)
  }
  return output.filter((file) => file.type === "chunk")
}

/** The licences of the packages of which a bundle has code. */
const licences = (chunks: ReadonlyArray<OutputChunk>): string => {
  const folders = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [])
  )
  const texts = [...new Set(folders)].sort(byName).map((folder) => {
    const { license, name, version } = JSON.parse(Fs.readFileSync(Path.join(folder, "package.json"), "utf8"))
    const [file] = Fs.globSync("LICEN[CS]E*", { cwd: folder })
    if (file === undefined) throw new Error(`${name} has no text of its licence`)
    return `${name} ${version} (${license})\n\n${Fs.readFileSync(Path.join(folder, file), "utf8").trim()}\n`
  })
  return `This package has code of the following packages in it.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`
}

const byName = (one: string, other: string): number => (Path.basename(one) < Path.basename(other) ? -1 : 1)

/** Copies the declarations that an entry reaches, for `import` and for `require`. */
const declare = (): void => {
  const reached = new Set<string>()
  const reach = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [specifier] of Fs.readFileSync(path, "utf8").matchAll(imported)) {
      if (!specifier.startsWith(".")) throw new Error(`${path} names a type of ${specifier}`)
      reach(Path.resolve(Path.dirname(path), specifier.replace(/\.ts$/, ".d.ts")))
    }
  }
  const moduleOf = (source: string): string => source.replace(/^src\/(.*)\.ts$/, "$1")
  for (const source of Object.values(entries)) reach(Path.join(declared, `${moduleOf(source)}.d.ts`))
  for (const { code, types } of ways) {
    for (const path of reached) {
      const to = Path.join(dist, "types", Path.relative(declared, path).replace(/\.d\.ts$/, types))
      Fs.mkdirSync(Path.dirname(to), { recursive: true })
      Fs.writeFileSync(
        to,
        declarationOf(path).replaceAll(imported, (specifier) => specifier.replace(/\.ts$/, code))
      )
    }
    for (const [name, source] of Object.entries(entries)) {
      Fs.writeFileSync(Path.join(dist, name + types), `export * from "./types/${moduleOf(source)}${code}"\n`)
    }
  }
  Fs.rmSync(declared, { recursive: true })
}

const imported = /(?<=\b(?:from |import\()")[^"]+(?=")/g

/** Resources that are disposed of belong to a library that not every project names. */
const declarationOf = (path: string): string => {
  const text = Fs.readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*\n?/m, "")
  return text.includes("Symbol.asyncDispose") ? `/// <reference lib="esnext.disposable" />\n${text}` : text
}

for (const stale of Fs.readdirSync(dist)) {
  if (stale !== Path.basename(declared)) Fs.rmSync(Path.join(dist, stale), { recursive: true })
}
const chunks = await bundle()
Fs.writeFileSync(Path.join(dist, "LICENSES.txt"), licences(chunks))
declare()
