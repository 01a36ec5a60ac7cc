/** The processes of a matrix: two that resume and live, and others that are started in advance and die. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "./Worker.ts"

/** The processes of a matrix. */
export class Crew {
  readonly immortals: readonly [Worker, Worker]
  readonly #folder = mkdtempSync(join(tmpdir(), "backstitch-compiled-"))
  readonly #waiting: Array<Worker>

  /** Keeps `ahead` processes ready to die. */
  constructor(ahead: number) {
    this.immortals = [this.#start(), this.#start()]
    this.#waiting = Array.from({ length: ahead }, () => this.#start())
  }

  /** Gives a process that may die to a function, and starts the next one. */
  async mortal<A>(body: (worker: Worker) => Promise<A>): Promise<A> {
    const worker = this.#waiting.shift() ?? this.#start()
    this.#waiting.push(this.#start())
    try {
      return await body(worker)
    } finally {
      await worker.close()
    }
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.immortals, ...this.#waiting].map((worker) => worker.close()))
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #start(): Worker {
    return new Worker(process.env["NODE_COMPILE_CACHE"] ?? this.#folder)
  }
}
