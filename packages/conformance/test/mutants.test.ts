import type { Command } from "@backstitch/kernel/Command"
import type { Decided } from "@backstitch/kernel/Decision"
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type * as Part from "@backstitch/reducer/Part"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Explorer from "../src/explorer/Explorer.ts"
import type * as Scenario from "../src/explorer/Scenario.ts"
import { duplicate, lawsOf, short, wrongFailure } from "./scenes.ts"

describe("The explorer finds a kernel that", () => {
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

  const undoing = (reversal: Scenario.Scenario["reversal"]) => short("both", {}, { undoes: true, reversal, horizon: 0 })

  const broken: ReadonlyArray<readonly [string, Kernel.Kernel, string]> = [
    ["takes silence for success", believing("Ok"), "success is told only where it is reconciled and true (L8)"],
    ["takes silence for failure", believing("Error"), wrongFailure],
    ["starts without a record", when("action.started", () => []), "no effect happens before its key is durable (L5)"],
    [
      "does not claim the target",
      when("action.started", (draft) => [untargeted(draft)]),
      "an action that is begun and not settled holds its target, and nothing else starts on it (L7)"
    ],
    ["believes in what it has not heard of", believing("Ok"), "beliefs do not outrun effects (L8)"],
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

  describe("of a settlement that is not durable,", () => {
    const flushing = (change: (flush: Decided["flush"]) => Decided["flush"]): Kernel.Kernel => ({
      ...Kernel.standard,
      decide: (...asked) => {
        const decision = Kernel.decide(...asked)
        return { ...decision, flush: change(decision.flush) }
      }
    })

    it("forgets that its caller was told of it", () => {
      const kernel = flushing((flush) => (flush === "soon" ? "later" : flush))
      const law = "success is told only where it is reconciled and true (L8)"
      assert.strictEqual(Explorer.explore(short("both", {}), { kernel, laws: lawsOf(law) }).violation?.law, law)
    })

    it("begins an effect on it", () => {
      const kernel = flushing((flush) => (flush === "now" ? "later" : flush))
      const law = "nothing is sent or told on a settlement that is not durable (decision 0051)"
      const { violation } = Explorer.explore(undoing("shared"), { kernel, laws: lawsOf(law) })
      assert.strictEqual(violation?.law, law)
    })
  })

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

    it("sends a deferred call without another look", () => {
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

  it("loses in its fold which call undoes which action (L2)", () => {
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

  describe("believes a person who denies an effect that may still arrive,", () => {
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

  it("decides a move that the table of states refuses", () => {
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
  const isUndone = "an act is told as undone only if it is: the system of record has said so (L5, L8)"

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

  it("takes an unreadable record for an absent one", () => {
    const kernel = told((command) =>
      command._tag === "Compensate" && command.original?.evidence._tag === "Unknown"
        ? { ...command, original: { ...command.original, evidence: { _tag: "NotFound" }, startedAt: -10_000 } }
        : command
    )
    const { violation } = Explorer.explore(undoing("shared"), { kernel })
    assert.strictEqual(violation?.law, "an act is told as absent only if it is not there (L5, L8)")
  })
})
