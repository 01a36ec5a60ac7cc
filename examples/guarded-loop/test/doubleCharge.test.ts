import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Backstitch } from "@backstitch/sdk"
import { build } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const home = Path.resolve(import.meta.dirname, "..")
const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-guarded-"))
const bundle = Path.join(folder, "loop.js")
const running = new Set<ChildProcess.ChildProcess>()

beforeAll(async () => {
  await build({
    input: { loop: Path.join(home, "loop.ts") },
    platform: "node",
    external: [/^node:/, "pg", "pg-native"],
    output: { dir: folder, format: "esm", entryFileNames: "loop.js" },
    logLevel: "warn"
  })
  Fs.writeFileSync(Path.join(folder, "package.json"), '{"type":"module"}')
})

afterAll(() => {
  for (const each of running) each.kill("SIGKILL")
  Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const start = (file: string, words: ReadonlyArray<string>): ChildProcess.ChildProcessWithoutNullStreams => {
  const env = { ...process.env, BACKSTITCH_SECRET: "a secret of these tests" }
  const child = ChildProcess.spawn(process.execPath, [file, ...words], { env, stdio: "pipe" })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

interface Ended {
  readonly out: string
  readonly err: string
  readonly signal: NodeJS.Signals | null
}

const ended = (child: ChildProcess.ChildProcessWithoutNullStreams): Promise<Ended> =>
  new Promise((resolve) => {
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (err += chunk))
    child.once("close", (_, signal) => resolve({ out, err, signal }))
  })

let count = 0

/** A provider with empty books, and loops that call it. */
const world = async () => {
  const name = `world-${count++}`
  const payments = start(Path.join(home, "payments.ts"), ["--db", Path.join(folder, `${name}.db`)])
  const url = await new Promise<string>((resolve) => payments.stdout.once("data", (line) => resolve(`${line}`.trim())))
  const store = Path.join(folder, name, "trace.db")
  const books = async (): Promise<ReadonlyArray<{ readonly id: string; readonly order: string }>> =>
    (await fetch(`${url}/books`)).json() as Promise<ReadonlyArray<{ readonly id: string; readonly order: string }>>
  const begin = (...words: ReadonlyArray<string>) => start(bundle, ["--payments", url, "--store", store, ...words])
  return {
    store,
    books,
    loop: (...words: ReadonlyArray<string>) => ended(begin(...words)),
    trouble: (next: string) => fetch(`${url}/trouble`, { method: "PUT", body: JSON.stringify({ next }) }),
    /** Runs a loop until the books have a charge whose answer is on its way, and kills it there. */
    killed: async (...words: ReadonlyArray<string>): Promise<Ended> => {
      await fetch(`${url}/trouble`, { method: "PUT", body: '{"next":"no_answer"}' })
      const child = begin(...words)
      const end = ended(child)
      for (let look = 0; look < 2000 && (await books()).length === 0; look++)
        await new Promise((go) => setTimeout(go, 10))
      child.kill("SIGKILL")
      return end
    }
  }
}

describe("a loop that is killed after the provider has charged, before the answer arrives", () => {
  it("charges twice when it is run again as it was", async () => {
    const { books, killed, loop } = await world()
    assert.strictEqual((await killed("--bare", "4711=1999")).signal, "SIGKILL")
    assert.strictEqual((await loop("--bare", "4711=1999")).out, "charged ch_2 for 4711\n")
    assert.strictEqual((await books()).length, 2)
  })

  it("charges once with the tool guarded, and prints the charge of before", async () => {
    const { books, killed, loop } = await world()
    assert.strictEqual((await killed("4711=1999")).signal, "SIGKILL")
    for (const _ of [1, 2]) {
      const again = await loop("4711=1999", "4712=500")
      assert.strictEqual(again.out, "charged ch_1 for 4711\ncharged ch_2 for 4712\n", again.err)
    }
    assert.strictEqual((await books()).length, 2)
  })

  it("charges once where two loops are run again at one moment", async () => {
    const { books, killed, loop } = await world()
    await killed("4711=1999")
    const both = await Promise.all([loop("4711=1999", "4712=500"), loop("4711=1999", "4712=500")])
    for (const { err, out } of both) assert.strictEqual(out, "charged ch_1 for 4711\ncharged ch_2 for 4712\n", err)
    assert.deepStrictEqual(
      (await books()).map(({ order }) => order),
      ["4711", "4712"]
    )
  })

  it("holds the charge where nobody can be asked, until a person resolves it", async () => {
    const { books, killed, loop, store } = await world()
    await killed("--unasked", "4711=1999")
    const held = await loop("--unasked", "4711=1999")
    assert.match(held.out, /^outcome_unknown a2 for 4711: .*bs\.resolve\("charges", "a2"/s, held.err)
    assert.strictEqual((await books()).length, 1)
    await using bs = await Backstitch.open({ store, secret: "a secret of these tests" })
    const record = { id: "ch_1", order: "4711", amount: 1999 }
    const evidence = "the provider's dashboard shows ch_1"
    const resolved = await bs.resolve("charges", "a2", { as: "success", by: "Ada", evidence, record })
    assert.isTrue(resolved.ok, resolved.why)
    const after = await loop("--unasked", "4711=1999")
    assert.strictEqual(after.out, "charged ch_1 for 4711\n", after.err)
    assert.strictEqual((await books()).length, 1)
  })
})

describe("a guarded loop", () => {
  it("sends a request again that the provider never had, under the same key", async () => {
    const { books, loop, trouble } = await world()
    await trouble("no_request")
    const { err, out } = await loop("4711=1999")
    assert.strictEqual(out, "charged ch_1 for 4711\n", err)
    assert.strictEqual((await books()).length, 1)
  })

  it("says which driver a store on Postgres needs, where there is none", async () => {
    const { loop } = await world()
    const { err, out } = await loop("--store", "postgres://nobody@127.0.0.1:1/none", "4711=1999")
    assert.match(out, /^driver_missing {2}for 4711: .*npm install pg/, err)
  })

  it("does not use an approval for other arguments than those that were approved", async () => {
    const { books, loop, store } = await world()
    const asked = await loop("--limit", "5000", "4711=9000")
    assert.match(asked.out, /^approval_required {2}for 4711: .*bs\.approve\("charges"/s, asked.err)
    await using bs = await Backstitch.open({ store, secret: "a secret of these tests" })
    const [waits] = await bs.approvals()
    const decided = await bs.approve("charges", waits?.review ?? "", { by: "Grace", role: "manager" })
    assert.isTrue(decided.ok, decided.why)
    assert.match((await loop("--limit", "5000", "4711=9001")).out, /^approval_required/)
    assert.strictEqual((await books()).length, 0)
    assert.strictEqual((await loop("--limit", "5000", "4711=9000")).out, "charged ch_1 for 4711\n")
    assert.strictEqual((await books()).length, 1)
  })
})
