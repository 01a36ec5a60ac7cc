/** Runs a program of the world as a child process, which ends at the latest when this process ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** A program that runs: the address that it announced, and a function to end it. */
export interface WorldProcess {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts a program in the folder of this file, and resolves with the address that it announces. */
export const start = async (program = "main.ts", args: ReadonlyArray<string> = []): Promise<WorldProcess> => {
  const script = fileURLToPath(new URL(`./${program}`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, "line").then(([line]) => String(line)), ended.then(() => undefined)])
  if (first === undefined) throw new Error(`${program} did not start`)
  const announced: { readonly url?: string } = JSON.parse(first)
  return {
    url: announced.url ?? "",
    stop: async () => {
      child.stdin.end()
      await ended
    }
  }
}
