import { assert, describe, it } from "@effect/vitest"
import * as PayloadReads from "../src/PayloadReads.ts"
import * as Repository from "../src/Repository.ts"

const probe = "packages/kernel/src/internal/probe.ts"

const linesOf = (text: string, path = probe): ReadonlyArray<number> =>
  [...PayloadReads.reads(new Repository.Repository([[path, text]]))].map(({ line }) => line)

describe("reads of a body", () => {
  it("are found in a line: a field by a string, a cast, an object that it might not be", () => {
    const found = [
      'data["why"]',
      'body.data?.["why"]',
      '(body.data ?? {})["why"]',
      'body.data!["why"]',
      "data[`why`]",
      "(body.data as Why).code",
      "Canonical.objectOf(body.data)"
    ]
    assert.deepStrictEqual(
      linesOf(found.join(";\n")),
      found.map((_, index) => index + 1)
    )
  })

  it("are ignored if the type declares the field, if all of it is JSON, and in formats of others", () => {
    const fine = [
      "body.data?.why",
      'Payload.of(body, "intent.refused")?.why',
      "body.data as Json",
      "body.data as Canonical.JsonObject",
      'row["why"]',
      "data[name]",
      "Canonical.encode(body.data ?? {})"
    ]
    assert.deepStrictEqual(linesOf(fine.join(";\n")), [])
    assert.deepStrictEqual(linesOf('data["why"]', "packages/adapters/importers/src/formats/Codex.ts"), [])
    assert.deepStrictEqual(linesOf('data["why"]', "packages/kernel/test/Kernel.test.ts"), [])
  })

  it("are found by the compiler however they are written, and nowhere in the product", { timeout: 240_000 }, () => {
    const text = `import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Body } from "@backstitch/trace/Transition"
import * as Payload from "../Payload.ts"
export const one = ({ data = {} }: Body) => data["why"]
export const two = (body: Body) => {
  const { why } = body.data ?? {}
  return why
}
export const three = ({ data: { why } = {} }: Body) => why
const inner = ({ why }: JsonObject) => why
export const four = (body: Body) => inner(body.data ?? {})
export const fine = (body: Body) => {
  const { why } = Payload.of(body, "review.requested") ?? {}
  const own = Payload.read(body)
  const { count } = own.type === "intent.adopted" ? own.data : {}
  return [why, count, Canonical.encode(body)]
}
`
    const found = PayloadReads.compiled(Repository.root, new Map([[probe, text]]))
    assert.deepStrictEqual(
      found.map(({ file, line }) => `${file}:${line}`),
      [5, 7, 10, 12].map((line) => `${probe}:${line}`)
    )
  })
})
