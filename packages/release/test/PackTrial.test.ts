import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as PackTrial from "../src/PackTrial.ts"

const { book } = lab.definition.tools

/** The contract of the laboratory, changed. */
const packWith = (change: Partial<Definition>) =>
  Result.getOrThrow(TaskPack.make({ ...(lab.definition as Definition), version: "2.0.0", ...change }))

/** Two bookings and a refused one; the record of the second shows another price. */
const recorded = Effect.gen(function* () {
  const store = yield* lab.shared
  const world = new lab.World()
  const executor = ToolExecutor.fromTools({
    ...world.tools,
    book: {
      ...world.tools["book"]!,
      readback: async ({ key }) => {
        const answer = world.answers.get(key ?? "")
        return answer?.["flight"] === "LX2" ? { ...answer, price: 99 } : answer
      }
    }
  })
  const process = lab.process(store, { executor })
  yield* lab.as(process)(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      yield* handle.propose(lab.note("begin"))
      yield* handle.propose(lab.book("LX1"))
      yield* lab.elapsing(handle.propose(lab.book("LX2")))
      yield* handle.propose(lab.book("LX3", 300))
    })
  )
  return (candidate: PackTrial.Candidate) =>
    lab.as(process)(PackTrial.run(lab.trip, { secret: "secret", ...candidate }))
})

const kinds = ({ changes }: PackTrial.Tried) => changes.map(({ kind }) => kind)

describe("PackTrial", () => {
  it.effect("finds nothing in the contract that a run was made under (decision 0045)", () =>
    Effect.gen(function* () {
      const attempt = yield* recorded
      for (const candidate of [{}, { pack: lab.pack }, { pack: packWith({}) }]) {
        const { changes, judged, outcomes } = yield* attempt(candidate)
        assert.deepStrictEqual(changes, [])
        assert.isAbove(outcomes.length, 3)
        assert.isAbove(judged, outcomes.length)
      }
    })
  )

  it.effect("reports the acts that a contract would have refused, reviewed and allowed", () =>
    Effect.gen(function* () {
      const attempt = yield* recorded
      const strict = yield* attempt({
        pack: packWith({ guards: [{ id: "cheaper", on: "book", refuse_if: "args.price > 50" }] })
      })
      assert.deepStrictEqual(kinds(strict), ["refused", "refused", "refused"])
      assert.deepInclude(strict.changes[0], { tool: "book", before: "allowed", after: "refused by cheaper" })
      assert.deepInclude(strict.changes[2], { before: "refused by cheap", after: "refused by cheaper" })
      const asking = yield* attempt({ pack: packWith({ approvals: { book: { by: ["manager"] } } }) })
      assert.deepStrictEqual(kinds(asking), ["asked", "asked"])
      const free = yield* attempt({ pack: packWith({ guards: [] }) })
      assert.deepStrictEqual(kinds(free), ["allowed"])
      assert.deepStrictEqual(PackTrial.totals([strict, asking, free]), {
        refused: 3,
        asked: 2,
        allowed: 1,
        recovered: 0,
        violated: 0,
        cleared: 0
      })
    })
  )

  it.effect("names the role that is asked if another contract asks another role", () =>
    Effect.gen(function* () {
      const critical = (by: string) =>
        packWith({
          tools: {
            ...(lab.definition.tools as Definition["tools"]),
            book: { ...book, class: "critical_mutation" }
          } as never,
          approvals: { book: { by: [by] } }
        })
      const store = yield* lab.shared
      const process = lab.process(store)
      const attempt = yield* lab.as(process)(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: critical("operator"), goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          return yield* Effect.forEach(["operator", "supervisor"], (by) =>
            PackTrial.run(lab.trip, { secret: "secret", pack: critical(by) })
          )
        })
      )
      const [same, other] = attempt
      assert.deepStrictEqual(same?.changes, [])
      assert.deepStrictEqual(kinds(other!), ["asked"])
      assert.deepInclude(other?.changes[0], {
        before: "needs an approval by operator",
        after: "needs an approval by supervisor"
      })
    })
  )

  it.effect("reports the recoveries that would differ, and the verifications that would have been blind", () =>
    Effect.gen(function* () {
      const attempt = yield* recorded
      const weak = yield* attempt({
        pack: packWith({
          tools: {
            ...(lab.definition.tools as Definition["tools"]),
            book: { ...book, readback: { source: "airline", expect: ["true"], within: "2s" } }
          } as never
        })
      })
      const [change, ...others] = weak.changes
      assert.deepStrictEqual(others, [])
      assert.deepInclude(change, { kind: "recovered", after: "done by readback" })
      assert.match(change?.before ?? "", /^held: value_mismatch, /)
    })
  )

  it.effect("evaluates other violations over the states that would have been", () =>
    Effect.gen(function* () {
      const attempt = yield* recorded
      const { changes } = yield* attempt({
        pack: packWith({ violations: [{ id: "spent", when: "world.spent > 50" }] })
      })
      assert.lengthOf(changes, 1)
      assert.deepInclude(changes[0], { kind: "violated", before: "spent not violated" })
    })
  )

  it.effect("decides with another kernel if that is under test", () =>
    Effect.gen(function* () {
      const attempt = yield* recorded
      const trusting: Kernel.Kernel = {
        ...Kernel.standard,
        decide: (terms, state, command) =>
          Kernel.decide(
            terms,
            state,
            command._tag === "ReadBack" ? { ...command, evidence: { _tag: "NotFound" } } : command
          )
      }
      const { changes } = yield* attempt({ kernel: trusting })
      assert.deepStrictEqual(new Set(changes.map(({ kind }) => kind)), new Set(["recovered"]))
    })
  )
})
