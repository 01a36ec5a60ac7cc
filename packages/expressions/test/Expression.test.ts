import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import { Environment } from "@marcbachmann/cel-js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Expression, Field } from "../src/index.ts"

const row = Field.object({
  status: { type: "enum", values: ["confirmed", "duplicate"] },
  price: { type: "decimal", precision: 2 }
})

const sealed = { $sealed: "ab".repeat(32), facts: { known: true } }

const names: Expression.Names = {
  world: Field.object({
    spent: { type: "decimal", precision: 2 },
    rate: { type: "float" },
    seats: { type: "int" },
    bookings: { type: "table", key: "pnr", row }
  }),
  working: Field.object({
    chosen: { type: "string", nullable: true },
    notes: { type: "list", item: { type: "string" } },
    plan: Field.object({ day: { type: "int" } })
  }),
  args: Field.object({
    flight: { type: "string" },
    who: { type: "string", sensitive: { subject: "args.who", facts: { known: "value != ''" } } }
  }),
  state: "any",
  clause: "any"
}

const bindings: Expression.Bindings = {
  world: {
    spent: "590.10",
    rate: 0.5,
    seats: 7,
    bookings: Table.from([
      ["A1", { status: "confirmed", price: "10.50" }],
      ["B2", { status: "duplicate", price: "1.50" }]
    ])
  },
  working: { chosen: null, notes: List.from(["window", "aisle"]), plan: { day: 3 } },
  args: { flight: "LX1", who: sealed, price: 40 },
  clause: { max_total: 600 }
}

const compile = (source: string) => Result.getOrThrow(Expression.compile(source, { names }))
const value = (source: string) => Result.getOrThrow(Expression.evaluate(compile(source), bindings))
const refusal = (source: string, more: object = {}) => {
  const compiled = Expression.compile(source, { names, ...more })
  return Result.isFailure(compiled) ? compiled.failure : assert.fail(`${source} was accepted`)
}
const failure = (source: string, given = bindings) => {
  const evaluated = Expression.evaluate(compile(source), given)
  return Result.isFailure(evaluated) ? evaluated.failure : assert.fail(`${source} has a value`)
}

describe("Expression", () => {
  it("names an operator of another language, and the one that is meant", () => {
    const cases = [
      ["world.spent > 1 AND world.spent < 9", "AND", "write && or and"],
      ["world.spent > 1 OR world.spent < 9", "OR", "write || or or"],
      ["NOT world.spent > 1", "NOT", "write ! or not"],
      ["world.spent = 1", "=", "write == to compare"],
      ["world.spent >= 1 && 'a = b AND c' == 'x' && world.spent = 2", "=", "write == to compare"]
    ] as const
    for (const [source, found, hint] of cases) {
      const [remark] = refusal(source).remarks
      assert.deepInclude(remark, { found, hint }, source)
      assert.strictEqual(source.slice(remark?.start, remark?.end), found)
    }
  })

  it("finds an expression wrong that nests deeper than a parser can follow", () => {
    for (const sign of ["!", "-", "("]) {
      const compiled = Expression.compile(`${sign.repeat(100_000)}1`, { names: {} })
      assert.isTrue(Result.isFailure(compiled), sign)
    }
  })

  it("reads fields, rows and lists in place", () => {
    assert.strictEqual(value("world.bookings['A1'].price"), "10.50")
    assert.strictEqual(value("'A1' in world.bookings && !('Z9' in world.bookings)"), true)
    assert.strictEqual(value("size(world.bookings) + size(working.notes)"), 4)
    assert.strictEqual(value("world.bookings.exists(k, world.bookings[k].status == 'duplicate')"), true)
    assert.strictEqual(value("world.bookings.all(k, k.startsWith('A'))"), false)
    assert.strictEqual(value("world.bookings.exists_one(k, world.bookings[k].price > 5)"), true)
    assert.deepStrictEqual(value("working.notes.filter(note, note != 'aisle')"), ["window"])
    assert.deepStrictEqual(value("working.notes.map(note, note.size() > 5, note + '!')"), ["window!"])
    assert.strictEqual(value("working.notes[1]"), "aisle")
    assert.strictEqual(value("'aisle' in working.notes"), true)
  })

  it("calculates decimals exactly, and with numbers as they are printed", () => {
    assert.strictEqual(value("world.spent + args.price > clause.max_total"), true)
    assert.strictEqual(value("world.spent + 0.1"), "590.20")
    assert.strictEqual(value("world.bookings['A1'].price * 3 - world.spent"), "-558.60")
    assert.strictEqual(value("-world.spent"), "-590.10")
    assert.strictEqual(value("world.spent == 590.1 && world.spent >= '590.10'"), true)
    assert.strictEqual(value("double(world.spent) / 2 > 295"), true)
    assert.deepStrictEqual(value("{'total': world.spent, 'all': [world.spent]}"), { total: "590.10", all: ["590.10"] })
  })

  it("resolves state to the one section that declares the field", () => {
    assert.strictEqual(value("state.chosen == null"), true)
    assert.deepStrictEqual(compile("state.chosen == null || state.seats > 1").reads, ["working.chosen", "world.seats"])
    const twice = { ...names, working: Field.object({ seats: { type: "int" } }) }
    const compiled = Expression.compile("state.seats", { names: twice })
    assert.isTrue(Result.isFailure(compiled) && /both sections/.test(compiled.failure.message))
  })

  it("resolves state by looking if nothing declares the sections", () => {
    const open = Result.getOrThrow(Expression.compile("state.risk > 0.5", { names: { state: "any" } }))
    assert.deepStrictEqual(open.reads, ["state.risk"])
    const at = (given: Expression.Bindings) => Expression.evaluate(open, given)
    assert.deepStrictEqual(at({ world: {}, working: { risk: 0.7 } }), Result.succeed(true))
    assert.deepStrictEqual(at({ state: { risk: 0.1 } }), Result.succeed(false))
    assert.isTrue(Result.isFailure(at({ world: { risk: 1 }, working: { risk: 2 } })))
    assert.isTrue(Result.isFailure(at({ world: {}, working: {} })))
  })

  it("lists the fields that it reads, and no others", () => {
    assert.deepStrictEqual(compile("world.bookings[args.flight].price > clause.max_total").reads, [
      "args.flight",
      "clause.max_total",
      "world.bookings"
    ])
    assert.deepStrictEqual(compile("working.plan.day == 1").reads, ["working.plan"])
    assert.deepStrictEqual(compile("world['spent'] > 1").reads, ["world.spent"])
    assert.deepStrictEqual(compile("has(working.chosen) && has(args.flight)").reads, ["args.flight", "working.chosen"])
    assert.deepStrictEqual(compile("working.notes.exists(note, note == 'x')").reads, ["working.notes"])
  })

  it("rewrites and, or and not outside of strings, and says so", () => {
    assert.strictEqual(value("not world.seats == 8 and 'or' == 'or'"), true)
    assert.strictEqual(value("state.chosen == 'and' or not (1 > 2)"), true)
    assert.isTrue(compile("true or false").rewritten)
    assert.isFalse(compile("'this or that' == clause.words && clause.or").rewritten)
  })

  it("tells lists of different lengths apart, whichever is longer", () => {
    for (const text of [
      "[1] == [1, 2]",
      "[1, 2] == [1]",
      "[] == [1]",
      "[[1]] == [[1, 2]]",
      "{'a': [1]} == {'a': [1, 2]}"
    ]) {
      assert.isFalse(value(text), text)
    }
  })

  it("ends the operand of not at an operator, a comma or a closing bracket, however it is written", () => {
    for (const [text, expected] of [
      ["not true && false", false],
      ["not false || true", true],
      ["not true ? 1 : 2", 2],
      ["[not true, true] == [false, true]", true],
      ["not (true && false)", true]
    ] as const) {
      assert.strictEqual(value(text), expected, text)
    }
  })

  it("says if a quotient would be whole in other profiles of CEL, and is not here", () => {
    const warned = (source: string) => compile(source).warnings.map(({ found }) => found)
    assert.deepStrictEqual(warned("7 / 2 == 3"), ["a quotient of whole numbers"])
    assert.deepStrictEqual(warned("size(working.notes) / 2 > 1"), ["a quotient of whole numbers"])
    for (const source of ["int(7 / 2) == 3", "7.0 / 2 == 3.5", "world.seats / 2 > 1", "7 % 2 == 1"]) {
      assert.deepStrictEqual(warned(source), [], source)
    }
  })

  it("says if a threshold is finer than the float beside it, which is rounded first", () => {
    const fields = {
      risk: { precision: 3, type: "float" },
      rate: { type: "float" },
      paid: { precision: 2, type: "decimal" }
    }
    const world = Field.object(fields as Field.Fields)
    const warned = (source: string) =>
      Result.getOrThrow(Expression.compile(source, { names: { world } })).warnings.map(({ end, found, start }) => [
        source.slice(start, end),
        found
      ])
    for (const [source, literal] of [
      ["world.risk > 0.8505", "0.8505"],
      ["0.8505 <= world.risk", "0.8505"],
      ["world.risk == 1e-4", "1e-4"]
    ] as const) {
      const digits = "which has 4 digits behind the point"
      assert.deepStrictEqual(warned(source), [[literal, `${Number(literal)}, ${digits}`]], source)
    }
    assert.strictEqual(warned("world.risk < -0.8505").length, 1)
    for (const source of ["world.risk > 0.850", "world.risk > 1", "world.rate > 0.8505", "world.paid > 0.005"]) {
      assert.deepStrictEqual(warned(source), [], source)
    }
  })

  it("refuses an engine that it does not have", () => {
    assert.include(Expression.engines, Expression.engine)
    assert.throws(() => Expression.compile("1", { names: {}, engine: "cel-js@8.0.0/profile.9" }), RangeError)
  })

  it("names the extent of a mistake, at the end of the source as well", () => {
    const extents = ["foo == 1", "true and foo", "not foo and true", "1 ==", "true and ("].map((text) => {
      const [{ end = -1, start = -1 } = {}] = refusal(text).remarks
      return [start, end]
    })
    assert.deepStrictEqual(extents, [
      [0, 3],
      [9, 12],
      [4, 7],
      [4, 5],
      [10, 11]
    ])
  })

  it("names the place of a mistake in the source, rewritten or not", () => {
    assert.strictEqual(refusal("true and state.nothing == 1").remarks[0]?.start, "true and ".length)
    assert.strictEqual(refusal("not true and not foo").remarks[0]?.start, "not true and not ".length)
  })

  it("refuses every undeclared name, all at once", () => {
    const { message, remarks } = refusal("world.spend > 1 || foo == 2 || working.plan.hour > 1")
    assert.strictEqual(remarks.length, 3)
    assert.match(message, /world\.spend.*world\.spent|found world\.spend/)
    assert.match(message, /text needs quotes: 'foo'/)
  })

  it("lets arguments and answers hold more than is declared, with a warning", () => {
    assert.deepStrictEqual(
      compile("args.price > 1").warnings.map((remark) => remark.found),
      ["args.price"]
    )
  })

  it("refuses functions that are not the same on every platform, or may never end (decision 0004)", () => {
    for (const source of [
      "'a'.matches('(a+)+$')",
      "timestamp('2024-01-01T00:00:00Z') == null",
      "duration('1s') == null",
      "world.when.getHours('America/New_York') > 1",
      "cel.bind(x, 1, x)",
      "type(1) == int",
      "b'bytes' == null",
      "uint(1) == 1",
      "1u == 1"
    ]) {
      assert.isTrue(Result.isFailure(Expression.compile(source, { names: { ...names, world: "any" } })), source)
    }
    assert.match(refusal("'a'.matches('b')").message, /may run for ever/)
  })

  it("refuses comparisons and calculations that can have no meaning", () => {
    for (const source of [
      "world.seats == 'seven'",
      "world.bookings['A1'].status == 'confirmd'",
      "args.flight + 1",
      "world.spent / 2",
      "world.seats && true",
      "world.seats.name",
      "args.flight[0]",
      "world.seats.exists(x, x == 1)",
      "1 in 'text'",
      "-args.flight"
    ]) {
      assert.isTrue(Result.isFailure(Expression.compile(source, { names })), source)
    }
    assert.strictEqual(refusal("world.seats + 1", { expects: "bool" }).remarks[0]?.found, "a value that is int")
  })

  it("refuses to look into a sealed value, and lets it be compared and copied", () => {
    assert.match(refusal("args.who.size() > 3").message, /sensitive/)
    assert.match(refusal("args.who + 'x'").message, /sensitive/)
    assert.match(refusal("args.who < 'x'").message, /sensitive/)
    assert.match(refusal("args.who").message, /sensitive/)
    assert.match(refusal("args.who == 'ada'").message, /a comparison of args\.who, which is sensitive, with a value/)
    assert.strictEqual(value("args.who == args.who"), true)
    assert.strictEqual(value("args.who == null"), false)
    assert.strictEqual(value("args.who.facts.known"), true)
    assert.strictEqual(compile("args.who.facts.unknown").warnings[0]?.isClosed, true)
    assert.deepStrictEqual(value("{'who': args.who}"), { who: sealed })
    assert.isTrue(Result.isSuccess(Expression.compile("args.who.size()", { names, plain: true })))
  })

  it("fails with a reason and a place if there is no value", () => {
    assert.match(failure("world.bookings['Z9'].price > 1").message, /nothing at string "Z9"/)
    assert.match(failure("args.missing > 1").message, /there is no field missing/)
    assert.match(failure("world.rate / 0").message, /division by zero/)
    assert.match(failure("7 % 0").message, /division by zero/)
    assert.match(failure("clause.max_total + 'x'").message, /\+ has no meaning between number 600 and string "x"/)
    assert.match(failure("world.seats > 1", {}).message, /world has no value here/)
    assert.strictEqual(failure("true and args.missing > 1").position, "true and ".length)
  })

  it("refuses whole numbers that JSON cannot carry exactly", () => {
    assert.match(refusal("9007199254740993 > 1").message, /exact in JSON/)
    assert.match(failure("int('9007199254740993')").message, /too large to be exact/)
    assert.match(failure("1.5e308 * 10.5").message, /too large to be exact/)
    assert.match(failure("1 / double('5e-324')").message, /not a finite number/)
    assert.match(failure("double('9007199254740993')").message, /too large to be exact/)
    const { message } = failure("args.price * 9007199254740991 > 1")
    assert.include(message, "The expression args.price * 9007199254740991 > 1 has no value")
    assert.include(message, "too large to be exact")
    assert.match(failure("args.price / 2.5e20 > 1 || 1e300 % 7 > 1").message, /too large to be exact/)
    assert.match(failure("0.5 * 1e300 > 1e299").message, /too large to be exact/)
  })

  it("absorbs the failure of one side if the other decides, as CEL does", () => {
    assert.strictEqual(value("args.missing > 1 || true"), true)
    assert.strictEqual(value("args.missing > 1 && false"), false)
    assert.strictEqual(value("[1, 2].exists(x, x == 2 || args.missing > x)"), true)
    assert.isTrue(Result.isFailure(Expression.evaluate(compile("args.missing > 1 || false"), bindings)))
    assert.isTrue(Result.isFailure(Expression.evaluate(compile("[1, 2].all(x, x / 0 > 1)"), bindings)))
  })

  it("ends after a bounded number of steps", () => {
    const many = Array.from({ length: 120 }, (_, index) => index)
    const nested = Result.getOrThrow(
      Expression.compile("xs.all(a, xs.all(b, xs.all(c, xs.all(d, a + b + c + d >= 0))))", { names: { xs: "any" } })
    )
    const evaluated = Expression.evaluate(nested, { xs: many })
    assert.isTrue(Result.isFailure(evaluated) && /more steps/.test(evaluated.failure.message))
    const absorbed = Result.getOrThrow(
      Expression.compile("xs.all(a, xs.all(b, xs.all(c, xs.all(d, true)))) || true", { names: { xs: "any" } })
    )
    assert.isTrue(Result.isFailure(Expression.evaluate(absorbed, { xs: many })))
    assert.deepStrictEqual(Expression.evaluate(nested, { xs: many.slice(0, 10) }), Result.succeed(true))
  })

  it("orders and counts text by code points, and changes the case of ASCII alone", () => {
    assert.strictEqual(value("'\uFF61' < '😀'"), true)
    assert.strictEqual(value("size('a😀') == 2 && 'a😀b'.substring(1, 2) == '😀' && 'a😀b'.indexOf('b') == 2"), true)
    assert.strictEqual(value("'ÄaZ'.lowerAscii()"), "Äaz")
    assert.strictEqual(value("'  x\t'.trim()"), "x")
  })

  it("trims the white space of Unicode, and nothing else", () => {
    const trimmed = Result.getOrThrow(Expression.compile("x.trim()", { names: { x: "any" } }))
    for (let unit = 0; unit <= 0xffff; unit++) {
      const sign = String.fromCharCode(unit)
      const expected = /\p{White_Space}/u.test(sign) ? "a" : `${sign}a${sign}`
      assert.strictEqual(Expression.evaluateUnsafe(trimmed, { x: `${sign}a${sign}` }), expected, unit.toString(16))
    }
    assert.strictEqual(Expression.evaluateUnsafe(trimmed, { x: "\u2003 a\u3000b \u0085\n" }), "a\u3000b")
    assert.strictEqual(Expression.evaluateUnsafe(trimmed, { x: "\u00a0\u1680" }), "")
  })

  it("converts text, numbers and conditions if an expression says so", () => {
    assert.deepStrictEqual(
      value("[string(1.5), string(true), string(world.spent), int('42'), int(2.9), double('2.5')]"),
      ["1.5", "true", "590.10", 42, 2, 2.5]
    )
    assert.deepStrictEqual(value("[double('1e3'), double('-2.5E-1'), double('4e+0')]"), [1000, -0.25, 4])
    for (const text of ["1e", "1ex", "1e1234", "e1", ".5", "1.", "0x1"]) {
      assert.isTrue(Result.isFailure(Expression.evaluate(compile(`double('${text}')`), bindings)), text)
    }
    assert.deepStrictEqual(value("'a,b,c'.split(',', 2)"), ["a", "b,c"])
    assert.strictEqual(value("['a', 'b'].join('-')"), "a-b")
    assert.strictEqual(value("bool('true') && 'abc'.contains('b') && 'abc'.endsWith('c')"), true)
    assert.strictEqual(value("'abcabc'.lastIndexOf('b')"), 4)
  })

  it("is a constant if a pack writes a value", () => {
    assert.deepStrictEqual(Expression.evaluate(Expression.constant({ a: 1 }), {}), Result.succeed({ a: 1 }))
  })

  it("is compared with cel-js on expressions that cel-js answers", () => {
    for (const piece of pieces()) {
      const answer = reference(piece, { n: 1, s: "a", xs: [1, 2, 3], o: { a: 1.5, b: "x" } })
      assert.strictEqual(typeof answer, "boolean", piece)
    }
  })

  it.prop(
    "answers as cel-js does wherever cel-js has an answer",
    [Schema.Array(Schema.Literals(pieces())), Schema.Int, Schema.String],
    ([parts, n, s]) => {
      const source = parts.length === 0 ? "true" : parts.join(" && ")
      const given = { n: n % 1000, s, xs: [1, 2, 3], o: { a: 1.5, b: "x" } }
      const ours = Result.flatMap(
        Expression.compile(source, { names: { n: "any", s: "any", xs: "any", o: "any" } }),
        (compiled) => Expression.evaluate(compiled, given)
      )
      const theirs = reference(source, given)
      return theirs === undefined || (Result.isSuccess(ours) && Object.is(ours.success, theirs))
    },
    { arbitrary: { runs: 400 } }
  )
})

function pieces() {
  return [
    "n < 500",
    "n + 1 > n",
    "n == 7 || s != ''",
    "size(xs) == 3",
    "int(size(xs) / 2) == 1",
    "int(7 / 2) == 3",
    "6 / 2 == 3",
    "-7 % 3 == -1",
    "xs.exists(x, x == n)",
    "xs.all(x, x > 0)",
    "xs.filter(x, x > 1).size() == 2",
    "xs.map(x, x * 2)[2] == 6",
    "xs.exists_one(x, x == 2)",
    "o.a * 2 == 3",
    "'a' in o",
    "has(o.b) && !has(o.c)",
    "o.c > 1 || true",
    "[1, 2] == [1, 2]",
    "{'a': 1} == {'a': 1}",
    "(n > 3 ? 'big' : 'small') != s",
    "s.contains('a') == s.contains('a')",
    "s + 'x' != s",
    "string(2) == '2'",
    "int('12') == 12",
    "'abc'.startsWith('a')"
  ] as const
}

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
  .registerOperator("double + int", (a: number, b: bigint) => a + Number(b))
  .registerOperator("double * int", (a: number, b: bigint) => a * Number(b))

const reference = (source: string, given: Record<string, unknown>): unknown => {
  try {
    return environment.evaluate(source, given)
  } catch {
    return undefined
  }
}
