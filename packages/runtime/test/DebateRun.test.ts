import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as DebateRun from "../src/topology/DebateRun.ts"
import * as TopologyLab from "./topologyLab.ts"

const topology = { kind: "debate", rounds: 3 } as const

/** Drafts in their order, the last one for ever, and the calls of each role. */
const table = (drafts: ReadonlyArray<string>, scores?: ReadonlyArray<number>) => {
  const calls: Array<string> = []
  const of = <A>(all: ReadonlyArray<A>, round: number): A => all[Math.min(round, all.length) - 1]!
  return {
    calls,
    errand: (declared: DebateRun.DebateErrand["declared"]): DebateRun.DebateErrand => ({
      declared,
      draft: ({ critique, round }) =>
        Effect.sync(() => {
          calls.push(`draft ${round}${critique === undefined ? "" : ` after "${String(critique)}"`}`)
          return of(drafts, round)
        }),
      critique: ({ round }) =>
        Effect.as(
          Effect.sync(() => calls.push(`critique ${round}`)),
          `mend ${round}`
        ),
      ...(scores === undefined
        ? {}
        : { score: ({ round }: DebateRun.DebateDraft) => Effect.succeed(of(scores, round)) })
    })
  }
}

const long = "The press prints a chapter once for each key that it is given"

describe("DebateRun", () => {
  it.effect("ends once a round changes little of the draft", () =>
    TopologyLab.within(topology, ({ declared, handle, memos, run }) =>
      Effect.gen(function* () {
        const { calls, errand } = table([long, `${long} and keeps receipts`, `${long} and keeps receipts`])
        const debate = yield* DebateRun.make(handle, errand(declared))
        assert.deepInclude(yield* debate.run, { _tag: "Reached" })
        assert.deepStrictEqual(calls, [
          "draft 1",
          "critique 1",
          'draft 2 after "mend 1"',
          "critique 2",
          'draft 3 after "mend 2"'
        ])
        assert.strictEqual((yield* memos).filter((memo) => memo.startsWith("round")).length, 3)
        assert.isTrue((yield* RunDiagnosis.of(run)).isHealthy)
      })
    )
  )

  it.effect("gives a tie at the cap to an independent judge, and ships the last draft where there is none", () =>
    Effect.gen(function* () {
      const sides = ["too long, says the critic", "the chapter in short", "an altogether different text of the book"]
      for (const [agents, expected] of [
        [{}, { by: "best", round: 3 }],
        [{ judge: "referee" }, { by: "judged", round: 2 }]
      ] as const) {
        yield* TopologyLab.within({ ...topology, agents }, ({ declared, handle }) =>
          Effect.gen(function* () {
            const { errand } = table(sides)
            const decide = (tied: ReadonlyArray<DebateRun.DebateDraft>) => Effect.succeed(tied[0]!.round)
            const judged = "judge" in agents ? { decide } : {}
            const ended = yield* (yield* DebateRun.make(handle, { ...errand(declared), ...judged })).run
            assert.deepInclude(ended._tag === "Reached" ? ended.result : ended, expected)
          })
        )
      }
    })
  )

  it.effect("ships the best draft once a later round is worse: a critique that undoes fixes ends the debate", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { calls, errand } = table([long, "shorter", "still shorter"], [0.9, 0.5, 0.2])
        const ended = yield* (yield* DebateRun.make(handle, errand(declared))).run
        assert.deepStrictEqual(ended, { _tag: "Reached", result: { by: "best", draft: long, round: 1 } })
        assert.notInclude(calls.join(), "draft 3")
      })
    )
  )

  it.effect("begins a round again that a process left half done, and keeps the complete ones", () =>
    TopologyLab.within(topology, ({ declared, handle, reopen }) =>
      Effect.gen(function* () {
        const drafts = [long, "the chapter in short", "the chapter in short"]
        const first = table(drafts)
        const stuck = first.errand(declared)
        const dying = yield* DebateRun.make(handle, {
          ...stuck,
          draft: (drafting) => (drafting.round === 2 ? Effect.never : stuck.draft(drafting))
        })
        const fiber = yield* Effect.forkChild(dying.run)
        while (!first.calls.includes("critique 1")) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const second = table(drafts)
        assert.strictEqual((yield* (yield* DebateRun.make(yield* reopen, second.errand(declared))).run)._tag, "Reached")
        assert.deepStrictEqual(second.calls.slice(0, 2), ["critique 1", 'draft 2 after "mend 1"'])
      })
    )
  )

  it.effect("does a round again whose drafter or critic is killed, and asks a person after the second loss", () =>
    Effect.gen(function* () {
      for (const role of ["drafter", "critic"]) {
        for (const deaths of [1, 2]) {
          yield* TopologyLab.within(topology, ({ declared, handle, memos }) =>
            Effect.gen(function* () {
              const { errand } = table([long, long])
              const healthy = errand(declared)
              let died = 0
              const dying = (agent: string, round: number) =>
                Effect.suspend(() => {
                  if (agent !== role || round !== 2 || died >= deaths) return Effect.void
                  died++
                  return Effect.andThen(debate.kill(agent), Effect.never)
                })
              const debate: DebateRun.DebateRun = yield* DebateRun.make(handle, {
                ...healthy,
                draft: (drafting) => Effect.andThen(dying("drafter", drafting.round), healthy.draft(drafting)),
                critique: (draft) => Effect.andThen(dying("critic", draft.round + 1), healthy.critique(draft))
              })
              const ended = yield* debate.run
              assert.strictEqual(ended._tag, deaths === 1 ? "Reached" : "Asked", `${role} ${deaths}`)
              if (ended._tag === "Asked") assert.deepStrictEqual(ended.subjects, ["round 2"])
              assert.strictEqual((yield* memos).filter((memo) => memo.startsWith("round 1")).length, 1)
              assert.isFalse(yield* debate.kill(role))
            })
          )
        }
      }
    })
  )

  it.effect("takes no draft that repeats its brief, and no draft without a word", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { errand } = table([""])
        const ended = yield* (yield* DebateRun.make(handle, errand(declared))).run
        assert.deepInclude(ended, { _tag: "Asked", crack: "lost_handoff", subjects: ["round 1"] })
      })
    )
  )
})
