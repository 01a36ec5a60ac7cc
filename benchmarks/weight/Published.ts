/**
 * The packages as they are published, in a folder as npm would make it, so that the weighed files are those that a
 * user gets.
 *
 * Libraries are links into the workspace. `effect` is a peer, so it is there once for all packages.
 */
import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** The fields of a manifest that decide what is installed and loaded. */
interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly files?: ReadonlyArray<string>
  readonly exports?: object
  readonly imports?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: object
}

const root = fileURLToPath(new URL("../../", import.meta.url))

const manifest = (home: string): Manifest =>
  JSON.parse(Fs.readFileSync(Path.join(home, "package.json"), "utf8")) as Manifest

/** Lists the folders of the published libraries, by name. */
export const homes = (): ReadonlyMap<string, string> =>
  new Map(
    Fs.globSync(["packages/*/package.json", "packages/adapters/*/package.json"], { cwd: root })
      .map((path) => Path.join(root, Path.dirname(path)))
      .filter((home) => manifest(home).private !== true)
      .map((home) => [manifest(home).name, home] as const)
      .sort(([left], [right]) => left.localeCompare(right))
  )

/** Builds the published packages. Answers the reason for a failure, or `undefined`. */
export const build = (): string | undefined => {
  const options = { cwd: root, encoding: "utf8", shell: process.platform === "win32" } as const
  const { status, stderr, stdout } = ChildProcess.spawnSync("npm", ["run", "--silent", "build"], options)
  return status === 0 ? undefined : `the packages do not build: ${(stderr || stdout).trim().split("\n").at(-1)}`
}

/** Copies the built packages into a folder, each with its published manifest. */
export const layOut = (folder: string): void => {
  const modules = Path.join(folder, "node_modules")
  for (const [name, home] of homes()) {
    const own = manifest(home)
    const to = Path.join(modules, name)
    Fs.cpSync(Path.join(home, "dist"), Path.join(to, "dist"), { recursive: true })
    Fs.writeFileSync(Path.join(to, "package.json"), JSON.stringify({ ...own, ...own.publishConfig }))
    for (const library of Object.keys({ ...own.dependencies, ...own.peerDependencies })) {
      const link = Path.join(modules, library)
      if (homes().has(library) || Fs.existsSync(link)) continue
      Fs.mkdirSync(Path.dirname(link), { recursive: true })
      Fs.symlinkSync(located(home, library), link, "junction")
    }
  }
}

/** The bytes that installing a package writes, without peers: its own files, and all its dependencies. */
export const installedBytes = (name: string): number => {
  const counted = new Set<string>()
  const count = (home: string): number => {
    const real = Fs.realpathSync(home)
    if (counted.has(real)) return 0
    counted.add(real)
    const { dependencies, files, name, optionalDependencies } = manifest(real)
    const isOurs = homes().has(name)
    const own = isOurs ? [...(files ?? []), "package.json"].map((file) => Path.join(real, file)) : [real]
    const needed = Object.keys({ ...dependencies, ...optionalDependencies })
      .map((library) => homes().get(library) ?? located(real, library))
      .filter((library) => library !== "")
    return [...own.map(bytesOf), ...needed.map(count)].reduce((sum, bytes) => sum + bytes, 0)
  }
  return count(homes().get(name)!)
}

/** Finds the folder of a library as Node would from a package; `""` if it is not installed. */
const located = (home: string, library: string): string => {
  for (let at = Fs.realpathSync(home); at !== Path.dirname(at); at = Path.dirname(at)) {
    const found = Path.join(at, "node_modules", library)
    if (Fs.existsSync(found)) return Fs.realpathSync(found)
  }
  return ""
}

/** The bytes of a file, or of a folder without the libraries in it. */
const bytesOf = (path: string): number => {
  const entry = Fs.statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 0
  if (!entry.isDirectory()) return entry.size
  return Fs.readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + bytesOf(Path.join(path, name)), 0)
}
