/** Runs one measurement in a separate process, so that nothing is warm and memory is its own. */
import * as ChildProcess from "node:child_process"
import { fileURLToPath } from "node:url"

/** A measurement that a process can be asked for. */
export type Task = "resume" | "resume-langgraph" | "bisect"

/** The answer of a process, and its lifetime. */
export interface Answer {
  readonly millis: number
  readonly wallMillis: number
  readonly megabytes?: number
  readonly detail?: string
}

/** Starts a process for a task on a file, and waits for its answer. */
export const run = (task: Task, filename: string): Answer => {
  const script = fileURLToPath(new URL("./task.ts", import.meta.url))
  const began = performance.now()
  const { status, stderr, stdout } = ChildProcess.spawnSync(
    process.execPath,
    ["--expose-gc", "--no-warnings", script, task, filename],
    { encoding: "utf8", maxBuffer: 2 ** 24 }
  )
  const wallMillis = performance.now() - began
  if (status !== 0) throw new Error(`the process for ${task} ended with ${status}: ${stderr.slice(0, 2000)}`)
  return { ...(JSON.parse(stdout) as Omit<Answer, "wallMillis">), wallMillis }
}
