import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll, expect } from "vitest"
import { fixture, Shell } from "./shell.ts"

/** Keys follow from the secret: with this one they are the same for every run of the test. */
const secret = { BACKSTITCH_SECRET: "the secret of a test" }
const shell = new Shell()
afterAll(shell.remove)

const recording = join(import.meta.dirname, "../../../examples/travel-booking/recorded/trip-43.jsonl")
const travelPack = join(import.meta.dirname, "../../../examples/travel-booking/pack.yaml")
const agent = fixture("remedies.ts")

beforeAll(async () => {
  await shell.run(["import", recording])
  await shell.run(["secret", "--accept"], secret)
  await shell.run(["fork", "trip-43", "--from", "11", "--reason", "before the change of plan"])
  await shell.run(["run", "held", "--agent", agent], { ...secret, FAULTS: "dearer" })
  const orders = (price: number) => ({ ...secret, CALLS: `order:milk:${price}` })
  await shell.run(["run", "asked", "--agent", agent], orders(300))
  const { document } = await shell.json("approvals")
  await shell.run(["approve", "asked", document.approvals[0].review, "--by", "Ada", "--role", "chief"])
  await shell.run(["resume", "asked", "--agent", agent], orders(400))
  // Some verdicts on a held action may be given only once its request can no longer arrive: 500 ms after it was sent.
  for (let look = 0; look < 200; look++) {
    const { document } = await shell.json("claims --namespace target")
    if (document.claims[0].settle.command.includes("|failure|")) break
  }
}, 120_000)

// biome-ignore lint/suspicious/noExplicitAny: what a document holds is what is tested
type Document = any

/** A step is a command that can be copied, or words. */
const spelled = ({ command, words }: Document): string => command ?? words

/**
 * Every command that prints a table, with what of its document may never be cut. Where a document has none, its lines
 * are held by the transcript alone.
 */
const commands: ReadonlyArray<readonly [line: string, essential?: (document: Document) => ReadonlyArray<unknown>]> = [
  ["runs", ({ runs }) => runs.flatMap((each: Document) => [each.run, each.last])],
  ["log --limit 60"],
  [
    "claims --namespace target",
    ({ claims }) => claims.flatMap((each: Document) => [each.name, each.settle?.command ?? each.forGood])
  ],
  [
    "approvals",
    ({ approvals }) =>
      approvals.flatMap((each: Document) => [
        each.review,
        JSON.stringify(each.params),
        each.approve.command,
        ...each.needs
      ])
  ],
  ["review held", ({ held }) => held.flatMap((each: Document) => [each.why, each.next.command])],
  [
    "report held",
    ({ actions, held }) => [...actions.map((each: Document) => each.say), held[0].why, held[0].next.command]
  ],
  [
    "report trip-43",
    ({ actions, say, unfinished }) => [
      say,
      unfinished,
      ...actions.flatMap((each: Document) => [each.say, ...each.unchecked])
    ]
  ],
  ["status trip-43", ({ actions }) => actions.flatMap((each: Document) => [each.say, ...each.unchecked])],
  [
    "ledger held",
    ({ entries }) =>
      entries.flatMap((each: Document) => [
        each.intended_outcome.target_resource,
        each.reconciliation.discrepancy_class
      ])
  ],
  [
    "action a2 --run held",
    ({ entry, lines, params, say, unchecked }) => [
      say,
      JSON.stringify(params),
      entry.idempotency.key_hash,
      ...unchecked,
      ...lines.flatMap(({ output }: Document) => (output === null ? [] : [JSON.stringify(output)]))
    ]
  ],
  [
    "explain held@5",
    ({ checks, next, why }) => [why, ...next.map(spelled), ...checks.flatMap((each: Document) => each.source ?? [])]
  ],
  [
    "explain trip-43@14",
    ({ checks, next }) => [...next.map(spelled), ...checks.flatMap((each: Document) => each.source ?? [])]
  ],
  [
    "resume asked",
    ({ asks, next }) => [...next.map(spelled), ...asks.map((each: Document) => JSON.stringify(each.params))]
  ],
  ["resume held", ({ next, open }) => [...next.map(spelled), open[0].stands]],
  [
    "diff trip-43 trip-43-fork-11",
    ({ differences }) =>
      differences.flatMap(({ values = [] }: Document) =>
        values.flatMap(({ left, path, right }: Document) => [
          path,
          ...[left, right].filter((each) => each !== undefined)
        ])
      )
  ],
  ["show trip-43@12"],
  ["blame trip-43 working.chosen", ({ settings }) => Object.values(settings[0].after)],
  ["bisect trip-43 --predicate unverified_source", ({ next }) => next.map((each: Document) => each.command)],
  ["contributors trip-43 --predicate unverified_source"],
  ["stage trip-43", ({ stages }) => stages.map((each: Document) => each.gives)],
  ["predicate list trip-43", ({ predicates }) => predicates.flatMap((each: Document) => [each.id, ...each.reads])],
  [
    `pack check ${travelPack}`,
    ({ reversibility }) =>
      reversibility.lowering.flatMap((each: Document) => [each.tool, each.ratioIfInverted.toFixed(2)])
  ],
  [
    `audit ${travelPack}`,
    ({ verification }) => verification.flatMap((each: Document) => [...each.made, ...each.waived, ...each.missing])
  ],
  ["metrics", ({ measures }) => measures.map((each: Document) => each.name)],
  [
    "seed new --from trip-43@12:working.chosen --dry-run --goal g",
    ({ seeds }) => seeds.map((each: Document) => each.field)
  ]
]

const bare = (text: string): string => text.replace(/[\s│]/g, "")

/** The same for every run of the test: times, digests and places are told from what they are beside. */
const steady = (text: string): string =>
  text
    .replaceAll(travelPack, "pack.yaml")
    .replace(/\b[0-9a-f]{12,64}\b/g, (hex) => "0".repeat(hex.length))
    .replace(/\br[0-9a-f]{11}(?:[0-9a-f]\b|…)/g, (id) => `r${"0".repeat(11)}${id.endsWith("…") ? "…" : "0"}`)
    .replace(/bs_[0-9a-f]{5}/g, "bs_00000")
    .replace(/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
    .replace(/\b2\d{3}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\b/g, "2026-01-01 00:00:00")
    .replace(/\b\d{2}:\d{2}:\d{2}\b/g, "00:00:00")

describe("a table", () => {
  for (const width of [80, 120]) {
    it(`cuts nothing that matters at ${width} columns`, async () => {
      const transcript: Array<string> = []
      for (const [line, essential = () => []] of commands) {
        const { err, out } = await shell.run(line.split(" "), { COLUMNS: String(width) })
        assert.notStrictEqual(out, "", `${line}: ${err}`)
        assert.notInclude(out, "\\n", line)
        const { document } = await shell.json(line)
        const cells = essential(document).filter((each) => each !== null && each !== undefined)
        for (const cell of cells) assert.include(bare(out), bare(String(cell)), `${line}: "${cell}" is cut`)
        // A command is on one line, so that it can be copied.
        for (const command of cells.map(String).filter((each) => each.startsWith("backstitch "))) {
          assert.isTrue(
            out.split("\n").some((each) => each.includes(command)),
            `${line}: ${command}`
          )
        }
        // Milliseconds differ from run to run, and so would the columns.
        if (line !== "metrics") transcript.push(`$ backstitch ${line}`, out)
      }
      await expect(steady(transcript.join("\n"))).toMatchFileSnapshot(`golden/tables-${width}.txt`)
    }, 240_000)
  }
})
