import type { Command } from "@backstitch/kernel/Command"
import type * as CommandFacts from "@backstitch/kernel/CommandFacts"
import * as ConflictResolution from "@backstitch/kernel/ConflictResolution"
import * as Kernel from "@backstitch/kernel/Kernel"
import type * as StoreQuery from "@backstitch/kernel/StoreQuery"
import type { Draft, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ExploredLog from "../src/explorer/ExploredLog.ts"
import * as ExploredProcess from "../src/explorer/ExploredProcess.ts"
import * as Explorer from "../src/explorer/Explorer.ts"
import * as ExplorerSetting from "../src/explorer/ExplorerSetting.ts"
import * as ExplorerState from "../src/explorer/ExplorerState.ts"
import * as Scenario from "../src/explorer/Scenario.ts"
import * as TwinLaws from "../src/explorer/TwinLaws.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"
/** The shortest times with which an act can still be under way while the clock goes on. */
const times: Scenario.Times = { sendWithin: 0, settleAfter: 1, keyRetention: 50 }
const apart = { reversal: "apart" } as const
/** A contract that lets nobody wait for longer than a readback takes. Keys are recognised, so it is safe. */
const hasty: Partial<Scenario.Scenario> = { declared: { ...times, settleAfter: 0 } }

const twins = (
  what: NonNullable<Scenario.Scenario["twins"]>,
  faults: Partial<Scenario.Faults> = {},
  changes: Partial<Scenario.Scenario> = {}
) =>
  Scenario.make("both", {
    times,
    horizon: 0,
    twins: what,
    // Most can happen where a settlement is there for the other run before anything follows.
    settles: "alone",
    faults: { ...Scenario.calm, ...faults },
    ...changes
  })
const rides = { settles: "rides" } as const

type Scope = readonly [string, Scenario.Scenario, number?]

const kinds = ["keep", "revise", "abort"] as const

const scopes: ReadonlyArray<Scope> = isSoak
  ? kinds.flatMap(
      (what): ReadonlyArray<Scope> => [
        [`twins that ${what}, one crash`, twins(what, { crashes: 1 }, { horizon: 2 })],
        [`twins that ${what}, a person decides, one crash`, twins(what, { crashes: 1, verdicts: 1 }, apart)],
        [`twins that ${what}, one fault of each kind`, twins(what, Scenario.oneOfEach)],
        [`twins that ${what}, recorded apart, time passes`, twins(what, {}, { reversal: "apart", horizon: 4 })]
      ]
    )
  : [
      ["twins that keep it, one crash", twins("keep", { crashes: 1 })],
      ["twins that keep it, one refusal", twins("keep", { refusals: 1 })],
      ["twins that keep it, while time passes", twins("keep", {}, { ...hasty, horizon: 1 }), 19],
      ["twins that both undo it", twins("revise")],
      ["twins that both undo it, a settlement rides", twins("revise", {}, rides)],
      ["twins of which one aborts, a settlement rides, one crash", twins("abort", { crashes: 1 }, rides)],
      [
        "twins that both undo it, recorded apart, one read refused",
        twins("revise", { unread: 1 }, { reversal: "apart" })
      ],
      ["twins of which one aborts, one crash", twins("abort", { crashes: 1 })],
      ["twins of which one aborts, one refusal", twins("abort", { refusals: 1 })],
      ["twins of which one aborts, one read refused", twins("abort", { unread: 1 })],
      ["twins of which one aborts, a person decides", twins("abort", { verdicts: 1 }, { reversal: "apart" })],
      [
        "twins of which one aborts, a person decides, one crash",
        twins("abort", { crashes: 1, verdicts: 1 }, { reversal: "apart" }),
        21
      ],
      ["twins of which one aborts, while time passes", twins("abort", {}, { ...hasty, horizon: 1 }), 22]
    ]

describe("TwinLaws", () => {
  for (const [name, scenario, depthMax] of scopes) {
    const explored = Explorer.explore(scenario, { depthMax, statesMax: isSoak ? 1_000_000 : 100_000 })
    it(Explorer.summary(name, explored), () => {
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
  type ClaimRefused = Command & { readonly _tag: "ClaimRefused" }
  /** A kernel that decides otherwise once a name was refused. */
  const refused = (change: (command: ClaimRefused) => ClaimRefused): Kernel.Kernel => ({
    ...Kernel.standard,
    decide: (terms, state, command) =>
      Kernel.decide(terms, state, command._tag === "ClaimRefused" ? change(command) : command)
  })
  /** A kernel to which more was learnt, or less, when a name was refused. */
  const learnt = (
    change: (learnt: CommandFacts.Lessons, refusal: ClaimRefused["refusal"]) => Partial<CommandFacts.Lessons>
  ): ((command: ClaimRefused) => ClaimRefused) => {
    return ({ command, ...refused }) => {
      const { learnt: before = ConflictResolution.nothing } = command
      return { ...refused, command: { ...command, learnt: { ...before, ...change(before, refused.refusal) } } }
    }
  }
  /** A kernel to which the holder of a refused name is shown otherwise than it is. */
  const shown = (
    change: (transitions: ReadonlyArray<Transition>, refusal: ClaimRefused["refusal"]) => ReadonlyArray<Transition>
  ): ((command: ClaimRefused) => ClaimRefused) => {
    const answer = (found: StoreQuery.AnsweredQuery, refusal: ClaimRefused["refusal"]): StoreQuery.AnsweredQuery =>
      found.look._tag === "Trace"
        ? { ...found, answer: change(found.answer as ReadonlyArray<Transition>, refusal) }
        : found
    return (command) =>
      command.found === undefined
        ? command
        : { ...command, found: command.found.map((found) => answer(found, command.refusal)) }
  }
  const without = (type: string) => shown((transitions) => transitions.filter(({ body }) => body.type !== type))
  const effects = "an act of twins has one effect at most, and one reversal (L6, L14)"
  const relied = "nothing is taken over that is being undone, nor undone that another run relies on (decision 0023)"
  const told = "an effect that is told as success stands, or is told as reversed by the run that reversed it (L8)"
  const waits =
    "nobody waits for another run for longer than an act and its reversal may take by contract (decision 0023)"
  const named =
    "a run that is held names a run that can go on, or a person: no two runs wait for one another (decision 0023)"

  type Mutant = readonly [string, string, Scenario.Scenario, Parameters<typeof Explorer.explore>[1]]
  const mutants: ReadonlyArray<Mutant> = [
    [
      "begins anew under the next key wherever one is refused",
      effects,
      twins("keep"),
      {
        kernel: {
          ...Kernel.standard,
          decide: (terms, state, command) => {
            const decided = Kernel.decide(terms, state, command)
            if (command._tag !== "ClaimRefused" || command.refusal.namespace !== "key") return decided
            const { generation } = decided.again.learnt ?? ConflictResolution.nothing
            const again = { ...decided.again, learnt: { ...decided.again.learnt, generation: generation + 1 } }
            return { ...decided, drafts: [], flush: "now", next: { _tag: "Again", command: again } }
          }
        }
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
      { kernel: refused(shown((transitions, { namespace }) => (namespace === "turn" ? [] : transitions))) }
    ],
    ["takes over what is to be undone", relied, twins("abort"), { kernel: refused(without("recovery.decided")) }],
    ["tells as done what is undone meanwhile", told, twins("abort"), { kernel: turnless("action.request") }],
    [
      "answers from the record of the other run",
      told,
      twins("abort"),
      {
        kernel: refused(({ found = [], ...command }) => ({
          ...command,
          found: found.map((each) => (each.look._tag === "Seeded" ? { ...each, answer: true } : each))
        }))
      }
    ],
    [
      "takes over what a reversal that a person gave up has not reached yet",
      told,
      twins("abort", { verdicts: 1 }),
      {
        kernel: {
          ...Kernel.standard,
          decide: (terms, state, command) => {
            const late = { ...terms, now: terms.now + 1_000_000 }
            const early = Kernel.decide(command._tag === "ClaimRefused" ? late : terms, state, command)
            return early.next._tag === "End" ? Kernel.decide(terms, state, command) : early
          }
        }
      }
    ],
    [
      "counts its patience from each look",
      waits,
      twins("keep", {}, { ...hasty, horizon: 4 }),
      {
        kernel: {
          ...Kernel.standard,
          decide: (terms, state, command) => {
            if (command._tag !== "ClaimRefused") return Kernel.decide(terms, state, command)
            const anew = shown((transitions) =>
              transitions.map((each) => ({ ...each, stamp: { ...each.stamp, asOf: terms.now } }))
            )
            return Kernel.decide(terms, state, learnt(() => ({ since: undefined }))(anew(command)))
          }
        }
      }
    ],
    [
      "waits for what has ended",
      named,
      twins("abort"),
      {
        kernel: refused((command) =>
          learnt(() => ({ since: Number.MIN_SAFE_INTEGER }))(without("action.reconciled")(command))
        )
      }
    ],
    [
      "waits for a turn that nobody gives back",
      named,
      twins("abort"),
      {
        kernel: refused(
          learnt((_, { namespace }) => (namespace === "turn" ? { lessons: Number.MAX_SAFE_INTEGER } : {}))
        )
      }
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
