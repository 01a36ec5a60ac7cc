/**
 * Runs commands of the program one after the other in one process, for tests in which a process is not the point.
 *
 * A command gets modules of the program and of its agent of its own, and an environment, a folder and streams of its
 * own; the packages are loaded once. It ends where a process would: when nothing is left that could go on. Loading and
 * warming up took nine tenths of the time of a short command.
 */
import { registerHooks } from "node:module"
import { Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"

/** A command: its words, its folder and its environment. */
export interface Job {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** The end of a command. `isSpent` is true if the process may not run another one. */
export interface Done {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  readonly isSpent: boolean
}

const program = pathToFileURL(process.argv[2] ?? "").href
const [own, agents] = [new URL(".", program).href, new URL("fixtures/", import.meta.url).href]

let number = 0

const isAgain = (url: string): boolean =>
  url.startsWith(agents) || (url.startsWith(own) && !url.endsWith("/packages.js"))

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return isAgain(found.url) ? { ...found, url: `${found.url.split("?")[0]}?${number}` } : found
  }
})

/** A stream that keeps what is written into it. */
const kept = () => {
  const chunks: Array<Buffer> = []
  const stream = new Writable({
    write: (chunk: Buffer, _, written) => {
      chunks.push(chunk)
      written()
    }
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

const watched = ["beforeExit", "exit", "uncaughtException", "SIGINT", "SIGTERM"] as const

const run = async ({ args, cwd, env }: Job): Promise<Done> => {
  const [out, err] = [kept(), kept()]
  Object.defineProperty(process, "stdout", { value: out.stream, configurable: true })
  Object.defineProperty(process, "stderr", { value: err.stream, configurable: true })
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.exitCode = undefined
  const before = watched.map((event) => [event, process.rawListeners(event)] as const)
  const busy = process.getActiveResourcesInfo().length
  const { console } = globalThis
  let isSpent = false
  const exit = new Promise<void>((resolve) => {
    process.exit = (code) => {
      process.exitCode = code ?? process.exitCode ?? 0
      isSpent = true
      resolve()
      return undefined as never
    }
  })
  const command = async (): Promise<void> => {
    number += 1
    const { main } = await import(program)
    await main(args)
    while (process.getActiveResourcesInfo().length > busy) await setTimeout(1)
  }
  await Promise.race([command(), exit])
  globalThis.console = console
  for (const [event, listeners] of before) {
    for (const each of process.rawListeners(event)) {
      if (!listeners.includes(each)) process.removeListener(event, each as () => void)
    }
  }
  return { code: Number(process.exitCode ?? 0), signal: null, out: out.text(), err: err.text(), isSpent }
}

process.on("message", (job: Job) => {
  void run(job).then((done) => process.send?.(done))
})
process.once("disconnect", () => process.kill(process.pid))
