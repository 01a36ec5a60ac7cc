import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { recorded, serve } from "./served.ts"

const json = (response: Response) => Effect.promise(() => response.json() as Promise<Record<string, unknown>>)

describe("Server", () => {
  it.live("takes a run in, answers what the command line answers, and gives the same bytes out", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const [operator, viewer] = [yield* key("default", "operator"), yield* key("default", "viewer")]
      const request = (path: string, more = {}) => Effect.promise(() => ask(path, { key: viewer, ...more }))
      const imported = yield* request("/v1/imports", { key: operator, lines: recorded("trip-43") })
      assert.strictEqual(imported.status, 200)
      const { next, runs } = (yield* json(yield* request("/v1/runs"))) as { next: null; runs: Array<{ run: string }> }
      assert.deepStrictEqual([runs.map(({ run }) => run), next], [["trip-43"], null])
      const shown = yield* request("/v1/runs/trip-43")
      assert.strictEqual(shown.headers.get("etag"), '"14"')
      assert.deepInclude(yield* json(shown), { run: "trip-43", status: "stopped", verified: true, transitions: 14 })
      assert.deepInclude(yield* json(yield* request("/v1/runs/trip-43/verification")), {
        verdict: "consistent, unanchored",
        ticks: 14
      })
      assert.deepInclude(yield* json(yield* request("/v1/runs/trip-43/states/3")), { tick: 3 })
      assert.deepInclude(yield* json(yield* request("/v1/runs/trip-43/explanations/14")), { verdict: "refused" })
      for (const view of ["ledger", "report", "metrics", "actions/a2"]) {
        assert.strictEqual((yield* request(`/v1/runs/trip-43/${view}`)).status, 200, view)
      }
      const exported = yield* request("/v1/runs/trip-43/export")
      assert.strictEqual(yield* Effect.promise(() => exported.text()), recorded("trip-43"))
      // Behind a tick that the reader has, it is the rest, and the header of the whole.
      const [header = "", ...lines] = recorded("trip-43").trimEnd().split("\n")
      const behind = yield* request("/v1/runs/trip-43/export?behind=11")
      const rest = [header.replace('"blobs":1,', ""), ...lines.slice(11, 14)]
      assert.deepStrictEqual((yield* Effect.promise(() => behind.text())).trimEnd().split("\n"), rest)
    })
  )

  it.live("pages through transitions, each once", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const operator = yield* key("default", "operator")
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const ticks: Array<number> = []
      let from: number | null = 1
      while (from !== null) {
        const page: { transitions: ReadonlyArray<{ tick: number }>; next: number | null } = yield* Effect.promise(
          async () => {
            const response = await ask(`/v1/runs/trip-43/transitions?from=${from}&limit=4&fields=tick`, {
              key: operator
            })
            return (await response.json()) as never
          }
        )
        ticks.push(...page.transitions.map(({ tick }) => tick))
        from = page.next
      }
      assert.deepStrictEqual(
        ticks,
        Array.from({ length: 14 }, (_, index) => index + 1)
      )
    })
  )

  it.live("answers every refusal with a problem that says what to do", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const viewer = yield* key("default", "viewer")
      const cases: ReadonlyArray<readonly [string, Parameters<typeof ask>[1], number, string]> = [
        ["/v1/runs", {}, 401, "CallerUnknown"],
        ["/v1/runs", { key: `bsk_${"0".repeat(16)}_${"0".repeat(64)}` }, 401, "CallerUnknown"],
        ["/v1/keys", { key: viewer }, 403, "RoleInsufficient"],
        ["/v1/runs/nothing", { key: viewer }, 404, "RunUnknown"],
        ["/v1/nothing", { key: viewer }, 404, "RouteUnknown"],
        ["/v1/runs?limit=0x10", { key: viewer }, 400, "RequestInvalid"],
        ["/v1/runs?limit=many", { key: viewer }, 400, "RequestInvalid"],
        ["/v1/runs/..%2f..%2fetc", { key: viewer }, 400, "RequestInvalid"]
      ]
      for (const [path, asked, status, tag] of cases) {
        const response = yield* Effect.promise(() => ask(path, asked))
        const problem = yield* json(response)
        assert.strictEqual(response.headers.get("content-type"), "application/problem+json", path)
        assert.deepStrictEqual([response.status, problem["status"], problem["tag"]], [status, status, tag], path)
        assert.strictEqual(response.headers.get("www-authenticate"), status === 401 ? "Bearer" : null, path)
        assert.isAbove(String(problem["detail"]).length, 10)
        const page = yield* Effect.promise(() => ask(String(problem["type"])))
        assert.deepInclude(yield* json(page), { tag, status })
      }
    })
  )

  it.live("answers a known path with another method by the methods that it has", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const viewer = yield* key("default", "viewer")
      const cases: ReadonlyArray<readonly [string, string, string]> = [
        ["DELETE", "/v1/runs", "GET, HEAD, OPTIONS, POST"],
        ["PATCH", "/v1/runs/trip-42?limit=many", "GET, HEAD, OPTIONS"],
        ["PUT", "/v1/keys", "GET, HEAD, OPTIONS, POST"],
        ["GET", "/v1/keys/abc", "DELETE, OPTIONS"],
        ["HEAD", "/v1/keys/abc", "DELETE, OPTIONS"],
        ["POST", "/health/live", "GET, HEAD, OPTIONS"],
        ["QUERY", "/openapi.json", "GET, HEAD, OPTIONS"]
      ]
      for (const [method, path, allow] of cases) {
        for (const asked of [{ method }, { method, key: viewer }]) {
          const response = yield* Effect.promise(() => ask(path, asked))
          assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, allow], `${method} ${path}`)
          const text = yield* Effect.promise(() => response.text())
          if (method === "HEAD") assert.strictEqual(text, "")
          else assert.deepInclude(JSON.parse(text), { status: 405, tag: "MethodUnsuited" })
        }
        const options = yield* Effect.promise(() => ask(path, { method: "OPTIONS" }))
        assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, allow], path)
      }
      const head = yield* Effect.promise(() => ask("/v1/runs", { method: "HEAD", key: viewer }))
      assert.deepStrictEqual([head.status, yield* Effect.promise(() => head.text())], [200, ""])
      for (const method of ["PATCH", "OPTIONS"]) {
        for (const path of ["/v1/nothing", "/v1/keys/%zz", `/v1/keys/${"x".repeat(3000)}`, "/%"]) {
          const unknown = yield* Effect.promise(() => ask(path, { method }))
          assert.deepStrictEqual([unknown.status, unknown.headers.get("allow")], [404, null], path)
        }
      }
    })
  )

  it.live("recognises a key until it is revoked, and shows its text once", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const admin = yield* key("default", "admin")
      const made = (yield* json(
        yield* Effect.promise(() => ask("/v1/keys", { key: admin, json: { name: "ci", role: "viewer" } }))
      )) as { key: { id: string }; text: string }
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/runs", { key: made.text }))).status, 200)
      const listed = yield* Effect.promise(async () => (await ask("/v1/keys", { key: admin })).text())
      assert.include(listed, made.key.id)
      assert.notInclude(listed, made.text.slice(-64))
      yield* Effect.promise(() => ask(`/v1/keys/${made.key.id}`, { method: "DELETE", key: admin }))
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/runs", { key: made.text }))).status, 401)
      // Both acts are a run of their own, whose chain holds.
      const record = yield* Effect.promise(async () =>
        (await ask("/v1/runs/administration/transitions?types=message.received", { key: admin })).text()
      )
      for (const said of ["key.create", "key.revoke", "admin of default", made.key.id]) assert.include(record, said)
      assert.notInclude(record, made.text.slice(-64))
      const verified = yield* Effect.promise(() => ask("/v1/runs/administration/verification", { key: admin }))
      assert.deepInclude(yield* json(verified), { consistent: true })
    })
  )

  it.live("carries a named request for a key, its revocation and an import out once each", () =>
    Effect.gen(function* () {
      const { ask, key, store } = yield* serve()
      const admin = yield* key("default", "admin")
      const text = (path: string, asked: object) =>
        Effect.promise(async () => {
          const response = await ask(path, { key: admin, ...asked })
          return { status: response.status, text: await response.text() }
        })
      const headers = { "idempotency-key": "the first" }
      const make = { json: { name: "ci", role: "viewer" }, headers }
      const made = yield* text("/v1/keys", make)
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual(yield* text("/v1/keys", make), made)
      assert.deepInclude(yield* text("/v1/keys", { ...make, json: { name: "ci", role: "admin" } }), { status: 422 })
      const { key: shown, text: secret } = JSON.parse(made.text) as { key: { id: string }; text: string }
      // The name belongs to its caller, and the store has the text of no key.
      const other = yield* key("default", "admin")
      assert.deepInclude(yield* text("/v1/keys", { ...make, key: other }), { status: 422 })
      const database = new DatabaseSync(store, { readOnly: true })
      assert.notInclude(JSON.stringify(database.prepare("select * from write_answer").all()), secret.slice(-64))
      database.close()

      // A process that ends behind the answer leaves no key. The request again brings it into force, and once.
      const holds = () => text("/v1/caller", { key: secret })
      const lost = new DatabaseSync(store)
      lost.prepare("delete from api_key where id = ?").run(shown.id)
      lost.close()
      assert.deepInclude(yield* holds(), { status: 401 })
      assert.deepStrictEqual(yield* text("/v1/keys", make), made)
      assert.deepInclude(yield* holds(), { status: 200 })

      const revoke = { method: "DELETE", headers: { "idempotency-key": "the second" } }
      const revoked = yield* text(`/v1/keys/${shown.id}`, revoke)
      assert.deepStrictEqual(yield* text(`/v1/keys/${shown.id}`, revoke), revoked)
      assert.deepStrictEqual(yield* text("/v1/keys", make), made)
      assert.deepInclude(yield* holds(), { status: 401 })
      const record = yield* text("/v1/runs/administration/transitions?types=message.received", {})
      assert.strictEqual(record.text.match(/key\.revoke/g)?.length, 1)
      assert.strictEqual(record.text.match(/key\.create/g)?.length, 1)

      const bring = { lines: recorded("trip-43"), headers: { "idempotency-key": "the third" } }
      const brought = yield* text("/v1/imports", bring)
      assert.include(brought.text, '"present":false')
      assert.deepStrictEqual(yield* text("/v1/imports", bring), brought)
      const another = yield* text("/v1/imports", { ...bring, lines: recorded("trip-43").trimEnd() })
      assert.strictEqual(another.status, 422)
    })
  )
})
