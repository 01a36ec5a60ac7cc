import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fuzz, type Kind } from "./fuzz.ts"
import { recorded, serve } from "./served.ts"

/** Sends bytes, and answers what came back once the connection is closed. */
const said = (address: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const socket = Net.connect(Number(port), hostname, () => socket.write(bytes))
    let text = ""
    socket.on("data", (piece) => {
      text += String(piece)
    })
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
  })

describe("hostile requests", () => {
  it.live("are answered with valid problems, and never with a fault of the server", () =>
    Effect.gen(function* () {
      const served = yield* serve()
      const { kinds, statuses, wrong } = yield* fuzz(served, 1500, 3)
      assert.deepStrictEqual(wrong, [])
      // The requests reach behind the front door.
      for (const status of [200, 201, 400, 403, 404, 422]) assert.isAbove(statuses[status] ?? 0, 0, String(status))
      const named = [
        "malformed",
        "deep JSON",
        "huge numbers",
        "odd unicode",
        "wrong types",
        "duplicate keys",
        "slow body"
      ]
      for (const kind of named) assert.isAbove(kinds[kind as Kind] ?? 0, 0, kind)
      const after = yield* Effect.promise(() => served.ask("/health/ready"))
      assert.strictEqual(after.status, 200)
    })
  )

  it.live("refuses what is no HTTP, or too large", () =>
    Effect.gen(function* () {
      const { address, ask, key } = yield* serve()
      const operator = yield* key("default", "operator")
      const nonsense = yield* Effect.promise(() => said(address, "\u0016\u0003 nonsense\r\n\r\n"))
      assert.match(nonsense, /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*"tag":"RequestInvalid"/)
      const headers = yield* Effect.promise(() => said(address, `GET / HTTP/1.1\r\nx: ${"a".repeat(100_000)}\r\n\r\n`))
      assert.match(headers, /^HTTP\/1\.1 4\d\d /)
      const body = `{"run":"r","agent":"${"a".repeat(2 << 20)}"}`
      const large = yield* Effect.promise(() =>
        ask("/v1/runs", { method: "POST", key: operator, headers: { "content-type": "application/json" }, lines: body })
      )
      assert.include([413, 415], large.status)
    })
  )

  it.live("with content that no trace can carry are refused before anything is done", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const operator = yield* key("default", "operator")
      const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
      for (const clauses of [deep, '{"a":"\\ud800"}', '{"\\udc00":1}']) {
        const headers = { "content-type": "application/json" }
        const lines = `{"run":"r","agent":"a","clauses":${clauses}}`
        const response = yield* Effect.promise(() => ask("/v1/runs", { key: operator, headers, lines }))
        assert.strictEqual(response.status, 400, clauses.slice(0, 20))
      }
    })
  )

  it.live("nested too deeply to be read are refused before they are parsed", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const admin = yield* key("default", "admin")
      const headers = { "content-type": "application/json" }
      const [list, object] = [`${"[".repeat(300_000)}${"]".repeat(300_000)}`, `${'{"a":'.repeat(150_000)}1`]
      const places = ["runs", "keys", "runs/r/cancel", "runs/r/approvals/r3", "packs/check", "predicates/trials"]
      for (const [at, lines] of places.flatMap((at) => [list, object].map((text) => [at, text] as const))) {
        const response = yield* Effect.promise(() => ask(`/v1/${at}`, { key: admin, headers, lines }))
        assert.strictEqual(response.status, 400, at)
        assert.include(yield* Effect.promise(() => response.text()), "levels deep", at)
      }
    })
  )

  it.live("to endpoints of workers are refused as others are", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 10_000, undefined, { workers: 1 })
      const viewer = yield* key("default", "viewer")
      const headers = { "content-type": "application/json" }
      const deep = `{"text":${"[".repeat(300_000)}${"]".repeat(300_000)}}`
      const large = `{"text":"${"a".repeat(2 << 20)}"}`
      for (const [lines, status, said] of [
        [deep, 400, "levels deep"],
        [large, 413, "larger than is taken"]
      ] as const) {
        const response = yield* Effect.promise(() => ask("/v1/packs/check", { key: viewer, headers, lines }))
        assert.strictEqual(response.status, status)
        assert.include(yield* Effect.promise(() => response.text()), said)
      }
    })
  )

  it.live("of a caller that is too fast are put off, and those of another are not", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 1)
      const [fast, slow] = [yield* key("default", "viewer"), yield* key("default", "viewer")]
      const statuses: Array<number> = []
      for (let request = 0; request < 12; request++) {
        const { headers, status } = yield* Effect.promise(() => ask("/v1/caller", { key: fast }))
        assert.strictEqual(headers.get("retry-after"), status === 429 ? "1" : null)
        statuses.push(status)
      }
      assert.include(statuses, 429)
      assert.strictEqual(statuses[0], 200)
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: slow }))).status, 200)
    })
  )

  it.live("with a key that nobody knows are limited by their address, and keep out no key that was recognised", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 1)
      const [known, viewer] = [yield* key("default", "viewer"), yield* key("default", "viewer")]
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: known }))).status, 200)
      const guesses = ["", "guess", `${known.slice(0, -1)}x`, `bsk_${"0".repeat(16)}_${"0".repeat(64)}`]
      const statuses: Array<number> = []
      for (let request = 0; request < 12; request++) {
        const { headers, status } = yield* Effect.promise(() => ask("/v1/caller", { key: guesses[request % 4] ?? "" }))
        assert.strictEqual(headers.get("retry-after"), status === 429 ? "1" : null)
        statuses.push(status)
      }
      assert.deepStrictEqual([...new Set(statuses)], [401, 429])
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: known }))).status, 200)
      // A key that is new to the process waits until its address is looked at again.
      assert.include([200, 429], (yield* Effect.promise(() => ask("/v1/caller", { key: viewer }))).status)
    })
  )

  it.live("with keys that are in force take nothing from their address", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 1)
      for (let caller = 0; caller < 12; caller++) {
        const viewer = yield* key("default", "viewer")
        assert.strictEqual((yield* Effect.promise(() => ask("/v1/caller", { key: viewer }))).status, 200)
      }
    })
  )

  it.live("to import what names the text of another tenant are refused, and show nothing of it (L15)", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      yield* Effect.promise(async () =>
        ask("/v1/imports", { key: await Effect.runPromise(key("default", "operator")), lines: recorded("trip-43") })
      )
      const lines = recorded("trip-43").trimEnd().split("\n")
      const bare = lines
        .filter((line) => !line.startsWith('{"blob"'))
        .map((line, index) => (index === 0 ? line.replace(/"blobs":\d+,/, "") : line))
      const refused = yield* Effect.promise(async () =>
        ask("/v1/imports", { key: await Effect.runPromise(key("default", "operator")), lines: `${bare.join("\n")}\n` })
      )
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(((yield* Effect.promise(() => refused.json())) as { tag: string }).tag, "ExportPartial")
    })
  )
})
