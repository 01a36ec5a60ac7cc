import type { Command, Evidence } from "@backstitch/kernel/Command"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as Part from "@backstitch/reducer/Part"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import type { ExploredLog } from "../src/ExploredLog.ts"
import * as Explorer from "../src/Explorer.ts"
import * as ExplorerLaws from "../src/ExplorerLaws.ts"
import * as Scenario from "../src/Scenario.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"
const times: Scenario.Times = { sendWithin: 1, settleAfter: 1, keyRetention: 50 }
const none: Scenario.Faults = {
  crashes: 0,
  doubles: 0,
  late: 0,
  refusals: 0,
  unread: 0,
  hands: 0,
  verdicts: 0
}
const duplicate = "no effect happens twice, and none is undone twice (L14)"
const wrongFailure = "no effect that happened is recorded as failed or refused (L14)"

const short = (kind: Scenario.Kind, faults: Partial<Scenario.Faults>, changes: Partial<Scenario.Scenario> = {}) =>
  Scenario.make(kind, { times, horizon: 2, faults: { ...none, ...faults }, ...changes })

/** A tool that holds its effect open until it is judged. */
const held = (
  transaction: "as_asked" | "astray",
  faults: Partial<Scenario.Faults>,
  changes: Partial<Scenario.Scenario> = {}
) => short("neither", faults, { transaction, ...changes })

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
      ["asked, one refusal", short("asked", { refusals: 1 })],
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
    it(Explorer.report(name, explored), () => {
      assert.isUndefined(explored.violation)
      assert.isTrue(explored.isComplete || isSoak || depthMax !== undefined)
    })
  }

  describe("without decision 0036", () => {
    const world = { times: { sendWithin: 1, settleAfter: 2, keyRetention: 50 }, horizon: 4, faults: none }
    const broken: ReadonlyArray<readonly [string, Partial<Scenario.Scenario>]> = [
      ["neither a horizon nor a deadline", { declared: { ...times, sendWithin: 0, settleAfter: 0 }, drops: false }],
      ["a horizon alone: a sender that paused sends whenever it wakes", { drops: false }],
      ["a deadline alone: a request is under way for longer", { declared: { ...times, settleAfter: 0 } }],
      ["answers that do not tell of when they were asked", { tellsWhen: false }]
    ]
    for (const [name, changes] of broken) {
      const { violation } = Explorer.explore(Scenario.make("asked", { ...world, ...changes }))
      it(`finds the duplicate with ${name} (L14): ${violation?.trace.join("; ")}`, () => {
        assert.strictEqual(violation?.law, duplicate)
        const trace = violation?.trace ?? []
        assert.isAtMost(trace.length, 13)
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
      const judged = "what is committed of an open transaction was judged so before, on record (decision 0011)"
      const early = Explorer.explore(held("as_asked", {}, { horizon: 0 }), { kernel: hasty }).violation
      assert.strictEqual(early?.law, judged)
      assert.include(early?.trace.at(-1), "sends its commit")
      // One process rolls back what a person has to look at, and the other settles it without them.
      const looked = "what was rolled back for a person to look at is settled by nobody else (decision 0011)"
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

  it("finds that a network which doubles requests is beyond what asking can make up for (L14)", () => {
    const scenario = short("asked", { doubles: 1 }, { doublesRequests: true })
    assert.strictEqual(Explorer.explore(scenario).violation?.law, duplicate)
  })

  it("finds a refusal that is taken for a later attempt's (L14)", () => {
    const { violation } = Explorer.explore(
      Scenario.make("asked", { faults: { ...none, refusals: 1 }, times, horizon: 2, tellsWhen: false })
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

  describe("finds a kernel that", () => {
    const edited = (edit: (draft: Draft) => ReadonlyArray<Draft>): Kernel.Kernel => ({
      ...Kernel.standard,
      decide: (...asked) => {
        const decision = Kernel.decide(...asked)
        return { ...decision, drafts: decision.drafts.flatMap(edit) }
      }
    })
    const believing = (evidence: "Ok" | "Error"): Kernel.Kernel => ({
      ...Kernel.standard,
      decide: (terms, state, command) => {
        if (command._tag !== "Answered" || command.evidence._tag !== "Unknown") {
          return Kernel.decide(terms, state, command)
        }
        const believed =
          evidence === "Ok" ? ({ _tag: "Ok", output: {} } as const) : ({ _tag: "Error", error: "" } as const)
        return Kernel.decide(terms, state, { ...command, evidence: believed })
      }
    })
    const told = (change: (command: Command) => Command): Kernel.Kernel => ({
      ...Kernel.standard,
      decide: (terms, state, command) => Kernel.standard.decide(terms, state, change(command))
    })
    const when = (type: string, change: (draft: Draft) => ReadonlyArray<Draft>) =>
      edited((draft) => (draft.body.type === type ? change(draft) : [draft]))
    const untargeted = ({ body, ...draft }: Draft): Draft => {
      const { target: _, ...action } = body.action!
      return { ...draft, body: { ...body, action } }
    }

    const undoing = (reversal: Scenario.Scenario["reversal"]) =>
      short("both", {}, { undoes: true, reversal, horizon: 0 })

    const broken: ReadonlyArray<readonly [string, Kernel.Kernel, string]> = [
      ["takes silence for success", believing("Ok"), "success is told only where it is reconciled and true (L8)"],
      ["takes silence for failure", believing("Error"), wrongFailure],
      ["starts without a record", when("action.started", () => []), "no effect happens before its key is durable (L5)"],
      [
        "does not claim the target",
        when("action.started", (draft) => [untargeted(draft)]),
        "what is begun and not settled holds its target, and nothing else starts on it (L7)"
      ],
      ["believes in what it has not heard of", believing("Ok"), "what is believed does not outrun what happened (L8)"],
      ["settles twice", when("action.reconciled", (draft) => [draft, draft]), "an action is settled once (L14)"],
      [
        "tells success before it is reconciled",
        when("action.reconciled", () => []),
        "success is told only where it is reconciled and true (L8)"
      ]
    ]
    for (const [name, kernel, law] of broken) {
      const { violation } = Explorer.explore(short("both", {}), { kernel, laws: lawsOf(law) })
      it(`${name}: ${violation?.trace.join("; ")}`, () => assert.strictEqual(violation?.law, law))
    }

    describe("of what could not be read before a call,", () => {
      const law = "nothing is sent of which the record could not be read before (decision 0017)"
      const looked = short("both", { unread: 1 }, { before: "refuse" })

      it("takes it for not there", () => {
        const isUnread = (command: Command) =>
          command._tag === "ReadBefore" && (command.evidence._tag === "Error" || command.evidence._tag === "Unknown")
        const kernel = told((command) =>
          isUnread(command) ? ({ ...command, evidence: { _tag: "NotFound" } } as Command) : command
        )
        const { violation } = Explorer.explore(looked, { kernel, laws: lawsOf(law) })
        assert.strictEqual(violation?.law, law)
        assert.deepStrictEqual(violation?.trace, [
          "P1 starts",
          "P1 commits action.request, action.started",
          "P1 asks (before): the world says NotFound",
          "P1 gives up on its before",
          "P1 sends its request"
        ])
      })

      it("sends what was deferred without another look", () => {
        const kernel: Kernel.Kernel = {
          ...Kernel.standard,
          decide: (terms, state, command) => {
            const decision = Kernel.decide(terms, state, command)
            const { next } = decision
            return command._tag === "Recover" && next._tag === "ReadBefore"
              ? { ...decision, next: { _tag: "Call", request: next.request } }
              : decision
          }
        }
        const { violation } = Explorer.explore(looked, { kernel, laws: lawsOf(law) })
        assert.strictEqual(violation?.law, law)
        assert.deepStrictEqual(violation?.trace.slice(3), [
          "P1 gives up on its before",
          "P1 commits action.verified, recovery.decided",
          "P2 starts",
          "P2 commits action.started",
          "P2 sends its request"
        ])
      })
    })

    it("moves an action past the table", () => {
      const law = "the state of an action in the fold moves only by edges of the table (decision 0025)"
      const leaps: Part.Part<OpenActions.OpenActions> = {
        ...OpenActions.part,
        on: {
          ...OpenActions.part.on,
          "action.started": (self, transition, before) => {
            const next = OpenActions.part.on["action.started"]!(self, transition, before)
            const id = transition.body.action?.id ?? ""
            return { ...next, [id]: { ...next[id]!, state: "committed" } }
          }
        }
      }
      const parts = Kernel.standard.parts.map((part) => (part.name === leaps.name ? leaps : part))
      const { violation } = Explorer.explore(short("both", {}), { kernel: { ...Kernel.standard, parts } })
      assert.strictEqual(violation?.law, law)
      assert.deepStrictEqual(violation?.trace, ["P1 starts", "P1 commits action.request, action.started"])
    })

    it("forgets by its fold what undoes what (L2)", () => {
      const law = "the fold and the log know one thing of every effect (L2)"
      const { "action.request": _, ...on } = SettledActions.part.on
      const forgetful = { ...SettledActions.part, on }
      const parts = Kernel.standard.parts.map((part) => (part.name === forgetful.name ? forgetful : part))
      const kernel = { ...Kernel.standard, parts }
      const { violation } = Explorer.explore(undoing("apart"), { kernel, laws: lawsOf(law) })
      assert.strictEqual(violation?.law, law)
      assert.include(violation?.trace.at(-1), "action.request, action.started")
      // Its reversal is none to it, and the run that meets its names reads that it was undone.
      const told = "the trace of a holder tells other runs of every effect what its fold knows (L2)"
      const apart = Explorer.explore(undoing("apart"), { kernel, laws: lawsOf(told) }).violation
      assert.strictEqual(apart?.law, told)
      assert.include(apart?.trace.at(-1), "action.reconciled")
    })

    describe("believes a person that it did not happen, of what is still under way,", () => {
      const law = "nothing is recorded as failed that is still under way (decision 0036)"
      const kernel: Kernel.Kernel = {
        ...Kernel.standard,
        decide: (terms, state, command) => {
          const now = command._tag === "Resolve" ? terms.now + 1_000_000 : terms.now
          return Kernel.decide({ ...terms, now }, state, command)
        }
      }
      const undone = { undoes: true, reversal: "apart", horizon: 0 } as const
      for (const [what, changes] of [
        ["the payment", { horizon: 0 }],
        ["a reversal", undone]
      ] as const) {
        it(`as a failure: ${what}`, () => {
          const { violation } = Explorer.explore(short("both", { verdicts: 1 }, changes), { kernel, laws: lawsOf(law) })
          assert.strictEqual(violation?.law, law)
          assert.include(violation?.trace.at(-1), "failure")
        })
      }

      it("and sends it again: it happens twice (L14)", () => {
        const scenario = short("neither", { verdicts: 1 }, { horizon: 1 })
        const { violation } = Explorer.explore(scenario, { kernel, laws: lawsOf(duplicate) })
        assert.strictEqual(violation?.law, duplicate)
        assert.include(violation?.trace.join(), "resent")
      })
    })

    it("decides what the table of states refuses", () => {
      const law = "nothing is decided that the table of states refuses (decision 0025)"
      const kernel = when("action.reconciled", ({ body, ...draft }) => [
        { ...draft, body: { ...body, data: { state: "compensated" } } }
      ])
      const { violation } = Explorer.explore(short("both", {}), { kernel, laws: lawsOf(law) })
      assert.strictEqual(violation?.law, law)
      assert.include(violation?.trace.at(-1), "action.reconciled")
    })

    it("is given two names for one target", () => {
      const kernel = when("action.started", (draft) => {
        const { key: _, ...stamp } = draft.stamp
        return [draft, { ...draft, stamp, body: { ...draft.body, action: { ...draft.body.action!, id: "a0" } } }]
      })
      const { violation } = Explorer.explore(short("both", {}), { kernel })
      assert.strictEqual(violation?.law, "a process of the same run is never refused a name")
      assert.deepStrictEqual(violation?.trace, ["P1 starts", "P1 is refused a name"])
    })

    it("gives back a name that is another's", () => {
      const law = "names that are held are the fold of the log (L6, L7)"
      const kernel = when("action.started", (draft) => {
        const { key: _, ...stamp } = draft.stamp
        const action = { id: "a0", ...(draft.body.action?.target && { target: draft.body.action.target }) }
        const result = { output: null, status: "error", trust: 1 } as const
        return [draft, { ...draft, stamp, body: { type: "action.reconciled", author: "kernel", action, result } }]
      })
      const { violation } = Explorer.explore(short("both", {}), { kernel, laws: lawsOf(law) })
      assert.strictEqual(violation?.law, law)
      assert.strictEqual(violation?.trace.length, 2)
    })

    it("lets two runs begin on one target", () => {
      const law = "no two runs of a tenant have begun on one target and not settled (L7)"
      const kernel = when("action.started", (draft) => [untargeted(draft)])
      const { violation } = Explorer.explore(short("both", {}, { runs: 2 }), { kernel, laws: lawsOf(law) })
      assert.strictEqual(violation?.law, law)
      assert.deepStrictEqual(new Set(violation?.trace.map((label) => label.slice(0, 2))), new Set(["P1", "P2"]))
    })

    const reversed: Evidence = { _tag: "Ok", output: { amount: 1, reversed: true } }
    const isUndone = "what is told as undone is undone: the system of record has said so (L5, L8)"

    it("takes an undoing for done without asking", () => {
      const kernel = told((command) => (command._tag === "ReadBefore" ? { ...command, evidence: reversed } : command))
      const { violation } = Explorer.explore(undoing("shared"), { kernel })
      assert.strictEqual(violation?.law, isUndone)
    })

    it("takes a reversal that is not on record for one that was not needed, where its record is its own (L5)", () => {
      const kernel = told((command) =>
        command._tag === "ReadBefore" && command.evidence._tag === "NotFound"
          ? { ...command, evidence: reversed }
          : command
      )
      const { violation } = Explorer.explore(undoing("apart"), { kernel })
      assert.strictEqual(violation?.law, isUndone)
      // Where both have one record the mistake has no occasion.
      assert.isUndefined(Explorer.explore(undoing("shared"), { kernel }).violation)
    })

    it("takes an original that is not as it was for one that is (L5)", () => {
      const shown: Evidence = { _tag: "Ok", output: { amount: 1, reversed: false } }
      const kernel = told((command) =>
        command._tag === "Compensate" && command.original?.evidence._tag === "Ok"
          ? { ...command, original: { ...command.original, evidence: shown } }
          : command
      )
      const scenario = short("both", { hands: 1 }, { undoes: true, reversal: "apart", horizon: 0 })
      const { violation } = Explorer.explore(scenario, { kernel })
      assert.strictEqual(violation?.law, "nobody undoes what was undone when its sender asked about it last (L5)")
    })

    it("takes what it could not read for absent", () => {
      const kernel = told((command) =>
        command._tag === "Compensate" && command.original?.evidence._tag === "Unknown"
          ? { ...command, original: { ...command.original, evidence: { _tag: "NotFound" }, startedAt: -10_000 } }
          : command
      )
      const { violation } = Explorer.explore(undoing("shared"), { kernel })
      assert.strictEqual(violation?.law, "what is told as absent is not there (L5, L8)")
    })
  })
})

/** The law by which a kernel is to be found out: others may see it as well, in another state. */
const lawsOf = (name: string) => ExplorerLaws.all.filter((law) => law.name === name)
