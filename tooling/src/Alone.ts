/**
 * Checks a package that carries what it imports: installed alone, in an empty folder, it is all there is.
 *
 * The first example of its README runs there as a module and as CommonJS, and compiles in strict projects of both
 * kinds of resolution.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Readmes from "./Readmes.ts"

/** Megabytes, of 1,000,000 bytes, that such a package may install. */
const megabytesMax = 5

/** Installs the packed package and lists its faults, one per line. */
export const check = (options: {
  readonly root: string
  readonly home: string
  readonly tarballs: string
}): ReadonlyArray<string> => {
  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-alone-")))
  try {
    return found(folder, options).map((line) => `${options.home}, installed alone: ${line}`)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const found = (
  folder: string,
  { home, root, tarballs }: { readonly root: string; readonly home: string; readonly tarballs: string }
): ReadonlyArray<string> => {
  const { name } = JSON.parse(Fs.readFileSync(Path.join(root, home, "package.json"), "utf8"))
  const tarball = Fs.globSync(`${name.replace("@", "").replace("/", "-")}-*.tgz`, { cwd: tarballs })[0]
  if (tarball === undefined) return ["it is not among the packed packages"]
  Fs.writeFileSync(Path.join(folder, "package.json"), '{ "private": true }')
  const installs = spawnSync("npm", ["install", "--no-audit", "--no-fund", Path.join(tarballs, tarball)], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  if (installs.status !== 0) return [installs.stderr.trim()]
  const modules = Path.join(folder, "node_modules")
  const brought = Fs.globSync(["*", "@*/*"], { cwd: modules }).filter((each) =>
    Fs.existsSync(Path.join(modules, each, "package.json"))
  )
  const megabytes = bytesOf(modules) / 1e6
  const [example] = Readmes.examplesOf(Fs.readFileSync(Path.join(root, home, "README.md"), "utf8")).filter(({ code }) =>
    code.includes(name)
  )
  if (example === undefined) return ["its README has no example that imports it"]
  return [
    ...(brought.length === 1 ? [] : [`it brings ${brought.filter((each) => each !== name).join(", ")}`]),
    ...(megabytes <= megabytesMax ? [] : [`it is ${megabytes.toFixed(1)} MB, at most ${megabytesMax}`]),
    ...ran(folder, example),
    ...uncaught(folder, name),
    ...compiled(folder, root, example)
  ]
}

/** Runs an example as a module, and as a program in CommonJS. */
const ran = (folder: string, { code, prints }: Readmes.Example): ReadonlyArray<string> => {
  const [imports = "", body = ""] = code.split(/(?<=^import .*\n)/m)
  const required = imports.replace(/^import (.*) from "(.*)"$/m, 'const $1 = require("$2")')
  const programs = { "example.mts": code, "example.cts": `${required}const main = async () => {\n${body}}\nmain()\n` }
  return Object.entries(programs).flatMap(([file, text]) => {
    Fs.writeFileSync(Path.join(folder, file), text)
    const { stderr, stdout } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" })
    const isAsSaid = stdout.replaceAll(/\s/g, "") === prints.join("").replaceAll(/\s/g, "")
    return isAsSaid && stderr.replace(experimental, "") === "" ? [] : [`${file} prints ${stdout}${stderr}`]
  })
}

/** Has Node show an error that nobody caught: with the line that threw it, which a person has to be able to read. */
const uncaught = (folder: string, name: string): ReadonlyArray<string> => {
  // A function of it that is given nothing throws at the first thing that it looks for.
  const call = 'if (typeof each === "function" && !/^class\\b/.test(String(each))) each()'
  const program = `import * as all from "${name}"\nfor (const each of Object.values(all)) ${call}\n`
  Fs.writeFileSync(Path.join(folder, "uncaught.mts"), program)
  const { stderr } = spawnSync(process.execPath, ["uncaught.mts"], { cwd: folder, encoding: "utf8" })
  const longest = Math.max(...stderr.split("\n").map(({ length }) => length))
  if (!stderr.includes(Path.join("node_modules", name))) return [`no error of it was shown: ${stderr.slice(0, 200)}`]
  return longest <= columnsMax ? [] : [`an error of it is shown with a line of ${longest} columns`]
}

/** Columns of a line that Node shows of an error, at most. */
const columnsMax = 1_000

/** Node 22 says of its SQLite that it is an experiment. */
const experimental = /^.*ExperimentalWarning: SQLite.*\n.*--trace-warnings.*\n/m

/** Compiles the example in strict projects without types of Node, by the resolution of Node and of bundlers. */
const compiled = (folder: string, root: string, { code }: Readmes.Example): ReadonlyArray<string> =>
  [
    { module: "nodenext", moduleResolution: "nodenext", files: ["typed.mts", "typed.cts"] },
    { module: "esnext", moduleResolution: "bundler", files: ["typed.mts"] }
  ].flatMap(({ files, ...resolution }) => {
    const compilerOptions = { ...resolution, ...strict }
    // A module in CommonJS cannot await at its top, so it is a function.
    const [imports = "", body = ""] = code.split(/(?<=^import .*\n)/m)
    Fs.writeFileSync(Path.join(folder, "typed.mts"), code)
    Fs.writeFileSync(Path.join(folder, "typed.cts"), `${imports}export const main = async () => {\n${body}}\n`)
    Fs.writeFileSync(Path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    const compiler = Path.join(root, "node_modules/.bin/tsc")
    const { status, stdout } = spawnSync(compiler, ["-p", folder], { encoding: "utf8" })
    return status === 0 ? [] : [`${resolution.moduleResolution}: ${stdout.trim()}`]
  })

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
  lib: ["es2022", "dom"],
  types: []
}

const bytesOf = (path: string): number =>
  Fs.readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + Fs.statSync(Path.join(entry.parentPath, entry.name)).size, 0)
