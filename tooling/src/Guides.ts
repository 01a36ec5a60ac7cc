/**
 * The guides that a newcomer begins with, as they read and follow them: a first example of at most thirty lines, which
 * runs from the packed packages in a folder that has nothing else.
 *
 * A guide in TypeScript begins with the reader's own code, and goes on with the same code behind this system. Both
 * examples run, and compile in a strict project. A guide for the terminal begins with a file or a command. Each says
 * in a section of its own how such a folder is made, and these lines are run as they are printed.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Readmes from "./Readmes.ts"

/** Lines that the first example of a guide may have. */
export const linesMax = 30

/** A block of code in a page: the word behind its fence, and its text. */
export interface Block {
  readonly kind: string
  readonly text: string
}

/** A guide as its page has it. */
export interface Guide {
  readonly page: string
  readonly blocks: ReadonlyArray<Block>
  /** The first example in TypeScript, and the first one that imports a package of this repository. */
  readonly programs: ReadonlyArray<Readmes.Example>
  /** The commands that make a folder for the example. */
  readonly install: string | undefined
  /** The name under which the page saves a program. */
  readonly saved: string | undefined
}

/** Reads the guides that the README sends a newcomer to, in its order. */
export const read = (root: string): ReadonlyArray<Guide> => {
  const readme = Fs.readFileSync(Path.join(root, "README.md"), "utf8")
  const table = /^\| you have \| begin here.*\n(?:\|.*\n)+/m.exec(readme)?.[0] ?? ""
  return [...table.matchAll(/\((docs\/guides\/[\w-]+\.md)\)/g)].map(([, page = ""]) => guideOf(page, root))
}

const guideOf = (page: string, root: string): Guide => {
  const text = Fs.readFileSync(Path.join(root, page), "utf8")
  const blocks = [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, kind = "", text = ""]) => ({ kind, text }))
  const whole = blocks[0]?.kind === "ts" ? Readmes.examplesOf(text) : []
  const programs = new Set([whole[0], whole.find(({ code }) => code.includes('from "@backstitch/'))])
  const section = /^## In a folder of your own\n(.*?)(?=^## )/ms.exec(text)?.[1] ?? ""
  return {
    page,
    blocks,
    programs: [...programs].filter((program) => program !== undefined),
    install: /^```bash\n(npm .*?)^```$/ms.exec(section)?.[1],
    saved: /`([\w-]+\.mts)`/.exec(section)?.[1]
  }
}

/** Lists the faults of a guide that its text shows. */
export const faults = ({ blocks, install, page, programs, saved }: Guide): ReadonlyArray<string> => {
  const opening = blocks[0]
  const isProgram = opening?.kind === "ts"
  const isTyped = opening !== undefined && ["yaml", "json", "sh"].includes(opening.kind)
  const examples = isProgram ? programs.map(({ code }) => code) : isTyped ? [opening.text] : []
  const long = examples.map((text) => text.trimEnd().split("\n").length).filter((lines) => lines > linesMax)
  return [
    ...(examples.length === 0 ? ["it has no example"] : []),
    ...long.map((lines) => `its first example has ${lines} lines: at most ${linesMax}`),
    ...(install === undefined ? ['no section "In a folder of your own" says how to install what it needs'] : []),
    ...(isProgram && saved === undefined ? ["it does not say under which name the example is saved: `name.mts`"] : []),
    ...(programs.some(({ prints }) => prints.length === 0) ? ["an example prints nothing that can be compared"] : [])
  ].map((fault) => `${page}: ${fault}`)
}

/** A guide for the terminal in a folder: the files that it needs, its commands, and the lines that they print. */
interface Terminal {
  readonly files: Readonly<Record<string, string>>
  readonly commands: string
  readonly prints: ReadonlyArray<string>
}

/** Follows each guide in a fresh folder, from the packed packages. Lists the faults, one per line. */
export const check = ({
  root,
  tarballs
}: {
  readonly root: string
  readonly tarballs: string
}): ReadonlyArray<string> => {
  const folders = new Map<string, string>()
  const found: Array<string> = []
  try {
    for (const guide of read(root)) {
      const known = faults(guide)
      found.push(...known)
      if (known.length > 0) continue
      const key = guide.install ?? ""
      const folder = folders.get(key) ?? Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-guide-")))
      const failed = folders.has(key) ? undefined : installed(folder, tarballs, key)
      folders.set(key, folder)
      const said = failed === undefined ? followed(guide, folder, root) : [failed]
      found.push(...said.map((line) => `${guide.page}, in a folder of its own: ${line}`))
    }
  } finally {
    for (const folder of folders.values()) Fs.rmSync(folder, { recursive: true, force: true })
  }
  return found
}

/** Installs what a guide asks for, in the words of the guide, and answers the failure. */
const installed = (folder: string, tarballs: string, commands: string): string | undefined => {
  Fs.cpSync(tarballs, Path.join(folder, "packages"), { recursive: true })
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" }
  const { status, stderr } = spawnSync("sh", ["-e", "-c", commands], { cwd: folder, encoding: "utf8", env })
  return status === 0 ? undefined : `its installation ends with ${status}: ${stderr.trim()}`
}

const followed = (guide: Guide, folder: string, root: string): ReadonlyArray<string> =>
  guide.programs.length > 0
    ? guide.programs.flatMap((program) => [...ran(guide, program, folder), ...compiled(guide, program, folder, root)])
    : typed(terminalOf(guide, root), folder)

const spaceless = (text: string): string => text.replaceAll(/\s/g, "")

const ran = ({ saved = "" }: Guide, { code, line, prints }: Readmes.Example, folder: string): ReadonlyArray<string> => {
  Fs.writeFileSync(Path.join(folder, saved), code)
  const { stderr, stdout } = spawnSync(process.execPath, [saved], { cwd: folder, encoding: "utf8", timeout: 60_000 })
  const isAsSaid = spaceless(stdout) === spaceless(prints.join("")) && stderr === ""
  return isAsSaid ? [] : [`the example at line ${line} prints ${stdout}${stderr}`]
}

const strict = {
  module: "nodenext",
  target: "esnext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  types: []
}

const compiled = (
  { saved = "" }: Guide,
  { code, line }: Readmes.Example,
  folder: string,
  root: string
): ReadonlyArray<string> => {
  Fs.writeFileSync(Path.join(folder, saved), code)
  Fs.writeFileSync(Path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: strict, files: [saved] }))
  const compiler = Path.join(root, "node_modules/.bin/tsc")
  const { status, stdout } = spawnSync(compiler, ["-p", folder], { cwd: folder, encoding: "utf8" })
  if (status !== 0 && stdout.trim() === "") return [`the compiler ends with ${status} at line ${line}`]
  const said = stdout.split(/\n(?=\S)/).filter((fault) => fault.trim() !== "" && !foreign.test(fault))
  return said.map((fault) => `the example at line ${line} does not compile: ${fault.trim()}`)
}

/** A fault in the types of another package: frameworks do not compile in a project of every strictness. */
const foreign = /^[^(]*node_modules\/(?!@backstitch\/)/

const terminalOf = ({ blocks, page }: Guide, root: string): Terminal => {
  const opening = blocks[0]?.text ?? ""
  const at = blocks.findIndex(({ kind }) => kind === "sh")
  const commands = blocks[at]?.text ?? ""
  const named = [...new Set(commands.match(/examples\/\S+/g))]
  if (blocks[0]?.kind !== "json") {
    const file = blocks[0]?.kind === "yaml" ? { [named[0] ?? page]: opening } : textsOf(named, root)
    return {
      files: file,
      commands,
      prints: (blocks[at + 1]?.text ?? "").split("\n").filter((line) => line.trim() !== "")
    }
  }
  const home = "examples/mcp-payments"
  const proxied = blocks.find(({ kind, text }) => kind === "json" && text.includes('"npx"'))?.text ?? ""
  const names = Fs.globSync(`${home}/*.{ts,yaml}`, { cwd: root })
  return {
    files: { ...textsOf(names, root), [`${home}/mcp.json`]: opening, [`${home}/mcp.proxied.json`]: proxied },
    commands: `node ${home}/editor.ts mcp.json\nnode ${home}/editor.ts mcp.proxied.json\n`,
    prints: ["charges 2", "charges 1"]
  }
}

const textsOf = (paths: ReadonlyArray<string>, root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path) => [path, Fs.readFileSync(Path.join(root, path), "utf8")]))

/** Types the commands of a guide: the lines that it shows have to come in their order. */
const typed = ({ commands, files, prints }: Terminal, folder: string): ReadonlyArray<string> => {
  for (const [path, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.dirname(Path.join(folder, path)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, path), text)
  }
  const script = `backstitch() { npx --no backstitch "$@"; }\n${commands}`
  const options = { cwd: folder, encoding: "utf8", timeout: 120_000 } as const
  const { stderr, stdout } = spawnSync("sh", ["-c", script], { ...options, env: { ...process.env, NO_COLOR: "1" } })
  const said = spaceless(stdout)
  const ends = prints.reduce((from, line) => {
    const at = from < 0 ? -1 : said.indexOf(spaceless(line), from)
    return at < 0 ? -1 : at + spaceless(line).length
  }, 0)
  return ends > 0 ? [] : [`${commands.trim()} prints ${stdout}${stderr}`]
}
