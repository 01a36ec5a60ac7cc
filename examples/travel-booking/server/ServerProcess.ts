/** The server as a process, which is killed and started again at the same address. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url))
const agent = fileURLToPath(new URL("../agent.ts", import.meta.url))

/**
 * The place of the store, the port to listen at, and the world in which the agent acts. With `nodePort` the server is
 * the only node of a cluster, which other nodes could join there.
 */
export interface Settings {
  readonly store: string
  readonly port: number
  readonly world: string
  readonly nodePort?: number | undefined
}

/** A server, of which one process at a time lives. */
export class ServerProcess {
  readonly address: string
  /** Everything that its processes have written to stderr. */
  log = ""
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  constructor({ nodePort, port, store, world }: Settings) {
    const { DATABASE_URL: _, ...environment } = process.env
    this.address = `http://127.0.0.1:${port}`
    this.#environment = {
      ...environment,
      BACKSTITCH_STORE: store,
      BACKSTITCH_SECRET: "a secret of the outage",
      BACKSTITCH_AGENTS: `travel=${agent}`,
      BACKSTITCH_RATE: "100000",
      PORT: String(port),
      ...(nodePort === undefined ? {} : { BACKSTITCH_CLUSTER: `127.0.0.1:${nodePort}` }),
      WORLD_URL: world
    }
  }

  /** Starts a process, and answers once it serves. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [main], { env: this.#environment, stdio: ["ignore", "pipe", "pipe"] })
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
