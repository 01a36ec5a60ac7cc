import { readFileSync } from "node:fs"
import * as PackSchema from "@backstitch/contracts/PackSchema"
import { assert, describe, it } from "@effect/vitest"
import * as PackReference from "../src/PackReference.ts"

const page = readFileSync(new URL("../../docs/PACK.md", import.meta.url), "utf8")

describe("the reference of packs", () => {
  it("is the one that the code draws", () => {
    const [, shown] = /<!-- reference -->\n([\s\S]*?)<!-- \/reference -->/.exec(page) ?? []
    assert.strictEqual(shown, `${PackReference.section()}\n`, "print it with node tooling/src/PackReference.ts")
  })

  it("has a row for each key of the schema, and a place for each link", () => {
    const definitions = PackSchema.schema["$defs"] as Readonly<Record<string, { readonly properties?: object }>>
    for (const [name, { properties = {} }] of Object.entries(definitions)) {
      const start = page.indexOf(`### ${name}\n`)
      assert.isAbove(start, 0, name)
      const end = page.indexOf("\n### ", start + 1)
      for (const key of Object.keys(properties)) {
        assert.include(page.slice(start, end < 0 ? undefined : end), `| \`${key}\``, `${name}.${key}`)
      }
    }
    for (const [, anchor = ""] of page.matchAll(/\]\(#(\w+)\)/g))
      assert.isTrue(page.includes(`## ${anchor}\n`) || page.toLowerCase().includes(`## ${anchor}\n`), anchor)
  })
})
