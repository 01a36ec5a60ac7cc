/**
 * Runs a world as a child process, independent of the agent under test.
 *
 * The child also ends when this process ends, in whatever way.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { WorldOptions } from "./World.ts"

/** A world that runs in a process of its own. */
export interface WorldProcess {
  readonly url: string
  readonly pid: number
  /**
   * Ends the process (by SIGTERM, or by the given signal) and resolves with its exit code; null if a signal ended it.
   */
  readonly kill: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts a world in a child process and resolves once the world accepts requests. */
export const start = async (options: Omit<WorldOptions, "now"> = {}): Promise<WorldProcess> => {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url))
  const child = spawn(process.execPath, [main, "--until-stdin-ends", ...flags(options)], {
    stdio: ["pipe", "pipe", "pipe"]
  })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text
  })
  const exited = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null))
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, "line").then(([line]) => String(line)), exited])
  if (typeof first !== "string" || child.pid === undefined) {
    throw new Error(`The world did not start (exit code ${first}): ${complaint.trim()}`)
  }
  const kill = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal)
    return exited
  }
  const announced: { readonly url: string } = JSON.parse(first)
  return { url: announced.url, pid: child.pid, kill }
}

const flags = (options: Omit<WorldOptions, "now">): ReadonlyArray<string> => {
  const named = {
    port: options.port,
    db: options.db,
    "settle-after": options.settleAfterMillis,
    "key-retention": options.keyRetentionMillis,
    capacity: options.capacity
  }
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
}
