import * as Path from "node:path"
import * as Check from "@backstitch/kernel/Check"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Payload from "@backstitch/kernel/Payload"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Part from "@backstitch/reducer/Part"
import * as State from "@backstitch/reducer/State"
import type * as Export from "@backstitch/trace/Export"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as PackTrial from "../../release/src/PackTrial.ts"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as SecretFingerprint from "../src/sealing/SecretFingerprint.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"
import * as sealed from "./sealed.ts"

// Recorded once for each set of parts that was pinned. They fold for ever as they did, and are never recorded again.
const pinned = goldens.pinned()

const pinsOf = ({ transitions }: Export.Export) => PackInForce.pinned(Transition.open(transitions[0]!))

/** Ticks at which a writer committed half of a decision: deciding again says so there, and at no other tick. */
const halved: { readonly [run: string]: ReadonlyArray<number> } = { "excursion-5": [3] }

const ticksOf = ({ differs }: DecisionReplay.Redecided): ReadonlyArray<number> => differs.map(({ tick }) => tick)

/** A later kernel: a part more, which counts what it sees. */
const later = Kernel.withParts(
  Kernel.standard,
  Part.make("later", { version: 1, init: { seen: 0 }, on: { "*": ({ seen }) => ({ seen: seen + 1 }) } })
)

describe("golden traces", () => {
  it("are all pinned", () => {
    assert.deepStrictEqual(goldens.names(), Object.keys(pinned).sort())
  })

  it.effect("are decided again as they were decided (decision 0045)", () =>
    Effect.gen(function* () {
      let [obeyed, unrecorded] = [0, 0]
      for (const [group, names] of goldens.groups()) {
        const secret = goldens.secretOf(group)
        yield* lab.as(lab.process(yield* lab.shared, { lawless: true, secret }))(
          Effect.gen(function* () {
            const runs = names.map(goldens.read)
            for (const exported of runs) yield* RunExport.importRun(exported)
            for (const { run } of runs) {
              const again = yield* DecisionReplay.redecide(run, { secret })
              assert.deepStrictEqual([group, run.id, ticksOf(again)], [group, run.id, halved[run.id] ?? []])
              obeyed += again.obeyed
              unrecorded += again.unrecorded
            }
          })
        )
      }
      assert.isAbove(obeyed, 10 * unrecorded)
    })
  )

  it.effect("go on under this kernel, and the added transitions are verified and decided again (decision 0015)", () =>
    Effect.gen(function* () {
      for (const [group, names] of goldens.groups()) {
        const { services } = yield* sealed.place
        const secret = goldens.secretOf(group)
        const process = Layer.merge(lab.process(services, { lawless: true, secret }), services)
        yield* lab.as(process)(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const history = yield* History.History
            for (const name of names) {
              const exported = goldens.read(name)
              yield* RunExport.importRun(exported)
              yield* SecretFingerprint.accept(secret, exported.run.tenant)
              const handle = yield* coordinator.reopen(exported.run)
              const outcome = yield* handle.propose({ type: "anomaly.flag", data: { text: "read again, later" } })
              // A run that has used up its steps is refused one more, and that is on record.
              const isOver = outcome._tag === "Refused" && Check.isBy(outcome.checks, "budget")
              assert.deepStrictEqual([name, isOver ? "Done" : outcome._tag], [name, "Done"])
              const { head } = yield* history.info(exported.run)
              assert.isAbove(head.tick, exported.head.tick)
              const differs = ticksOf(yield* DecisionReplay.redecide(exported.run, { secret }))
              const { divergences, misfit } = yield* StrictReplay.of(exported.run)
              const expected = [name, halved[exported.run.id] ?? [], [], undefined]
              assert.deepStrictEqual([name, differs, divergences, misfit], expected)
            }
          })
        )
      }
    })
  )

  it.effect("find no change in the contract that they were made under", () =>
    Effect.gen(function* () {
      let all = 0
      for (const name of Object.keys(pinned).sort()) {
        const exported = goldens.read(name)
        const process = lab.process(yield* lab.shared, { lawless: true })
        const { changes, judged } = yield* lab.as(process)(
          Effect.gen(function* () {
            yield* RunExport.importRun(exported)
            const { body } = Transition.open(exported.transitions[0]!)
            const pack = yield* Effect.flatMap(PackLibrary.PackLibrary, (library) =>
              library.pack(String(body.data?.["pack"]))
            )
            return yield* PackTrial.run(exported.run, { pack, secret: goldens.secretOf(Path.posix.dirname(name)) })
          })
        )
        assert.deepStrictEqual([name, changes], [name, []])
        all += judged
      }
      assert.isAbove(all, 30)
    })
  )

  it("know one thing of every effect, by the fold and by the log (L2)", () => {
    let compared = 0
    for (const name of goldens.names()) {
      const exported = goldens.read(name)
      const fold = goldens.foldOf(exported, Kernel.standard)
      const histories = new Map<string, ActionHistory.ActionHistory>()
      let state = State.empty
      for (const transition of exported.transitions.map((sealed) => Transition.open(sealed))) {
        state = fold.evolve(state, transition)
        ActionHistories.follow(histories, [transition])
        for (const [id, { owner, undo }] of SettledActions.of(state)) {
          const place = `${name}, tick ${transition.tick}: ${id}`
          assert.deepStrictEqual([place, histories.get(owner?.action ?? id)?.undo], [place, undo])
          compared += 1
        }
      }
    }
    assert.isAbove(compared, 100)
  })

  it("show each part of the format, except for the listed parts", () => {
    assert.deepStrictEqual(goldens.unshown(), goldens.knownUnshown())
  })

  it("hold every type that is written", () => {
    const held = new Set(
      goldens.names().flatMap((name) => goldens.read(name).transitions.map((each) => Transition.open(each).body.type))
    )
    const written = Object.entries<Schema.Top>(Payload.payloads).filter(([, { ast }]) => ast._tag !== "Never")
    assert.deepStrictEqual([...held].filter(Ontology.isType).sort(), written.map(([type]) => type).sort())
  })

  it("pin every set of parts that a run may have been begun with", () => {
    const sets = [...(Kernel.standard.earlier ?? []), Kernel.standard.parts].map((set) => set.map(Part.pin).join(" "))
    const pins = Object.keys(pinned).map((name) => pinsOf(goldens.read(name)))
    assert.deepStrictEqual([...new Set(pins)].sort(), sets.sort())
  })

  for (const [name, expected] of Object.entries(pinned)) {
    it(`${name} folds to the states that were committed, under the pack that it carries (L2, decision 0015)`, () => {
      const exported = goldens.read(name)
      for (const kernel of [Kernel.standard, later]) {
        const { divergences, found } = goldens.replay(exported, kernel)
        assert.deepStrictEqual([divergences, found], [[], expected])
      }
    })
  }
})
