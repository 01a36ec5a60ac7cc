import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import * as SharedNouns from "../src/SharedNouns.ts"

const clock = "packages/trace/src/Clock.ts"
const manifests = ["apps/cli", "packages/kernel", "packages/sdk", "packages/trace", "packages/wording"].map(
  (home) => [`${home}/package.json`, JSON.stringify({ name: home })] as const
)

/** Lines of a repository with a clock that break a rule. */
const broken = (rule: Repository.Rule, changes: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  [...rule(new Repository.Repository([...manifests, ...Object.entries({ [clock]: "export {}\n", ...changes })]))].map(
    ({ file, line }) => `${file}:${line}`
  )

describe("SharedNouns", () => {
  it("names a module whose noun a module of another package has, unless it stands for that one", () => {
    const named = (path: string) => broken(SharedNouns.sharedNouns, { [path]: "export {}\n" })
    assert.deepStrictEqual(named("packages/kernel/src/state/clock.ts"), ["packages/kernel/src/state/clock.ts:1"])
    for (const path of [
      "apps/cli/src/commands/runs/clock.run.ts",
      "packages/kernel/src/state/Bell.ts",
      "packages/sdk/src/run/Clock.ts",
      "packages/trace/src/inner/clock.ts",
      "packages/wording/src/english/clock.ts"
    ]) {
      assert.deepStrictEqual(named(path), [], path)
    }
  })

  it("names each module of a type that many modules export, unless the name is that of a part", () => {
    const modules = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`packages/trace/src/bell/B${index}.ts`, text]))
    const shared = (count: number, text: string) => broken(SharedNouns.sharedTypes, modules(count, text))
    assert.deepStrictEqual(shared(3, "export interface Bell {}\n"), [])
    assert.deepStrictEqual(
      shared(4, "\nexport interface Bell {}\nexport type Bell = string\n"),
      [0, 1, 2, 3].map((index) => `packages/trace/src/bell/B${index}.ts:3`)
    )
    for (const other of ["interface Bell {}\n", "export interface Options {}\n", "export const Bell = 1\n"]) {
      assert.deepStrictEqual(shared(4, other), [], other)
    }
  })

  it("names a type whose name leaves out the thing", () => {
    const typed = (text: string) => broken(SharedNouns.bareTypes, { [clock]: text })
    assert.deepStrictEqual(typed("\nexport interface Told {}\n"), [`${clock}:2`])
    assert.deepStrictEqual(typed("export type Asked = string\nexport class Standing {}\n"), [
      `${clock}:1`,
      `${clock}:2`
    ])
    assert.deepStrictEqual(typed("interface Told {}\nexport type ToldTime = Told\nexport const Asked = 1\n"), [])
  })
})
