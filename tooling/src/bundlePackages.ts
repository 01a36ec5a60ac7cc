/**
 * Writes the JavaScript of packages in chunks, as they are published: `pnpm build`, after their types.
 *
 * Node takes longer to find and link a module than to read it, and the runtime has four hundred modules. A chunk
 * holds the modules of one package that need the same libraries, so that no library is loaded for a module that does
 * not need it. No module of a chunk is imported by one that needs fewer libraries, so imports of chunks form no
 * circle. A module that others import by name is a small separate file. Chunks import each other by name, too: all
 * packages have one version, and name each other by it.
 *
 * A package is in chunks if it publishes `./chunks/*`. `trace` is not, because bundlers for browsers select single
 * modules of it.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { type OutputChunk, type PluginContext, rolldown } from "rolldown"
import * as Repository from "./Repository.ts"

/** A package in chunks: its name, its folder, and the modules that others import by name, with their sources. */
interface Chunked {
  readonly name: string
  readonly home: string
  readonly entries: ReadonlyMap<string, string>
}

const root = fileURLToPath(new URL("../../", import.meta.url))
const repository = Repository.read(root)

const packages: ReadonlyArray<Chunked> = repository.homes.flatMap((home) => {
  const { exports = {}, name = "", publishConfig } = repository.manifest(home)
  if (publishConfig?.exports?.["./chunks/*"] === undefined) return []
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target !== "string"
      ? []
      : Fs.globSync(target, { cwd: Path.join(root, home) }).map(
          (source) => [source, Path.posix.join(name, entry.replace("*", Path.basename(source, ".ts")))] as const
        )
  )
  return [{ name, home, entries: new Map(entries.reverse()) }]
})

/** The package that a file belongs to, by its path from the root. */
const ownerOf = (path: string): Chunked | undefined => packages.find(({ home }) => path.startsWith(`${home}/`))

/** The package that a specifier names. */
const named = (specifier: string): Chunked | undefined =>
  packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))

const pathOf = (id: string): string => Path.relative(root, id).replaceAll(Path.sep, "/")

const footprints = new Map<string, ReadonlySet<string>>()

/** The libraries that a module needs to be loaded; `node` for any module of Node. */
const footprint = (id: string, context: Pick<PluginContext, "getModuleInfo">): ReadonlySet<string> => {
  const known = footprints.get(id)
  if (known !== undefined) return known
  const found = new Set<string>()
  footprints.set(id, found)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) {
    const library = /^(?:node(?=:)|(?:@[^/]+\/)?[^/:]+)/.exec(imported)?.[0]
    if (Path.isAbsolute(imported)) for (const needed of footprint(imported, context)) found.add(needed)
    else if (library !== undefined && library !== "effect" && !library.startsWith("@backstitch")) found.add(library)
  }
  return found
}

/** The chunk of a module, as a path without its extension. */
const chunkOf = (id: string, context: Pick<PluginContext, "getModuleInfo">): string | null => {
  const owner = ownerOf(pathOf(id))
  if (owner === undefined || Path.basename(id) === "index.ts") return null
  const libraries = [...footprint(id, context)].map((library) => Path.posix.basename(library)).sort()
  return `${owner.home}/dist/chunks/${["core", ...libraries].join("-")}`
}

/** The path of a written file in a package: that of the bundler, or in its chunks for a shared file. */
const placed = (fileName: string, { home }: Chunked): string =>
  ownerOf(fileName) === undefined ? `${home}/dist/chunks/${fileName}` : fileName

/** The text of a file in a package: modules of other packages are imported by package name, not by path. */
const linked = ({ code, fileName, imports }: OutputChunk, owner: Chunked): string =>
  imports.reduce((text, imported) => {
    const target = placed(imported, owner)
    const other = ownerOf(target)
    if (other === undefined) return text
    const module = target.slice(`${other.home}/dist/`.length).replace(/\.js$/, "")
    const name =
      other === owner
        ? relative(placed(fileName, owner), target)
        : (other.entries.get(`src/${module}.ts`) ?? `${other.name}/${module}`)
    return text.replaceAll(`"${relative(fileName, imported)}"`, `"${name}"`)
  }, code)

const relative = (from: string, to: string): string => {
  const path = Path.posix.relative(Path.posix.dirname(from), to)
  return path.startsWith(".") ? path : `./${path}`
}

/** A source map without the sources, which are published beside it. */
const withoutSources = (map: string): string => JSON.stringify({ ...JSON.parse(map), sourcesContent: undefined })

const bundle = await rolldown({
  input: Object.fromEntries(
    packages.flatMap(({ entries, home }) =>
      [...entries.keys()].map((entry) => [
        `${home}/${entry.replace(/^src/, "dist").replace(/\.ts$/, "")}`,
        Path.join(root, home, entry)
      ])
    )
  ),
  cwd: root,
  platform: "node",
  external: (specifier) => !specifier.startsWith(".") && !Path.isAbsolute(specifier) && named(specifier) === undefined,
  preserveEntrySignatures: "allow-extension",
  checks: { bundlerTimings: false }
})
const { output } = await bundle.generate({
  format: "esm",
  sourcemap: true,
  comments: { jsdoc: false },
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf }] }
})
await bundle.close()
for (const { home } of packages) {
  for (const stale of Fs.globSync(`${home}/dist/**/*.{js,js.map}`, { cwd: root })) Fs.rmSync(Path.join(root, stale))
}
for (const file of output) {
  const owner = ownerOf(file.fileName)
  for (const each of owner === undefined ? packages : [owner]) {
    const path = Path.join(root, placed(file.fileName, each))
    Fs.mkdirSync(Path.dirname(path), { recursive: true })
    Fs.writeFileSync(path, file.type === "chunk" ? linked(file, each) : withoutSources(String(file.source)))
  }
}
