/** A copy of the checkout in which files may be changed and tests run, with a time limit for each command. */
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Exact versions of the packages that only the copy needs. */
const stryker = ["@stryker-mutator/core@10.1.1", "@stryker-mutator/vitest-runner@10.1.1"]

const root = Path.resolve(import.meta.dirname, "../..")

/** A command that ended or was stopped. */
export type Outcome = "failed" | "passed" | "timed out"

/** A copy of the checkout. */
export interface Workspace {
  /** Path of a file of the copy. */
  readonly path: (name: string) => string
  /** Keeps the files of a folder, and answers a function that puts them back: Stryker changes them in place. */
  readonly keep: (folder: string) => () => void
  /** Runs a program of the copy, and stops it with all its processes when its time is over. */
  readonly run: (
    words: ReadonlyArray<string>,
    options: { readonly env?: NodeJS.ProcessEnv; readonly isLoud?: boolean; readonly limitMillis: number }
  ) => Promise<Outcome>
}

const tracked = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
    .toString()
    .split("\0")
    .filter((name) => name !== "" && Fs.existsSync(Path.join(root, name)))

/** Copies the checkout and installs Stryker in the copy, which is removed when the process ends. */
export const make = async (): Promise<Workspace> => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-mutation-"))
  const running = new Set<number>()
  const end = (group: number): void => {
    try {
      process.kill(-group, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }
  process.once("exit", () => {
    for (const group of running) end(group)
    Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  const start: Workspace["run"] = ([program = "", ...words], { env = {}, isLoud = false, limitMillis }) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, words, {
        cwd: folder,
        detached: true,
        env: { ...process.env, ...env },
        stdio: ["ignore", isLoud ? "inherit" : "ignore", "ignore"]
      })
      const group = child.pid
      if (group === undefined) return reject(new Error(`${program} cannot be started`))
      running.add(group)
      let isOver = false
      const timer = setTimeout(() => {
        isOver = true
        end(group)
      }, limitMillis)
      child.once("error", reject)
      child.once("close", (code) => {
        clearTimeout(timer)
        running.delete(group)
        resolve(isOver ? "timed out" : code === 0 ? "passed" : "failed")
      })
    })
  const names = tracked()
  for (const name of names) Fs.cpSync(Path.join(root, name), Path.join(folder, name))
  const limitMillis = 10 * 60_000
  const pnpm = ["npx", "-y", "pnpm@12"]
  if ((await start([...pnpm, "install", "--frozen-lockfile", "--prefer-offline"], { limitMillis })) !== "passed")
    throw new Error("pnpm install failed in the copy")
  if ((await start([...pnpm, "add", "--workspace-root", "--save-dev", ...stryker], { limitMillis })) !== "passed")
    throw new Error("Stryker could not be installed in the copy")
  return {
    path: (name) => Path.join(folder, name),
    // Not from the checkout, which may have changed since.
    keep: (under) => {
      const paths = names.filter((name) => name.startsWith(`${under}/`)).map((name) => Path.join(folder, name))
      const kept = paths.map((path) => [path, Fs.readFileSync(path)] as const)
      return () => {
        for (const [path, bytes] of kept) Fs.writeFileSync(path, bytes)
      }
    },
    run: ([program = "", ...words], options) =>
      start([Path.join(folder, "node_modules", ".bin", program), ...words], options)
  }
}
