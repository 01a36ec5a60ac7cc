/** The command line of Backstitch as child processes, as a person would call it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The output of a command, and its exit code. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs. */
export interface Running {
  readonly pid: number
  readonly kill: () => void
  readonly ended: Promise<Ended>
}

const main = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url))

/** Commands in one environment. None of them runs longer than until `close`. */
export class Cli {
  readonly #environment: NodeJS.ProcessEnv
  readonly #children = new Set<ChildProcess>()

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = { ...process.env, NO_COLOR: "1", ...environment }
  }

  /** Starts a command. */
  start(args: ReadonlyArray<string>): Running {
    const child = spawn(process.execPath, [main, ...args], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#children.add(child)
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    const ended = once(child, "close").then(([code, signal]): Ended => {
      this.#children.delete(child)
      return { code, signal, stdout, stderr }
    })
    return { pid: child.pid ?? 0, kill: () => child.kill("SIGKILL"), ended }
  }

  /** Runs a command to its end, and reads the JSON document that it prints. */
  async json<Document>(args: ReadonlyArray<string>): Promise<{ readonly code: number; readonly document: Document }> {
    const { code, stderr, stdout } = await this.start([...args, "--json"]).ended
    try {
      return { code: code ?? -1, document: JSON.parse(stdout) }
    } catch {
      throw new Error(`The command ${args.join(" ")} ended with ${code} and printed no JSON: ${stderr || stdout}`)
    }
  }

  /** Ends every command that still runs. */
  close(): void {
    for (const child of this.#children) child.kill("SIGKILL")
  }
}
