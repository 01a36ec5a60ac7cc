import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const hasPython = spawnSync("python3", ["--version"]).status === 0
const script = join(import.meta.dirname, "../../../tooling/verify_state.py")
const python = (...args: ReadonlyArray<string>) =>
  spawnSync("python3", [script, ...args], { cwd: shell.folder, encoding: "utf8" })

describe("backstitch prove", () => {
  let by = ""
  let head = ""
  let within = 0
  let whole = 0
  beforeAll(async () => {
    await shell.run(["run", "one", "--agent", fixture("agent.ts")])
    const { document } = await shell.json("anchor --key anchor.pem")
    by = document.verifier
    writeFileSync(shell.path("kept.txt"), document.checkpoint)
    head = (await shell.json("verify one")).document.head
    const { transitions } = (await shell.json("show one --fields tick,state_digest")).document
    within = transitions.findIndex((each: { readonly state_digest: string | null }) => each.state_digest === null) + 1
    whole =
      transitions.findIndex(
        (each: { readonly tick: number; readonly state_digest: string | null }) =>
          each.tick > within && each.state_digest !== null
      ) + 1
    assert.isAbove(within, 0)
  })

  it("writes the value of a field into a file that it and the script in Python check without the store", async () => {
    const made = await shell.run(["prove", "one", "world.spent", "--out", "proof.json"])
    assert.strictEqual(made.code, 0, made.err)
    const alone = await shell.run(["prove", "--check", "proof.json"])
    assert.match(alone.out, /^PROVEN: proven, unanchored \| run=one/)
    const { code, document } = await shell.json(`prove --check proof.json --head ${head}`)
    assert.deepStrictEqual([code, document.verdict, document.isAbsent], [0, "proven, anchored", false])
    assert.strictEqual((await shell.run(["prove", "--check", "proof.json", "--by", by])).code, 1)
    for (const each of ["world.orders", "world.orders.none", "working.notes", "kernel.contract/x"]) {
      assert.strictEqual((await shell.run(["prove", `one@${whole}`, each, "--out", "other.json"])).code, 0)
      assert.strictEqual((await shell.run(["prove", "--check", "other.json"])).code, 0)
      if (hasPython) assert.strictEqual(python("other.json").status, 0, each)
    }
    if (!hasPython) return
    const { status, stdout } = python("proof.json", "--head", head)
    assert.deepStrictEqual([status, stdout.startsWith("proven, anchored: run one")], [0, true], stdout)
  })

  it("puts a checkpoint into it, which others have signed", async () => {
    const { code, err, out } = await shell.run(["prove", "one", "world.nothing", "--against", "kept.txt"])
    assert.strictEqual(code, 0)
    assert.match(err, /LOOK: the state has no field world\.nothing, .* It has .*world\.spent/)
    assert.notInclude((await shell.run(["prove", "one", "world.orders.none", "--out", "other.json"])).err, "LOOK")
    writeFileSync(shell.path("absent.json"), out)
    const checked = await shell.run(["prove", "--check", "absent.json", "--by", by])
    assert.match(checked.out, /^PROVEN: proven, anchored \| run=one .*\/world\/nothing is nothing/)
    const other = await shell.run(["prove", "--check", "absent.json", "--by", by, "--witness", by])
    assert.strictEqual(other.code, 2)
    if (hasPython) assert.include(python("absent.json", "--by", by).stdout, "proven, signed: run one")
  })

  it("refuses a proof with any change, and names the change", async () => {
    const text = readFileSync(shell.path("proof.json"), "utf8")
    writeFileSync(shell.path("changed.json"), text.replace('"at":', '"at": 1'))
    const changed = await shell.run(["prove", "--check", "changed.json"])
    assert.deepStrictEqual([changed.code, changed.err.includes("does not hold")], [1, true], changed.err)
    const elsewhere = await shell.run(["prove", "--check", "proof.json", "--head", "0".repeat(64)])
    assert.deepStrictEqual([elsewhere.code, elsewhere.err.includes("its head is")], [1, true])
    if (hasPython) assert.strictEqual(python("changed.json").status, 1)
  })

  it("names the provable tick, and the flags that belong together", async () => {
    const refused = await shell.run(["prove", `one@${within}`, "world.spent"])
    assert.include(
      refused.err,
      `Tick ${within} of run one is not the last of its commit, and its state has no digest. Prove tick ${whole}`
    )
    for (const args of [[], ["one"], ["one", "world.spent", "--head", head], ["one", "--check", "proof.json"]]) {
      assert.strictEqual((await shell.run(["prove", ...args])).code, 2, args.join(" "))
    }
    assert.strictEqual((await shell.run(["prove", "one", "spent"])).code, 2)
    await shell.run(["run", "two", "--agent", fixture("agent.ts")])
    const later = await shell.run(["prove", "two", "world.spent", "--against", "kept.txt"])
    assert.deepStrictEqual([later.code, later.err.includes("logs no head of run two")], [1, true])
  })
})
