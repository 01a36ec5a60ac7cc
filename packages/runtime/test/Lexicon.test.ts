import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as PseudoWords from "@backstitch/wording/PseudoWords"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as Lexicon from "../src/ports/Lexicon.ts"
import * as ClaimList from "../src/projections/ClaimList.ts"
import * as RunStage from "../src/projections/RunStage.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as StoreVerification from "../src/proof/StoreVerification.ts"
import * as WitnessClient from "../src/proof/WitnessClient.ts"
import * as ActionPage from "../src/reporting/ActionPage.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as HeldActions from "../src/reporting/HeldActions.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as ResumePreview from "../src/reporting/ResumePreview.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as CherryPicking from "../src/versioning/CherryPicking.ts"
import * as foreignWords from "./foreignWords.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

/** Everything that people are told of a run, and messages of errors in it: of functions, and of an expression. */
const toldOf = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const transitions = yield* history.transitions(run)
  const actions = [...ActionHistories.all(transitions).keys()]
  const { state } = yield* history.at(run, transitions.length)
  const pack = yield* library.inForce(state, transitions.length)
  const errors = pack === undefined ? [] : PackPurity.findings(pack).map(({ message }) => message)
  const told = {
    report: yield* Report.of(run),
    receipt: yield* Receipt.make(run, undefined),
    resume: yield* ResumePreview.plan(run),
    stages: yield* RunStage.look(run),
    explained: yield* Effect.forEach(transitions, ({ tick }) => Explanation.explain(run, tick)),
    pages: yield* Effect.forEach(actions, (action) => ActionPage.of(action, { tenant: run.tenant, run })),
    held: yield* HeldActions.list(run.tenant, run),
    approvals: yield* PendingApprovals.ofTenant(run.tenant)
  }
  return { errors: [...errors, "there is no field price"], told }
})

/** A checkpoint of a log with one entry, signed. */
const checkpoint = (): TreeCheckpoint.TreeCheckpoint => {
  const signer = Result.getOrThrow(SignedNote.signer("example.org/log", SignedNote.toKey(new Uint8Array(32).fill(1))))
  const leaves = [TreeHead.leaf("one")]
  const head = { size: 1, root: TreeHead.root(leaves) }
  const bare = { origin: "example.org/log", head, extensions: [], signatures: [] }
  return { ...bare, signatures: [SignedNote.sign(signer, Result.getOrThrow(TreeCheckpoint.format(bare)))] }
}

describe("Lexicon", () => {
  it.effect("leaves no sentence of ours in reports, receipts, plans, pages, approvals and explanations", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (const [group, names] of goldens.groups()) {
        const process = lab.process(yield* lab.shared, { lawless: true, secret: goldens.secretOf(group) })
        const exports = names.map(goldens.read)
        const told = Effect.gen(function* () {
          for (const exported of exports) yield* RunExport.importRun(exported)
          return yield* Effect.forEach(exports, ({ run }) => toldOf(run))
        })
        const found = yield* lab.as(process)(told).pipe(Effect.provideService(Lexicon.Lexicon, foreignWords.marks))
        const texts = foreignWords.textsIn(found.map(({ told }) => told))
        const errors = found.flatMap(({ errors }) => errors)
        assert.isTrue(texts.some(PseudoWords.isMarked), group)
        const known = [...exports.map(Export.encode), ...errors].join("\n")
        for (const each of foreignWords.sentencesIn(texts, known)) seen.add(each)
      }
      assert.deepStrictEqual([...seen], [])
    })
  )

  it.effect("leaves none in verdicts, held names, refused imports and answers of witnesses", () =>
    Effect.gen(function* () {
      const told = yield* lab
        .as(lab.process(yield* lab.shared, { world: new lab.World() }))(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(lab.trip, { pack: lab.pack, goal: "Lugano" })
            yield* handle.propose(lab.book("LX1"))
            const other = Run.make("other")
            const altered = Result.getOrThrow(TaskPack.make({ ...lab.definition, version: "2.0.0" }))
            yield* coordinator.open(other, { pack: altered, goal: "Lugano" })
            const history = yield* History.History
            const { head } = yield* history.info(lab.trip)
            const { tick = 0 } =
              (yield* history.transitions(lab.trip)).find(({ body }) => body.action !== undefined) ?? {}
            const anchor = { tick: 2, head: head.link }
            const party = { name: "w", url: "nowhere", verifier: "w+00000000+AA==" }
            const picked = yield* CherryPicking.rehearse({ from: lab.trip, tick, onto: other })
            return {
              verdicts: [
                yield* RunVerification.verify(lab.trip, { head: "0".repeat(64) }),
                yield* RunVerification.verify(lab.trip, { anchors: [anchor] }),
                yield* RunVerification.verify(lab.trip, { anchors: [{ ...anchor, tick: 99 }] }),
                ...StoreVerification.missing([{ ...anchor, run: "gone" }], [], foreignWords.marks)
              ],
              claims: yield* ClaimList.claims(lab.trip.tenant),
              picked,
              why: CherryPicking.why(picked, foreignWords.marks),
              witnesses: yield* WitnessClient.cosign([party], checkpoint(), [TreeHead.leaf("one")])
            }
          })
        )
        .pipe(Effect.provideService(Lexicon.Lexicon, foreignWords.marks))
      const kinds = told.claims.map(({ namespace }) => namespace)
      assert.includeMembers(kinds, ["key", "run"])
      for (const part of Object.values(told)) {
        assert.isTrue(foreignWords.textsIn(part).some(PseudoWords.isMarked), JSON.stringify(part))
      }
      for (const { verdict } of told.verdicts) assert.strictEqual(verdict, "broken")
      assert.deepStrictEqual(foreignWords.sentencesIn(told, ""), [])
    })
  )
})
