import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

type Drafts = ReadonlyArray<Transition.Draft>

const opened = ({ transitions }: Export.Export) => transitions.map(Transition.open)

/** Chains drafts again as somebody would who has the program: each commit ends with the digest of its state. */
const sealed = (exported: Export.Export, drafts: Drafts): Export.Export => {
  const fold = goldens.foldOf(exported, Kernel.standard)
  let [state, head] = [State.empty, Export.genesis(exported)]
  const transitions = drafts.map((draft, index) => {
    const { state: committed, ...stamp } = draft.stamp
    state = fold.evolve(state, { ...draft, stamp, tick: index + 1 })
    const last = committed === undefined ? {} : { state: State.digest(state) }
    const next = HashChain.seal(head, { ...draft, stamp: { ...stamp, ...last } })
    head = HashChain.headOf(next)
    return next
  })
  return { ...exported, head, transitions, blobs: new Map(exported.blobs) }
}

/** Tells whether importing a trace, or deciding it again, shows that no kernel wrote it. */
const isNoticed = (exported: Export.Export) =>
  Effect.gen(function* () {
    const process = lab.process(yield* lab.shared, { lawless: true, secret: "golden" })
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const brought = yield* Effect.result(RunExport.importRun(exported))
        if (brought._tag === "Failure") return true
        const { differs } = yield* DecisionReplay.redecide(exported.run, { secret: "golden" })
        return differs.length > 0
      })
    )
  })

/** The commit that a transition belongs to, as the indexes of its first and behind its last. */
const commitOf = (drafts: Drafts, at: number): readonly [from: number, to: number] => {
  const ends = (index: number) => drafts[index]?.stamp.state !== undefined
  let [from, to] = [at, at]
  while (from > 0 && !ends(from - 1)) from--
  while (to < drafts.length - 1 && !ends(to)) to++
  return [from, to + 1]
}

/** A golden trace up to the end of a commit, without one transition of it. */
const without = (drafts: Drafts, at: number): Drafts | undefined => {
  const [from, to] = commitOf(drafts, at)
  if (to - from < 2) return undefined
  const left = drafts.slice(0, to).filter((_, index) => index !== at)
  return at < to - 1 ? left : left.with(-1, { ...left.at(-1)!, stamp: { ...left.at(-1)!.stamp, ...state } })
}

const state = { state: HashChain.genesis(lab.trip).link }

/** Lists the changes to a golden trace, chained again, that nobody notices, each by its name. */
const unnoticed = (change: (drafts: Drafts, at: number) => Iterable<readonly [what: string, left: Drafts]>) =>
  Effect.gen(function* () {
    const unseen = new Map<string, number>()
    let changes = 0
    for (const name of goldens.groups().get(".") ?? []) {
      const exported = goldens.read(name)
      const drafts = opened(exported)
      for (const at of drafts.keys()) {
        for (const [what, left] of change(drafts, at)) {
          changes++
          if (!(yield* isNoticed(sealed(exported, left)))) unseen.set(what, (unseen.get(what) ?? 0) + 1)
        }
      }
    }
    return { changes, unseen: [...unseen.keys()].sort() }
  })

describe("RecordedCommand", () => {
  it.effect(
    "lets only answers, refusals, messages and origins be cut out of a commit (decision 0045)",
    () =>
      Effect.gen(function* () {
        const { changes, unseen } = yield* unnoticed(function* (drafts, at) {
          const left = without(drafts, at)
          if (left !== undefined) yield [drafts[at]!.body.type, left]
        })
        assert.isAbove(changes, 150)
        // Where the answer of a call is gone, the record that settles it is still there.
        const given = ["action.result", "intent.refused", "message.received", "run.cherrypick", "run.migrated"]
        assert.deepStrictEqual(unseen, given)
      }),
    200_000
  )

  it.effect(
    "takes no run that a kernel decided for a recording, whatever the run claims (decision 0045)",
    () =>
      Effect.gen(function* () {
        const { changes, unseen } = yield* unnoticed(function* (drafts, at) {
          const { body, ...draft } = drafts[at]!
          if (at > 0 || body.type !== "run.started") return
          yield ["source", drafts.with(0, { ...draft, body: { ...body, data: { ...body.data, source: "x.jsonl" } } })]
        })
        assert.isAbove(changes, 4)
        assert.deepStrictEqual(unseen, [])
      }),
    200_000
  )

  it.effect(
    "compares the spent amounts, the reservations and the key of a transition (decision 0045)",
    () =>
      Effect.gen(function* () {
        const { changes, unseen } = yield* unnoticed(function* (drafts, at) {
          const draft = drafts[at]!
          const { key, reserved, spent } = draft.stamp
          const end = commitOf(drafts, at)[1]
          const changed = (stamp: Partial<Transition.Stamp>): Drafts =>
            drafts.slice(0, end).with(at, { ...draft, stamp: { ...draft.stamp, ...stamp } })
          const { type } = draft.body
          const less = { "money.eur": "0.01" }
          if (key !== undefined) yield [`key of ${type}`, changed({ key: key.replace(/.$/, (last) => flip(last)) })]
          if (reserved !== undefined) yield [`reserved of ${type}`, changed({ reserved: less })]
          if (spent !== undefined) yield [`spent of ${type}`, changed({ spent: { ...spent, ...less } })]
          if (draft.body.author === "kernel" && type !== "intent.refused" && spent === undefined)
            yield [`no spent of ${type}`, changed({ spent: less })]
        })
        assert.isAbove(changes, 100)
        // What an agent says that it took is its word.
        const said = ["no spent of intent.adopted", "no spent of kernel.anomaly", "no spent of policy.decision"]
        // Where a run has one key alone, another one says that the secret is another.
        assert.deepStrictEqual(unseen, ["key of action.started", ...said, "spent of plan.update"])
      }),
    200_000
  )
})

const flip = (digit: string): string => (digit === "0" ? "1" : "0")
