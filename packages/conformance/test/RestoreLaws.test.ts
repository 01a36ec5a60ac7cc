import type * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import type { Command } from "@backstitch/kernel/Command"
import type { Decided } from "@backstitch/kernel/Decision"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Explorer from "../src/explorer/Explorer.ts"
import * as RestoreLaws from "../src/explorer/RestoreLaws.ts"
import * as Scenario from "../src/explorer/Scenario.ts"
import { short } from "./scenes.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"

const restored = (
  restores: Scenario.Scenario["restores"],
  faults: Partial<Scenario.Faults> = {},
  changes: Partial<Scenario.Scenario> = {}
) => short("both", faults, { restores, horizon: 0, ...changes })

const one = { crashes: 1, late: 1 } as const
const apart = { reversal: "apart" } as const

type Scope = readonly [string, Scenario.Scenario, number?]

const scopes: ReadonlyArray<Scope> = isSoak
  ? [
      ["a subtask goes back, by two processes", restored("both")],
      ["a subtask goes back, while another reads of it", restored("read")],
      ["a subtask goes back, while another adds to it", restored("posted")],
      ["a subtask goes back, by two processes, one crash", restored("both", { crashes: 1 })],
      ["a subtask goes back, while another reads of it, one crash", restored("read", { crashes: 1 })],
      ["a subtask goes back, while another adds to it, one crash", restored("posted", { crashes: 1 })],
      ["a subtask goes back, while another reads of it, one late answer", restored("read", { late: 1 })],
      ["a subtask goes back, one fault of each kind", restored("alone", Scenario.oneOfEach, { horizon: 2 })],
      ["a subtask goes back, three crashes", restored("alone", { crashes: 3 }, { reversal: "apart", horizon: 2 })]
    ]
  : [
      ["a subtask goes back, two crashes", restored("alone", { crashes: 2 })],
      ["a subtask goes back, recorded apart, one crash, one late answer", restored("alone", one, apart)],
      ["a subtask goes back, one refusal, one read refused", restored("alone", { refusals: 1, unread: 1 })],
      ["a subtask goes back, by two processes", restored("both"), 24],
      ["a subtask goes back, while another reads of it", restored("read"), 34],
      ["a subtask goes back, while another reads of it, one crash", restored("read", { crashes: 1 }), 22],
      ["a subtask goes back, while another adds to it", restored("posted"), 25]
    ]

const found = (
  scenario: Scenario.Scenario,
  law: string,
  kernel: Kernel.Kernel = Kernel.standard
): ReadonlyArray<string> => {
  const laws = RestoreLaws.all.filter(({ name }) => name === law)
  const { violation } = Explorer.explore(scenario, { kernel, laws, statesMax: 40_000 })
  assert.strictEqual(violation?.law, law)
  return violation?.trace ?? []
}

const read = "nothing goes back that a step of another subtask has read (L10)"
const crossed = "nothing goes back over an effect that stays or is not settled (L10)"
const asItWas = "a restored field is as it was at the checkpoint, and all others are as they were (decision 0054)"
const masked = "a step that went back is masked, and writes nothing any more (decision 0031)"
const undone = "a subtask is back once each of its effects is undone, and not before (L5, L12)"
const carried = "a restore that has begun is carried out once, or goes on (L14)"
const derived = "a fact about a subtask follows from what is on record before it (decision 0054)"
const latest = "a subtask goes back to the latest of its checkpoints (L11)"

const told = (change: (command: Command, tick: number) => Command): Kernel.Kernel => ({
  ...Kernel.standard,
  decide: (terms, state, command) => Kernel.decide(terms, state, change(command, terms.tick))
})

const forgetful = told((command) =>
  command._tag === "Undo" ? { ...command, wanted: { ...command.wanted, actions: [] } } : command
)

describe("The explorer of subtasks", () => {
  for (const [name, scenario, depthMax] of scopes) {
    const explored = Explorer.explore(scenario, { depthMax, statesMax: isSoak ? 1_000_000 : 300_000 })
    it(Explorer.summary(name, explored), () => {
      assert.isUndefined(explored.violation)
      assert.include(explored.laws, read)
      assert.isTrue(explored.isComplete || isSoak || depthMax !== undefined)
    })
  }

  describe("finds an admission that", () => {
    const leaving = (leaves: RecoveryPolicy.Conjunct) => ({ leaves })

    it("does not ask for consumers", () => {
      const trace = found(restored("read", {}, leaving("no_committed_conflict")), read)
      assert.include(trace.at(-1), "recovery.decided")
    })

    it("does not ask for effects that stay, where the kernel forgets them too", () => {
      const scenario = restored("posted", {}, leaving("effect_allowed"))
      found(scenario, crossed, forgetful)
      // The kernel refuses to leave an effect without its reversal, whoever admits that.
      const laws = RestoreLaws.all.filter(({ name }) => name === crossed)
      assert.isUndefined(Explorer.explore(scenario, { laws, depthMax: 18 }).violation)
    })
  })

  describe("finds a kernel that", () => {
    const rolled = (change: (rollback: Rollback, tick: number) => Partial<Rollback>) =>
      told((command, tick) =>
        command._tag === "Undo" && command.rollback !== undefined
          ? { ...command, rollback: { ...command.rollback, ...change(command.rollback, tick) } }
          : command
      )
    type Rollback = NonNullable<(Command & { readonly _tag: "Undo" })["rollback"]>
    const edited = (change: (decided: Decided, command: Command) => Partial<Decided>): Kernel.Kernel => ({
      ...Kernel.standard,
      decide: (terms, state, command) => {
        const decided = Kernel.decide(terms, state, command)
        return { ...decided, ...change(decided, command) }
      }
    })
    const drafting = (change: (draft: Draft) => ReadonlyArray<Draft>) =>
      edited(({ drafts }) => ({ drafts: drafts.flatMap(change) }))

    it("restores what was admitted at another head: somebody has read it since", () => {
      const trace = found(
        restored("read"),
        read,
        rolled((_, tick) => ({ at: tick - 1 }))
      )
      assert.include(trace.join(), "P1 was not the first, catches up and decides again")
      assert.include(trace.at(-1), "P1 commits failure.observed, recovery.decided")
    })

    it("restores what was admitted at another head: an effect was added that stays", () => {
      const trace = found(
        restored("posted"),
        crossed,
        rolled((_, tick) => ({ at: tick - 1 }))
      )
      assert.include(trace.join(), "P2 commits")
    })

    it("leaves what the subtask wrote", () => {
      found(
        restored("alone"),
        asItWas,
        rolled(() => ({ patch: [] }))
      )
    })

    it("puts back more than the subtask wrote", () => {
      const more = { op: "replace", path: "/working/draft", value: null } as const
      found(
        restored("alone"),
        asItWas,
        rolled(({ patch }) => ({ patch: [...patch, more] }))
      )
    })

    it("goes back further than it has to", () => {
      const entry = { kind: "entry", tick: 1, state: "open" } as const
      const further = rolled(({ checkpoint }) => ({ checkpoint: { ...checkpoint, ...entry } }))
      found(restored("alone"), latest, further)
    })

    it("masks nothing", () => {
      const kernel = told((command) =>
        command._tag === "Undo" ? { ...command, wanted: { ...command.wanted, masks: [] } } : command
      )
      found(restored("alone"), masked, kernel)
    })

    it("forgets the effects", () => {
      found(restored("alone"), undone, forgetful)
    })

    it("tells of a restore before its plan is over", () => {
      const trace = found(
        restored("alone"),
        carried,
        edited(({ next }, { _tag }) =>
          _tag === "Undo" && next._tag === "Compensate"
            ? { next: { _tag: "End", outcome: { _tag: "Done", tick: 1, output: null, basis: "committed" } } }
            : {}
        )
      )
      assert.include(trace.at(-1), "recovery.decided")
    })

    it("ends a plan twice", () => {
      found(
        restored("alone"),
        carried,
        drafting((draft) => (draft.body.type === "recovery.restored" ? [draft, draft] : [draft]))
      )
    })

    it("records a failure that did not happen", () => {
      const kernel = drafting((draft) =>
        draft.body.type === "failure.observed"
          ? [{ ...draft, body: { ...draft.body, data: { ...draft.body.data, tool: "pay" } } }]
          : [draft]
      )
      found(restored("alone"), derived, kernel)
    })
  })
})
