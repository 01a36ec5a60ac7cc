import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { recorded, serve } from "./served.ts"

type Json = Readonly<Record<string, unknown>>

const file = join(import.meta.dirname, "fixtures/pack.yaml")
const agents = { errands: join(import.meta.dirname, "fixtures/agent.ts") }

describe("packs", () => {
  it.live("are those of the agents and of the tenant's own runs, and no other's (L15)", () =>
    Effect.gen(function* () {
      const { as, ask, key } = yield* serve(undefined, agents)
      const operator = yield* key("default", "operator")
      const stranger = yield* key("beta", "admin")
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const told = (path: string, caller: string) => as(caller)(path)
      const { packs } = (yield* told("/v1/packs", operator)).body as { packs: ReadonlyArray<Json> }
      assert.deepStrictEqual(
        packs.map(({ agents, pack, runs }) => [pack, agents, runs]),
        [
          ["acme.errands", ["errands"], 0],
          ["backstitch.travel", [], 1]
        ]
      )
      const travel = String(packs[1]?.["digest"])
      const shown = yield* told(`/v1/packs/${travel}`, operator)
      assert.deepInclude(shown.body, { digest: travel, begun: ["trip-43"], version: packs[1]?.["version"] })
      assert.deepInclude(shown.body["definition"] as Json, { pack: "backstitch.travel" })
      // The store has it for one tenant. To another it is not there, and its name is like one that nobody has.
      const foreign = yield* told(`/v1/packs/${travel}`, stranger)
      const absent = yield* told(`/v1/packs/${"0".repeat(64)}`, stranger)
      assert.deepStrictEqual([foreign.status, foreign.body["tag"]], [404, "PackUnknown"])
      assert.deepStrictEqual(JSON.stringify(foreign).replaceAll(travel, "0".repeat(64)), JSON.stringify(absent))
      assert.deepStrictEqual(
        ((yield* told("/v1/packs", stranger)).body as { packs: ReadonlyArray<Json> }).packs.map(({ pack }) => pack),
        ["acme.errands"]
      )
    })
  )

  it.live("are checked as data when they are posted: nothing of them is run, and no file is read", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve()
      const viewer = yield* key("default", "viewer")
      const check = (text: string) =>
        Effect.promise(async () => {
          const response = await ask("/v1/packs/check", { key: viewer, json: { text } })
          return { status: response.status, body: (await response.json()) as Json }
        })
      const right = yield* check(readFileSync(file, "utf8"))
      assert.deepInclude(right.body, { ok: true, pack: "acme.errands", version: "1.0.0", issues: [], untried: [] })
      assert.deepInclude(right.body["audit"] as Json, { pack: "acme.errands", unrecoverable: 0 })
      const wrong = yield* check("pack: acme.errands\nguard: []\n")
      assert.deepInclude(wrong.body, { ok: false, pack: null, audit: null })
      assert.deepInclude((wrong.body["issues"] as ReadonlyArray<Json>)[1], { line: 2, column: 1, file: "pack.yaml" })
      const violation = "violations: [{ id: odd, when: { function: "
      const named = "__backstitch_server_ran"
      const code = yield* check(`pack: a\nversion: 1.0.0\n${violation}"() => { while (true) { ${named} = 1 } }" } }]\n`)
      assert.deepInclude(code.body, { ok: false })
      assert.notProperty(globalThis, named)
      const pure = yield* check(`pack: a\nversion: 1.0.0\n${violation}"() => { while (true) {} }" } }]\n`)
      assert.deepInclude(pure.body, { ok: false, untried: ["violations.odd"], impure: [] })
      const outside = yield* check(`pack: a\nversion: 1.0.0\n${violation}./fixtures/agent.ts } }]\n`)
      assert.include(JSON.stringify(outside.body["issues"]), "files are read where the pack is")
      for (const text of ["", "x".repeat(70_000)]) assert.strictEqual((yield* check(text)).status, 400)
      // What overflows a parser is found to be wrong, and is no fault of the server.
      const guard = "tools: { t: { class: read_only, input: { q: int } } }\nguards: [{ id: g, on: t, refuse_if: "
      const signs = `pack: a\nversion: 1.0.0\n${guard}"${"!".repeat(60_000)}true" }]\n`
      for (const text of ["[".repeat(60_000), signs]) {
        const deep = yield* check(text)
        assert.deepStrictEqual([deep.status, deep.body["ok"]], [200, false])
      }
    })
  )
})

describe("a diagnosis", () => {
  it.live("says of a run what doctor says", () =>
    Effect.gen(function* () {
      const { as, ask, key } = yield* serve()
      const operator = yield* key("default", "operator")
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const told = as(operator, "/v1/runs/trip-43/diagnosis")
      const [{ body: right }, { body: wrong }] = [yield* told(""), yield* told("?wrong=true")]
      assert.deepInclude(right, { run: "trip-43", isHealthy: false, cracks: [], held: [] })
      assert.deepInclude(right["suspect"] as Json, { name: "unverified_source", since: 12 })
      assert.deepInclude(wrong, { run: "trip-43", isHealthy: false })
    })
  )
})
