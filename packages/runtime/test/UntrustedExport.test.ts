import { readFileSync } from "node:fs"
import * as Export from "@backstitch/trace/Export"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import * as UntrustedExport from "../src/exchange/UntrustedExport.ts"

const file = new URL("../../../examples/travel-booking/recorded/trip-43.jsonl", import.meta.url)
const exported = Result.getOrThrow(Export.decode(readFileSync(file, "utf8")))

describe("UntrustedExport", () => {
  it("takes a file that brings all that it names", () => {
    assert.isUndefined(UntrustedExport.refusal(exported))
  })

  it("refuses a file that names a pack without its text: the store may have that of another tenant (L15)", () => {
    const refused = UntrustedExport.refusal({ ...exported, blobs: new Map() })
    assert.strictEqual(refused?._tag, "ExportPartial")
    assert.include(refused?.message ?? "", "is not in the file")
  })

  it("refuses a file with a text that cannot be read", () => {
    const [[digest = ""] = []] = exported.blobs as ReadonlyMap<never, string>
    const blobs = new Map([[digest as never, "backstitch.pack.1\n{"]])
    assert.deepInclude(UntrustedExport.refusal({ ...exported, blobs }), { _tag: "ExportPartial", found: "unreadable" })
  })

  it("refuses a file whose pack, or an extension of it, brings functions", () => {
    const carrying = [...exported.blobs].map(([digest, text]) => {
      const pack = JSON.parse(text.slice(text.indexOf("\n"))) as { violations?: ReadonlyArray<object> }
      const violations = [...(pack.violations ?? []), { id: "mine", when: { function: "(state) => true" } }]
      return [digest, `backstitch.pack.1\n${JSON.stringify({ ...pack, violations })}`] as const
    })
    const refused = UntrustedExport.refusal({ ...exported, blobs: new Map(carrying) })
    assert.strictEqual(refused?._tag, "ExportCarriesCode")
    const [first, ...rest] = exported.transitions
    const body = JSON.stringify({
      type: "policy.contract_extension",
      author: "institution",
      data: { adds_violations: [{ id: "mine", when: { function: "(state) => true" } }] }
    })
    const extending = { ...exported, transitions: [first!, { ...rest[0]!, body }] }
    assert.deepInclude(UntrustedExport.refusal(extending), { _tag: "ExportCarriesCode", place: "tick 2" })
  })
})
