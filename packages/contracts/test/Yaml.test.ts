import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { vi } from "vitest"
import * as YamlParser from "yaml"
import { Issue, TaskPack, Yaml } from "../src/index.ts"
import { claims, travel } from "./packs.ts"

const issuesOf = (text: string): ReadonlyArray<Issue.Issue> => {
  const read = Yaml.fromYaml(text, { file: "p.yaml" })
  return Result.isFailure(read) ? read.failure.issues : assert.fail("the pack was accepted")
}

/** The place of `mark` in a text, which an issue has to name. */
const placeOf = (text: string, mark: string): string => {
  const at = text.indexOf(mark)
  assert.isAtLeast(at, 0, `${mark} is not in the text`)
  return placeAt(text, at)
}

const placeAt = (text: string, at: number): string => {
  const lines = text.slice(0, at).split("\n")
  return `${lines.length}:${(lines[lines.length - 1] ?? "").length + 1}`
}

const places = (text: string) => issuesOf(text).map(({ column, line }) => `${line}:${column}`)

/** Replaces one thing in the good pack, and says where the issue has to be and what it has to say. */
const broken: ReadonlyArray<readonly [string, string, string, string, RegExp]> = [
  ["an unknown key", "topology:", "toplogy:", "toplogy:", /the key toplogy.*Did you mean topology\?/],
  ["an unknown key of a tool", "writes: [", "writs: [", "writs:", /the key writs.*Did you mean writes\?/],
  ["an unknown class", "class: read_only", "class: readonly", "readonly,", /one of read_only.*Did you mean read_only/],
  ["an unknown type", "paid: { decimal: 2 }", "paid: money", "money", /string "money"/],
  ["a decimal without digits", "paid: { decimal: 2 }", "paid: decimal", "decimal\n", /Write \{ decimal: 2 \}/],
  [
    "two types at once",
    "{ decimal: 2 }\n  working",
    "{ decimal: 2, type: int }\n  working",
    "{ decimal: 2, type",
    /decimal and type, expected exactly one type/
  ],
  ["a bad duration", "within: 30s", "within: 30 seconds", "30 seconds", /500ms, 10s or 1h30m/],
  ["a bad count", "steps: 60", "steps: -1", "-1", /whole number, zero or more/],
  ["an amount with too many digits", "max: 600", "max: 600.005", "600.005", /amount with 2 digits/],
  [
    "an unknown tool that undoes",
    "by: void_ticket",
    "by: void_tickets",
    "void_tickets,",
    /tool void_tickets.*Did you mean void_ticket\?/
  ],
  [
    "a tool that undoes itself",
    "by: void_ticket, with: { code: observed.code }",
    "by: issue_ticket",
    "issue_ticket,",
    /the tool itself/
  ],
  ["an unknown argument of what undoes", "with: { code:", "with: { codes:", "codes:", /the argument codes/],
  ["a missing argument of what undoes", "with: { code: observed.code }", "with: {}", "{},", /no code/],
  [
    "an unknown tool of a guard",
    "on: issue_ticket",
    "on: issue_tickt",
    "issue_tickt",
    /tool or transition type issue_tickt/
  ],
  [
    "an unknown tool of an approval",
    "approvals: { issue_ticket:",
    "approvals: { sell_ticket:",
    "sell_ticket",
    /tool sell_ticket/
  ],
  ["an unknown tool of a skeleton", "tools: [find_trains]", "tools: [find_planes]", "find_planes", /tool find_planes/],
  ["an unknown clause", "assumes: [fare_limit]", "assumes: [fare_cap]", "fare_cap", /clause fare_cap/],
  [
    "a clause that is not in scope",
    "world.paid <= clause.fare_limit",
    "world.paid <= clause.cap",
    "clause.cap",
    /found clause\.cap/
  ],
  [
    "a field that is not declared",
    'when: "world.paid >',
    'when: "world.payed >',
    "world.payed",
    /world\.payed.*world|found world\.payed/
  ],
  [
    "a name that is not in scope",
    "actual.status == 'issued'",
    "answer.status == 'issued'",
    "answer.status",
    /the name answer/
  ],
  [
    "an argument in a predicate over state",
    'when: "world.paid > clause.fare_limit"',
    'when: "args.fare > 1.0"',
    "args.fare > 1",
    /the name args/
  ],
  [
    "a word that an enum does not have",
    "row.status == 'void'",
    "row.status == 'voided'",
    "'voided'",
    /"voided", expected one of held, issued, void/
  ],
  ["a syntax error", "target: args.code", "target: args.code +", "", /Unexpected token/],
  [
    "a condition that is none",
    'refuse_if: "world.paid + args.fare > clause.fare_limit"',
    "refuse_if: world.paid",
    "world.paid }",
    /true or false/
  ],
  ["a refused function", "row.fare > 0.0", "key.matches('a+')", "key.matches", /may run for ever/],
  [
    "a sensitive value that is looked into",
    "input: { train: string,",
    "input: { train: { type: string, sensitive: { subject: args.rider } },",
    "args.train",
    /args\.train, which is sensitive, expected a value that is not sealed/
  ],
  [
    "a sensitive value copied to a field in clear",
    "output: { code: string,",
    "output: { code: { type: string, sensitive: { subject: args.rider } },",
    "observed.code }",
    /observed\.code, which is sensitive, expected a field that is sensitive/
  ],
  ["an unknown normaliser", "{ train: code }", "{ train: soundex }", "soundex", /a normaliser: exact/],
  ["an identity field that is no argument", "{ train: code }", "{ tram: code }", "tram", /the field tram/],
  [
    "a write to a field that is not there",
    "writes: [world.tickets, world.paid]",
    "writes: [world.ticket, world.paid]",
    "world.ticket,",
    /Did you mean world\.tickets/
  ],
  [
    "an operation that does not exist",
    "- add: { field: world.paid",
    "- increase: { field: world.paid",
    "increase",
    /the key increase/
  ],
  [
    "a put into what is no table",
    "put: { table: world.tickets",
    "put: { table: world.paid",
    "world.paid, key",
    /decimal, expected a table/
  ],
  [
    "a row without all of its fields",
    "row: { status: actual.status, fare: observed.fare }",
    "row: { status: actual.status }",
    "{ status: actual.status }",
    /a row without fare/
  ],
  [
    "a row with a field too many",
    "row: { status: actual.status,",
    "row: { state: 1, status: actual.status,",
    "1, status",
    /the field state, expected a field of the row: fare, status/
  ],
  [
    "a set of a whole table",
    "set: { table: world.tickets, key: args.code, field: status, value: \"'void'\" }",
    "set: { field: world.tickets, value: 1 }",
    "world.tickets, value",
    /a table, expected a field that holds one value/
  ],
  [
    "a sum of what is no number",
    "add: { field: world.paid",
    "add: { field: working.route",
    "working.route, value",
    /to add to/
  ],
  [
    "a reducer that writes the world",
    "{ field: working.route, value: args.route }",
    "{ field: world.paid, value: 1 }",
    "world.paid, value: 1",
    /The world changes only when/
  ],
  ["an unknown transition type", "plan.update:", "plan.updated:", "plan.updated", /the transition type plan\.updated/],
  ["a table that each does not name", "each: world.tickets", "each: world.paid", "world.paid,", /table world\.paid/],
  [
    "a required field that is not there",
    "required_state: [world.paid, working.route]",
    "required_state: [world.payed]",
    "world.payed",
    /the field world\.payed/
  ],
  ["a seed that is not there", "hash_seeds: [world.paid]", "hash_seeds: [price]", "price]", /the field price/],
  [
    "skeletons in a circle",
    "choose: { tools: [find_trains],",
    "choose: { after: [buy], tools: [find_trains],",
    "[choose]",
    /a cycle: buy → choose → buy/
  ],
  [
    "a test of a guard that is not there",
    "refused: within_limit",
    "refused: within_limits",
    "within_limits",
    /guard within_limits/
  ],
  [
    "a test that proposes nothing known",
    "propose: { issue_ticket:",
    "propose: { sell_ticket:",
    "sell_ticket: {",
    /sell_ticket/
  ],
  [
    "a test about a field that is not there",
    "given: { world.paid:",
    "given: { world.payed:",
    "world.payed",
    /the field world\.payed/
  ],
  [
    "an id for the second time",
    "id: overspent",
    "id: void_but_paid",
    'void_but_paid, when: "world',
    /for the second time/
  ],
  ["no version", "version: 2.0.1\n", "", "", /the version/],
  ["a version that is a fraction", "version: 2.0.1", "version: 2.10", "2.10", /2\.10 without quotes/],
  [
    "keys that are forgotten too soon",
    "times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 24h }\n    status: by_key\n    readback",
    "times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 1m }\n    status: by_key\n    readback",
    "1m }",
    /at least sendWithin and settleAfter/
  ],
  [
    "an initial value of another type",
    "paid: { decimal: 2 }",
    "paid: { decimal: 2, initial: none }",
    "none",
    /a decimal with 2 digits/
  ],
  [
    "an optional field of the state",
    "route: { type: string, nullable: true }",
    "route: { type: string, optional: true }",
    "{ type: string, optional",
    /Write nullable: true/
  ],
  ["an unknown topology", "kind: orchestrator", "kind: orchestra", "orchestra,", /one of react/],
  ["a predicate that is not pure", "each: world.tickets,", "each: world.tickets, pure: false,", "false,", /not pure/]
]

describe("Yaml", () => {
  it("finds the places of its remarks in one pass over a map, however many tools it has", () => {
    const visited = (tools: number): number => {
      const contract = "class: medium_risk_write, input: { id: string }, identity: none, undo: X"
      const tool = (index: number) => `  t${index}: { ${contract} }\n`
      const text = `pack: a.b\nversion: 1.0.0\ntools:\n${Array.from({ length: tools }, (_, index) => tool(index)).join("")}`
      let visits = 0
      const find = Array.prototype.find
      const counting = vi.spyOn(Array.prototype, "find").mockImplementation(function (this: Array<unknown>, holds) {
        return find.call(this, (item, index, all) => {
          visits++
          return holds(item, index, all as Array<unknown>)
        })
      })
      try {
        const read = Yaml.fromYaml(text, { file: "p.yaml" })
        assert.isAtLeast(Result.getOrThrow(read).warnings.length, tools)
      } finally {
        counting.mockRestore()
      }
      return visits
    }
    const few = visited(20)
    assert.isAbove(few, 0)
    assert.isAtMost(visited(200), 11 * few)
  })

  it.each(broken)("names the place and what was expected for %s", (_, find, replacement, mark, message) => {
    assert.isTrue(travel.includes(find), find)
    const text = travel.replace(find, replacement)
    const issues = issuesOf(text)
    const formatted = issues.map(Issue.format).join("\n")
    assert.match(formatted, message)
    const issue = issues.find((each) => message.test(Issue.format(each)))
    assert.isDefined(issue)
    if (mark === "" || issue === undefined) return
    const from = travel.indexOf(find)
    const rest = placeOf(text.slice(from), mark).split(":").map(Number)
    const start = placeAt(text, from).split(":").map(Number)
    const line = (start[0] ?? 0) + (rest[0] ?? 0) - 1
    // An issue about the place of a whole mapping may point at its start, but never at another line.
    assert.strictEqual(issue.line, line, formatted)
  })

  it("points at the column inside an expression, quoted or plain", () => {
    const at = (find: string, replacement: string, mark: string) => {
      const text = travel.replace(find, replacement)
      assert.include(places(text), placeOf(text, mark))
    }
    at("row.fare > 0.0", "row.fair > 0.0", "row.fair")
    at("'train/' + args.train", "'train/' + wagon.train", "wagon.train")
    at("target: args.code", "target: wagon.code", "wagon.code")
    at("\"'void'\"", "\"'void' + wagon.x\"", "wagon.x")
    at("expect: [\"actual.status == 'issued'\"", "expect: ['actual.status == ''issued'' && wagon.x'", "wagon.x")
    at("holds: world.paid <=", "holds: world.paid <= 0.0 or wagon.x <=", "wagon.x")
  })

  it("finds everything that is wrong at once, in the order of the file", () => {
    const text = travel
      .replace("class: read_only", "class: reading")
      .replace("by: void_ticket", "by: nobody")
      .replace("steps: 60", "steps: many")
      .replace("row.status == 'void'", "row.state == 'void'")
      .replace("after: [choose]", "after: [select]")
    const found = issuesOf(text)
    assert.deepStrictEqual(
      found.map((issue) => issue.path),
      [
        "tools.find_trains.class",
        "tools.issue_ticket.undo.by",
        "violations[0].when",
        "budgets.steps",
        "skeletons.buy.after[0]"
      ]
    )
    const lines = found.map((issue) => issue.line)
    assert.deepStrictEqual(
      lines,
      [...lines].sort((left, right) => left - right)
    )
  })

  it("refuses a version that a reviewer sees and the number behind it does not show", () => {
    for (const [version, isRefused] of [
      ["1.0", true],
      ["1.10", true],
      ["0x10", true],
      ["1", false],
      ['"1.0"', false]
    ] as const) {
      const found = issuesOf(`pack: acme.x\nversion: ${version}\nodd: 1\n`).filter(({ path }) => path === "version")
      assert.deepStrictEqual([version, found.length > 0], [version, isRefused])
    }
  })

  it("refuses YAML in which one place has the meaning of another", () => {
    const refused = (text: string) => issuesOf(text).map(({ column, found, line }) => `${line}:${column} ${found}`)
    assert.deepStrictEqual(refused("pack: &p acme.x\nversion: *p\n"), ["1:10 the anchor &p", "2:10 the alias *p"])
    assert.deepStrictEqual(refused('pack: acme.x\npack: acme.y\nversion: "1"\n'), ["2:1 a key for the second time"])
    assert.isTrue(refused("pack: !!str acme.x\n").some((found) => found.includes("the tag")))
    assert.isTrue(
      refused("pack: acme.x\nstate: !!map {}\n").some((found) => found.startsWith("2:") && found.includes("the tag"))
    )
    assert.isTrue(refused("pack: acme.x\nversion: [1\n").length > 0)
    assert.isTrue(
      refused("budgets: { tokens: 9007199254740993 }\n").some((found) => found.includes("9007199254740993"))
    )
    assert.isTrue(refused("pack: a.b\n---\npack: c.d\n").length > 0)
  })

  it("refuses a name that JavaScript keeps for itself", () => {
    const text = 'pack: acme.x\nversion: "1"\ntools: { __proto__: { class: read_only } }\n'
    assert.deepStrictEqual(
      issuesOf(text).map(({ column, found, line }) => `${line}:${column} ${found}`),
      ["3:10 the name __proto__"]
    )
  })

  it("reads words that older YAML took for values as words", () => {
    const text = 'pack: acme.x\nversion: "1"\nstate: { working: { answer: { enum: [yes, no, on, off] } } }\n'
    const read = Result.getOrThrow(Yaml.fromYaml(text, { file: "p.yaml" }))
    assert.deepInclude(read.fields.working["answer"], { values: ["yes", "no", "on", "off"] })
  })

  it("refuses text that is no mapping", () => {
    assert.match(issuesOf("just words")[0]?.expected ?? "", /a mapping with the keys pack/)
    assert.isTrue(issuesOf("").length > 0)
  })

  it("refuses required fields on which two transitions disagree", () => {
    const text = claims.replace(
      "required_state: { claim: { type: string } }",
      "required_state: { claim: { type: int } }"
    )
    assert.match(issuesOf(text).map(Issue.format).join("\n"), /found claim as string, expected int/)
  })

  it("points out details that a reviewer would not notice, one by one", () => {
    const tool = (more: string) => `pack: acme.x
version: "1"
state: { world: { n: { type: int, initial: 0 }, m: int } }
specification: { few: { holds: world.n < clause.few, default: 5 }, sure: "world.n < 9" }
tools:
  act:
    class: medium_risk_write
    input: { id: string }
    output: { code: string }
    identity: { scope: run, fields: [id] }
    target: args.id
    times: { sendWithin: 1s, settleAfter: 1s, keyRetention: 1h }
    idempotency: idempotent_write
    status: by_key
${more}
violations: [{ id: v, when: "world.n > 9" }]
`
    const whole = `    undo: X
    writes: [world.n]
    readback: { source: desk, expect: [actual.id == args.id] }
    on_reconciled: [{ set: { field: world.n, value: 1 } }]`
    const looks = (text: string) =>
      Result.getOrThrow(Yaml.fromYaml(text, { file: "p.yaml" }))
        .warnings.filter(({ found }) => !found.includes("without the checks"))
        .map(({ found, path }) => `${path}: ${found}`)
    assert.deepStrictEqual(looks(tool(whole)), [])
    const cases: ReadonlyArray<readonly [string, string]> = [
      [whole.replace("    undo: X\n", ""), "tools.act: no undo"],
      [whole.replace(/ {4}(writes|on_reconciled).*\n?/g, ""), "tools.act: no writes and no on_reconciled"],
      [whole.replace("world.n, value", "world.m, value"), "tools.act.writes: writes without world.m"],
      [
        whole.replace("actual.id == args.id", "actual.id == actual.id"),
        "tools.act.readback.expect[0]: a comparison of something with itself"
      ],
      [
        whole.replace("actual.id == args.id", "args.id != ''"),
        "tools.act.readback.expect[0]: an expectation that does not look at the record"
      ],
      [
        whole.replace("actual.id == args.id", "actual.id == observed.cod"),
        "tools.act.readback.expect[0]: observed.cod"
      ],
      [`${whole}\napprovals: { act: { by: [boss] } }`, "approvals.act: an approval that never expires"]
    ]
    for (const [more, says] of cases) assert.deepStrictEqual(looks(tool(more)), [says])
  })

  it("refuses an argument that no call can have, with the one that was meant", () => {
    const cases: ReadonlyArray<readonly [string, string, string]> = [
      ["actual.train == args.train", "actual.train == args.tran", "tools.issue_ticket.readback.expect[2]"],
      ["world.paid + args.fare", "world.paid + args.fair", "guards[0].refuse_if"],
      ["'train/' + args.train", "'train/' + args.tarin", "tools.issue_ticket.target"],
      ["key: args.code, field", "key: args.coda, field", "tools.void_ticket.on_reconciled[0].set.key"],
      ["with: { code: observed.code }", "with: { code: args.trian }", "tools.issue_ticket.undo.with.code"]
    ]
    for (const [find, replacement, path] of cases) {
      const changed = travel.replace(find, replacement)
      assert.notStrictEqual(changed, travel)
      const [issue, ...more] = issuesOf(changed)
      assert.deepStrictEqual([issue?.path, more], [path, []])
      assert.match(issue?.hint ?? "", /^Did you mean /)
      // What was accepted before it was refused is read for ever, as stored traces name it.
      const stored = TaskPack.fromJson(YamlParser.parse(changed))
      assert.isTrue(Result.isSuccess(stored), find)
    }
  })

  it("warns without refusing", () => {
    const read = Yaml.fromYaml('pack: acme.x\nversion: "1"\nstate: { world: { price: float } }\n', { file: "p.yaml" })
    assert.deepStrictEqual(
      Result.getOrThrow(read).warnings.map(({ column, found, line }) => `${line}:${column} ${found}`),
      ["1:1 no violation predicate", "3:26 money as a float"]
    )
    const unused = travel.replace("choose: { tools: [find_trains],", "choose: { tools: [],")
    const warnings = Result.getOrThrow(Yaml.fromYaml(unused, { file: "p.yaml" })).warnings
    assert.deepStrictEqual(
      warnings.map(({ path }) => path),
      ["tools.find_trains"]
    )
  })

  it("says of text that is no YAML the first few things, each in short", () => {
    const prose = Array.from({ length: 12 }, (_, at) => `- [link ${at}](x): \`code\`: ${"words ".repeat(40)}\n@ then`)
    const read = Yaml.fromYaml(prose.join("\n\n"), { file: "README.md" })
    const issues = Result.isFailure(read) ? read.failure.issues : []
    assert.lengthOf(issues, 3)
    for (const { found } of issues) assert.isAtMost(found.length, 100)
    assert.match(issues[2]?.hint ?? "", /^The parser found \d+ more/)
  })

  it("says of text that is nested without end that it is, and reads a key twice at any depth", () => {
    const deep = `pack: x.y\nversion: 1.0.0\nstate:\n  world:\n    a: ${"{ b: ".repeat(4000)}int${" }".repeat(4000)}\n`
    const refused = (text: string) => issuesOf(text).map(({ column, found, line }) => `${line}:${column} ${found}`)
    assert.match(refused(deep)[0] ?? "", /values that are nested too deep to be read$/)
    const twice = "pack: acme.x\nversion: 1.0.0\nstate:\n  world:\n    a: int\n    b: int\n    a: string\n"
    assert.deepStrictEqual(refused(twice), ["7:5 a key for the second time"])
  })
})
