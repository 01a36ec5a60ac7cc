import * as Vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as Budget from "../weight/Budget.ts"
import * as Bundle from "../weight/Bundle.ts"
import * as Published from "../weight/Published.ts"

const homeOf = (noun: string): string => Published.homes().get(`@backstitch/${noun}`)!

describe("Bundle", () => {
  for (const [title, { kilobytes, lines }] of Object.entries(Budget.pages)) {
    it(`keeps ${title} within ${kilobytes} kB`, async () => {
      const bundle = await Bundle.make(lines, { effect: "outside", folder: homeOf("trace") })
      assert.isAtMost(Bundle.kilobytes(bundle), kilobytes)
      assert.deepStrictEqual(
        bundle.imports.filter((specifier) => !specifier.startsWith("effect")),
        []
      )
    })
  }

  for (const [noun, { bundle: kilobytes }] of Object.entries(Budget.packages)) {
    if (kilobytes === undefined) continue
    it(`keeps ${noun} within ${kilobytes} kB, without a module of Node`, async () => {
      const bundle = await Bundle.make(`export * from "@backstitch/${noun}"`, {
        effect: "outside",
        folder: homeOf(noun)
      })
      assert.isAtMost(Bundle.kilobytes(bundle), kilobytes)
      assert.deepStrictEqual(
        bundle.imports.filter((specifier) => !specifier.startsWith("effect")),
        []
      )
    })
  }

  it("has a budget for each package that is published", () => {
    const nouns = [...Published.homes().keys()].map((name) => name.slice(name.indexOf("/") + 1))
    assert.deepStrictEqual(Object.keys(Budget.packages).sort(), nouns.sort())
  })

  it("seals and verifies a chain without anything of Node, with the digests of Node (L3)", async () => {
    const { HashChain, Run } = await import("@backstitch/trace")
    const lines = 'export { HashChain, Run } from "@backstitch/trace"'
    const { code } = await Bundle.make(lines, { effect: "inside", folder: homeOf("trace"), format: "iife" })
    const page = Vm.createContext({ TextDecoder, TextEncoder, URL, console })
    const program = `
      const genesis = HashChain.genesis(Run.make("trip-42"))
      const body = { author: "agent", data: { found: "LX 1234 für 184.00" }, type: "observation.add" }
      const sealed = HashChain.seal(genesis, { body, stamp: {}, envelope: {} })
      return JSON.stringify({
        sealed,
        head: HashChain.verify(genesis, [sealed]),
        changed: HashChain.verify(genesis, [{ ...sealed, body: sealed.body.replace("LX 1234", "LX 1235") }])
      })`
    const there = Vm.runInContext(
      `${code}; (() => { const { HashChain, Run } = exported; ${program} })()`,
      page
    ) as string
    const here = new Function("HashChain", "Run", program)(HashChain, Run) as string
    assert.strictEqual(there, here)
    assert.include(here, '"_tag":"Failure"')
  })
})
