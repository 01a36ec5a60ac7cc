import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { tenantRole } from "@backstitch/sql/Postgres"
import * as RowSecurity from "@backstitch/sql/RowSecurity"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { afterEach, beforeEach } from "vitest"
import * as Events from "./events.ts"
import * as Places from "./places.ts"
import { recorded } from "./served.ts"

const main = join(import.meta.dirname, "../src/main.ts")
const agent = join(import.meta.dirname, "fixtures/agent.ts")

let folder = ""
const started = new Set<ChildProcess>()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "backstitch-main-"))
})
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL")
      await new Promise((resolve) => child.once("exit", resolve))
    }
  }
  started.clear()
  rmSync(folder, { recursive: true, force: true })
})

interface Running {
  readonly address: string
  readonly out: string
  /** The lines of its log by now. */
  readonly log: () => ReadonlyArray<string>
  readonly child: ChildProcess
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the program in the folder, with nothing configured but what is given. */
const start = (given: Record<string, string> = {}, words: ReadonlyArray<string> = []): Promise<Running> =>
  new Promise((resolve, reject) => {
    const { BACKSTITCH_STORE: _, DATABASE_URL: __, ...environment } = process.env
    const env = { ...environment, PORT: "0", SHOP: join(folder, "shop.txt"), ...given }
    const child = spawn(process.execPath, [main, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    started.add(child)
    const ended = new Promise<number | NodeJS.Signals | null>((end) =>
      child.once("exit", (code, signal) => end(signal ?? code))
    )
    let [out, err] = ["", ""]
    child.stderr.on("data", (text) => {
      err += String(text)
    })
    child.stdout.on("data", (text) => {
      out += String(text)
      const [, address] = /serving {2}(\S+)/.exec(out) ?? []
      if (address !== undefined && /^store/m.test(out) && (out.includes("keep it") || existsSync(keyFile()))) {
        resolve({ address, out, log: () => err.split("\n"), child, ended })
      }
    })
    child.once("exit", () => reject(new Error(`it ended: ${out}${err}`)))
  })

const keyFile = (): string => join(folder, "key.txt")

const keyOf = ({ out }: Running): string => {
  const [key = ""] = /bsk_\w+/.exec(out) ?? [readFileSync(keyFile(), "utf8")]
  writeFileSync(keyFile(), key)
  return key
}

const request = async (
  address: string,
  key: string,
  path: string,
  body?: unknown
): Promise<Readonly<Record<string, unknown>>> => {
  const sent =
    typeof body === "string"
      ? { method: "POST", body, headers: { "content-type": "application/x-ndjson" } }
      : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const { headers = {}, ...rest } = body === undefined ? {} : sent
  const response = await fetch(`${address}${path}`, {
    ...rest,
    headers: { ...headers, authorization: `Bearer ${key}` }
  })
  return (await response.json()) as Readonly<Record<string, unknown>>
}

/** Makes the key of a manager. */
const approverOf = async (running: Running): Promise<string> => {
  const asked = { name: "Ada", role: "approver", capacities: ["manager"] }
  const { text } = await request(running.address, keyOf(running), "/v1/keys", asked)
  return String(text)
}

/** An address of this machine that nobody listens at. */
const freeAddress = async (): Promise<string> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `127.0.0.1:${port}`
}

/** The tables and views of a database, and those that a connection of one tenant may read or change. */
const tablesOf = async (store: string) => {
  const client = new Client({ connectionString: store })
  await client.connect()
  const { rows } = await client.query<{ table: string; permitted: boolean }>(
    `select c.relname as table, has_table_privilege('${tenantRole}', c.oid, 'select, insert, update, delete') as permitted ` +
      "from pg_class c join pg_namespace n on n.oid = c.relnamespace " +
      "where c.relkind in ('r', 'v') and n.nspname not in ('pg_catalog', 'information_schema') order by 1"
  )
  await client.end()
  return {
    all: rows.map(({ table }) => table),
    permitted: rows.filter(({ permitted }) => permitted).map(({ table }) => table)
  }
}

const eventually = async (is: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 3000 && !is(); turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.isTrue(is())
}

describe("the program", () => {
  it("serves with nothing configured, prints a key once, and keeps its store", async () => {
    const first = await start()
    assert.match(
      first.out,
      /^serving {2}http:\/\/127\.0\.0\.1:\d+ {2}\(documentation: .*\/docs\)\nstore {4}\.backstitch\/trace\.db\n/
    )
    const key = keyOf(first)
    await request(first.address, key, "/v1/imports", recorded("trip-43"))
    assert.include(await (await fetch(`${first.address}/docs`)).text(), "<html")
    first.child.kill("SIGTERM")
    assert.strictEqual(await first.ended, 0)
    const second = await start()
    assert.notInclude(second.out, "bsk_")
    assert.deepInclude(await request(second.address, key, "/v1/runs/trip-43"), { run: "trip-43", verified: true })
  })

  it("says what is wrong with its configuration, without a stack trace", async () => {
    const failed = await start({ PORT: "many" }).then(
      () => "it serves",
      (error: Error) => error.message
    )
    assert.include(failed, 'PORT is "many". Set it to a number up to 65535')
    assert.notInclude(failed, "    at ")
  })

  it("ends at once where telemetry would be sent by a protocol that it does not have", async () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
    const { message } = await start(collector).then(
      () => new Error("it serves"),
      (error: Error) => error
    )
    assert.match(
      message,
      /backstitch: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", .* Set it to http\/protobuf or http\/json/
    )
    assert.notInclude(message, "    at ")
  })

  it("loses nothing acknowledged and does nothing twice when it is killed in an effect (L14)", async () => {
    const gate = join(folder, "gate")
    const given = { BACKSTITCH_AGENTS: `errands=${agent}`, GATE: gate }
    const first = await start(given)
    const text = await approverOf(first)
    await request(first.address, text, "/v1/runs", { run: "errand-1", agent: "errands" })
    const events = `/v1/runs/errand-1/events?from=1`
    const seen = await Effect.runPromise(Events.until(`${first.address}${events}`, text, "review.requested"))
    const { approvals } = (await request(first.address, text, "/v1/approvals")) as { approvals: [{ review: string }] }
    const decided = await request(first.address, text, `/v1/runs/errand-1/approvals/${approvals[0].review}`, {
      verdict: "approved",
      reason: "we need one"
    })
    assert.deepInclude(decided, { ok: true, by: "Ada", role: "manager" })
    // The shop has the order, and nobody has recorded it.
    await eventually(() => existsSync(`${gate}.reached`))
    first.child.kill("SIGKILL")
    assert.strictEqual(await first.ended, "SIGKILL")
    writeFileSync(gate, "")
    const second = await start(given)
    // A reader of the first process goes on at the second, behind the last event that it saw.
    const rest = await Effect.runPromise(
      Events.until(`${second.address}${events}`, text, "goal.complete", seen.at(-1)!.id)
    )
    assert.deepStrictEqual(
      [...seen, ...rest].map(({ id }) => Number(id)),
      [...seen, ...rest].map((_, index) => index + 1)
    )
    assert.include(
      rest.map(({ type }) => type),
      "review.decided"
    )
    assert.lengthOf(readFileSync(join(folder, "shop.txt"), "utf8").trimEnd().split("\n"), 1)
    assert.deepInclude(await request(second.address, text, "/v1/runs/errand-1/verification"), { consistent: true })
    // A stream that is open does not keep the program from stopping.
    const stream = await fetch(`${second.address}${events}`, { headers: { authorization: `Bearer ${text}` } })
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
    await stream.body?.cancel().catch(() => undefined)
  })

  it("keeps a run that waits for an agent which it does not have, and says so; one that has it goes on", async () => {
    const given = { BACKSTITCH_AGENTS: `errands=${agent}` }
    const first = await start(given)
    const key = await approverOf(first)
    await request(first.address, key, "/v1/runs", { run: "errand-1", agent: "errands" })
    const events = "/v1/runs/errand-1/events?from=1"
    await Effect.runPromise(Events.until(`${first.address}${events}`, key, "review.requested"))
    first.child.kill("SIGTERM")
    await first.ended
    const without = await start()
    const asked = (path: string) => request(without.address, key, path)
    await eventually(() => without.log().some((line) => line.includes("A hosted run waits.")))
    const hosting = await asked("/v1/runs/errand-1/hosting")
    assert.deepInclude(hosting, { doing: "waiting", agent: "errands", wakesAt: null })
    assert.match(String(hosting["why"]), /^It waits for its agent errands, which this server does not have\. /)
    const { lacking } = (await asked("/v1/agents")) as { lacking: ReadonlyArray<object> }
    assert.deepStrictEqual(lacking, [{ run: "errand-1", agent: "errands", why: hosting["why"] }])
    const { approvals } = (await asked("/v1/approvals")) as { approvals: [{ review: string }] }
    const path = `/v1/runs/errand-1/approvals/${approvals[0].review}`
    const said = { verdict: "approved", reason: "we need one" }
    const { next } = (await request(without.address, key, path, said)) as { next: object }
    assert.deepInclude(next, { verb: "resume", words: hosting["why"] })
    const lines = without.log().filter((line) => line.includes("hosted run"))
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "errand-1")
    const gate = join(folder, "gate")
    const second = await start({ ...given, GATE: gate })
    await eventually(() => existsSync(`${gate}.reached`))
    // While another server works on it, it waits for nothing.
    assert.deepInclude(await asked("/v1/runs/errand-1/hosting"), { doing: "elsewhere", why: null })
    assert.deepInclude(await asked("/v1/agents"), { lacking: [] })
    writeFileSync(gate, "")
    await Effect.runPromise(Events.until(`${second.address}${events}`, key, "goal.complete"))
    without.child.kill("SIGTERM")
    assert.strictEqual(await without.ended, 0)
    assert.lengthOf(readFileSync(join(folder, "shop.txt"), "utf8").trimEnd().split("\n"), 1)
  })

  it.live("takes over the runs of a node that is killed in an effect (L14)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [, place] = Places.all(process.env["BACKSTITCH_TEST_POSTGRES"])
        const DATABASE_URL = (yield* place![1])!
        const nodes: Array<Running> = []
        for (const name of ["one", "two"]) {
          const given = { BACKSTITCH_AGENTS: `errands=${agent}`, BACKSTITCH_SECRET: "s", GATE: join(folder, name) }
          const words = ["--cluster", yield* Effect.promise(freeAddress)]
          nodes.push(yield* Effect.promise(() => start({ ...given, DATABASE_URL }, words)))
          keyOf(nodes[0]!)
        }
        const [asked] = nodes
        const key = yield* Effect.promise(() => approverOf(asked!))
        const ask = (path: string, body?: unknown) => Effect.promise(() => request(asked!.address, key, path, body))
        yield* ask("/v1/runs", { run: "errand-1", agent: "errands" })
        const events = "/v1/runs/errand-1/events?from=1"
        yield* Events.until(`${asked!.address}${events}`, key, "review.requested")
        const { approvals } = (yield* ask("/v1/approvals")) as { approvals: [{ review: string }] }
        const verdict = { verdict: "approved", reason: "we need one" }
        yield* ask(`/v1/runs/errand-1/approvals/${approvals[0].review}`, verdict)
        const reached = (name: string) => existsSync(join(folder, `${name}.reached`))
        yield* Effect.promise(() => eventually(() => reached("one") || reached("two")))
        const [lost, other] = reached("one") ? nodes : [...nodes].reverse()
        lost!.child.kill("SIGKILL")
        yield* Effect.promise(() => lost!.ended)
        for (const name of ["one", "two"]) writeFileSync(join(folder, name), "")
        const rest = yield* Events.until(`${other!.address}${events}`, key, "goal.complete")
        assert.deepStrictEqual(
          rest.map(({ id }) => Number(id)),
          rest.map((_, index) => index + 1)
        )
        assert.lengthOf(readFileSync(join(folder, "shop.txt"), "utf8").trimEnd().split("\n"), 1)
        // A connection of one tenant may use what is guarded by rows, and nothing of the cluster.
        const { all, permitted } = yield* Effect.promise(() => tablesOf(DATABASE_URL))
        assert.deepStrictEqual(permitted, [...RowSecurity.guarded, "blob"].sort())
        assert.isNotEmpty(all.filter((table) => table.startsWith("cluster_")))
      })
    )
  )

  it.live("says that the address of a node is taken, without a stack trace", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [, place] = Places.all(process.env["BACKSTITCH_TEST_POSTGRES"])
        const DATABASE_URL = (yield* place![1])!
        const taken = createServer()
        yield* Effect.acquireRelease(
          Effect.promise(() => new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))),
          () => Effect.promise(() => new Promise((resolve) => taken.close(resolve)))
        )
        const words = ["--cluster", `127.0.0.1:${(taken.address() as AddressInfo).port}`]
        const failed = yield* Effect.promise(() =>
          start({ DATABASE_URL, BACKSTITCH_SECRET: "s" }, words).then(
            () => "it serves",
            (error: Error) => error.message
          )
        )
        assert.match(
          failed,
          /The node at 127\.0\.0\.1:\d+ cannot join its cluster: .*EADDRINUSE.*\. Name a free address/
        )
        assert.notInclude(failed, "    at ")
      })
    )
  )

  it("says that a cluster needs a database which its nodes share", async () => {
    const failed = await start({}, ["--cluster", "127.0.0.1:1"]).then(
      () => "it serves",
      (error: Error) => error.message
    )
    assert.include(failed, 'BACKSTITCH_CLUSTER is "127.0.0.1:1". Set it to nothing, or DATABASE_URL to the database')
  })
})
