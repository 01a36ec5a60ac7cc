/**
 * The projects that Backstitch is compared with. They are installed when the first figure needs them.
 *
 * They are a separate workspace in `peers/`, with exact versions and a lockfile, so that contributors need not
 * install them. If a peer cannot be installed or loaded, its figures are absent, with the reason.
 */
import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** A peer that takes steps one after another; `steps` answers milliseconds. */
export interface Stepper {
  readonly steps: (id: string, count: number) => Promise<number>
  readonly close: () => Promise<void>
}

/** A saver stores all of a channel at each step, or only the additions of the step. */
export type Channels = "whole" | "delta"

/** A graph that keeps a checkpoint after each step, and goes on from any of them. */
export interface Restorer<A> {
  readonly begin: (thread: string, working: A) => Promise<void>
  readonly resume: (thread: string, id?: string) => Promise<void>
  readonly checkpoints: (thread: string) => Promise<ReadonlyArray<{ readonly id: string; readonly working: A }>>
  readonly state: (thread: string) => Promise<A>
}

/** The exports of each module of `peers/src`. */
export interface Peers {
  readonly langgraph: {
    readonly sqlite: (
      filename: string,
      steps: number,
      options?: { readonly channels?: Channels; readonly synchronous?: "FULL" | "NORMAL" }
    ) => Promise<{ readonly bytes: number; readonly millis: number }>
    readonly resume: (filename: string) => Promise<void>
    readonly postgres: (url: string, channels?: Channels) => Promise<Stepper>
  }
  readonly langgraphRecovery: {
    readonly make: <A extends object>(advance: (working: A) => Promise<A | undefined>) => Restorer<A>
  }
  readonly dbos: { readonly open: (url: string) => Promise<Stepper> }
  readonly effectWorkflow: { readonly open: (url: string) => Promise<Stepper> }
  readonly emmett: {
    readonly open: (filename: string) => Promise<{
      readonly append: (appends: number, size: number) => Promise<number>
      readonly aggregate: () => Promise<{ readonly count: number; readonly millis: number }>
      readonly close: () => void
    }>
  }
}

/** Folder of the peers. */
export const folder = fileURLToPath(new URL("../peers/", import.meta.url))

/** Loads a peer, and first installs all of them if needed. Throws with the reason if that fails. */
export const load = async <Name extends keyof Peers>(name: Name): Promise<Peers[Name]> => {
  install()
  return import(new URL(`../peers/src/${name}.ts`, import.meta.url).href)
}

let installed: Error | true | undefined

const install = (): void => {
  installed ??= attempt()
  if (installed !== true) throw installed
}

const attempt = (): Error | true => {
  const lockfile = Path.join(folder, "pnpm-lock.yaml")
  const mark = Path.join(folder, "node_modules", ".installed")
  const wanted = Fs.readFileSync(lockfile, "utf8")
  if (Fs.existsSync(mark) && Fs.readFileSync(mark, "utf8") === wanted) return true
  process.stderr.write("installing the peers, once; native modules may be compiled, which takes minutes\n")
  const root = fileURLToPath(new URL("../../", import.meta.url))
  const { error, status } = ChildProcess.spawnSync(
    "npx",
    ["-y", `pnpm@${versionOf(root)}`, "install", "--frozen-lockfile"],
    {
      cwd: folder,
      env: { ...process.env, ...headers() },
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32"
    }
  )
  if (status !== 0) return new Error(`the peers cannot be installed: ${error?.message ?? `pnpm ended with ${status}`}`)
  Fs.writeFileSync(mark, wanted)
  return true
}

const versionOf = (root: string): string => {
  const { packageManager } = JSON.parse(Fs.readFileSync(Path.join(root, "package.json"), "utf8"))
  return String(packageManager).replace(/^pnpm@/, "")
}

/** A native module has to be compiled for the Node version that runs here. */
const headers = (): Record<string, string> => {
  const home = Path.dirname(Path.dirname(process.execPath))
  return Fs.existsSync(Path.join(home, "include", "node", "node.h")) ? { npm_config_nodedir: home } : {}
}
