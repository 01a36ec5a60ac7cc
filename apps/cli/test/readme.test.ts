import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const fence = (kind: "ts" | "yaml"): string => new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, "ms").exec(readme)?.[1] ?? ""

/** The lines of a receipt that are the same in every run: the times, the key and the head are not. */
const steady = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => /^(BOOT|PACK|TICK|DONE)/.test(line))
    .map((line) => line.replace(/key bs_\w+… durable/, "key … durable"))

describe("the example of the README", () => {
  it("runs as it is written, and prints the receipt that it shows", async () => {
    writeFileSync(shell.path("pack.yaml"), fence("yaml"))
    writeFileSync(shell.path("errands.ts"), fence("ts"))
    symlinkSync(new URL("../node_modules", import.meta.url).pathname, shell.path("node_modules"))
    const { code, err, out } = await shell.run(["run", "week-12", "--agent", "errands.ts"])
    assert.strictEqual(code, 0, err)
    const shown = steady(readme)
    assert.isAbove(shown.length, 8)
    assert.deepStrictEqual(steady(out), shown)
  }, 120_000)
})
