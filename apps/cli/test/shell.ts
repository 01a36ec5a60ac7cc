/**
 * The real program, bundled as it is published, on a store of its own.
 *
 * A command of a shell that is `apart`, one that loads code of others, and one beside another are processes. The others
 * are run by a process that is kept for them; with `BACKSTITCH_TEST_PROCESSES=1` all are processes.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as residents from "./residents.ts"

/** Names the folder of the program; see bundled.ts. */
export const variable = "BACKSTITCH_TEST_CLI"

export const source = join(import.meta.dirname, "../src/main.ts")

/** The bundled program. */
export const program = (): string => join(process.env[variable] ?? "", "main.js")

const fixtures = join(import.meta.dirname, "fixtures")

export const fixture = (name: string): string => join(fixtures, name)

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** Tells whether a command needs a process of its own: it loads code that is not there to be loaded again. */
const isOwn = (args: ReadonlyArray<string>, env: Record<string, string>): boolean =>
  "NODE_OPTIONS" in env || args.some((each) => /\.[cm]?[jt]s$/.test(each) && dirname(each) !== fixtures)

export class Shell {
  readonly folder = mkdtempSync(join(tmpdir(), "backstitch-cli-"))
  readonly #isApart: boolean

  /** With `apart`, each command is a process of its own. */
  constructor({ apart = (process.env["BACKSTITCH_TEST_PROCESSES"] ?? "") !== "" } = {}) {
    this.#isApart = apart
  }

  /** Runs the program to its end; one that is named by its file, as a process. */
  readonly run = async (
    args: ReadonlyArray<string>,
    env: Record<string, string> = {},
    main?: string
  ): Promise<Ended> => {
    if (main !== undefined || this.#isApart || isOwn(args, env) || residents.isWorking()) {
      return (await this.start(args, { env, main: main ?? program() })).ended
    }
    const job = { args, cwd: this.folder, env: this.#environment(env) }
    const { code, err, out, signal } = await residents.run(join(process.env[variable] ?? "", "resident/main.js"), job)
    return { code, signal, out, err }
  }

  /** Starts the program, with `input` on its stdin. */
  readonly start = async (
    args: ReadonlyArray<string>,
    about: { readonly env?: Record<string, string>; readonly input?: string; readonly main?: string } = {}
  ): Promise<{ readonly child: ChildProcess; readonly ended: Promise<Ended> }> => {
    const { env = {}, input, main = program() } = about
    const options: SpawnOptions = {
      cwd: this.folder,
      env: this.#environment(env),
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"]
    }
    const child = spawn(process.execPath, [main, ...args], options)
    child.stdin?.end(input)
    let out = ""
    let err = ""
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()))
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", (code, signal) => resolve({ code, signal, out, err }))
    })
    return { child, ended }
  }

  #environment(env: Record<string, string>): NodeJS.ProcessEnv {
    return { ...process.env, SHOP: join(this.folder, "shop.json"), NO_COLOR: "1", COLUMNS: "", ...env }
  }

  /** Runs the program, split at spaces, and reads the one document on stdout. */
  // biome-ignore lint/suspicious/noExplicitAny: what a document holds is what is tested
  readonly json = async (line: string): Promise<{ readonly code: number | null; readonly document: any }> => {
    const { code, err, out } = await this.run([...line.split(" "), "--json"])
    try {
      return { code, document: JSON.parse(out) }
    } catch {
      throw new Error(`not one JSON document: ${out}\n${err}`)
    }
  }

  readonly path = (name: string): string => join(this.folder, name)

  readonly remove = (): void => {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
