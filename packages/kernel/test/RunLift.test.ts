import * as Instance from "@backstitch/admissibility/Instance"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type { State } from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as LiftedCall from "../src/subtask/LiftedCall.ts"
import * as LiftedRun from "../src/subtask/LiftedRun.ts"
import * as RecoveryEffect from "../src/subtask/RecoveryEffect.ts"
import * as RollbackPoint from "../src/subtask/RollbackPoint.ts"
import * as RunLift from "../src/subtask/RunLift.ts"
import { Bench, bookOf, call, type Definition, definition, ok } from "./lab.ts"

const { book, look } = definition.tools

/** A trip in legs: each is looked up and booked, and the trip is weighed at the end. */
const changes: Partial<Definition> = {
  state: {
    ...definition.state,
    working: { ...definition.state.working, legs: { table: { key: "q", row: "string" } }, mad: "bool" }
  },
  tools: {
    ...definition.tools,
    look: { ...look, writes: ["found[args.q]"] },
    book: { ...book, reads: ["working.legs[args.flight]"] },
    weigh: { class: "read_only", input: {}, output: { grams: "int" }, reads: ["working.legs"] }
  },
  reducers: {
    on: {
      look: [{ put: { table: "working.legs", key: "args.q", row: "observed.found" } }],
      "plan.update": [{ put: { table: "working.legs", key: "args.leg", row: "'another'" } }]
    }
  },
  machine: {
    initial: "open",
    states: ["open", "found", "done"],
    edges: [
      { from: "open", tool: "look", to: "found" },
      { from: "found", tool: "look", to: "found" },
      { from: "found", tool: "book", to: "open" },
      { from: "found", tool: "weigh", to: "done" },
      { from: "open", tool: "weigh", to: "done" }
    ]
  },
  skeletons: {
    leg: {
      tools: ["look", "book"],
      states: ["open", "found"],
      entry: ["open"],
      entity: "'q' in args ? args.q : args.flight",
      outputs: ["working.legs[entity]"],
      commit: "to == 'found'",
      exit: "tool == 'book' && to == 'open'"
    },
    weighing: { tools: ["weigh"], inputs: ["working.legs"], commit: "to == 'done'" }
  }
}

const benchOf = (more: Partial<Definition> = {}) => new Bench({ changes: { ...changes, ...more } })

const looks = (bench: Bench, q: string) => {
  const { action } = call(bench.proposes({ tool: "look", params: { q } }))
  bench.answers(action, ok({ found: `a seat in ${q}` }))
}

const weighs = (bench: Bench) => {
  const { action } = call(bench.proposes({ tool: "weigh", params: {} }))
  bench.answers(action, ok({ grams: 1 }))
}

const lifted = (bench: Bench) => {
  const self = LiftedRun.make(bench.pack)!
  let state: State = { world: {}, working: {}, kernel: {} }
  const news = bench.transitions.map((transition) => {
    const before = state
    state = bench.fold.evolve(before, transition)
    return RunLift.follow(self, { before, transition, after: state })
  })
  return { self, news, failures: news.flatMap(({ failure }) => failure ?? []) }
}

const shown = ({ registry }: LiftedRun.LiftedRun) =>
  [...registry.entries.values()].map(({ checkpoints, instance, phase }) =>
    [Instance.show(instance), phase, ...checkpoints.map(({ kind }) => kind)].join(" ")
  )

const options = { policy: RecoveryPolicy.policies.commit, now: 1_000_000 }

describe("RunLift", () => {
  it("finds the instances of a run, their checkpoints, and the state of the agent", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    bench.books("LX1")
    looks(bench, "LX2")
    weighs(bench)
    const { news, self } = lifted(bench)
    assert.deepStrictEqual(shown(self), [
      "leg::LX1::0 exited entry commit exit",
      "leg::LX2::0 committed entry commit",
      "weighing::null::0 committed entry commit"
    ])
    assert.strictEqual(self.state, "done")
    assert.strictEqual(news.flatMap(({ checkpoints }) => checkpoints).length, 7)
  })

  it("holds a commit back until the effect is reconciled: commit means reconciled", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    bench.proposes(bookOf("LX1"))
    const { self } = lifted(bench)
    const [leg] = [...self.registry.entries.values()]
    assert.isTrue(LiftedCall.isOf([...self.calls.values()].at(-1)!, leg!.instance))
    assert.deepStrictEqual(
      leg?.effects.map(({ effect }) => [effect.standing, effect.reversibility]),
      [["open", "K"]]
    )
    const decided = RollbackAdmission.restore(self.registry, leg!, {
      ...options,
      policy: RecoveryPolicy.policies.entry
    })
    assert.deepInclude(decided, { _tag: "Blocked" })
    assert.include(JSON.stringify(decided), "effect_unsettled")
  })

  it("names the instances that read a value which a rollback would take away, and none that read another part", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    bench.books("LX1")
    looks(bench, "LX2")
    const decided = (bench: Bench) => {
      const { registry } = lifted(bench).self
      const first = [...registry.entries.values()][0]!
      return RollbackAdmission.judge(registry, first, first.checkpoints[0]!, options).map(({ code }) => code)
    }
    assert.deepStrictEqual(decided(bench), [])
    weighs(bench)
    assert.deepStrictEqual(decided(bench), ["committed_consumers_present"])
  })

  it("counts people who were told of an effect: they stand on it (L8, L10)", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    bench.books("LX1")
    const codes = () => {
      const { registry } = lifted(bench).self
      const first = [...registry.entries.values()][0]!
      return RollbackAdmission.judge(registry, first, first.checkpoints[0]!, options).map(({ code }) => code)
    }
    const action = bench.transitions.findLast(({ body }) => body.type === "action.reconciled")?.body.action?.id
    const before = codes()
    bench.proposes({ type: "message.sent", data: { content: "LX1 is booked", reports: [action ?? ""] } })
    assert.strictEqual(bench.last.body.type, "message.sent")
    assert.deepStrictEqual(codes(), ["committed_consumers_present", ...before])
  })

  it("counts steps of no subtask: a read there consumes, and a write there overwrites", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    bench.proposes({ type: "plan.update", data: { leg: "LX1" } })
    const codesOf = (of: Bench) => {
      const { registry } = lifted(of).self
      const [leg] = [...registry.entries.values()]
      return RollbackAdmission.judge(registry, leg!, leg!.checkpoints[0]!, options).map(({ code }) => code)
    }
    assert.deepStrictEqual(codesOf(bench), ["overwritten_since"])
    const other = new Bench({ changes: { ...changes, skeletons: { leg: changes.skeletons!["leg"]! } } })
    looks(other, "LX1")
    other.proposes({ type: "plan.update", data: { leg: "LX2" } })
    assert.deepStrictEqual(codesOf(other), [])
    weighs(other)
    assert.deepStrictEqual(codesOf(other), ["committed_consumers_present"])
  })

  describe("counts what a call changes before it is settled:", () => {
    const early: Partial<Definition> = {
      reducers: {
        on: {
          ...changes.reducers?.on,
          book: [{ put: { table: "working.legs", key: "args.flight", row: "'booked'" } }]
        }
      }
    }
    const booking = (bench: Bench) => {
      looks(bench, "LX1")
      const { action } = call(bench.proposes(bookOf("LX1", 10)))
      return action
    }
    const judged = (bench: Bench) => {
      const { registry } = lifted(bench).self
      const first = [...registry.entries.values()][0]!
      return RollbackAdmission.judge(registry, first, first.checkpoints.at(-1)!, options)
    }
    const reasons = (bench: Bench) =>
      judged(bench).flatMap((each) => [
        each.code,
        ...("consumers" in each ? each.consumers.flatMap(({ keys }) => keys) : [])
      ])

    it("a field that was read between the answer and the readback is consumed (L10)", () => {
      const bench = benchOf(early)
      const action = booking(bench)
      bench.answers(action, ok({ id: "LX1" }))
      weighs(bench)
      bench.readsBack(action, ok({ id: "LX1", price: 10 }))
      assert.deepStrictEqual(reasons(bench), ["committed_consumers_present", 'working.legs["LX1"]'])
    })

    it("data that were read while the effect was under way are consumed (L10)", () => {
      const tools: Definition["tools"] = {
        ...definition.tools,
        book: { ...book, writes: ["seats"] },
        weigh: { class: "read_only", input: {}, output: { grams: "int" }, reads: ["seats"] }
      }
      const bench = benchOf({ tools })
      const action = booking(bench)
      weighs(bench)
      bench.answers(action, ok({ id: "LX1" }))
      bench.readsBack(action, ok({ id: "LX1", price: 10 }))
      // The weighing has read the leg, too, and the leg stands on the effect that would be undone.
      assert.deepStrictEqual(reasons(bench), ["committed_consumers_present", 'working.legs["LX1"]', "seats"])
    })

    it("a field that a call changed before it failed goes back", () => {
      const bench = benchOf(early)
      const action = booking(bench)
      bench.answers(action, ok({ id: "LX1" }))
      bench.readsBack(action, { _tag: "NotFound" })
      const { self } = lifted(bench)
      const leg = [...self.registry.entries.values()][0]!
      const checkpoint = leg.checkpoints.find(({ kind }) => kind === "commit")!
      const { patch } = RollbackPoint.rollback(self, leg, { checkpoint, state: bench.state })
      assert.deepStrictEqual(patch, [{ op: "replace", path: "/working/legs/LX1", value: "a seat in LX1" }])
    })
  })

  it("goes back by a patch of the instance's writes after a checkpoint, and masks its later actions", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    looks(bench, "LX2")
    const { self } = lifted(bench)
    const [first] = [...self.registry.entries.values()]
    const [entry, commit] = first!.checkpoints
    assert.deepStrictEqual(RollbackPoint.patch(self, first!, entry!, bench.state), [
      { op: "remove", path: "/working/legs/LX1" }
    ])
    assert.deepStrictEqual(RollbackPoint.patch(self, first!, commit!, bench.state), [])
    assert.deepStrictEqual(RollbackPoint.masks(self, entry!), ["a2"])
    assert.deepStrictEqual(RollbackPoint.masks(self, commit!), [])
  })

  it("tells the standing of an effect for each of the nineteen states: commit means reconciled", () => {
    const stands = Object.entries(RecoveryEffect.standings).filter(([, standing]) => standing === "stands")
    assert.deepStrictEqual(stands, [["reconciled_success", "stands"]])
    assert.lengthOf(Object.keys(RecoveryEffect.standings), 19)
  })
})

describe("a failure", () => {
  /** Raw signals at one site: the booking of a leg that was found. */
  const raw: Readonly<Record<string, (bench: Bench) => void>> = {
    "an error of the tool": (bench) => {
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, { _tag: "Error", error: "declined" })
    },
    "a guard that refuses": (bench) => {
      bench.proposes({ tool: "book", params: { flight: "LX1", traveller: "Ada", price: 200 } })
    },
    "an argument that is missing": (bench) => {
      bench.proposes({ tool: "book", params: { flight: "LX1", traveller: "Ada" } })
    },
    "a time-out after which nothing is found": (bench) => {
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, { _tag: "Unknown", reason: "no answer" })
      bench.now += 60_000
      bench.answers(action, { _tag: "NotFound" }, "status")
      bench.answers(action, { _tag: "Error", error: "closed" })
    },
    "an error that is none of the tool's": (bench) => {
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, { _tag: "Error", error: { args: {}, code: "answer.unreadable" } })
    }
  }

  const at = (fail: (bench: Bench) => void, before: (bench: Bench) => void = () => {}) => {
    const bench = benchOf()
    looks(bench, "LX1")
    before(bench)
    fail(bench)
    const { failures, self } = lifted(bench)
    const failure = failures.at(-1)!
    return { failure, decided: RollbackAdmission.decide(self.registry, failure, options) }
  }

  it("leads to one decision at one site, whatever its signal", () => {
    const found = Object.values(raw).map((fail) => at(fail))
    assert.deepStrictEqual(
      found.map(({ failure: { signal } }) => signal),
      ["tool_exception", "denied", "missing_input", "tool_exception", "invalid_output"]
    )
    for (const { decided, failure } of found) {
      assert.deepInclude(failure, { state: "found", tool: "book", entity: "LX1" })
      assert.strictEqual(decided._tag === "Admitted" && decided.checkpoint.kind, "commit")
    }
  })

  it("leads to one block while the outcome of the effect is unknown, whatever its signal", () => {
    const contradicted = at((bench) => {
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, ok({ id: "LX1" }))
      bench.now += 60_000
      bench.readsBack(action, ok({ id: "LX1", price: 99 }))
    })
    const violated = at(
      (bench) => {
        const { action } = call(bench.proposes(bookOf("LX1")))
        bench.answers(action, ok({ id: "LX1" }))
      },
      (bench) => bench.proposes({ tool: "book", params: { flight: "LX1", traveller: "Ada", price: 200 } })
    )
    for (const { decided } of [contradicted, violated]) {
      assert.deepStrictEqual(decided._tag === "Blocked" && decided.reasons.map(({ code }) => code), [
        "effect_unsettled"
      ])
      assert.strictEqual(decided._tag === "Blocked" && decided.fallback, "rerun")
    }
    assert.deepStrictEqual(
      [contradicted, violated].map(({ failure }) => failure.signal),
      ["reconciliation_failed", "denied"]
    )
  })

  it("is not localized if no instance was live", () => {
    const bench = benchOf()
    bench.proposes({ tool: "book", params: { flight: "LX9", traveller: "Ada", price: 200 } })
    const { failures, self } = lifted(bench)
    assert.deepInclude(RollbackAdmission.decide(self.registry, failures[0]!, options), {
      reasons: [{ code: "ambiguous_instance", rivals: [] }],
      fallback: "rerun"
    })
  })
})
