/**
 * Checks the packages in their published form: `pnpm packages:check`, after `pnpm build`.
 *
 * Each public package is packed as for its release. Then publint reads its package.json, and attw resolves every
 * entry point like TypeScript and Node, in the ways that a package of ES modules supports. Its public types are
 * compared with the report in docs/api; `--write` writes the reports. The packed packages are installed in an empty
 * folder, and an agent is run there. A package that carries what it imports is also installed alone, and the guides are
 * followed, each in a fresh folder; `--guides` does this alone. `--pack FOLDER` only packs, for a folder outside of the
 * checkout.
 */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import * as Alone from "./Alone.ts"
import * as ApiReport from "./ApiReport.ts"
import * as DeclaredTypes from "./DeclaredTypes.ts"
import * as Guides from "./Guides.ts"
import * as Installed from "./Installed.ts"
import * as Repository from "./Repository.ts"
import { root } from "./Repository.ts"
import * as Tiers from "./Tiers.ts"

// Kinds of resolution that a package of ES modules does not support: Node 10, and `require`.
const unclaimed: ReadonlySet<string> = new Set(["node10", "node16-cjs"])

/** Packs a package as for its release; answers the file. */
const pack = (home: string, folder: string): string => {
  const options = { cwd: Path.join(root, home), stdio: "pipe" } as const
  const known = new Set(Fs.readdirSync(folder))
  const pnpm = process.env["npm_execpath"]
  const words = ["pack", "--pack-destination", folder]
  if (pnpm === undefined) execFileSync("npx", ["-y", "pnpm@12", ...words], options)
  else if (/\.[cm]?js$/.test(pnpm)) execFileSync(process.execPath, [pnpm, ...words], options)
  else execFileSync(pnpm, words, options)
  return Path.join(folder, Fs.readdirSync(folder).find((name) => !known.has(name))!)
}

const describe = (problem: Problem): string => {
  if (problem.kind === "InternalResolutionError") {
    return `attw: "${problem.moduleSpecifier}" in ${problem.fileName} leads nowhere`
  }
  const place = "entrypoint" in problem ? ` at "${problem.entrypoint}"` : ""
  const kind = "resolutionKind" in problem ? ` (${problem.resolutionKind})` : ""
  return `attw: ${problem.kind}${place}${kind}`
}

/** Tells whether a package can also be loaded by `require`. */
const isForRequire = ({ publishConfig }: Repository.Manifest): boolean =>
  JSON.stringify(publishConfig?.exports ?? {}).includes('"require":')

const checkTypes = (home: string, developmentDependencies: ReadonlySet<string>): ReadonlyArray<string> => {
  const files = Fs.globSync("dist/**/*.d.ts", { cwd: Path.join(root, home) })
  const texts = new Map(files.map((file) => [file, Fs.readFileSync(Path.join(root, home, file), "utf8")]))
  const { publishConfig } = JSON.parse(Fs.readFileSync(Path.join(root, home, "package.json"), "utf8"))
  const exported = files.filter((file) => isExported(publishConfig.exports, file.replace(/d\.ts$/, "js")))
  return DeclaredTypes.missing(texts, exported, developmentDependencies).map(
    ({ file, library }) => `types: ${file} needs those of ${library}, which are a development dependency`
  )
}

/** Tells whether `exports` names a file, by its path or by a pattern of one folder. */
const isExported = (exports: Readonly<Record<string, unknown>>, file: string): boolean =>
  Object.values(exports).some((path) => typeof path === "string" && Path.matchesGlob(file, Path.normalize(path)))

const checkReport = (home: string): ReadonlyArray<string> => {
  const path = Path.join(root, ApiReport.pathOf(home))
  const report = ApiReport.make(Path.join(root, home))
  if (process.argv.includes("--write")) {
    Fs.mkdirSync(Path.dirname(path), { recursive: true })
    Fs.writeFileSync(path, report)
  }
  if (Fs.existsSync(path) && Fs.readFileSync(path, "utf8") === report) return []
  const advice = "run pnpm packages:check --write and review the difference"
  return [`the public types are not those of ${ApiReport.pathOf(home)}: ${advice}`]
}

const check = async (home: string, folder: string): Promise<ReadonlyArray<string>> => {
  const built = Path.join(root, home, "dist")
  if (!Fs.existsSync(built)) return ["dist is not there: run pnpm build first"]
  const tarball = new Uint8Array(Fs.readFileSync(pack(home, folder)))
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, level: "warning", strict: true })
  // Modules that share no code have no chunks, though their package may publish some.
  const isChunkless = ({ code, path }: (typeof messages)[number]): boolean =>
    code === "EXPORTS_GLOB_NO_MATCHED_FILES" && path.includes("./chunks/*")
  const published = messages
    .filter((message) => !isChunkless(message))
    .map((message) => `publint: ${formatMessage(message, pkg)}`)
  // A program without exports has no types to check.
  if (pkg["bin"] !== undefined && pkg["exports"] === undefined) return published
  const modules = Fs.readdirSync(built).filter((name) => /^[A-Z]\w*\.js$/.test(name))
  const exports = repository.manifest(home).exports ?? {}
  const entrypoints =
    "./*" in exports ? [".", ...modules.map((name) => `./${Path.basename(name, ".js")}`)] : Object.keys(exports)
  const analysis = await checkPackage(createPackageFromTarballData(tarball), { entrypoints })
  if (analysis.types === false) return ["attw: the package has no types"]
  const ignored = isForRequire(repository.manifest(home)) ? new Set(["node10"]) : unclaimed
  const problems = analysis.problems.filter(
    (problem) => !("resolutionKind" in problem && ignored.has(problem.resolutionKind))
  )
  const { devDependencies = {}, peerDependencies = {} } = repository.manifest(home)
  const types = checkTypes(home, new Set(Object.keys(devDependencies).filter((name) => !(name in peerDependencies))))
  return [...published, ...problems.map(describe), ...types, ...checkReport(home)]
}

const checkAll = async (tarballs: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const home of homes) found.push(...(await check(home, tarballs)).map((line) => `${home}: ${line}`))
  if (found.length === 0) found.push(...Installed.check({ root, tarballs }))
  for (const home of homes.filter((home) => Tiers.bundled.has(Path.basename(home)))) {
    found.push(...Alone.check({ root, home, tarballs }))
  }
  return found
}

const repository = Repository.read(root)
const homes = repository.homes.filter((home) => repository.manifest(home).private !== true)
const wanted = process.argv[process.argv.indexOf("--pack") + 1]
const isPacking = process.argv.includes("--pack")

if (isPacking && wanted === undefined) throw new Error("Name the folder that the packages go to: --pack FOLDER")
if (isPacking) {
  const folder = Path.resolve(process.env["INIT_CWD"] ?? "", wanted!)
  Fs.mkdirSync(folder, { recursive: true })
  for (const name of Fs.readdirSync(folder)) if (/^backstitch-.*\.tgz$/.test(name)) Fs.rmSync(Path.join(folder, name))
  for (const home of homes) pack(home, folder)
  console.log(`${homes.length} packages are in ${folder}: npm install ${Path.join(folder, "*.tgz")}`)
} else {
  const tarballs = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-pack-"))
  try {
    const found: Array<string> = []
    const isGuidesAlone = process.argv.includes("--guides")
    if (isGuidesAlone) for (const home of homes) pack(home, tarballs)
    else found.push(...(await checkAll(tarballs)))
    if (found.length === 0) found.push(...Guides.check({ root, tarballs }))
    for (const line of found) console.log(line)
    if (found.length > 0) process.exitCode = 1
    else if (isGuidesAlone) console.log("the guides work in fresh folders")
    else console.log(`${homes.length} packages are fit to publish, and the guides work`)
  } finally {
    Fs.rmSync(tarballs, { recursive: true, force: true })
  }
}
