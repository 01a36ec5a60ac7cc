/** A client that a public generator makes from the OpenAPI document does the job of the README. */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Export from "@backstitch/trace/Export"
import { assert, describe, it } from "@effect/vitest"
import { createClient } from "@hey-api/openapi-ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Errands from "./errands.ts"
import { folder, recorded, serve } from "./served.ts"

Errands.shop()

const root = join(import.meta.dirname, "../../..")
const compiler = join(root, "node_modules/typescript/bin/tsc")
const execute = promisify(execFile)

/** The program of the README, as a reader copies it. */
const program = (): string => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
  const [, text = ""] = /```ts fragment\n(import \{ client \}[\s\S]*?)```/.exec(readme) ?? []
  return text
}

const settings = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: "es2024", module: "nodenext", allowImportingTsExtensions: true },
    ...{ erasableSyntaxOnly: false, typeRoots: [join(root, "node_modules/@types")], types: ["node"] }
  },
  files: ["job.ts"]
}

describe("a client that a generator made from the document", () => {
  it("is made by a version that this workspace has", () => {
    const { version } = createRequire(import.meta.url)("@hey-api/openapi-ts/package.json") as { version: string }
    assert.include(readFileSync(join(import.meta.dirname, "../README.md"), "utf8"), `@hey-api/openapi-ts@${version}`)
  })

  it.live("compiles, and imports, lists, begins, approves, follows, verifies and exports", () =>
    Effect.gen(function* () {
      const { address, key } = yield* serve(undefined, Errands.agents)
      const manager = yield* key("default", "approver", { name: "Ada", capacities: ["manager"] })
      const place = yield* folder
      const environment = { ...process.env, SERVER: address, KEY: manager, RUN: "errand-1" }
      const said = yield* Effect.promise(async () => {
        await createClient({
          input: `${address}/openapi.json`,
          output: { path: join(place, "client"), module: { extension: ".ts" } },
          logs: { level: "silent", file: false }
        })
        writeFileSync(join(place, "job.ts"), program())
        writeFileSync(join(place, "package.json"), '{"type":"module"}')
        writeFileSync(join(place, "tsconfig.json"), JSON.stringify(settings))
        writeFileSync(join(place, "trip-43.jsonl"), recorded("trip-43"))
        const compiled = await execute(process.execPath, [compiler, "-p", place]).catch((error) => error)
        assert.strictEqual(String(compiled.stdout), "")
        return (await execute(process.execPath, [join(place, "job.ts")], { cwd: place, env: environment })).stdout
      })
      const lines = ["imported trip-43, 14 ticks", "runs: trip-43", "approved by Ada"]
      lines.push("done after 12 ticks, each seen once", "verified: true", "")
      assert.strictEqual(said, lines.join("\n"))
      const decoder = new Export.Decoder()
      for (const line of readFileSync(join(place, "errand-1.jsonl"), "utf8").trimEnd().split("\n")) decoder.push(line)
      const exported = yield* Effect.fromResult(decoder.finish())
      assert.strictEqual(exported.head.tick, 12)
      assert.isTrue(Result.isSuccess(Export.verify(exported)))
    })
  )

  it.live("begins a run in a tenant whose first run was imported, with keys of another secret", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, Errands.agents)
      const operator = yield* key("default", "operator")
      const imported = yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      assert.strictEqual(imported.status, 200)
      const begin = { key: operator, json: { run: "errand-1", agent: "errands" } }
      const begun = yield* Effect.promise(() => ask("/v1/runs", begin))
      assert.strictEqual(begun.status, 202)
    })
  )
})
