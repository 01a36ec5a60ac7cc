import * as Kernel from "@backstitch/kernel/Kernel"
import { assert, describe, it } from "@effect/vitest"
import type { ExploredLog } from "../src/explorer/ExploredLog.ts"
import * as Explorer from "../src/explorer/Explorer.ts"
import * as Scenario from "../src/explorer/Scenario.ts"
import { duplicate, held, lawsOf, short, times, wrongFailure } from "./scenes.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"

/** A scope, and the depth at which it is cut. */
type Scope = readonly [string, Scenario.Scenario, number?]

const deep = (["neither", "keyed", "asked", "both"] as const).flatMap(
  (kind): ReadonlyArray<Scope> => [
    [`${kind}, one fault of each kind`, Scenario.make(kind)],
    [`${kind}, one fault of each kind, short times`, short(kind, Scenario.oneOfEach, { horizon: 5 })],
    [`${kind}, two crashes`, short(kind, { crashes: 2 }, { horizon: 3 })],
    [`${kind}, undone, one crash`, short(kind, { crashes: 1 }, { undoes: true, horizon: 3 })],
    [
      `${kind}, undone, recorded apart, one crash`,
      short(kind, { crashes: 1 }, { undoes: true, reversal: "apart", horizon: 3 })
    ],
    [
      `${kind}, undone by hand as well, one crash`,
      short(kind, { crashes: 1, hands: 1 }, { undoes: true, reversal: "apart", horizon: 3 })
    ],
    [
      `${kind}, undone, a person decides, one crash`,
      short(kind, { crashes: 1, hands: 1, verdicts: 1 }, { undoes: true, reversal: "apart", horizon: 3 })
    ],
    [`${kind}, a person decides, one crash`, short(kind, { crashes: 1, verdicts: 1 }, { horizon: 3 })],
    [`${kind}, a person decides twice`, short(kind, { verdicts: 2 }, { horizon: 4 })],
    [`${kind}, read back, one crash`, short(kind, { crashes: 1 }, { readback: true, horizon: 3 })],
    [
      `${kind}, looked at before, one crash, one read refused`,
      short(kind, { crashes: 1, unread: 1 }, { before: "refuse", horizon: 3 })
    ],
    [`${kind}, undone, one read refused`, short(kind, { unread: 1 }, { undoes: true, horizon: 3 })],
    [`${kind}, two runs on one target, one crash`, short(kind, { crashes: 1 }, { runs: 2, horizon: 3 })],
    [`${kind}, two runs on one target, one fault of each kind`, short(kind, Scenario.oneOfEach, { runs: 2 })]
  ]
)

/** Scopes that are explored to their end, and those that are cut at a depth. */
const scopes: ReadonlyArray<Scope> = isSoak
  ? [
      ["held open, one crash", held("as_asked", { crashes: 1 })],
      ["held open, shows another account, one crash", held("astray", { crashes: 1 })],
      ["held open, a person decides", held("as_asked", { verdicts: 1 })],
      ["held open, shows another account, a person decides", held("astray", { verdicts: 1 })],
      ...deep
    ]
  : [
      ["neither, one fault of each kind", Scenario.make("neither")],
      ["asked, one crash", short("asked", { crashes: 1 })],
      ["asked, one crash, settled by the timer", short("asked", { crashes: 1 }, { settles: "alone" })],
      ["asked, one refusal", short("asked", { refusals: 1 })],
      ["asked, a tool that takes its time to send", short("asked", {}, { dawdles: "moment" })],
      ["asked, one late answer", short("asked", { late: 1 })],
      ["asked, without times", short("asked", { refusals: 1 }, { declared: undefined, horizon: 1 })],
      ["neither, a person decides", short("neither", { verdicts: 1 }, { horizon: 3 })],
      ["asked, a person decides", short("asked", { verdicts: 1 }, { horizon: 1 })],
      ["both, doubled messages", short("both", { doubles: 1 })],
      ["both, one refusal", short("both", { refusals: 1 })],
      ["both, read back, one crash", short("both", { crashes: 1 }, { readback: true }), 15],
      ["both, undone", short("both", {}, { undoes: true, horizon: 0 })],
      [
        "neither, looked at before, one read refused",
        short("neither", { unread: 1 }, { before: "refuse", horizon: 1 })
      ],
      [
        "asked, looked at before, one read refused",
        short("asked", { unread: 1 }, { before: "permit", horizon: 1 }),
        20
      ],
      ["keyed, looked at before, one crash", short("keyed", { crashes: 1 }, { before: "refuse", horizon: 1 }), 13],
      ["both, undone, one read refused", short("both", { unread: 1 }, { undoes: true, horizon: 0 }), 24],
      ["both, undone, recorded apart", short("both", {}, { undoes: true, reversal: "apart", horizon: 0 })],
      [
        "both, undone, recorded apart, one crash",
        short("both", { crashes: 1 }, { undoes: true, reversal: "apart", horizon: 0 }),
        29
      ],
      ["both, undone by hand as well", short("both", { hands: 1 }, { undoes: true, horizon: 0 }), 28],
      [
        "asked, undone by hand as well, recorded apart",
        short("asked", { hands: 1 }, { undoes: true, reversal: "apart", horizon: 0 })
      ],
      [
        "both, undone, recorded apart, a person decides",
        short("both", { hands: 1, verdicts: 1 }, { undoes: true, reversal: "apart", horizon: 0 }),
        26
      ],
      [
        "both, undone, recorded apart, a person decides, one crash",
        short("both", { crashes: 1, verdicts: 1 }, { undoes: true, reversal: "apart", horizon: 0 }),
        20
      ],
      [
        "both, undone, recorded apart, a person decides twice",
        short("both", { verdicts: 2 }, { undoes: true, reversal: "apart", horizon: 0 }),
        22
      ],
      [
        "keyed, undone, recorded apart, a person decides",
        short("keyed", { verdicts: 1 }, { undoes: true, reversal: "apart", horizon: 0 }),
        21
      ],
      ["both, undone, while time passes", short("both", {}, { undoes: true, horizon: 1 }), 24],
      ["neither, two runs on one target, one fault of each kind", short("neither", Scenario.oneOfEach, { runs: 2 })],
      ["asked, two runs on one target, one refusal", short("asked", { refusals: 1 }, { runs: 2 })],
      ["both, two runs on one target, one crash", short("both", { crashes: 1 }, { runs: 2, horizon: 1 })],
      [
        "both, undone, two runs on one target, one late answer, one crash",
        short("both", { crashes: 1, late: 1 }, { undoes: true, runs: 2, horizon: 1 }),
        13
      ],
      [
        "keyed, read back, two runs on one target, one crash",
        short("keyed", { crashes: 1 }, { readback: true, runs: 2 }),
        14
      ],
      ["keyed, one fault of each kind", Scenario.make("keyed"), 10],
      ["held open, one crash", held("as_asked", { crashes: 1 }, { horizon: 0 })],
      ["held open, while time passes", held("as_asked", {}), 17],
      ["held open, shows another account, one crash", held("astray", { crashes: 1 }, { horizon: 0 })],
      ["held open, shows another account, a person decides", held("astray", { verdicts: 1 }, { horizon: 0 })],
      ["held open, a person decides", held("as_asked", { verdicts: 1 }, { horizon: 0 })],
      ["held open, shows another account, while time passes", held("astray", {}, { horizon: 1 })],
      ["keyed, read back, one crash", short("keyed", { crashes: 1 }, { readback: true }), 13],
      [
        "keyed, a key that is soon forgotten",
        short("keyed", {}, { times: { ...times, keyRetention: 3 }, horizon: 5 }),
        13
      ]
    ]

describe("Explorer", () => {
  for (const [name, scenario, depthMax] of scopes) {
    const explored = Explorer.explore(scenario, { depthMax, statesMax: isSoak ? 1_000_000 : 300_000 })
    it(Explorer.summary(name, explored), () => {
      assert.isUndefined(explored.violation)
      assert.isTrue(explored.isComplete || isSoak || depthMax !== undefined)
    })
  }

  describe("without decision 0036", () => {
    const world = { times: { sendWithin: 1, settleAfter: 2, keyRetention: 50 }, horizon: 4, faults: Scenario.calm }
    const broken: ReadonlyArray<readonly [string, Partial<Scenario.Scenario>]> = [
      ["neither a horizon nor a deadline", { declared: { ...times, sendWithin: 0, settleAfter: 0 }, drops: false }],
      ["a horizon alone: a sender that paused sends whenever it wakes", { drops: false }],
      ["a tool that counts its time from its call, and not from the start of the attempt", { dawdles: "time" }],
      ["a deadline alone: a request is under way for longer", { declared: { ...times, settleAfter: 0 } }],
      ["answers that do not tell of when they were asked", { tellsWhen: false }]
    ]
    for (const [name, changes] of broken) {
      const { violation } = Explorer.explore(Scenario.make("asked", { ...world, ...changes }))
      it(`finds the duplicate with ${name} (L14): ${violation?.trace.join("; ")}`, () => {
        assert.strictEqual(violation?.law, duplicate)
        const trace = violation?.trace ?? []
        assert.isAtMost(trace.length, 15)
        // Sent twice under one key, and what was not found had been under way.
        assert.isAtLeast(trace.filter((step) => step.endsWith("the effect is committed")).length, 2)
      })
    }

    it("finds nothing where the tool recognises keys: they need no times to be safe (L14)", () => {
      const declared = { ...times, sendWithin: 0, settleAfter: 0 }
      const scenario = Scenario.make("both", { ...world, declared, drops: false, tellsWhen: false })
      assert.isUndefined(Explorer.explore(scenario, { depthMax: 12 }).violation)
    })
  })

  describe("of a tool that holds its effect open", () => {
    it("finds the verdict that is carried out before it is durable (decision 0011)", () => {
      const hasty: Kernel.Kernel = {
        ...Kernel.standard,
        decide: (...asked) => {
          const decision = Kernel.decide(...asked)
          return decision.next._tag === "Conclude" ? { ...decision, flush: "later" } : decision
        }
      }
      const judged = "an open transaction is committed only after that verdict is on record (decision 0011)"
      const early = Explorer.explore(held("as_asked", {}, { horizon: 0 }), { kernel: hasty }).violation
      assert.strictEqual(early?.law, judged)
      assert.include(early?.trace.at(-1), "sends its commit")
      // One process rolls back what a person has to look at, and the other settles it without them.
      const looked = "a transaction that was rolled back for a person is settled by nobody else (decision 0011)"
      const lost = Explorer.explore(held("astray", {}), { kernel: hasty, laws: lawsOf(looked) }).violation
      assert.strictEqual(lost?.law, looked)
    })

    it("finds a commit that a sender sends whenever it wakes, its verdict being durable (decision 0036)", () => {
      const { violation } = Explorer.explore(held("as_asked", {}, { drops: false }), { laws: lawsOf(wrongFailure) })
      assert.strictEqual(violation?.law, wrongFailure)
      assert.include(violation?.trace.join(), "commits action.result, action.verified")
    })

    it("finds a record that was read before a commit took effect, and is believed after it (decision 0007)", () => {
      const { violation } = Explorer.explore(held("as_asked", {}, { tellsWhen: false }), { laws: lawsOf(wrongFailure) })
      assert.strictEqual(violation?.law, wrongFailure)
    })
  })

  it("finds that asking cannot make up for a network that doubles requests (L14)", () => {
    const scenario = short("asked", { doubles: 1 }, { doublesRequests: true })
    assert.strictEqual(Explorer.explore(scenario).violation?.law, duplicate)
  })

  it("finds a refusal that is taken for a later attempt's (L14)", () => {
    const { violation } = Explorer.explore(
      Scenario.make("asked", { faults: { ...Scenario.calm, refusals: 1 }, times, horizon: 2, tellsWhen: false })
    )
    assert.include([duplicate, wrongFailure], violation?.law)
  })

  it("visits each state once, and the same number each time", () => {
    const count = () => Explorer.explore(short("both", {}, { horizon: 1 }))
    assert.deepStrictEqual(count(), count())
    const cut = Explorer.explore(short("both", {}), { statesMax: 100 })
    assert.deepInclude(cut, { states: 100, isComplete: false })
  })

  it("finds a store that forgets what it has acknowledged (L1, L14)", () => {
    const law = "no commit that was acknowledged is lost (L1, L14)"
    // Without compare-and-swap: whoever writes last replaces what the others wrote.
    const store = (log: ExploredLog): ExploredLog => ({
      ...log,
      append: (_, drafts, others) => log.append(log.begun, drafts, others)
    })
    const { violation } = Explorer.explore(short("both", {}), { store, laws: lawsOf(law) })
    assert.strictEqual(violation?.law, law)
    // One process stands at what the other has replaced.
    assert.deepStrictEqual(new Set(violation?.trace.map((label) => label.slice(0, 2))), new Set(["P1", "P2"]))
  })
})
