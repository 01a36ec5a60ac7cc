/** The real program as a process, bundled as it is published, on a store of its own. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Names the folder of the program; see bundled.ts. */
export const variable = "BACKSTITCH_TEST_CLI"

export const source = join(import.meta.dirname, "../src/main.ts")

/** The bundled program. */
export const program = (): string => join(process.env[variable] ?? "", "main.js")

export const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name)

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export class Shell {
  readonly folder = mkdtempSync(join(tmpdir(), "backstitch-cli-"))

  /** Runs the program to its end. */
  readonly run = async (
    args: ReadonlyArray<string>,
    env: Record<string, string> = {},
    main = program()
  ): Promise<Ended> => (await this.start(args, { env, main })).ended

  /** Starts the program, with `input` on its stdin. */
  readonly start = async (
    args: ReadonlyArray<string>,
    about: { readonly env?: Record<string, string>; readonly input?: string; readonly main?: string } = {}
  ): Promise<{ readonly child: ChildProcess; readonly ended: Promise<Ended> }> => {
    const { env = {}, input, main = program() } = about
    const options: SpawnOptions = {
      cwd: this.folder,
      env: { ...process.env, SHOP: join(this.folder, "shop.json"), NO_COLOR: "1", COLUMNS: "", ...env },
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
