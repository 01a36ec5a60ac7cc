import * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import * as SealedValue from "@backstitch/trace/SealedValue"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Sensitive from "../src/state/Sensitive.ts"
import * as TaskPack from "../src/TaskPack.ts"

const by = (subject: string, more: object = {}): Field.Field => ({ type: "string", sensitive: { subject, ...more } })

const input = Field.object({
  who: { type: "string" },
  passport: by("args.who"),
  born: { ...by("args.who", { facts: { adult: "value < '2008'", known: "value.size() > 3" } }), nullable: true },
  party: { type: "table", key: "id", row: Field.object({ name: by("key"), seat: { type: "string" } }) },
  phones: { type: "list", item: by("args.who") }
})

const args = {
  who: "anna",
  passport: "X1",
  born: null,
  party: { p1: { name: "Ada", seat: "4A" }, p2: { name: "Bob", seat: "4B" } },
  phones: ["+41", "+49"],
  extra: "X1"
}

describe("Sensitive", () => {
  it("finds sensitive values in objects, tables and lists, and leaves null alone", () => {
    const found = Sensitive.find(input, args, { args })
    assert.deepStrictEqual(
      found.map(({ name, value }) => [name, value]),
      [
        ["passport", "X1"],
        [undefined, "Ada"],
        [undefined, "Bob"],
        [undefined, "+41"],
        [undefined, "+49"]
      ]
    )
    assert.deepStrictEqual(
      found.map((each) => Result.getOrThrow(Sensitive.subjectOf(each))),
      ["anna", "p1", "p2", "anna", "anna"]
    )
  })

  it("replaces sensitive values at their places, and nothing anywhere else", () => {
    const by = Sensitive.find(input, args, { args }).map((_, index): Json => index)
    assert.deepStrictEqual(Sensitive.replace(input, args, by), {
      ...args,
      passport: 0,
      party: { p1: { name: 1, seat: "4A" }, p2: { name: 2, seat: "4B" } },
      phones: [3, 4]
    })
  })

  it("says which value names no subject", () => {
    const [found] = Sensitive.find(input, { ...args, who: "" }, { args: { who: "" } })
    assert.deepStrictEqual(Sensitive.subjectOf(found!), Result.fail("args.who is no name"))
    const [lost] = Sensitive.find(input, args, {})
    assert.deepStrictEqual(Sensitive.subjectOf(lost!), Result.fail("args.who names no subject"))
  })

  it("derives facts in clear, and null if a fact cannot be told", () => {
    const [, born] = Sensitive.find(input, { ...args, born: "1990-01-01" }, { args })
    assert.deepStrictEqual(Sensitive.factsOf(born!), { adult: true, known: true })
    const [, odd] = Sensitive.find(input, { ...args, born: 7 }, { args })
    assert.deepStrictEqual(Sensitive.factsOf(odd!), { adult: null, known: null })
    assert.isFalse(Sensitive.isFit(odd!))
  })

  it("rounds a value before it is sealed, so that each spelling of an amount has the same commitment", () => {
    const price: Field.Field = { type: "decimal", precision: 2, sensitive: { subject: "args.who" } }
    const values = [12.3, "12.30", "12.3"].map((json) => Sensitive.find(price, json, {})[0]?.value)
    assert.deepStrictEqual(values, ["12.30", "12.30", "12.30"])
  })

  it("is accepted by a field once it is sealed, and not before (decision 0028)", () => {
    const sealed = Sensitive.pretend(input, args, { args })
    assert.deepStrictEqual(Field.check(input, sealed), [])
    assert.deepStrictEqual(Field.check(input, args, { plain: true }), [])
    const issues = Field.check(input, args)
    assert.strictEqual(issues.length, 5)
    assert.notInclude(JSON.stringify(issues), "X1")
    const unfit = Sensitive.pretend(input, { ...args, passport: 7 }, { args })
    assert.deepStrictEqual(
      Field.check(input, unfit).map(({ found, path }) => [path, found]),
      [["passport", "a sealed value that is something else"]]
    )
    const copied = { who: (sealed as { readonly passport: Json }).passport }
    assert.include(JSON.stringify(Field.check(Field.object({ who: { type: "string" } }), copied)), "a sealed value")
  })

  it("is refused in a pack if no subject can be named, or if the initial state would be in clear", () => {
    const problems = (name: object, working: object) => {
      const tools = { find: { class: "read_only", input: { name }, output: {} } }
      const made = TaskPack.make({ pack: "acme.trips", version: "1", state: { working }, tools } as never)
      return Result.isFailure(made) ? made.failure.message : ""
    }
    const sensitive = { subject: "args.name" }
    assert.strictEqual(problems({ type: "string", sensitive }, {}), "")
    assert.match(problems({ type: "string", sensitive: { subject: "name" } }, {}), /the name name/)
    assert.match(problems({ type: "string", sensitive: {} }, {}), /names the subject/)
    assert.match(problems({ type: "string" }, { name: { type: "string", sensitive } }), /may be null/)
    assert.match(problems({ type: "string" }, { names: { list: "string", sensitive } }), /a list that is sensitive/)
  })

  it("is refused in a tool beside an undeclared field, which expressions could not read", () => {
    const card = { type: "string", sensitive: { subject: "args.name" } } as const
    const problems = (tool: object) => {
      const made = TaskPack.make({
        pack: "acme.trips",
        version: "1",
        tools: { find: { class: "read_only", input: { name: "string" }, ...tool } }
      } as never)
      return Result.isFailure(made) ? made.failure.message : ""
    }
    assert.strictEqual(problems({ output: { card } }), "")
    assert.strictEqual(problems({ output: "json" }), "")
    assert.strictEqual(problems({ output: { card, more: { type: "json", sensitive: card.sensitive } } }), "")
    assert.match(problems({ input: { name: "string", card } }), /tools\.find\.output: found no output of a tool/)
    assert.match(problems({ output: { card, more: { list: "json" } } }), /output: found json beside sensitive/)
    assert.match(problems({ input: { name: "string", more: "json" }, output: { card } }), /input: found json beside/)
  })

  it("leads to a warning about a condition on a field of the record that is sealed as a whole", () => {
    const warnings = (expect: string, output: object) => {
      const tool = {
        class: "medium_risk_write",
        input: { name: "string", card: { type: "string", sensitive: { subject: "args.name" } } },
        output,
        identity: { scope: "run", fields: ["name"] },
        readback: { source: "desk", expect: [expect] }
      }
      const made = TaskPack.make({ pack: "acme.trips", version: "1", tools: { pay: tool } } as never)
      return Result.getOrThrow(made).warnings.map(({ found }) => found)
    }
    const warned = /^a condition on actual\.state, a field that the output does not declare beside sensitive values$/
    assert.isTrue(warnings("actual.state == 'paid'", { id: "string" }).some((found) => warned.test(found)))
    assert.isFalse(warnings("actual.state == 'paid'", { state: "string" }).some((found) => warned.test(found)))
    assert.isFalse(warnings("actual != null", { id: "string" }).some((found) => warned.test(found)))
  })

  it("leaves no unsolicited text of a provider in clear, and no digest of it", () => {
    const problems = (webhook: object) => {
      const tool = {
        class: "high_risk_external",
        input: { name: "string", card: { type: "string", sensitive: { subject: "args.name" } } },
        output: {},
        identity: { scope: "goal", fields: [{ name: "exact" }] },
        times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
        status: "by_key",
        undo: "X",
        webhook: { form: "stripe", secret: "PAY", key: "body.key", done: "body.paid", ...webhook }
      }
      const made = TaskPack.make({ pack: "acme.trips", version: "1", tools: { pay: tool } } as never)
      return Result.isFailure(made) ? made.failure.message : ""
    }
    assert.strictEqual(problems({ output: "null", id: "body.id" }), "")
    for (const output of [undefined, null, "body", "body.card", "'null'"]) {
      assert.match(problems({ id: "body.id", ...(output === undefined ? {} : { output }) }), /committed in clear/)
    }
    assert.match(problems({ output: "null" }), /digest of its body/)
    assert.strictEqual(problems({ form: "standard_webhooks", output: "null" }), "")
  })

  it("gives equal stand-ins to equal values, and keeps values that are sealed already", () => {
    const sealed = Sensitive.pretend(input, args, { args })
    assert.deepStrictEqual(Sensitive.pretend(input, sealed, { args }), sealed)
    assert.strictEqual(SealedValue.commitments(sealed).length, 5)
    assert.isTrue(Sensitive.isIn(input))
    assert.isFalse(Sensitive.isIn(Field.object({ who: { type: "string" } })))
  })
})
