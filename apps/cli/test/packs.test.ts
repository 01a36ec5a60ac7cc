import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell, source } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

describe("backstitch pack", () => {
  it("accepts a contract and names its digest", async () => {
    const { code, document } = await shell.json(`pack check ${fixture("pack.yaml")}`)
    assert.strictEqual(code, 0)
    assert.deepInclude(document, { ok: true, pack: "acme.shop", issues: [] })
    assert.match(document.digest, /^[0-9a-f]{64}$/)
  })

  it("copies a contract with the code of its tools, once", async () => {
    const listed = await shell.json("pack copy")
    const names = listed.document.contracts.map(({ name }: { readonly name: string }) => name)
    assert.includeMembers(names, ["stripe-payments", "postgres-rows"])
    assert.strictEqual((await shell.json("pack copy stripe-payments --to payments")).code, 0)
    assert.strictEqual((await shell.json("pack check payments/pack.yaml")).document.pack, "payments.stripe")
    assert.include(readFileSync(shell.path("payments/tools.ts"), "utf8"), "export const stripePayments")
    const again = await shell.json("pack copy stripe-payments --to payments")
    assert.strictEqual(again.code, 1)
    assert.include(again.document.error.message, "payments/pack.yaml and payments/tools.ts would be replaced")
    const { document } = await shell.json("pack copy stripe")
    assert.include(document.error.message, "There are: github-forge, google-calendar")
  })

  it("lists every fault at once, each with its line, the found and the expected value", async () => {
    const { code, out } = await shell.run(["pack", "check", fixture("wrong.yaml")])
    assert.strictEqual(code, 1)
    assert.match(out, /wrong\.yaml:14:\d+ violations\[0\]\.when: found world\.spnt, expected /)
    assert.match(out, /wrong\.yaml:12:\d+ tools\.lonely\.undo\.by: found tool nobody/)
    assert.match(out, /wrong\.yaml:\d+:\d+ tools\.peek/)
    assert.match(out, /tools\.undo_[abc]\.undo\.by: found .*undo_/)
    const { document } = await shell.json(`pack check ${fixture("wrong.yaml")}`)
    assert.isAbove(document.issues.length, 3)
    assert.includeMembers(Object.keys(document.issues[0]), ["file", "line", "column", "found", "expected"])
  })

  it("refuses a contract that cannot be kept, tries each function, and lists unenforced declarations", async () => {
    const whole = readFileSync(fixture("pack.yaml"), "utf8")
    const check = async (name: string, text: string) => {
      writeFileSync(shell.path(name), text)
      const { document } = await shell.json(`pack check ${name}`)
      return { ...(await shell.run(["pack", "check", name])), document }
    }
    const sealed = await check(
      "sealed.yaml",
      whole.replace("{ q: string }", "{ q: { type: string, initial: x, sensitive: { subject: args.q } } }")
    )
    assert.strictEqual(sealed.code, 1)
    assert.match(sealed.out, /tools\.search\.input\.q\.initial: found a value in clear/)
    const changing = "({ world }) => { world.spent = 1; return false }"
    const impure = await check(
      "impure.yaml",
      whole.replace('when: "world.spent > clause.max"', `when: { function: ${JSON.stringify(changing)} }`)
    )
    assert.strictEqual(impure.code, 1)
    assert.match(impure.out, /wrong: impure\.yaml Function violations\.overspent changes what it is given/)
    assert.deepInclude(impure.document, { ok: false })
    const vain = await check("vain.yaml", `${whole}topology: { kind: debate, rounds: 2, queue: 9 }\n`)
    assert.strictEqual(vain.code, 0)
    assert.match(vain.out, /NOT ENFORCED: nothing holds a run to topology\.queue, tools\.order\.assumes/)
    assert.deepStrictEqual(vain.document.notEnforced, ["topology.queue", "tools.order.assumes"])
  })

  it("says of each tool whether its effect can be undone, and what would raise the share that can", async () => {
    const { document } = await shell.json(`pack check ${fixture("pack.yaml")}`)
    assert.deepStrictEqual(document.reversibility, {
      ratio: 0.5,
      counts: { I: 1, R: 0, K: 0, X: 1 },
      tools: [
        { tool: "order", class: "X", narrows: false },
        { tool: "search", class: "I", narrows: false }
      ],
      lowering: [{ tool: "order", class: "X", narrows: false, ratioIfInverted: 1, lacksCompensation: true }],
      reversals: []
    })
    const { out } = await shell.run(["pack", "check", fixture("pack.yaml")])
    assert.include(out, "REVERSIBILITY: 0.50 | I=1 R=0 K=0 X=1")
    assert.match(out, /order +X +declare an exact undo for order: 0\.50 → 1\.00/)
    assert.notInclude((await shell.run(["pack", "check", fixture("wrong.yaml")])).out, "REVERSIBILITY")
  })

  it("names a file that is not there", async () => {
    const { code, err } = await shell.run(["pack", "check", "nowhere.yaml"])
    assert.strictEqual(code, 2)
    assert.include(err, "nowhere.yaml")
  })

  it("prints the JSON Schema", async () => {
    const { out } = await shell.run(["pack", "schema"])
    assert.strictEqual(JSON.parse(out).$schema, "https://json-schema.org/draft/2020-12/schema")
  })
})

describe("backstitch pack extend", () => {
  const own = new Shell()
  afterAll(own.remove)
  const extend = (adds: unknown, ...flags: ReadonlyArray<string>) => {
    writeFileSync(own.path("adds.json"), JSON.stringify(adds))
    return own.run(["pack", "extend", "trip", "adds.json", ...flags, "--json"])
  }

  it("commits an approved extension, which binds from the next tick on, and refuses what does not fit", async () => {
    await own.run(["run", "trip", "--agent", fixture("agent.ts")])
    const adds = { adds_required: ["working.mood"], adds_hash_seeds: ["working.mood"], target_contract: "order" }
    const { code, out } = await extend(adds, "--approved-by", "Ada")
    assert.deepStrictEqual([code, JSON.parse(out).accepted], [0, true], out)
    const { document } = await own.json("show trip:head --fields transition_type,author,data")
    assert.deepInclude(document, { author: "institution", transition_type: "policy.contract_extension" })
    assert.deepInclude(document.data, { ...adds, approved_by: "Ada" })
    const again = await extend({ adds_required: ["working.gone"] }, "--approved-by", "Ada")
    assert.deepStrictEqual([again.code, JSON.parse(again.out).accepted], [1, false])
    assert.include((await own.run(["verify", "trip"])).out, "consistent")
  })

  it("asks for the name of who approved it, on the command line alone", async () => {
    const adds = { adds_required: ["working.mood"] }
    const unnamed = await extend(adds)
    assert.strictEqual(unnamed.code, 2)
    assert.include(unnamed.out + unnamed.err, "--approved-by")
    const claimed = await extend({ ...adds, approved_by: "Grace" }, "--approved-by", "Ada")
    assert.strictEqual(claimed.code, 2)
    assert.strictEqual((await extend([1], "--approved-by", "Ada")).code, 2)
  })
})

describe("backstitch itself", () => {
  it("prints help, its version and completions", async () => {
    const help = await shell.run(["--help"])
    assert.strictEqual(help.code, 0)
    for (const command of [
      "run",
      "resume",
      "verify",
      "bisect",
      "fork",
      "diff",
      "explain",
      "claims",
      "report",
      "approve",
      "status",
      "metrics",
      "audit"
    ]) {
      assert.include(help.out, `  ${command} `)
    }
    assert.notInclude(help.out, "\u001b")
    assert.match((await shell.run(["--version"])).out, /^backstitch \d+\.\d+\.\d+\n$/)
    for (const shellName of ["bash", "zsh", "fish"]) {
      const { out } = await shell.run(["completions", shellName])
      assert.include(out, "bisect")
    }
  })

  it("answers wrong usage on stderr with exit code 2, and points to the help", async () => {
    for (const args of [["nothing"], ["show"], ["show", "trip", "--colour"], ["bisect", "trip", "--policy-flip"]]) {
      const { code, err, out } = await shell.run(args)
      assert.deepStrictEqual([args, code, out], [args, 2, ""])
      assert.match(err, /^backstitch: /)
      assert.match(err, /Try `backstitch.* --help`/)
    }
  })

  it("refuses a name that cannot name a run", async () => {
    const { code, err } = await shell.run(["run", "../trip", "--agent", fixture("agent.ts")])
    assert.strictEqual(code, 2)
    assert.include(err, "cannot name a run")
  })

  it("runs from its source as it runs from its bundle", async () => {
    const [bundled, plain] = [await shell.run(["--help"]), await shell.run(["--help"], {}, source)]
    assert.deepStrictEqual(plain, bundled)
  })
})
