/** The same commands on a store, and on a server that has a copy of it: they print and commit the same. */
import { cpSync } from "node:fs"
import * as Net from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import * as ServedCopy from "./servedCopy.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
const file = fixture("fund.ts")
const [plan, secret] = ["bold,quote,buy,tell,done", "a secret of tests"]
const environment = { BACKSTITCH_SECRET: secret, PLAN: plan }
const recording = fileURLToPath(new URL("../../../examples/travel-booking/recorded/trip-43.jsonl", import.meta.url))

const here = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  shell.run(
    args.map((word) => (word === "AGENT" ? file : word)),
    { ...environment, ...env }
  )

beforeAll(async () => {
  for (const [args, steps] of [
    [["run", "fund-a", "--agent", "AGENT"], "bold,quote,buy,tell"],
    [["run", "fund-c", "--agent", "AGENT"], "bold"],
    [["fork", "fund-c:head", "--as", "left"], ""],
    [["fork", "fund-c:head", "--as", "right"], ""],
    [["resume", "left", "--agent", "AGENT"], "bold,quote,more"],
    [["resume", "right", "--agent", "AGENT"], "bold,think"]
  ] as const) {
    const { code, err } = await here(args, { PLAN: steps })
    assert.strictEqual(code, 0, `${args.join(" ")}: ${err}`)
  }
}, 240_000)
afterAll(() => {
  shell.remove()
  for (const name of ["PLAN", "SHOP"]) delete process.env[name]
})

/** A server over a copy of the shell's store, whose agent has a copy of the shop. */
const copied = Effect.gen(function* () {
  // The module of the agent is loaded once in this process, and reads them then.
  const shop = shell.path("served.json")
  cpSync(shell.path("shop.json"), shop)
  Object.assign(process.env, { PLAN: plan, SHOP: shop })
  const { there, ...served } = yield* ServedCopy.make(shell, { fund: file }, "admin")
  return {
    ...served,
    there: (args: ReadonlyArray<string>, key?: string) =>
      there(
        args.map((word) => (word === "AGENT" ? "fund" : word)),
        key
      )
  }
})

/** A relay before a server, whose connections can be cut. */
const relay = (address: string) =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(address)
    const sockets = new Set<Net.Socket>()
    const server = Net.createServer((socket) => {
      const behind = Net.connect(Number(port), hostname)
      for (const each of [socket, behind]) sockets.add(each.on("error", () => each.destroy()))
      socket.pipe(behind).pipe(socket)
    })
    const cut = () => {
      for (const each of sockets) each.destroy()
      sockets.clear()
    }
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          cut()
          server.close()
        })
    )
    return { cut, through: `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}` }
  })

/** The text that a process has printed, and a wait for more. */
const printed = (stream: NodeJS.ReadableStream | null) => {
  let text = ""
  stream?.on("data", (chunk: Buffer) => {
    text += String(chunk)
  })
  const until = (isSeen: (text: string) => boolean) =>
    Effect.sync(() => isSeen(text)).pipe(
      Effect.tap((seen) => (seen ? Effect.void : Effect.sleep(50))),
      Effect.repeat({ until: (seen) => seen, times: 400 }),
      Effect.tap((seen) => Effect.sync(() => assert.isTrue(seen, text)))
    )
  return { text: () => text, until }
}

const reads: ReadonlyArray<ReadonlyArray<string>> = [
  ["log"],
  ["log", "left", "--json"],
  ["claims", "--namespace", "all"],
  ["claims", "--json"],
  ["review", "--json"],
  ["status", "fund-a"],
  ["ledger", "fund-a", "--json"],
  ["metrics", "--json"],
  ["predicate", "list", "fund-a"],
  ["predicate", "test", "fund-a", "world.shares > 100"],
  ["predicate", "register", "rich", "--when", "world.shares > 100", "--sample", "fund-a"],
  ["cherry-pick", "fund-a@5", "--onto", "fund-c", "--dry-run"],
  ["rebase", "right", "--onto", "left", "--dry-run", "--json"],
  ["seed", "both", "--from", "fund-a@3:working.risk", "--dry-run"],
  ["diff", "left", "right", "--json"],
  ["contributors", "fund-a", "--predicate", "world.shares > 100"],
  ["blame", "fund-a", "working.risk"],
  ["replay", "fund-a", "--mode", "strict"],
  ["resume", "fund-a", "--json"],
  ["export", "fund-a"],
  ["runs"]
]

const writes: ReadonlyArray<ReadonlyArray<string>> = [
  ["cherry-pick", "fund-a@5", "--onto", "fund-c", "--agent", "AGENT"],
  ["cherry-pick", "fund-a@5", "--onto", "fund-c", "--agent", "AGENT", "--json"],
  ["diff", "left", "right", "--type", "outcome", "--record"],
  ["bisect", "fund-a", "--predicate", "world.shares > 100", "--record", "--json"],
  ["bisect", "fund-a", "--policy-flip", "action.request:buy", "--diagnosis", "policy", "--by", "Ada"],
  ["fork", "fund-a@3", "--as", "again", "--reason", "before it asked", "--tool-policy", "tell=deny"],
  ["fork", "fund-a@3", "--as", "apart", "--json"],
  ["rebase", "right", "--onto", "left", "--agent", "AGENT"],
  ["rebase", "right", "--onto", "left", "--as", "other", "--agent", "AGENT", "--json"],
  ["seed", "both", "--from", "fund-a@3:working.risk", "--from", "fund-a@2", "--goal", "the best"],
  ["predicate", "register", "rich", "--when", "world.shares > 100", "--into", "fund-a", "--approved-by", "Ada"],
  ["run", "hosted", "--agent", "AGENT", "--goal", "grow more"],
  ["resume", "hosted", "--agent", "AGENT", "--json"],
  ["fork", "fund-c@2", "--as", "goes-on", "--agent", "AGENT"],
  ["import", recording, "--json"],
  ["log", "--limit", "500"],
  ["verify", "hosted", "--json"]
]

describe("backstitch --server", () => {
  it.live(
    "prints what a store prints, for reads and for writes, and commits the same",
    () =>
      Effect.gen(function* () {
        const { there } = yield* copied
        for (const args of [...reads, ...writes]) {
          const local = yield* Effect.promise(() => here(args))
          const remote = yield* there(args)
          const about = `${args.join(" ")}: ${remote.err}`
          assert.notStrictEqual(local.code, 2, local.err)
          assert.deepStrictEqual(
            [remote.code, ServedCopy.told(remote.out)],
            [local.code, ServedCopy.told(local.out)],
            about
          )
        }
      }),
    120_000
  )

  it.live(
    "makes, lists and revokes keys there, and refuses another name than that of the key",
    () =>
      Effect.gen(function* () {
        const { key: keyOf, there: run } = yield* copied
        const viewer = yield* keyOf("default", "viewer")
        const made = yield* run(["key", "create", "--name", "ci", "--role", "viewer", "--json"])
        const { key, text } = JSON.parse(made.out) as { key: { id: string }; text: string }
        assert.strictEqual((yield* run(["runs"], text)).code, 0)
        assert.include((yield* run(["key", "list"])).out, key.id)
        assert.include((yield* run(["key", "revoke", key.id])).out, "REVOKED:")
        assert.include((yield* run(["runs"], text)).err, "An admin of the tenant makes keys")
        const refused = yield* run(["fork", "fund-a@3"], viewer)
        assert.deepStrictEqual([refused.code, refused.out], [1, ""])
        assert.include(refused.err, "the role operator")
        const foreign = yield* run(["bisect", "fund-a", "--anomaly", "--diagnosis", "policy", "--by", "Grace"])
        assert.deepStrictEqual([foreign.code, foreign.out], [2, ""])
        assert.include(foreign.err, "The key is that of Ada, and --by says Grace")
        const pack = yield* run(["fork", "fund-a@3", "--pack", "fund.yaml"])
        assert.include(pack.err, "--pack does not go with --server")
        const anchor = yield* run(["anchor"])
        assert.strictEqual(anchor.code, 2)
        assert.include(anchor.err, "`anchor` works on a store, and not on the server")
      }),
    60_000
  )

  it.live(
    "follows a run, or all of them, and prints each commit once, also when its connection is cut",
    () =>
      Effect.gen(function* () {
        const { ada, address, there } = yield* copied
        const { cut, through } = yield* relay(address)
        const watch = (...args: ReadonlyArray<string>) =>
          Effect.acquireRelease(
            Effect.promise(() =>
              shell.start(["watch", ...args, "--server", through], { env: { BACKSTITCH_KEY: ada } })
            ),
            ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
          )
        const one = yield* watch("fund-c", "--from", "1", "--json")
        const lines = printed(one.child.stdout)
        const ticks = (text: string): ReadonlyArray<number> =>
          text
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line).tick)
        yield* lines.until((text) => ticks(text).includes(2))
        cut()
        const picked = yield* there(["cherry-pick", "fund-a@5", "--onto", "fund-c", "--agent", "AGENT"])
        assert.strictEqual(picked.code, 0, picked.err)
        yield* lines.until((text) => ticks(text).includes(4))
        cut()
        const all = yield* watch()
        const news = printed(all.child.stdout)
        yield* printed(all.child.stderr).until((text) => text.includes("Watching every run"))
        yield* there(["diff", "fund-c", "left", "--record"])
        const { tick } = JSON.parse((yield* there(["show", "fund-c:head", "--fields", "tick", "--json"])).out)
        yield* lines.until((text) => ticks(text).includes(tick))
        yield* news.until((text) => text.includes(`fund-c@${tick}`))
        for (const { child, ended } of [one, all]) {
          child.kill("SIGINT")
          assert.strictEqual((yield* Effect.promise(() => ended)).code, 0)
        }
        assert.deepStrictEqual(
          ticks(lines.text()),
          Array.from({ length: tick }, (_, index) => index + 1)
        )
        assert.deepStrictEqual(news.text().match(/^\S+/gm), [`fund-c@${tick}`])
      }),
    60_000
  )
})
