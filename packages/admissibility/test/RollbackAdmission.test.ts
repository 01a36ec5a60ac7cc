import { assert, describe, it } from "@effect/vitest"
import * as Checkpoint from "../src/instance/Checkpoint.ts"
import * as Instance from "../src/instance/Instance.ts"
import type { LiftedStep } from "../src/registry/LiftedStep.ts"
import * as Registry from "../src/registry/Registry.ts"
import * as JointRollback from "../src/rollback/JointRollback.ts"
import * as RecoveryPolicy from "../src/rollback/RecoveryPolicy.ts"
import * as RollbackAdmission from "../src/rollback/RollbackAdmission.ts"
import { effect, erased, Moves, registryOf, shape, shapes, step, stepsOf, unsupported } from "./lab.ts"

const runs = { arbitrary: { runs: 500 } }
const options = { policy: RecoveryPolicy.policies.exit, now: 0 }
const entriesOf = ({ entries }: Registry.Registry) => [...entries.values()]
const codes = (decided: RollbackAdmission.Admitted | RollbackAdmission.Blocked) =>
  decided._tag === "Blocked" ? decided.reasons.map(({ code }) => code) : []

describe("RollbackAdmission", () => {
  it.prop(
    "never leaves a committed consumer without support where it admits (L10, corollary 1)",
    [Moves],
    ([moves]) => {
      const steps = stepsOf(moves)
      const registry = registryOf(steps)
      for (const entry of entriesOf(registry)) {
        const decided = RollbackAdmission.restore(registry, entry, options)
        if (decided._tag === "Blocked") continue
        const back = new Map([[entry, decided.checkpoint]])
        assert.deepStrictEqual([...unsupported(registry, steps, back)], [])
        assert.deepStrictEqual(erased(registry, steps, entry, decided.checkpoint), [])
      }
    },
    runs
  )

  it.prop(
    "blocks wherever a rollback by force is not equivalent (theorem 1)",
    [Moves],
    ([moves]) => {
      const steps = stepsOf(moves)
      const registry = registryOf(steps)
      for (const entry of entriesOf(registry)) {
        for (const checkpoint of entry.checkpoints) {
          const lost = unsupported(registry, steps, new Map([[entry, checkpoint]]))
          const reasons = RollbackAdmission.judge(registry, entry, checkpoint, options)
          const named = reasons.flatMap((reason) => ("consumers" in reason ? reason.consumers : []))
          for (const { instance } of lost)
            assert.deepInclude(
              named.map((each) => each.instance),
              instance
            )
        }
      }
    },
    runs
  )

  it.prop(
    "restores one checkpoint: an admissible one, and the latest of those (L11, theorem 2)",
    [Moves],
    ([moves]) => {
      const registry = registryOf(stepsOf(moves))
      for (const entry of entriesOf(registry)) {
        const admissible = entry.checkpoints.filter(
          (checkpoint) => RollbackAdmission.judge(registry, entry, checkpoint, options).length === 0
        )
        const decided = RollbackAdmission.restore(registry, entry, options)
        if (admissible.length === 0) assert.strictEqual(decided._tag, "Blocked")
        else {
          assert.deepInclude(decided, { _tag: "Admitted", checkpoint: admissible.sort(Checkpoint.byRecency).at(-1)! })
          for (const { checkpoint, reasons } of decided.judged) {
            const isLater = decided._tag === "Admitted" && Checkpoint.byRecency(checkpoint, decided.checkpoint) > 0
            if (isLater) assert.isNotEmpty(reasons)
          }
        }
      }
    },
    runs
  )

  it.prop(
    "leaves nobody without support where the joint rollback is done that it proposes",
    [Moves],
    ([moves]) => {
      const steps = stepsOf(moves)
      const registry = registryOf(steps)
      for (const entry of entriesOf(registry)) {
        for (const checkpoint of entry.checkpoints) {
          const { restores } = JointRollback.propose(registry, entry, checkpoint, options)!
          const back = new Map(
            restores.map(
              (each) => [registry.entries.get(Instance.idOf(each.checkpoint.instance))!, each.checkpoint] as const
            )
          )
          assert.deepStrictEqual([...unsupported(registry, steps, back)], [])
        }
      }
    },
    runs
  )

  it("blocks a producer with committed consumers and names them, and permits it without the conjunct", () => {
    const registry = registryOf([
      step(1, "a", { writes: ["k1"], commit: true }),
      step(2, "a", { writes: ["k1"] }),
      step(3, "b", { reads: ["k1"], commit: true }),
      step(4, "c", { reads: ["k1"], commit: true })
    ])
    const [producer] = entriesOf(registry)
    const decided = RollbackAdmission.restore(registry, producer!, options)
    assert.deepStrictEqual(codes(decided), ["committed_consumers_present"])
    assert.deepInclude(decided, { fallback: "rerun" })
    const policy = RecoveryPolicy.without(options.policy, "no_committed_conflict")
    assert.deepInclude(RollbackAdmission.restore(registry, producer!, { ...options, policy }), { _tag: "Admitted" })
  })

  it.prop(
    "undoes no effect of an instance that another one has read from (L10)",
    [Moves],
    ([moves]) => {
      const steps = stepsOf(moves)
      const registry = registryOf(steps)
      for (const entry of entriesOf(registry)) {
        const decided = RollbackAdmission.restore(registry, entry, options)
        if (decided._tag === "Blocked" || decided.owes.length === 0) continue
        const writes = steps.filter(({ tick }) => entry.steps.includes(tick))
        const others = steps.filter(({ tick }) => !entry.steps.includes(tick))
        const readers = others.filter((other) =>
          writes.some((own) => own.tick < other.tick && own.writes.some((key) => other.reads.includes(key)))
        )
        assert.deepStrictEqual(readers, [])
      }
    },
    runs
  )

  it("judges a producer that two committed instances have read by the rule of its policy (appendix F.4)", () => {
    const finalized = [
      step(4, "b", { reads: ["slot0"], writes: ["slot1"], commit: true }),
      step(5, "c", { reads: ["slot0", "slot1"], writes: ["schedule"], commit: true })
    ]
    const held = [step(1, "a", { writes: ["slot0"], commit: true }), step(2, "a", { exit: true }), ...finalized]
    const booked = [step(1, "a", { writes: ["slot0"], commit: true }), step(2, "a", { effect: effect("e1") })]
    const decided = (steps: ReadonlyArray<LiftedStep>, consumers: RecoveryPolicy.ConsumerRule) => {
      const registry = registryOf(steps)
      const policy = RecoveryPolicy.judging(RecoveryPolicy.policies.commit, consumers)
      const found = RollbackAdmission.restore(registry, entriesOf(registry)[0]!, { policy, now: 0 })
      const named =
        found._tag === "Blocked" ? found.reasons.flatMap((each) => ("consumers" in each ? each.consumers : [])) : []
      return [found._tag, ...named.map(({ instance }) => instance.skeleton)]
    }
    const rejected = ["Blocked", "b", "c"]
    assert.deepStrictEqual(
      RecoveryPolicy.consumerRules.map((rule) => decided(held, rule)),
      [rejected, ["Admitted"], ["Admitted"]]
    )
    // The values stay in both; but in the second, the slot would no longer be booked under the schedule.
    assert.deepStrictEqual(
      RecoveryPolicy.consumerRules.map((rule) => decided([...booked, ...finalized], rule)),
      [rejected, rejected, ["Admitted"]]
    )
  })

  it("keeps a commit behind an effect that cannot be undone, if the entry is blocked by it", () => {
    const steps = [
      step(1, "a", { writes: ["k1"], effect: effect("e1", { reversibility: "X" }), commit: true }),
      step(2, "a", { writes: ["k2"] })
    ]
    const registry = registryOf(steps)
    const [entry] = entriesOf(registry)
    assert.deepInclude(RollbackAdmission.restore(registry, entry!, options), { _tag: "Admitted", owes: [] })
    const only = { ...options, policy: RecoveryPolicy.policies.entry }
    assert.deepStrictEqual(codes(RollbackAdmission.restore(registry, entry!, only)), ["irreversible_effect_policy"])
  })

  it("holds a run whose effect has no key and cannot be asked about", () => {
    const made = effect("e1", { reversibility: "X", isRepeatable: false })
    const registry = registryOf([step(1, "a", { effect: made })])
    const decided = RollbackAdmission.restore(registry, entriesOf(registry)[0]!, options)
    assert.deepInclude(decided, { _tag: "Blocked", fallback: "hold" })
  })

  it("owes the reversals of the effects behind a checkpoint, the latest first", () => {
    const registry = registryOf([
      step(1, "a", { effect: effect("e1") }),
      step(2, "a", { effect: effect("e2", { standing: "undone" }) }),
      step(3, "a", { effect: effect("e3", { reversibility: "K" }) })
    ])
    const decided = RollbackAdmission.restore(registry, entriesOf(registry)[0]!, options)
    assert.deepStrictEqual(decided._tag === "Admitted" && decided.owes.map(({ action }) => action), ["e3", "e1"])
  })

  it("abstains if a failure has no one instance, and says which rivals there are", () => {
    const registry = registryOf([step(1, "a"), step(2, "b", { entity: "2" })])
    const failure = { tick: 3, state: "busy", tool: "work", signal: "timeout" } as const
    const decided = RollbackAdmission.decide(registry, failure, options)
    assert.deepStrictEqual(codes(decided), ["ambiguous_instance"])
    assert.deepInclude(RollbackAdmission.decide(registry, { ...failure, state: "done" }, options), {
      reasons: [{ code: "ambiguous_instance", rivals: [] }]
    })
  })

  it("says that a boundary was reached and not closed, and restores the checkpoint before it", () => {
    const closed = { ...shapes, a: shape("a", { outputs: ["k1"], effects: "forbid" }) }
    const lifted = (more: object) =>
      Registry.lift(Registry.make(closed), [step(1, "a", { effect: effect("e1", more), writes: ["k1"], commit: true })])
    const open = lifted({ standing: "open" })
    assert.deepStrictEqual(codes(RollbackAdmission.restore(open, entriesOf(open)[0]!, options)), [
      "boundary_not_closed",
      "effect_unsettled"
    ])
    Registry.settle(open, { action: "e1", standing: "stands", tick: 2 })
    assert.deepInclude(RollbackAdmission.restore(open, entriesOf(open)[0]!, options), { _tag: "Admitted" })
  })
})
