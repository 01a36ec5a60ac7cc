import * as Claimed from "@backstitch/kernel/Claimed"
import type { Command } from "@backstitch/kernel/Command"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Learnt from "@backstitch/kernel/Learnt"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ExploredLog from "../src/ExploredLog.ts"
import * as ExploredProcess from "../src/ExploredProcess.ts"
import * as Explorer from "../src/Explorer.ts"
import * as ExplorerSetting from "../src/ExplorerSetting.ts"
import * as ExplorerState from "../src/ExplorerState.ts"
import * as Scenario from "../src/Scenario.ts"
import * as TwinLaws from "../src/TwinLaws.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"
/** The shortest times with which an act can still be under way while the clock goes on. */
const times: Scenario.Times = { sendWithin: 0, settleAfter: 1, keyRetention: 50 }
/** A contract that lets nobody wait for longer than a readback takes. Keys are recognised, so it is safe. */
const hasty: Partial<Scenario.Scenario> = { declared: { ...times, settleAfter: 0 } }

const twins = (
  what: NonNullable<Scenario.Scenario["twins"]>,
  faults: Partial<Scenario.Faults> = {},
  changes: Partial<Scenario.Scenario> = {}
) => Scenario.make("both", { times, horizon: 0, twins: what, faults: { ...Scenario.calm, ...faults }, ...changes })

type Scope = readonly [string, Scenario.Scenario, number?]

const kinds = ["keep", "revise", "abort"] as const

const scopes: ReadonlyArray<Scope> = isSoak
  ? kinds.flatMap(
      (what): ReadonlyArray<Scope> => [
        [`twins that ${what}, one crash`, twins(what, { crashes: 1 }, { horizon: 2 })],
        [`twins that ${what}, one fault of each kind`, twins(what, Scenario.oneOfEach)],
        [`twins that ${what}, recorded apart, time passes`, twins(what, {}, { reversal: "apart", horizon: 4 })]
      ]
    )
  : [
      ["twins that keep it, one crash", twins("keep", { crashes: 1 })],
      ["twins that keep it, one refusal", twins("keep", { refusals: 1 })],
      ["twins that keep it, while time passes", twins("keep", {}, { ...hasty, horizon: 1 }), 19],
      ["twins that both undo it", twins("revise")],
      [
        "twins that both undo it, recorded apart, one read refused",
        twins("revise", { unread: 1 }, { reversal: "apart" })
      ],
      ["twins of which one aborts, one crash", twins("abort", { crashes: 1 })],
      ["twins of which one aborts, one refusal", twins("abort", { refusals: 1 })],
      ["twins of which one aborts, one read refused", twins("abort", { unread: 1 })],
      ["twins of which one aborts, a person decides", twins("abort", { verdicts: 1 }, { reversal: "apart" })],
      ["twins of which one aborts, while time passes", twins("abort", {}, { ...hasty, horizon: 1 }), 22]
    ]

describe("TwinLaws", () => {
  for (const [name, scenario, depthMax] of scopes) {
    const explored = Explorer.explore(scenario, { depthMax, statesMax: isSoak ? 1_000_000 : 100_000 })
    it(Explorer.report(name, explored), () => {
      assert.isUndefined(explored.violation)
      assert.isTrue(explored.isComplete || isSoak || depthMax !== undefined)
    })
  }

  /** A kernel that takes no turn, where a body of a type would. */
  const turnless = (...types: ReadonlyArray<string>): Kernel.Kernel => ({
    ...Kernel.standard,
    decide: (...asked) => {
      const decision = Kernel.decide(...asked)
      const drafts = decision.drafts.map((draft): Draft => {
        const { turns: _, ...data } = draft.body.data ?? {}
        return types.includes(draft.body.type) ? { ...draft, body: { ...draft.body, data } } : draft
      })
      return { ...decision, drafts }
    }
  })
  /** A kernel to which what is about to be undone is there, and its reversal is not. */
  const blind = (kernel: Kernel.Kernel): Kernel.Kernel => ({
    ...kernel,
    decide: (terms, state, command) => {
      if (command._tag === "ReadBefore")
        return kernel.decide(terms, state, { ...command, evidence: { _tag: "NotFound" } })
      if (command._tag !== "Compensate" || command.original === undefined) return kernel.decide(terms, state, command)
      const evidence = { _tag: "Ok", output: { amount: 1, reversed: false } } as const
      return kernel.decide(terms, state, { ...command, original: { ...command.original, evidence } })
    }
  })
  const effects = "an act of twins has one effect at most, and one reversal (L6, L14)"
  const relied = "nothing is taken over that is being undone, nor undone that another run relies on (decision 0023)"
  const told = "what is told as success stands, or is told as reversed by the run that reversed it (L8)"
  const waits =
    "nobody waits for another run for longer than an act and its reversal may take by contract (decision 0023)"
  const named =
    "whoever is held names a run that can go on, or a person: no two runs wait for one another (decision 0023)"

  type Mutant = readonly [string, string, Scenario.Scenario, Parameters<typeof Explorer.explore>[1]]
  const mutants: ReadonlyArray<Mutant> = [
    [
      "begins anew under the next key wherever one is refused",
      effects,
      twins("keep"),
      {
        learn: (self, met) =>
          met.refusal.namespace === "key" ? { ...self, generation: self.generation + 1 } : Learnt.of(self, met)
      }
    ],
    [
      "undoes without a turn, and without a look, what it took over without one",
      effects,
      twins("revise", {}, { reversal: "apart" }),
      { kernel: blind(turnless("action.request", "recovery.decided")) }
    ],
    ["takes over without a turn", relied, twins("abort"), { kernel: turnless("action.request") }],
    ["undoes without a turn", relied, twins("abort"), { kernel: turnless("recovery.decided") }],
    [
      "asks for the next turn whoever relies on the last",
      relied,
      twins("abort"),
      { learn: (self, met) => Learnt.of(self, met.refusal.namespace === "turn" ? { ...met, transitions: [] } : met) }
    ],
    [
      "takes over what is to be undone",
      relied,
      twins("abort"),
      {
        learn: (self, met) =>
          Learnt.of(self, {
            ...met,
            transitions: met.transitions.filter(({ body }) => body.type !== "recovery.decided")
          })
      }
    ],
    ["tells as done what is undone meanwhile", told, twins("abort"), { kernel: turnless("action.request") }],
    [
      "answers from the record of the other run",
      told,
      twins("abort"),
      {
        learn: (self, met) => {
          const more = Learnt.of(self, met)
          return more?.adopted === undefined ? more : { ...more, adopted: { ...more.adopted, believed: true } }
        }
      }
    ],
    [
      "takes over what a reversal that a person gave up has not reached yet",
      told,
      twins("abort", { verdicts: 1 }),
      {
        learn: (self, met) => Learnt.of(self, { ...met, terms: { ...met.terms, now: Number.POSITIVE_INFINITY } })
      }
    ],
    [
      "counts its patience from each look",
      waits,
      twins("keep", {}, { ...hasty, horizon: 4 }),
      {
        claimed: (terms, state, { holder, ...met }) => {
          const anew = holder === undefined ? undefined : { ...holder, startedAt: terms.now }
          return Claimed.decide(terms, state, { ...met, holder: anew, since: undefined })
        }
      }
    ],
    [
      "waits for what has ended",
      named,
      twins("abort"),
      {
        claimed: (terms, state, { holder, ...met }) =>
          Claimed.decide(terms, state, {
            ...met,
            holder: holder && { ...holder, settled: undefined },
            since: 0 - terms.now * 10
          })
      }
    ],
    [
      "waits for a turn that nobody gives back",
      named,
      twins("abort"),
      { learn: (self, met) => (met.refusal.namespace === "turn" ? undefined : Learnt.of(self, met)) }
    ]
  ]
  it("see two runs that wait for one another, and nothing wrong in one that waits for the other", () => {
    const scenario = twins("keep")
    const logs = ["explored", "rival"].map((name) => ExploredLog.make(scenario, { name }))
    const command: Command = { _tag: "Propose", proposal: Scenario.payment }
    const heads = logs.map((log) =>
      Result.getOrThrow(log.append(log.begun, log.decide(log.begun, { clock: 0, command }).drafts))
    )
    const setting = ExplorerSetting.make(scenario, logs)
    const held = (run: number, by?: number): ExploredProcess.Process => {
      const behind = by === undefined ? {} : { behind: { run: logs[by]!.run.id, at: heads[by]!.id } }
      return { ...ExploredProcess.down(run), doing: { _tag: "Ended", outcome: "Held", ...behind } }
    }
    const law = TwinLaws.all.find(({ name }) => name === named)
    const holds = (...processes: readonly [ExploredProcess.Process, ExploredProcess.Process]) =>
      law?.holds(setting, { ...ExplorerState.initial(setting), heads, processes })
    assert.isTrue(holds(held(0), held(1, 0)))
    assert.isFalse(holds(held(0, 1), held(1, 0)))
  })

  describe("find a kernel, or whoever carries out what it decides, that", () => {
    for (const [name, law, scenario, options] of mutants) {
      const { violation } = Explorer.explore(scenario, {
        ...options,
        laws: TwinLaws.all.filter((each) => each.name === law)
      })
      it(`${name}: ${violation?.trace.join("; ")}`, () => assert.strictEqual(violation?.law, law))
    }
  })
})
