import * as Check from "@backstitch/kernel/Check"
import * as Finding from "@backstitch/kernel/Finding"
import { assert, describe, it } from "@effect/vitest"
import * as SchemaAST from "effect/SchemaAST"
import * as English from "../src/English.ts"
import * as PseudoWords from "../src/PseudoWords.ts"
import { fact } from "../src/said/Said.ts"
import * as Wording from "../src/Wording.ts"

/** Another language: no word of it is English. */
const marks = PseudoWords.of(English.words)

const declared: { readonly [name: string]: unknown } = {
  nothing: {},
  object: {},
  value: { id: "B1" }
}

/** A finding that another finding names. */
const nested = { args: { attempts: 8 }, code: "sending.exhausted" }

/** The least and the most that a number may be. */
const boundsOf = ({ checks }: SchemaAST.Number): readonly [number, number] => {
  const held = (checks ?? []).map(
    (check) => check.annotations?.["representation"] as { readonly payload: object | null }
  )
  const { maximum = Number.MAX_SAFE_INTEGER, minimum = 0 } = Object.assign({}, ...held.map(({ payload }) => payload))
  return [minimum, maximum]
}

/** A value of a schema: with all that is optional in it, or with none of that. A number is at its bound. */
const sample = (ast: SchemaAST.AST, whole: boolean): unknown => {
  switch (ast._tag) {
    case "Objects": {
      const fields = ast.propertySignatures.filter(({ type }) => whole || !SchemaAST.isOptional(type))
      return Object.fromEntries(fields.map(({ name, type }) => [name, sample(type, whole)]))
    }
    case "Arrays":
      return ast.rest.map((item) => sample(item, whole))
    case "Union":
      return sample(ast.types[0]!, whole)
    case "Literal":
      return ast.literal
    case "Boolean":
      return whole
    case "Number":
      return boundsOf(ast)[whole ? 1 : 0]
    case "String":
      return "a7"
    case "Suspend":
      return nested
    default:
      return declared[String(ast.annotations?.["identifier"])]
  }
}

describe("Wording", () => {
  it("tells every code without a hole, with all arguments and the most of each, and with the least", () => {
    for (const [code, schema] of Object.entries(Finding.codes)) {
      for (const whole of [true, false]) {
        const finding = { args: sample(schema.ast, whole) as Finding.Any["args"], code }
        assert.isTrue(Finding.isKnown(finding), JSON.stringify(finding))
        const { next, what, why } = Wording.of(finding)
        const steps = next.map((step) => Wording.step(step))
        for (const text of [what, ...(why === undefined ? [] : [why]), ...steps]) {
          assert.notMatch(text, /undefined|\[object|: *$/, code)
        }
        assert.isTrue(
          steps.every((text) => text !== ""),
          code
        )
      }
    }
  })

  it("tells a code that it does not know, or whose arguments do not fit it, as it is stored", () => {
    for (const code of ["acme.shipped", "sending.exhausted"]) {
      assert.deepStrictEqual(Wording.of({ args: { attempts: "often" }, code }), {
        next: [],
        what: `${code} {"attempts":"often"}`
      })
    }
  })

  it("tells once what several sources lack alike", () => {
    const [one, other] = ["a", "b"].map((source) => Finding.make("expectation.unanswered", { source }))
    const told = Wording.tellAll([one!, other!, one!])
    assert.strictEqual(told, "whether a holds has no answer; whether b holds has no answer")
  })

  it("tells what a person or a provider wrote as they wrote it", () => {
    assert.strictEqual(Wording.tell("sold out; act.failed"), "sold out; act.failed")
    assert.strictEqual(Wording.tell({ code: "act.failed" }), '{"code":"act.failed"}')
    const failed = Finding.make("cause.failed", { action: "a7", error: "the card was declined", tool: "pay" })
    assert.strictEqual(Wording.tell(failed), "pay (a7) failed: the card was declined")
  })

  it("name the first failed check, the engine's reason, and the change that would make it pass", () => {
    const about = { condition: "args.price > 100" }
    const checks = [
      Check.pass("schema", "book"),
      Check.fail("guard", "cheap", "guard.unanswered", about, "there is no field price")
    ]
    const sentence = "guard cheap: expected not args.price > 100, found it has no answer (there is no field price)"
    assert.strictEqual(Wording.reason(checks), sentence)
    assert.strictEqual(Wording.reason(checks.slice(0, 1)), "every check holds")
    assert.strictEqual(Wording.check(checks[1]!)?.remedy, "change the intent so that cheap no longer refuses it")
    assert.isUndefined(Wording.check(checks[0]!))
    assert.strictEqual(Wording.kept(checks.map(Check.kept)), sentence.replace(" (there is no field price)", ""))
  })

  it("tell a time as a pack writes it, and a decision about an action of the action", () => {
    const late = Check.fail("budget", "elapsed", "budget.elapsed", { elapsedMillis: 93_784_005, maxMillis: 86_400_000 })
    assert.strictEqual(Wording.reason([late]), "budget elapsed: expected at most 1d, found 1d2h3m4s5ms")
    const about = Check.fail("approval", "a39", "review.unknown", {})
    assert.match(Wording.reason([about]), /^action a39: /)
    assert.match(Wording.reason([{ ...about, id: "pay" }]), /^approval pay: /)
  })

  it("name the reason for a missing outcome, and the next steps, in any language", () => {
    const why = Finding.make("approval.needed", { tool: "book" })
    const parked = { _tag: "Parked", needs: ["manager"], review: "r1", tick: 3, why } as const
    assert.strictEqual(Wording.why(parked), "book needs an approval: manager decides")
    assert.deepStrictEqual(Wording.next(parked), [{ verb: "decide" }])
    assert.strictEqual(Wording.why(parked, marks), "⟦findings.approval.needed⟧(book): ⟦checks.decides⟧(manager)")
    assert.deepStrictEqual(Wording.next(parked, marks), [{ verb: "decide" }])
    assert.strictEqual(Wording.why({ _tag: "Failed", error: fact("x").what, tick: 1 }), "x")
  })

  it("name the action that a person settles where an undoing has stopped", () => {
    const because = Finding.make("cause.revised", { revisions: [27] })
    const why = Finding.make("plan.stopped", { because, undoes: "a17", why: Finding.make("reversal.refused", {}) })
    assert.deepStrictEqual(Wording.next({ _tag: "Held", action: "a38", tick: 43, why }), [
      { action: "a17", verb: "resolve" }
    ])
  })

  it("translate facts and rows of Backstitch, and leave those of a contract unchanged", () => {
    assert.strictEqual(Wording.fact("record.readable"), "the system of record answers")
    assert.strictEqual(Wording.fact("actual.price == args.price"), "actual.price == args.price")
    const row = { decision: "poll_key_record", row: 2, section: "pending_timeout" }
    assert.include(Wording.because(row), "the first attempt may still complete")
    assert.isUndefined(Wording.because({ ...row, decision: "settle_as_is" }))
  })
})
