import { assert, describe, it } from "vitest"
import * as DeclaredTypes from "../src/DeclaredTypes.ts"

describe("DeclaredTypes", () => {
  const files = new Map([
    ["dist/index.d.ts", 'export * as Pool from "./Pool.ts"'],
    ["dist/Pool.d.ts", 'import type { Change } from "./pool/change.ts"\nimport type { Kysely } from "kysely"'],
    ["dist/pool/change.d.ts", 'import { Connection } from "pg"\nimport { Fine } from "@acme/fine/Sub"'],
    ["dist/pool/unreached.d.ts", 'import type { Stats } from "node-stats"']
  ])

  it("names a library whose types a public declaration needs and only developers have", () => {
    assert.deepStrictEqual(
      DeclaredTypes.missing(files, ["dist/index.d.ts"], new Set(["@types/pg", "@types/node-stats"])),
      [{ file: "dist/pool/change.d.ts", library: "pg" }]
    )
    assert.deepStrictEqual(DeclaredTypes.missing(files, ["dist/index.d.ts"], new Set(["@types/acme__fine"])), [
      { file: "dist/pool/change.d.ts", library: "@acme/fine" }
    ])
    assert.deepStrictEqual(DeclaredTypes.missing(files, ["dist/index.d.ts"], new Set(["@types/node"])), [])
  })
})
