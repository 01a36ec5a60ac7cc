/**
 * Writes the JavaScript of packages in chunks, as they are published: `pnpm build`, after their types.
 *
 * Node takes longer to find and link a module than to read it, and the runtime has four hundred modules. A chunk
 * holds the modules of one package that need the same libraries, so that no library is loaded for a module that does
 * not need it. Libraries that every run needs are a reason for a chunk only in `trace`, which is used without runs. No
 * module of a chunk is imported by one that needs fewer libraries, so imports of chunks form no circle. A module that
 * others import by name is a small separate file. Chunks import each other by name, too: all packages have one version,
 * and name each other by it.
 *
 * Files are ASCII, because V8 keeps and scans a text with any other character at two bytes a character. Calls that only
 * make a value are marked, so that a bundler for browsers leaves out parts of a chunk.
 *
 * A package is in chunks if it publishes `./chunks/*`.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { type OutputChunk, type PluginContext, rolldown } from "rolldown"
import * as PureCalls from "./PureCalls.ts"
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
  const { exports = {}, imports = {}, name = "", publishConfig } = repository.manifest(home)
  if (publishConfig?.exports?.["./chunks/*"] === undefined) return []
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target !== "string"
      ? []
      : Fs.globSync(target, { cwd: Path.join(root, home) }).map(
          (source) => [source, Path.posix.join(name, entry.replace("*", Path.basename(source, ".ts")))] as const
        )
  )
  const own = Object.entries(imports).flatMap(([alias, targets]) =>
    Object.values(targets).map((source) => [Path.posix.normalize(source), alias] as const)
  )
  return [{ name, home, entries: new Map([...own, ...entries.reverse()]) }]
})

const index = "src/index.ts"

/**
 * The package of which pages take single members by its index. Its index imports the files of modules: from a module a
 * bundler drops the members that are not used, from the object of a namespace none.
 */
const pages = "@backstitch/trace"

/** The package that a file belongs to, by its path from the root. */
const ownerOf = (path: string): Chunked | undefined => packages.find(({ home }) => path.startsWith(`${home}/`))

/** The package that a specifier names. */
const named = (specifier: string): Chunked | undefined =>
  packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))

const pathOf = (id: string): string => Path.relative(root, id).replaceAll(Path.sep, "/")

/** The streams of `effect`, which are a sixth of what is used of it, and which digests and schemas do not need. */
const streams = "effect/Stream"

/**
 * The parts of `effect` that few programs need, and that bring others: its servers, with an HTTP router; settings and
 * loggers, with files.
 */
const rare = /^effect\/(?:(?:ai|cluster|http|httpapi|observability|rpc|socket)(?=\/)|ConfigProvider$|Logger$)/

/** The libraries that every run needs: streams, and those that read the languages of packs. */
const usual = new Set(["@marcbachmann/cel-js", "acorn", streams])

const footprints = new Map<string, ReadonlySet<string>>()

/** The libraries that a module needs to be loaded; `node` for any module of Node. */
const footprint = (id: string, context: Pick<PluginContext, "getModuleInfo">): ReadonlySet<string> => {
  const known = footprints.get(id)
  if (known !== undefined) return known
  const found = new Set<string>()
  footprints.set(id, found)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) {
    const library = /^(?:node(?=:)|(?:@[^/]+\/)?[^/:#]+)/.exec(imported)?.[0]
    if (Path.isAbsolute(imported)) for (const needed of footprint(imported, context)) found.add(needed)
    else if (imported === streams) found.add(imported)
    else if (rare.test(imported)) found.add(rare.exec(imported)![0])
    else if (library !== undefined && library !== "effect" && !library.startsWith("@backstitch")) found.add(library)
  }
  return found
}

/** The chunk of a module, as a path without its extension. */
const chunkOf = (id: string, context: Pick<PluginContext, "getModuleInfo">): string | null => {
  const owner = ownerOf(pathOf(id))
  if (owner === undefined || Path.basename(id) === "index.ts") return null
  const libraries = [...footprint(id, context)].filter((library) => owner.name === pages || !usual.has(library))
  return `${owner.home}/dist/chunks/${["core", ...libraries.map((each) => Path.posix.basename(each)).sort()].join("-")}`
}

/** The text of a file in a package: modules of other packages are imported by package name, not by path. */
const linked = ({ code, fileName, imports }: OutputChunk, owner: Chunked): string =>
  imports.reduce((text, imported) => {
    const path = relative(fileName, imported)
    const other = ownerOf(imported)
    if (other === undefined) return withHelper(text, path, imported)
    if (other === owner) return text
    const module = imported.slice(`${other.home}/dist/`.length).replace(/\.js$/, "")
    return text.replaceAll(`"${path}"`, `"${other.entries.get(`src/${module}.ts`) ?? `${other.name}/${module}`}"`)
  }, code)

/** The text of a file with the bundler's helper of namespaces in it, as one line, instead of its import. */
const withHelper = (text: string, path: string, imported: string): string => {
  const helper = output.find(({ fileName }) => fileName === imported)
  if (helper?.type !== "chunk") return text
  const [before, after] = text.split(`import { t as __exportAll } from "${path}";`)
  if (after === undefined) throw new Error(`${imported} is imported for more than namespaces`)
  const lines = helper.code.split("\n").filter((line) => !/^(?:\/\/|export )/.test(line))
  return `${before}${lines.map((line) => line.trim()).join(" ")}${after}`
}

const relative = (from: string, to: string): string => {
  const path = Path.posix.relative(Path.posix.dirname(from), to)
  return path.startsWith(".") ? path : `./${path}`
}

/** Writes a text of JavaScript in ASCII: other characters as escapes. */
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A source map without the sources, which are published beside it. */
const withoutSources = (map: string): string => JSON.stringify({ ...JSON.parse(map), sourcesContent: undefined })

const bundle = await rolldown({
  input: Object.fromEntries(
    packages.flatMap(({ entries, home, name }) =>
      [...entries.keys()]
        .filter((entry) => name !== pages || entry !== index)
        .map((entry) => [`${home}/${entry.replace(/^src/, "dist").replace(/\.ts$/, "")}`, Path.join(root, home, entry)])
    )
  ),
  cwd: root,
  platform: "node",
  external: (specifier) => !specifier.startsWith(".") && !Path.isAbsolute(specifier) && named(specifier) === undefined,
  preserveEntrySignatures: "allow-extension",
  plugins: [
    {
      name: "pure-calls",
      transform: (code, id) => (ownerOf(pathOf(id)) === undefined ? undefined : PureCalls.mark(code))
    }
  ],
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
for (const { home } of packages.filter(({ name }) => name === pages)) {
  const modules = Fs.readFileSync(Path.join(root, home, index), "utf8")
  Fs.writeFileSync(Path.join(root, home, "dist/index.js"), modules.replaceAll('.ts"', '.js"'))
}
for (const file of output) {
  const owner = ownerOf(file.fileName)
  if (owner === undefined) continue
  const path = Path.join(root, file.fileName)
  Fs.mkdirSync(Path.dirname(path), { recursive: true })
  Fs.writeFileSync(path, file.type === "chunk" ? ascii(linked(file, owner)) : withoutSources(String(file.source)))
}
