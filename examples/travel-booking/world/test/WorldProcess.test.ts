import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as WorldProcess from "../WorldProcess.ts"
import { WorldClient } from "./WorldClient.ts"

const flight = { flight: "RH101-2026-12-18", traveller: "Anna Keller" }
const main = fileURLToPath(new URL("../main.ts", import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "travel-world-"))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  assert.isFalse(existsSync(folder))
})

const run = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (text) => (stdout += text))
  child.stderr.on("data", (text) => (stderr += text))
  return { child, exited: once(child, "close"), read: () => ({ stdout, stderr }) }
}

describe("WorldProcess", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`stops cleanly on ${signal} and leaves one database file`, async () => {
      const world = await WorldProcess.start({ db: join(folder, "world.db") })
      assert.match(world.url, /^http:\/\/127\.0\.0\.1:\d+$/)
      const client = new WorldClient(world.url)
      await client.post("/bookings", flight)
      const held = client.post("/bookings", flight, { fault: "timeout_after_commit" })
      while ((await client.audit()).counts.bookings < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.strictEqual(await world.kill(signal), 0)
      assert.strictEqual((await held).text, "lost")
      assert.deepStrictEqual(readdirSync(folder), ["world.db"])
      assert.strictEqual((await client.get("/health")).text, "lost")
    })
  }

  it("keeps every answered commit through SIGKILL, and forgets pending ones", async () => {
    const db = join(folder, "world.db")
    const first = await WorldProcess.start({ db })
    const before = new WorldClient(first.url)
    const booked = await before.post("/bookings", flight, { key: "k" })
    await before.post("/bookings", flight, { key: "slow", fault: "slow_commit; delayMillis=60000" })
    assert.strictEqual((await before.get("/status/slow")).body.state, "pending")
    assert.strictEqual(await first.kill("SIGKILL"), null)

    const second = await WorldProcess.start({ db })
    const after = new WorldClient(second.url)
    assert.strictEqual((await after.get("/status/k")).body.id, booked.body.pnr)
    assert.strictEqual((await after.get("/status/slow")).status, 404)
    const replayed = await after.post("/bookings", flight, { key: "k" })
    assert.deepStrictEqual([replayed.replayed, replayed.text], [true, booked.text])
    const next = await after.post("/bookings", flight)
    assert.notStrictEqual(next.body.pnr, booked.body.pnr)
    assert.strictEqual((await after.audit()).counts.bookings, 2)
    assert.strictEqual(await second.kill(), 0)
  })

  it("prints one line of JSON and ends with its parent when it is told to", async () => {
    const child = spawn(process.execPath, [main, "--until-stdin-ends", "--port", "0"], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    let stdout = ""
    child.stdout.on("data", (text) => {
      stdout += text
      child.stdin.end()
    })
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(Object.keys(JSON.parse(stdout)), ["url"])
    assert.strictEqual(stdout.indexOf("\n"), stdout.length - 1)
  })

  it("refuses options that it can't follow, without a stack trace", async () => {
    for (const args of [
      ["--port", "many"],
      ["--port", "70000"],
      ["--speed", "1"],
      ["--db", join(folder, "no/such")]
    ]) {
      const { exited, read } = await run(...args)
      const [code] = await exited
      assert.strictEqual(code, args[0] === "--db" ? 1 : 2)
      assert.strictEqual(read().stdout, "")
      assert.notMatch(read().stderr, /\n +at /)
    }
  })

  it("says why it did not start if its port is taken", async () => {
    const world = await WorldProcess.start()
    const port = Number(new URL(world.url).port)
    const refused = await WorldProcess.start({ port }).then(
      () => "started",
      (error: Error) => error.message
    )
    assert.match(refused, /EADDRINUSE/)
    await world.kill()
  })
})
