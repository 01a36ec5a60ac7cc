/** The driver's side of an agent process. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type * as Job from "./Job.ts"

/** The report of a job: its end, or the signal that ended its process, and the commits that it was told of. */
export interface Report {
  readonly ended: string | undefined
  readonly signal: string | undefined
  readonly acknowledged: ReadonlyArray<Job.Acknowledged>
}

interface Pending {
  readonly acknowledged: Array<Job.Acknowledged>
  readonly resolve: (report: Report) => void
}

/** Tests may name a folder with a bundle of the process, which starts faster. */
const bundled = process.env["BACKSTITCH_TEST_AGENTS"]
const entry =
  bundled === undefined
    ? fileURLToPath(new URL("./agentProcess.ts", import.meta.url))
    : join(bundled, "travel-booking.js")

/** A process that takes jobs until one of them kills it. */
export class Worker {
  readonly #child: ChildProcess
  readonly #jobs = new Map<number, Pending>()
  #last = 0

  /** Starts processes that share their compile cache in the folder `compiled`. */
  constructor(compiled: string) {
    const child = spawn(process.execPath, [entry], {
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      stdio: ["pipe", "pipe", "inherit"]
    })
    this.#child = child
    // A process that has ended takes no more jobs; its end is reported below.
    child.stdin.on("error", () => undefined)
    createInterface({ input: child.stdout }).on("line", (text) => this.#hear(JSON.parse(text)))
    child.once("close", (code, signal) => {
      for (const { acknowledged, resolve } of this.#jobs.values()) {
        resolve({ ended: undefined, signal: signal ?? `exit code ${code}`, acknowledged })
      }
      this.#jobs.clear()
    })
  }

  /** Gives a job to the process and waits until the job, or the process, has ended. */
  do(job: Omit<Job.Job, "id">): Promise<Report> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#jobs.set(id, { acknowledged: [], resolve })
      this.#child.stdin?.write(`${JSON.stringify({ ...job, id })}\n`)
    })
  }

  /** Ends the process, whatever it is doing. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, "close")
    this.#child.kill("SIGKILL")
    await closed
  }

  #hear(line: Job.Line): void {
    const pending = this.#jobs.get(line.id)
    if (pending === undefined) return
    if ("acknowledged" in line) pending.acknowledged.push(line.acknowledged)
    else {
      this.#jobs.delete(line.id)
      pending.resolve({ ended: line.ended, signal: undefined, acknowledged: pending.acknowledged })
    }
  }
}
