import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { park } from "../../server/test/parked.ts"
import { recorded, serve } from "../../server/test/served.ts"
import { Shell } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

describe("backstitch --server", () => {
  it.live(
    "prints of a server's runs what it prints of a store's, checked here, and decides in the name of the key",
    () =>
      Effect.gen(function* () {
        const { address, ask, key, store } = yield* serve()
        const operator = yield* key("default", "operator")
        yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
        const review = yield* park(store)
        const ada = yield* key("default", "approver", { name: "Ada", capacities: ["operator"] })
        const [local, remote] = [
          ["--store", store],
          ["--server", address, "--tenant", "ignored"]
        ] as const
        const run = (args: ReadonlyArray<string>) => Effect.promise(() => shell.run(args, { BACKSTITCH_KEY: ada }))
        for (const asked of [
          ["show", "trip-43"],
          ["show", "trip-43@14", "--json"],
          ["verify", "trip-43", "--json"],
          ["explain", "trip-43@14"],
          ["bisect", "trip-43", "--predicate", "unverified_source"],
          ["report", "trip-43", "--json"],
          ["runs", "--json"],
          ["approvals", "--json"]
        ]) {
          const [here, there] = [yield* run([...asked, ...local]), yield* run([...asked, ...remote])]
          // The next steps work where the command did. A fork under another pack needs the store, and says so.
          const told = (out: string): unknown => {
            const places = [` --server ${address}`, ` --store ${store}`, " (where the store is)"]
            const text = places.reduce((rest, place) => rest.replaceAll(place, ""), out)
            return asked.includes("--json") ? JSON.parse(text) : text
          }
          const about = `${asked.join(" ")}: ${there.err}`
          assert.deepStrictEqual([there.code, told(there.out)], [here.code, told(here.out)], about)
        }
        const keyless = yield* Effect.promise(() => shell.run(["runs", ...remote], { BACKSTITCH_KEY: "" }))
        assert.deepStrictEqual([keyless.code, keyless.out], [1, ""])
        assert.match(keyless.err, /No key that is in force came with the request\./)
        assert.include(keyless.err, "the key in BACKSTITCH_KEY")
        const other = yield* run(["approve", "launch-1", review, "--by", "Cleo", "--role", "operator", ...remote])
        assert.deepStrictEqual([other.code, other.out], [2, ""])
        assert.include(other.err, "The key is that of Ada")
        const seen = ["--role", "operator", "--digest"]
        const stale = yield* run(["approve", "launch-1", review, "--by", "Ada", ...seen, "0".repeat(64), ...remote])
        assert.deepStrictEqual([stale.code, stale.out], [1, ""])
        assert.include(stale.err, "Nothing was decided")
        const { approvals } = JSON.parse((yield* run(["approvals", "--json", ...remote])).out)
        assert.lengthOf(approvals, 1)
        const decided = yield* run([
          "approve",
          "launch-1",
          review,
          "--by",
          "Ada",
          ...seen,
          approvals[0].digest,
          ...remote
        ])
        assert.strictEqual(decided.code, 0, decided.err)
        assert.include(decided.out, "APPROVED:")
        const forked = yield* run(["fork", "trip-43", "--from", "3", "--pack", "pack.yaml", ...remote])
        assert.strictEqual(forked.code, 2)
        assert.include(forked.err, "--pack does not go with --server")
        const explained = yield* run(["explain", "trip-43@14", ...remote])
        assert.include(explained.out, `NEXT:  backstitch fork trip-43 --from 11 --reason TEXT --server ${address}\n`)
        const unknown = yield* run(["show", "nothing", ...remote])
        assert.include(unknown.err, `next: backstitch runs --server ${address}\n`)
        const silent = yield* run(["runs", "--server", "http://127.0.0.1:1"])
        assert.strictEqual(silent.code, 1)
        assert.include(silent.err, "No server of Backstitch answers at http://127.0.0.1:1")
        assert.notInclude(join(silent.err, forked.err), "    at ")
      })
  )
})
