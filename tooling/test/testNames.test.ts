import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import * as TestNames from "../src/TestNames.ts"

const found = (...paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const manifest = ["packages/trace/package.json", "{}"] as const
  const repository = new Repository.Repository([manifest, ...paths.map((path) => [path, ""] as const)])
  return [...TestNames.testNames(repository)].map(({ file }) => file)
}

describe("the name of a test", () => {
  it("is that of a module of the package, in whatever room, or begins with a small letter", () => {
    const tests = ["packages/trace/test/Clock.test.ts", "packages/trace/test/lostHours.test.ts"]
    assert.deepStrictEqual(found("packages/trace/src/inner/Clock.ts", ...tests), [])
  })

  it("is not in PascalCase where no module has it", () => {
    const other = "packages/trace/test/Losing.test.ts"
    assert.deepStrictEqual(found("packages/trace/src/Clock.ts", "packages/kernel/src/Losing.ts", other), [other])
  })
})
