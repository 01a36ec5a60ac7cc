import { assert, describe, it } from "@effect/vitest"
import * as PackageGraph from "../src/PackageGraph.ts"
import * as Repository from "../src/Repository.ts"
import * as Tiers from "../src/Tiers.ts"
import { check, print } from "../src/tidy.ts"

const manifest = (
  name: string,
  dependencies: Readonly<Record<string, string>> = {},
  peerDependencies: Readonly<Record<string, string>> = {}
): string => JSON.stringify({ name: `@backstitch/${name}`, dependencies, peerDependencies })

const header = "/**\n * Clocks that stand still.\n *\n * They show one time.\n */\n"
const doc = "/**\n * Tells the time.\n *\n * In hours,\n * and minutes.\n */\n"

/** A small repository that breaks no rule. */
const tidy: Readonly<Record<string, string>> = {
  "package.json": '{ "devDependencies": { "effect": "4.1.0" } }',
  "packages/trace/package.json": manifest("trace", {}, { effect: "^4.1.0" }),
  "packages/trace/README.md":
    "# trace\n\nSee [the kernel](../kernel/README.md#why).\n\n| module | what it is |\n| --- | --- |\n| `Clock` | clocks |\n",
  "packages/trace/src/index.ts": 'export * as Clock from "./Clock.ts"\n',
  "packages/trace/src/Clock.ts": `${header}import * as Schema from "effect/Schema"\n\n${doc}export const now = Schema\n`,
  "packages/trace/test/Clock.test.ts": 'import "../src/Clock.ts"\nit("tells the time", () => {})\n',
  "packages/kernel/package.json": manifest("kernel", { "@backstitch/trace": "workspace:*" }),
  "packages/kernel/README.md": "# kernel\n",
  "packages/kernel/src/Kernel.ts": `${header}import "@backstitch/trace/Clock"\n`,
  "packages/kernel/test/Kernel.test.ts": "// Kernel\n"
}

/** Rules that a change to the tidy repository breaks, with their lines. */
const broken = (changes: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const files = Object.entries({ ...tidy, ...changes }).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, text] as const]
  )
  return check(new Repository.Repository(files)).map(({ file, line, rule }) => `${file}:${line}: ${rule}`)
}

const clock = "packages/trace/src/Clock.ts"
const test = "packages/trace/test/Clock.test.ts"
const module = (text: string) => broken({ [clock]: `${header}${text}` })

describe("tidy", () => {
  it("finds this repository tidy", () => {
    assert.deepStrictEqual(check(Repository.read(Repository.root)).map(print), [])
  })

  it("accepts a repository that breaks no rule", () => {
    assert.deepStrictEqual(broken({}), [])
  })

  it("names calls and casts that a module may not contain, and leaves words in text alone", () => {
    assert.deepStrictEqual(module("Date.now()\nnew Date()\nMath.random()\nstructuredClone(1)\nconsole.log(1)\n"), [
      `${clock}:6: no Date.now`,
      `${clock}:7: no new Date()`,
      `${clock}:8: no Math.random`,
      `${clock}:9: no structuredClone`,
      `${clock}:10: no console`
    ])
    assert.deepStrictEqual(module("1 as any\n1 as unknown as string\n"), [
      `${clock}:6: no as any`,
      `${clock}:7: no as unknown as`
    ])
    assert.deepStrictEqual(module("const result = { trust: 2 }\n"), [`${clock}:6: no number as a level of trust`])
    assert.deepStrictEqual(module('// Date.now()\n"as any"\nnew Date(0)\n'), [])
    const elsewhere = { "apps/cli/src/main.ts": "console.log(Date.now())\n", [test]: "// Clock\n1 as unknown as 2\n" }
    assert.deepStrictEqual(broken(elsewhere), [])
  })

  it("names the kernel's reads of drafts that it has made, and not their number", () => {
    const kernel = "packages/kernel/src/Kernel.ts"
    const code = `
decision.drafts.find(isOne)
drafts[0]
content.records?.at(-1)
const [first] = decision.drafts
for (const draft of drafts) {}
const of = ({ drafts: [last] }) => last
drafts.length
CommitContent.drafts(terms, content)
const more = [...drafts, draft]
`
    const text = `${header}import "@backstitch/trace/Clock"${code}`
    assert.deepStrictEqual(
      broken({ [kernel]: text }),
      [7, 8, 9, 10, 11, 12].map((line) => `${kernel}:${line}: no looking into drafts`)
    )
    const content = "packages/kernel/src/decision/CommitContent.ts"
    const test = "packages/kernel/test/CommitContent.test.ts"
    assert.deepStrictEqual(broken({ [content]: `${header}drafts[0]\n`, [test]: "// CommitContent\ndrafts[0]\n" }), [])
  })

  it("names instanceof with a class of ours that another module can have, and no other", () => {
    assert.deepStrictEqual(module(`import { Hand } from "./Hand.ts"\nconst is = (value) => value instanceof Hand\n`), [
      `${clock}:7: no instanceof Hand`
    ])
    assert.deepStrictEqual(module('import * as H from "@backstitch/hands"\n1 instanceof H.Hand\n'), [
      `${clock}:6: imports`,
      `${clock}:7: no instanceof H`
    ])
    assert.deepStrictEqual(module(`${doc}export class Hand {}\n1 instanceof Hand\n`), [
      `${clock}:13: no instanceof Hand`
    ])
    assert.deepStrictEqual(module("class Hand {}\n1 instanceof Hand\n1 instanceof Error\n"), [])
    assert.deepStrictEqual(module('import * as Schema from "effect/Schema"\n1 instanceof Schema.Struct\n'), [])
    const elsewhere = { [test]: 'import { Clock } from "../src/Clock.ts"\n1 instanceof Clock\n' }
    assert.deepStrictEqual(broken(elsewhere), [])
  })

  it("names a field of an error that hides one of Error, and leaves a cause that is one alone", () => {
    const error = (fields: string) =>
      `${doc}export class Lost extends Schema.TaggedError<Lost>("trace/Lost")("Lost", { ${fields} }) {}\n`
    for (const field of ["name", "message", "stack", "cause"]) {
      assert.deepStrictEqual(module(error(`tick: Schema.Natural,\n${field}: Schema.String`)), [
        `${clock}:13: no error field ${field}`
      ])
      assert.deepStrictEqual(module(error(`"${field}": Schema.String`)), [`${clock}:12: no error field ${field}`])
    }
    assert.deepStrictEqual(module(error("name: Schema.Defect()")), [`${clock}:12: no error field name`])
    assert.deepStrictEqual(module(error("cause: Schema.Defect(),\nheld: Schema.Struct({ name: Schema.String })")), [])
    assert.deepStrictEqual(
      module('const row = Schema.Struct({ name: Schema.String })\nlost("Lost", { name: 1 })\n'),
      []
    )
  })

  it("names files, lines and functions that are too long", () => {
    assert.deepStrictEqual(module(`// ${"x".repeat(120)}\n`), [`${clock}:6: line length`])
    assert.deepStrictEqual(module(`const text =\n  "${"x".repeat(160)}"\n`), [`${clock}:7: line length`])
    assert.deepStrictEqual(module(`const text =\n  "${"x".repeat(150)}"\n`), [])
    assert.deepStrictEqual(module(`${"\n".repeat(496)}1\n`), [`${clock}:500: file length`])
    const body = "  1\n".repeat(69)
    assert.deepStrictEqual(module(`const long = () => {\n${body}}\n`), [`${clock}:6: function length`])
    assert.deepStrictEqual(module(`const outer = () => {\n${body}  const inner = () => {\n${body}}\n}\n`).length, 2)
    assert.deepStrictEqual(
      module(`const outer = () => {\n  const inner = () => {\n  1\n${"  1\n".repeat(66)}}\n}\n`),
      []
    )
  })

  it("names a module without a header and an export without its docs", () => {
    assert.deepStrictEqual(broken({ [clock]: "1\n" }), [`${clock}:1: header`])
    assert.deepStrictEqual(broken({ [clock]: `${doc}export const now = 1\n` }), [`${clock}:1: header`])
    assert.deepStrictEqual(module("export const now = 1\n"), [`${clock}:1: header`])
    assert.deepStrictEqual(module("\nexport const now = 1\n"), [`${clock}:7: docs`])
    assert.deepStrictEqual(module(`${doc}\nexport const now = 1\n`), [`${clock}:13: docs`])
    assert.deepStrictEqual(module(`${doc.replace("/**", "/*")}export const now = 1\n`), [`${clock}:12: docs`])
    assert.deepStrictEqual(module(`${doc}const a = 1\nexport interface B {}\n`), [`${clock}:13: docs`])
    const hands = (text: string) => broken({ "packages/trace/src/bytes/hands.ts": `${text}export const hands = 2\n` })
    assert.deepStrictEqual([hands("").length, hands("/** Two hands. */\n").length], [1, 0])
  })

  it("names a comment and a test title that open with a pronoun", () => {
    const opening = (text: string) => module(`\n/** ${text} */\nexport const now = 1\n`)
    assert.deepStrictEqual(opening("Tells the time."), [])
    assert.deepStrictEqual(opening("That of a clock, however late."), [`${clock}:7: openings`])
    for (const text of ["What the time is.", "How late it is.", "Of whatever is late.", "Whoever asks.", "Whether."]) {
      assert.deepStrictEqual(opening(text), [`${clock}:7: openings`], text)
    }
    const title = 'import "../src/Clock.ts"\nit("what holds of the clock", () => {})\n'
    assert.deepStrictEqual(broken({ [test]: title }), [`${test}:2: openings`])
  })

  it("names a module that no test names, and a package without a README", () => {
    assert.deepStrictEqual(broken({ [test]: undefined }), [`${clock}:1: tests`])
    assert.deepStrictEqual(broken({ "packages/kernel/README.md": undefined }), [
      "packages/kernel/README.md:1: readme",
      "packages/trace/README.md:3: link"
    ])
  })

  it("names files that are drawers and files in the wrong case", () => {
    const named = (path: string, text = "") => broken({ [path]: text })
    assert.deepStrictEqual(named("apps/cli/src/utils.ts"), ["apps/cli/src/utils.ts:1: file name"])
    assert.include(named("packages/trace/src/clockHands.ts", header)[0], "file name")
    assert.include(named("packages/sql/src/internal/Hands.ts", header)[0], "file name")
  })

  it("names an index that is more than a table of contents, or out of order", () => {
    const index = "packages/trace/src/index.ts"
    const lines = ["Clock", "Bell"].map((noun) => `export * as ${noun} from "./${noun}.ts"\n`)
    assert.deepStrictEqual(broken({ [index]: lines.join("") }), [`${index}:2: index`])
    assert.deepStrictEqual(broken({ [index]: 'export { now } from "./Clock.ts"\n' }), [`${index}:1: index`])
  })

  it("names a module whose noun another module of the package has, in any case of letters", () => {
    const clocks = { "packages/trace/src/inner/clock.ts": header, "packages/trace/src/inner/other.run.ts": header }
    const other = { "packages/trace/src/inner/other.ts": header, "packages/kernel/src/inner/clock.ts": header }
    assert.deepStrictEqual(
      broken({ ...clocks, ...other }).filter((line) => line.endsWith(": noun")),
      ["packages/trace/src/inner/clock.ts:1: noun"]
    )
  })

  it("names exports of a package that its index does not have, or has otherwise", () => {
    const path = "packages/trace/package.json"
    const manifested = (exports: object, published: object) =>
      broken({
        [path]: JSON.stringify({
          ...JSON.parse(tidy[path]!),
          exports: { ".": "./src/index.ts", ...exports },
          publishConfig: { exports: { ".": "./dist/index.js", ...published } }
        })
      }).filter((found) => found.startsWith(path))
    const own = { "./Clock": "./src/Clock.ts" }
    const published = { "./Clock": "./dist/Clock.js" }
    assert.deepStrictEqual(manifested(own, published), [])
    assert.isAbove(manifested({ "./*": "./src/*.ts" }, {}).length, 0)
    for (const [one, other] of [
      [own, { ...published, "./chunks/*": "./dist/chunks/*.js" }],
      [{}, published],
      [own, {}],
      [{ ...own, "./Bell": "./src/Bell.ts" }, published],
      [{ "./Clock": "./src/internal/clock.ts" }, published]
    ] as const) {
      assert.deepStrictEqual(manifested(one, other), [`${path}:1: exports`])
    }
  })

  it("names a package of which only types are compiled, and whose chunks are no export", () => {
    const path = "packages/kernel/package.json"
    const manifested = (exports: object) =>
      broken({
        "packages/kernel/tsconfig.build.json": '{ "compilerOptions": { "emitDeclarationOnly": true } }',
        [path]: JSON.stringify({ ...JSON.parse(tidy[path]!), publishConfig: { exports } })
      })
    assert.deepStrictEqual(manifested({ "./chunks/*": "./dist/chunks/*.js" }), [])
    assert.deepStrictEqual(manifested({}), [`${path}:1: exports`])
  })

  it("names folders that no stack has, that import upwards or are full, and modules that import themselves", () => {
    const own = (path: string, text = "") => ({ [`packages/kernel/src/${path}`]: `${header}${text}` })
    const within = (...files: ReadonlyArray<Readonly<Record<string, string>>>) => broken(Object.assign({}, ...files))
    const downwards = own("state/goal.ts", 'import "../payload/check.ts"\n')
    assert.deepStrictEqual(within(own("payload/check.ts"), downwards), [])
    const upwards = own("payload/check.ts", 'import type { Goal } from "../state/goal.ts"\n')
    assert.deepStrictEqual(within(upwards, own("state/goal.ts")), ["packages/kernel/src/payload/check.ts:6: rooms"])
    assert.deepStrictEqual(within(own("cellar/check.ts")), ["packages/kernel/src/cellar/check.ts:1: rooms"])
    const limits = (text: string) => ({
      ...own("Limits.ts", text),
      "packages/kernel/test/Limits.test.ts": `${header}import "../src/Limits.ts"\n`
    })
    const reader = own("payload/check.ts", 'import * as Limits from "../Limits.ts"\n')
    assert.deepStrictEqual(within(limits(""), reader), [])
    assert.deepStrictEqual(within(limits('import "./payload/check.ts"\n'), own("payload/check.ts")), [
      "packages/kernel/src/Limits.ts:6: rooms"
    ])
    const crowd = Array.from({ length: 16 }, (_, index) => own(`state/noun${index}.ts`))
    assert.deepStrictEqual(within(...crowd), ["packages/kernel/src/state/noun15.ts:1: rooms"])
    const pair = (one: string, other: string) => own(`state/${one}.ts`, `import type { A } from "./${other}.ts"\n`)
    assert.deepStrictEqual(within(pair("goal", "wish"), pair("wish", "goal")), [
      "packages/kernel/src/state/wish.ts:6: rounds"
    ])
    const shop = {
      "examples/shop/cart.ts": 'import type { Till } from "./till.ts"\n',
      "examples/shop/package.json": JSON.stringify({ name: "@backstitch/example-shop" }),
      "examples/shop/till.ts": 'import type { Cart } from "./cart.ts"\n'
    }
    assert.deepStrictEqual(broken(shop), ["examples/shop/till.ts:1: rounds"])
    const subpaths = {
      "packages/kernel/package.json": JSON.stringify({
        dependencies: { "@backstitch/trace": "workspace:*" },
        imports: { "#wish": { default: "./src/state/wish.ts" } },
        name: "@backstitch/kernel"
      })
    }
    const goal = own("state/goal.ts", 'import "#wish"\n')
    const wish = own("state/wish.ts", 'import type { A } from "./goal.ts"\n')
    assert.deepStrictEqual(within(subpaths, goal, wish), ["packages/kernel/src/state/wish.ts:6: rounds"])
  })

  it("names examples that are cut, import nothing that they name, or import a path", () => {
    const example = (...code: ReadonlyArray<string>) => {
      const lines = code.map((line) => ` * ${line}\n`).join("")
      return module(
        `/**\n * Tells the time.\n *\n * \`\`\`ts import.meta.vitest\n${lines} * \`\`\`\n */\nexport const a = 1\n`
      )
    }
    const imported = 'import { Clock } from "@backstitch/trace"'
    assert.deepStrictEqual(example(imported, "Clock.now // => Time.now", 'Math.max(1) + "Time.now".length'), [])
    assert.deepStrictEqual(example('import * as Clock from "../index.ts"', "Clock.now // => 1"), [
      `${clock}:9: examples`
    ])
    assert.deepStrictEqual(example(imported, "Clock.now === Time.now // => true"), [`${clock}:9: examples`])
    const cut = `/**\n * Tells the time.\n *\n * \`\`\`ts import.meta.vitest\n${imported}\n * \`\`\`\n */\nexport const a = 1\n`
    assert.deepStrictEqual(module(cut), [`${clock}:9: examples`])
  })

  it("names words that the glossary keeps out in names, headings and help, unless they have a row", () => {
    const row = (terms: string, not = "") => `| **${terms}** | what it is | ${not} |\n`
    const words = (...rows: ReadonlyArray<string>) =>
      `| term | what it is | not |\n| --- | --- | --- |\n${rows.join("")}`
    const rows = [row("clock", "watch, bell"), row("hand", "pointer, second entry (twice)"), row("water clock")]
    const within = (path: string, text: string, ...more: ReadonlyArray<string>) =>
      broken({ "GLOSSARY.md": words(...rows, ...more), [path]: text }).filter((found) => found.endsWith("glossary"))
    const exported = (name: string) => within(clock, `${header}${doc}export interface ${name} {}\n`)
    assert.deepStrictEqual(exported("Watches"), [`${clock}:12: glossary`])
    assert.deepStrictEqual(exported("WaterClock"), [])
    assert.deepStrictEqual(exported("Watchful"), [])
    assert.deepStrictEqual(exported("SecondEntry"), [`${clock}:12: glossary`])
    assert.deepStrictEqual(within(clock, `${header}${doc}export const bellOf = 1\n`), [`${clock}:12: glossary`])
    assert.deepStrictEqual(within("packages/trace/src/bytes/hand.ts", "export const bellOf = 1\n"), [])
    const bell = "packages/trace/src/Bell.ts"
    assert.deepStrictEqual(within(bell, header), [`${bell}:1: glossary`])
    assert.deepStrictEqual(within(bell, header, row("winder, watch, bell")), [])
    assert.deepStrictEqual(within("docs/HOURS.md", "# The watch\n\nA watch.\n"), ["docs/HOURS.md:1: glossary"])
    assert.deepStrictEqual(within("docs/decisions/0001-hours.md", "# The watch\n"), [])
    const help = 'Command.withDescription("Wind a watch")\nconst a = { description: "A bell", other: "A watch" }\n'
    const shown = "apps/cli/src/commands/wind.ts"
    assert.deepStrictEqual(within(shown, help), [`${shown}:1: glossary`, `${shown}:2: glossary`])
    assert.deepStrictEqual(within("docs/HOURS.md", "", row("hand")), [
      "GLOSSARY.md:6: glossary",
      "GLOSSARY.md:6: glossary"
    ])
  })

  it("names imports that go upwards, sideways, into an app, or out of a pure package", () => {
    const imports = (specifier: string) => module(`import "${specifier}"\n`)
    for (const specifier of [
      "@backstitch/kernel",
      "@backstitch/trace/Clock",
      "effect",
      "effect/Effect",
      "../../kernel/src/Kernel.ts",
      "pg"
    ]) {
      assert.deepStrictEqual(imports(specifier), [`${clock}:6: imports`], specifier)
    }
    assert.deepStrictEqual(imports("node:path"), [])
    assert.deepStrictEqual(imports("effect/encoding/Hex"), [])
    const undeclared = { "packages/kernel/package.json": manifest("kernel") }
    assert.deepStrictEqual(broken(undeclared), ["packages/kernel/src/Kernel.ts:6: imports"])
    const cli = { "apps/cli/package.json": manifest("cli"), "benchmarks/src/main.ts": 'import "@backstitch/cli/Run"\n' }
    assert.deepStrictEqual(broken(cli), ["benchmarks/src/main.ts:1: imports"])
  })

  it("lets a test import by path a package above and the helpers of other tests, and no package below", () => {
    const from = (home: string, specifier: string) =>
      broken({ [`packages/${home}/test/lab.ts`]: `import "../../${specifier}"\n` })
    assert.deepStrictEqual(from("trace", "kernel/src/Kernel.ts"), [])
    assert.deepStrictEqual(from("kernel", "trace/test/Clock.test.ts"), [])
    assert.deepStrictEqual(from("kernel", "trace/src/Clock.ts"), ["packages/kernel/test/lab.ts:1: imports"])
  })

  it("permits the imports that the table of tiers permits", () => {
    const allowed = ["reducer trace", "absorber admissibility", "topology version-control", "kernel absorber"]
    for (const pair of [...allowed, "adapters sdk", "conformance sql"]) {
      const [from, to] = pair.split(" ") as [string, string]
      assert.isTrue(Tiers.mayImport(from, to), pair)
    }
    const forbidden = ["trace contracts", "ledger version-control", "absorber topology", "sql adapters", "sql sdk"]
    for (const pair of [...forbidden, "reconciliation version-control", "kernel runtime", "kernel conformance"]) {
      const [from, to] = pair.split(" ") as [string, string]
      assert.isFalse(Tiers.mayImport(from, to), pair)
    }
  })

  it("names titles that are not sentences in the present tense", () => {
    const titled = (text: string) => broken({ [test]: `// Clock\n${text}\n` })
    for (const text of ['it("should tick")', 'it.effect("ticks")', "it.prop(`ticks and tocks.`)", 'test("tick")']) {
      assert.deepStrictEqual(titled(text), [`${test}:2: test title`], text)
    }
    for (const text of ['describe("Clock")', 'it.layer(L)("Clock")', 'it.each([1])("ticks at %s")', "exit(1)"]) {
      assert.deepStrictEqual(titled(text), [], text)
    }
  })

  it("names commands of the terminal that code outside of apps holds, tests included", () => {
    const program = "backstitch"
    const spelled = [
      `const next = "${program} resume trip"`,
      `const next = \`${program} \${verb} first\``,
      `const next = /^${program} --help/`,
      `/** Answers what \`${program} show\` prints. */`,
      `/**\n * Answers what \`${program}\n * show\` prints.\n */`
    ]
    for (const text of spelled) {
      const line = text.split("\n").findIndex((each) => each.includes("backstitch")) + 6
      assert.deepStrictEqual(module(`${text}\n`), [`${clock}:${line}: shell command`], text)
      assert.deepStrictEqual(broken({ "apps/cli/src/terminal/Spelling.ts": `${text}\n` }), [], text)
      for (const path of ["examples/clock/main.ts", "tooling/src/clock.ts", "benchmarks/clock.ts"]) {
        const found = broken({ [path]: `// Clock\n\n\n\n\n${text}\n` })
        assert.deepStrictEqual(found, [`${path}:${line}: shell command`], text)
      }
    }
    const silent = [
      'const home = "@backstitch/trace"',
      'const says = "Backstitch resumes the run, and backstitch. is no command"',
      `/* As \`${program} show\` has it. */`
    ]
    for (const text of silent) assert.deepStrictEqual(module(`${text}\n`), [], text)
    const tests = (title: string, body: string) =>
      broken({ [test]: `// Clock\nit.effect(${title}, () => {\n  ${body}\n})\n` })
    assert.deepStrictEqual(tests(`"says what ${program} show says"`, "told(1)"), [])
    assert.deepStrictEqual(tests('"says what it says"', `told("${program} show")`), [`${test}:3: shell command`])
  })

  it("names paths of a machine, open tasks, loose versions and links that lead nowhere", () => {
    assert.deepStrictEqual(broken({ "docs/GUIDE.md": `Open /${"work"}/main.\n` }), ["docs/GUIDE.md:1: machine path"])
    assert.deepStrictEqual(broken({ "docs/GUIDE.md": "See [it](./THERE.md).\n" }), ["docs/GUIDE.md:1: link"])
    assert.deepStrictEqual(module("// TODO finish\n// TODO(#12) finish\n"), [`${clock}:6: open task`])
    assert.deepStrictEqual(broken({ "package.json": '{ "devDependencies": { "effect": "^4.1.0" } }' }), [
      "package.json:1: pins"
    ])
    const second = { "packages/trace/package.json": manifest("trace", { effect: "4.1.0" }) }
    assert.deepStrictEqual(broken(second), ["packages/trace/package.json:1: pins"])
    const half = { "docs/decisions/0001-clocks.md": "# 0001 · Clocks\n## Context\n## Options\n## Decision\n" }
    assert.deepStrictEqual(broken(half), ["docs/decisions/0001-clocks.md:1: decision"])
    const whole = (number: string) => `# ${number} · Clocks\n## Context\n## Options\n## Decision\n## Consequences\n`
    const twice = { "docs/decisions/0001-a.md": whole("0001"), "docs/decisions/0001-b.md": whole("0001") }
    assert.deepStrictEqual(broken(twice), ["docs/decisions/0001-b.md:1: decision"])
    assert.deepStrictEqual(broken({ "docs/decisions/0001-a.md": whole("0002") }), [
      "docs/decisions/0001-a.md:1: decision"
    ])
  })

  it("draws the imports without arrows that follow from others, and keeps the picture in the docs true", () => {
    const repository = new Repository.Repository([
      ...Object.entries(tidy),
      ["packages/runtime/package.json", manifest("runtime")],
      ["packages/runtime/src/Run.ts", 'import "@backstitch/kernel/Kernel"\nimport "@backstitch/trace/Clock"\n']
    ])
    const picture = PackageGraph.draw(repository)
    assert.include(picture, "  kernel --> trace\n  runtime --> kernel\n")
    assert.notInclude(picture, "runtime --> trace")
    const page = (shown: string) => ({ "docs/ARCHITECTURE.md": `<!-- picture -->\n${shown}<!-- /picture -->\n` })
    const own = PackageGraph.draw(new Repository.Repository(Object.entries(tidy)))
    assert.deepStrictEqual(broken(page(own)), [])
    assert.deepStrictEqual(broken(page("old\n")), ["docs/ARCHITECTURE.md:1: picture"])
  })

  /** A book of laws, a list of sources and a record, all of them correct. */
  const book = (rows: string, more: Readonly<Record<string, string>> = {}) =>
    broken({
      "docs/LAWS.md": `# Laws\n\n## The whole\n\n${rows}\n### Not held yet\n\n| **L2** | Later. |\n\n${ofTrace}${ofKernel}`,
      "docs/SOURCES.md": "| RFC | of the IETF |\n",
      "docs/decisions/0001-clocks.md": "# 0001 · Clocks\n## Context\n## Options\n## Decision\n## Consequences\n",
      [test]: 'import "../src/Clock.ts"\nit("tells the time (L1)", () => {})\n',
      ...more
    })
  const enforced = "[Clock](../packages/trace/src/Clock.ts)"
  const shown = "[Clock.test](../packages/trace/test/Clock.test.ts)"
  const ofTrace = `## trace\n\n| It stands still. | ${enforced} | ${shown}: "tells the time" |\n\n`
  const ofKernel = `## kernel\n\n| So does this. | ${enforced} | ${shown}: "tells the time" |\n`
  const law = `| **L1** | Time stands still. | ${enforced} | ${shown} |\n`

  it("accepts laws that are enforced and shown, and citations that lead somewhere", () => {
    const cites =
      "/** By L3 cache.\n *\n * @source RFC 3339; docs/decisions/0001; law L1\n */\n// (L1, decision 0001)\n"
    assert.deepStrictEqual(book(law, { [clock]: `${header}${cites}` }), [])
  })

  it("names a law without its module, without its test, or whose test does not name it", () => {
    const at = "docs/LAWS.md:5: laws"
    assert.deepStrictEqual(book(law.replace(enforced, "somebody")), [at])
    assert.deepStrictEqual(book(law.replace(shown, "sight")), [at])
    assert.deepStrictEqual(book(law, { [test]: 'import "../src/Clock.ts"\nit("tells the time", () => {})\n' }), [at])
    const unquoted = book(law, { [test]: 'import "../src/Clock.ts"\nit("tells the hour (L1)", () => {})\n' })
    assert.deepStrictEqual(unquoted, ["docs/LAWS.md:13: laws", "docs/LAWS.md:17: laws"])
  })

  it("names a law that only tests show that are not run", () => {
    const at = "docs/LAWS.md:5: laws"
    const tests = (text: string) =>
      book(law, { [test]: `import "../src/Clock.ts"\nit("tells the time", () => {})\n${text}\n` })
    assert.deepStrictEqual(tests('it("keeps the time (L1)", () => {})'), [])
    for (const skipped of ["it.skip", "it.todo", "it.fails", "it.effect.skip"]) {
      assert.deepStrictEqual(tests(`${skipped}("keeps the time (L1)", () => {})`), [at], skipped)
    }
    assert.deepStrictEqual(tests('describe.skip("Clock", () => {\n  it("keeps the time (L1)", () => {})\n})'), [at])
    const quoted = {
      [test]: 'import "../src/Clock.ts"\nit("keeps it (L1)", () => {})\nit.skip("tells the time", () => {})\n'
    }
    assert.deepStrictEqual(book(law, quoted), ["docs/LAWS.md:13: laws", "docs/LAWS.md:17: laws"])
  })

  it("names a module that states a law by its number and is linked from no row of its package with that number", () => {
    const states = { [clock]: header.replace("still.", "still (L1).") }
    const row = `\n## trace\n\n| It stands still (L1). | ${enforced} | ${shown}: "tells the time" |\n\n`
    assert.deepStrictEqual(book(law + row, states), [])
    assert.deepStrictEqual(book(law, states), [`${clock}:1: laws`])
    assert.deepStrictEqual(book(law + row.replace(" (L1)", ""), states), [`${clock}:1: laws`])
    assert.deepStrictEqual(book(law + row.replace("## trace", "## kernel"), states), [`${clock}:1: laws`])
  })

  it("names a package that has no laws", () => {
    const manifests = { "packages/sql/package.json": manifest("sql"), "packages/sql/README.md": "# sql\n" }
    assert.deepStrictEqual(book(law, manifests), ["docs/LAWS.md:1: laws"])
  })

  it.each([
    ["a law that is not in the book", "// (L14)", "citation"],
    ["a law that is not held yet", "// as law L2 says", "citation"],
    ["a decision without a record", "// decision 0002", "citation"],
    ["a decision by another number", `// decisions ${1} and 0001`, "citation"],
    ["a source that is not on the list", "/** @source somebody's memory */", "citation"]
  ])("names %s", (_, line, rule) => {
    assert.deepStrictEqual(book(law, { [clock]: `${header}${line}\n` }), [`${clock}:6: ${rule}`])
  })
})
