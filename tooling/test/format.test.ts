/** The test vectors of docs/FORMAT.md, computed again by the library and by the recipes of that page. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as List from "@backstitch/trace/List"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Payloads from "../src/Payloads.ts"

const page = readFileSync(new URL("../../docs/FORMAT.md", import.meta.url), "utf8")

const state: State.State = {
  kernel: { clock: { asOf: 1700000000000 } },
  working: { notes: List.from(["window seat", "no red-eye"]) },
  world: {
    seats: Table.from([
      ["12A", { price: 120 }],
      ["12B", { price: 90.5 }]
    ])
  }
}

const run = Run.make("trip-42", "acme")
const pack = "backstitch.pack.1\n{}"
const first = HashChain.seal(HashChain.genesis(run), {
  body: {
    author: "kernel",
    data: {
      clauses: {},
      engine: "none",
      fold: "contract@1",
      format: 1,
      goal: "20 € for a seat",
      initial: hash("backstitch.initial.1", "{}"),
      ontology: 1,
      pack: hash(pack),
      tenant: run.tenant
    },
    type: "run.started"
  },
  stamp: { asOf: 1700000000000 },
  envelope: { ts: 1700000000012 }
})
const second = HashChain.seal(HashChain.headOf(first), {
  body: { author: "agent", confidence: 0.75, goal: "book 12A", type: "plan.update" },
  stamp: { asOf: 1700000000500, state: State.digest(state) },
  envelope: { latencyMillis: 1.5, tokens: 312, ts: 1700000000507 }
})
const exported: Export.Export = {
  run,
  ontology: 1,
  lineage: [],
  head: HashChain.headOf(second),
  transitions: [first, second],
  blobs: new Map([[hash(pack) as never, pack]])
}

/** `H` of the page, by a hash that is not the library's. */
function hash(...lines: ReadonlyArray<string>): string {
  return createHash("sha256").update(lines.join("\n")).digest("hex")
}

const fence = (kind: string, text: string): string => `\`\`\`${kind}\n${text}\n\`\`\``

const salt = "ab".repeat(32)

const vectors = [
  `The genesis of run \`${run.id}\` of tenant \`${run.tenant}\`, and an export of two transitions and a pack:`,
  fence("", HashChain.genesis(run).link),
  fence("jsonl", Export.encode(exported).trimEnd()),
  "The state of that `stamp.state`, with the digests of its table, its list and its three sections:",
  fence("json", Canonical.encode(State.toJson(state))),
  fence(
    "",
    [
      `seats    ${(state.world["seats"] as Table.Table).digest()}`,
      `notes    ${(state.working["notes"] as List.List).digest()}`,
      `kernel   ${State.sectionDigest(state.kernel)}`,
      `working  ${State.sectionDigest(state.working)}`,
      `world    ${State.sectionDigest(state.world)}`,
      `state    ${State.digest(state)}`
    ].join("\n")
  ),
  `The commitment to \`"X1234567"\` with the salt \`${salt}\`:`,
  fence("", SealedValue.commit(salt, "X1234567"))
].join("\n\n")

describe("FORMAT.md", () => {
  it("shows the vectors that the library computes (L2)", () => {
    const shown = /<!-- vectors[^>]*-->\n\n([\s\S]*?)\n\n<!-- \/vectors -->/.exec(page)?.[1]
    assert.strictEqual(shown, vectors)
  })

  it("shows the payload of every type as its schema has it", () => {
    const shown = /<!-- payloads[^>]*-->\n\n([\s\S]*?)\n\n<!-- \/payloads -->/.exec(page)?.[1]
    assert.strictEqual(shown, Payloads.section(), "put the output of node tooling/src/Payloads.ts there")
  })

  it("names the segments that are kept for the ontology", () => {
    const shown = /<!-- segments[^>]*-->\n\n```\n([\s\S]*?)\n```/.exec(page)?.[1]
    assert.deepStrictEqual(shown?.split(/\s+/), [...Ontology.segments])
  })

  it("describes chains that follow from its recipes alone (L3)", () => {
    const genesis = hash("backstitch.genesis.1", '{"id":"trip-42","tenant":"acme"}')
    assert.strictEqual(first.link, hash("backstitch.link.1", genesis, ...partsOf(first)))
    assert.strictEqual(second.link, hash("backstitch.link.1", first.link, ...partsOf(second)))
    assert.strictEqual(first.story, hash("backstitch.story.1", "0".repeat(64), hash(first.body)))
    assert.strictEqual(second.story, hash("backstitch.story.1", first.story, hash(second.body)))
    assert.deepStrictEqual(Export.verify(exported), Result.succeed(exported.head))
  })

  it("describes digests of states that follow from its recipes alone (L2)", () => {
    const leaf = (key: string, row: string) => hash("backstitch.leaf.1", `["${key}",${row}]`)
    const leaves = new Map([
      [hash("backstitch.row.1", "12A")[0]!, leaf("12A", '{"price":120}')],
      [hash("backstitch.row.1", "12B")[0]!, leaf("12B", '{"price":90.5}')]
    ])
    assert.strictEqual(leaves.size, 2)
    const slots = Array.from({ length: 16 }, (_, digit) => leaves.get(digit.toString(16)) ?? "-")
    const table = hash("backstitch.branch.1", slots.join(","))
    const items = ["window seat", "no red-eye"].map((item) => hash("backstitch.list.1", `["item","${item}"]`))
    const top = hash("backstitch.list.1", `["branch","${items.join('","')}"]`)
    const list = hash("backstitch.list.1", `["list",2,"${top}"]`)
    const section = (name: string, field: string) => hash("backstitch.section.1", `"${name}" ${field}\n`)
    const sections = [
      `kernel ${section("clock", `value:${hash('{"asOf":1700000000000}')}`)}`,
      `working ${section("notes", `list:${list}`)}`,
      `world ${section("seats", `table:${table}`)}`
    ]
    assert.strictEqual(State.digest(state), hash("backstitch.state.1", `${sections.join("\n")}\n`))
  })
})

const partsOf = ({
  body,
  envelope,
  stamp
}: {
  readonly body: string
  readonly stamp: string
  readonly envelope: string
}) => [body, stamp, envelope].map((part) => hash(part))
