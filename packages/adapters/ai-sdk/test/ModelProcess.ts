/** Starts the model of the tests as a process of its own, which ends with the test. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** One answer of the model. Arguments that are text are sent as they are, whether they are JSON or not. */
export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown; readonly id?: string }>
  readonly finish?: string
  readonly tokens?: number
  /** Answers only who offers this tool. */
  readonly for?: string
}

/** A fault of the request with this number, counted from 1: an HTTP status, no answer, no JSON, or a cut. */
export interface Fault {
  readonly request: number
  readonly kind: "hang" | "garbage" | "cut" | "401" | "429" | "500"
}

/** The n-th answer is for a conversation with n results of tools, and the last one for all longer ones. */
export interface Program {
  readonly answers: ReadonlyArray<Answer>
  readonly faults?: ReadonlyArray<Fault>
}

/** A request that the model was sent. */
export interface Asked {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown; readonly tool_calls?: unknown }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: unknown } }>
  readonly authorization: string | null
  readonly stream?: boolean
}

/** A running model. */
export class ModelProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url
    this.#child = child
    this.#folder = folder
  }

  static async start(program: Program): Promise<ModelProcess> {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-model-"))
    const file = join(folder, "program.json")
    writeFileSync(file, JSON.stringify(program))
    const child = spawn(process.execPath, [join(import.meta.dirname, "modelServer.ts"), file], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    for await (const line of createInterface({ input: child.stdout })) {
      return new ModelProcess(JSON.parse(line).url, child, folder)
    }
    throw new Error("the model did not start")
  }

  /** The requests that it was sent so far. */
  async requests(): Promise<ReadonlyArray<Asked>> {
    return (await fetch(this.url.replace(/\/v1$/, "/requests"))).json() as Promise<ReadonlyArray<Asked>>
  }

  stop(): void {
    this.#child.stdin?.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
