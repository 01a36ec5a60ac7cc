import type { ChildProcess } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

/** Resolves once a stream of a process has told enough. */
const until = (child: ChildProcess, stream: "stdout" | "stderr", isEnough: (text: string) => boolean) =>
  new Promise<void>((resolve) => {
    let text = ""
    child[stream]?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (isEnough(text)) resolve()
    })
  })

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

describe("backstitch watch", () => {
  it("reports from another process every later commit of every run, and ends on request", async () => {
    await shell.run(["run", "before", "--agent", agent])
    const { child, ended } = await shell.start(["watch"])
    await until(child, "stderr", (text) => text.includes("Watching every run"))
    const told = until(child, "stdout", (text) => lines(text).length >= 46)
    const begun = await Promise.all(
      ["one", "two"].map((run) => shell.run(["run", run, "--agent", agent], { SHOP: shell.path(`${run}.json`) }))
    )
    assert.deepStrictEqual(
      begun.map(({ code }) => code),
      [0, 0]
    )
    await told
    child.kill("SIGINT")
    const { code, err, out } = await ended
    assert.strictEqual(code, 0)
    assert.lengthOf(lines(err), 1)
    for (const run of ["one", "two"]) {
      const ticks = lines(out).flatMap((line) => (line.startsWith(`${run}@`) ? [Number(/@(\d+)/.exec(line)?.[1])] : []))
      assert.deepStrictEqual(
        ticks,
        Array.from({ length: 23 }, (_, index) => index + 1)
      )
    }
    assert.notInclude(out, "before@")
  }, 120_000)

  it("prints a run from a tick on as `show` does, for people and, a document a line, for programs", async () => {
    await shell.run(["run", "whole", "--agent", agent], { SHOP: shell.path("whole.json") })
    const shown = lines((await shell.run(["show", "whole", "--from", "5"])).out)
    for (const more of [[], ["--json"]]) {
      const { child, ended } = await shell.start(["watch", "whole", "--from", "5", ...more])
      await until(child, "stdout", (text) => lines(text).length >= shown.length)
      child.kill("SIGTERM")
      const { code, out } = await ended
      assert.strictEqual(code, 0)
      if (more.length === 0) assert.deepStrictEqual(lines(out), shown)
      else {
        const records = lines(out).map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          records.map(({ tick }) => tick),
          shown.map((_, index) => index + 5)
        )
        assert.deepInclude(records[0], { run_id: "whole", tick: 5 })
        assert.notProperty(records[0], "state_after")
      }
    }
  }, 120_000)

  it("names a run that cannot be watched", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, string]> = [
      [["watch", "nobody"], 2, "nobody"],
      [["watch", "--from", "3"], 2, "--from is a tick of a run"],
      [["watch", "whole", "--from", "0"], 2, "there is no tick 0"]
    ]
    for (const [args, code, says] of cases) {
      const ended = await shell.run(args)
      assert.deepStrictEqual([args, ended.code, ended.out], [args, code, ""])
      assert.include(ended.err, says)
    }
  }, 120_000)
})
