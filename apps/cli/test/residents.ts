/** The process of `resident.ts` that a worker of the tests keeps. */
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import type { Done, Job } from "./resident.ts"

let kept: ChildProcess | undefined
let isBusy = false

/** Tells whether a command would have to wait: then it is started as a process, beside the one that runs. */
export const isWorking = (): boolean => isBusy

/** Runs a command in the process that is kept, which is started for the first one. */
export const run = async (program: string, job: Job): Promise<Done> => {
  isBusy = true
  try {
    kept ??= started(program)
    const done = await answered(kept, job)
    if (done.isSpent) {
      if (kept.connected) kept.disconnect()
      kept = undefined
    }
    return done
  } finally {
    isBusy = false
  }
}

/** It does not keep the worker alive, and ends with it. */
const started = (program: string): ChildProcess => {
  const child = fork(join(import.meta.dirname, "resident.ts"), [program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  child.unref()
  child.channel?.unref()
  return child
}

/** The end of a command; text that a killed process had printed is lost with it. */
const answered = (child: ChildProcess, job: Job): Promise<Done> =>
  new Promise((resolve) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ code, signal, out: "", err: "", isSpent: true })
    child.once("exit", ended)
    child.once("message", (done) => {
      child.off("exit", ended)
      resolve(done as Done)
    })
    child.send(job)
  })
