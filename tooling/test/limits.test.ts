import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"
import { type Finding, Repository } from "../src/Repository.ts"

const home = "packages/trace/src/Limits.ts"
const clock = "packages/trace/src/Clock.ts"

/** A module of limits with one group. */
const declared = (body: string, kind = "pacing", about = "Limits that pace the work.") =>
  `/** Limits. */\n\n/** ${about} */\nexport const ${kind} = {\n${body}\n} as const\n`

const turns = declared("  /** Turns of a loop. Set by `turns`. */\n  turnsMax: 10_000")

const told = (found: Iterable<Finding>) => Array.from(found, ({ advice, file, line }) => `${file}:${line}: ${advice}`)
const repository = (files: Readonly<Record<string, string>>) => new Repository(Object.entries(files))
const homed = (text: string) => told(Limits.limits(repository({ [home]: text })))
const strays = (text: string, path = clock) => told(Limits.strays(repository({ [path]: text })))

describe("Limits", () => {
  it("reads each limit with its kind, its number, its comment, its setting and its version", () => {
    const text = declared(
      "  /** Bytes of a page. Set by `page`. */\n  pageBytes: 2 << 12",
      "deciding",
      "They change with x alone."
    )
    const [limit] = Limits.list(repository({ [home]: text }))
    const { about, changesWith, kind, line, name, setBy, value } = limit!
    assert.deepStrictEqual(
      [kind, name, value, about, setBy, changesWith, line],
      ["deciding", "pageBytes", 8192, "Bytes of a page.", "`page`", "x", 6]
    )
  })

  it("shows a number with the unit that its name states", () => {
    const rows = [
      ["waitMillisMax: 250", "250 ms"],
      ["waitMillis: 90_000", "90 s"],
      ["waitMillis: 900_000", "15 min"],
      ["pageBytes: 3 * 2 ** 20", "3 MiB"],
      ["deliveryBytesMax: 1_000_000", "1,000,000 bytes"],
      ["connectionsMax: 1", "1 connection"],
      ["foldsPerHalving: 20", "20 folds per halving"],
      ["pollFactor: 2", "2"],
      ["slackShareMax: 0.01", "0.01"],
      ["lastSecondsMax: 2n ** 63n - 1n", "9,223,372,036,854,775,807 seconds"]
    ] as const
    for (const [field, shown] of rows) {
      assert.include(Limits.draw(repository({ [home]: declared(`  /** A. */\n  ${field}`) })), `| ${shown} |`)
    }
  })

  it("names a limit of no kind, without a comment, a number, a unit or a name of its own", () => {
    assert.deepStrictEqual(homed(turns), [])
    assert.deepStrictEqual(homed(declared("  /** A. */\n  turnsMax: 2", "other")), [
      `${home}:6: other is no kind of limits: deciding, refusing, pacing, showing`
    ])
    assert.deepStrictEqual(homed(declared("  turnsMax: 2")), [
      `${home}:5: turnsMax needs a doc comment: the page shows it`
    ])
    assert.deepStrictEqual(homed(declared("  /** A. */\n  turnsMax: count()")), [
      `${home}:6: turnsMax has to be a number that stands here`
    ])
    assert.deepStrictEqual(homed(declared("  /** A. */\n  stride: 64")), [
      `${home}:6: stride states no unit: end it as in bytesMax, ticksMin, waitMillis, pageBytes, factor, batchesPerTurn`
    ])
    const twice = { "packages/sql/src/Limits.ts": turns, [home]: turns }
    assert.deepStrictEqual(told(Limits.limits(repository(twice))), [
      `${home}:6: packages/sql/src/Limits.ts has a limit turnsMax: use that one, or give this another name`
    ])
  })

  it("names a limit that another module holds, whatever binds it", () => {
    const advice = (what: string, line = 1) =>
      `${clock}:${line}: ${what} is a limit: move it to packages/trace/src/Limits.ts, and read it from there`
    const code = [
      "const turnsMax = 10_000",
      "const poll = { firstMillis: 250, maxDepth: 3 * 2, concurrency: 8 }",
      "const open = ({ lockTimeout = 5000 }) => lockTimeout",
      'sleep("50 millis")',
      "const blockSize = 1 << 16"
    ]
    assert.deepStrictEqual(strays(code.join("\n")), [
      advice("turnsMax"),
      advice("firstMillis", 2),
      advice("maxDepth", 2),
      advice("concurrency", 2),
      advice("lockTimeout", 3),
      advice('"50 millis"', 4),
      advice("blockSize", 5)
    ])
  })

  it("leaves numbers alone that are no limits, that bound nothing, or that a test or a suite holds", () => {
    assert.deepStrictEqual(
      strays("const ivBytes = 12\nconst turnsMax = Limits.pacing.turnsMax\nconst sourcesMin = 1\n"),
      []
    )
    const code = "const turnsMax = 10_000\n"
    for (const path of ["packages/trace/test/Clock.test.ts", "packages/conformance/src/Suite.ts", "tooling/src/A.ts"]) {
      assert.deepStrictEqual(strays(code, path), [])
    }
  })

  it("keeps the page, and the texts that link to it, as the code is", () => {
    const about = (text: string, page?: string) => {
      const drawn = page ?? Limits.draw(repository({ [home]: turns }))
      const shown = `# Limits\n\n<!-- limits -->\n${drawn}<!-- /limits -->\n`
      return told(Limits.areCurrent(repository({ [home]: turns, "docs/LIMITS.md": shown, "README.md": text })))
    }
    assert.deepStrictEqual(about("[10,000 turns](docs/LIMITS.md#turnsMax) at most\n"), [])
    assert.deepStrictEqual(about("\n[twelve turns](docs/LIMITS.md#turnsMax) at most\n"), [
      "README.md:2: turnsMax is 10,000 turns: say so"
    ])
    assert.deepStrictEqual(about("[it](docs/LIMITS.md#stepsMax)\n"), [
      "README.md:1: [it](docs/LIMITS.md#stepsMax) names no limit"
    ])
    assert.deepStrictEqual(about("", "old\n"), [
      "docs/LIMITS.md:3: the tables are not those of the code: replace them with the output of pnpm tidy --limits"
    ])
  })
})
