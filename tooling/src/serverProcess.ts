/** The server as a process, for tests and benchmarks, which may end it and start it again at the same address. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url))

/**
 * The place of the store, the port to listen at, the modules of agents by their names, and more variables of the
 * environment. `options` are those of Node.
 */
export interface Settings {
  readonly store: string
  readonly port: number
  readonly agents: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly options?: ReadonlyArray<string> | undefined
}

/** A server, of which one process at a time lives. */
export class ServerProcess {
  readonly address: string
  /** Everything that its processes have written to stderr. */
  log = ""
  readonly #environment: NodeJS.ProcessEnv
  readonly #options: ReadonlyArray<string>
  #child: ChildProcess | undefined

  constructor({ agents, environment = {}, options = [], port, store }: Settings) {
    const { DATABASE_URL: _, ...inherited } = process.env
    this.address = `http://127.0.0.1:${port}`
    this.#options = options
    this.#environment = {
      ...inherited,
      BACKSTITCH_STORE: store,
      BACKSTITCH_SECRET: "a secret of a test",
      BACKSTITCH_AGENTS: Object.entries(agents)
        .map(([name, file]) => `${name}=${file}`)
        .join(","),
      BACKSTITCH_RATE: "100000",
      PORT: String(port),
      ...environment
    }
  }

  /** The number of the process that lives, if one does. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Starts a process, and answers once it serves. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...this.#options, main], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#child = child
    child.stderr.on("data", (text) => {
      this.log += String(text)
    })
    let out = ""
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${this.log.slice(-2000)}`)))
      child.stdout.on("data", (text) => {
        out += String(text)
        if (/^store/m.test(out)) resolve()
      })
    })
  }

  /** Sends a signal to the process, and waits until it has ended. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill(signal)
    await gone
  }
}
