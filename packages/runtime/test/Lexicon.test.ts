import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as Export from "@backstitch/trace/Export"
import type * as Run from "@backstitch/trace/Run"
import * as English from "@backstitch/wording/English"
import * as PseudoWords from "@backstitch/wording/PseudoWords"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PendingApprovals from "../src/approvals/PendingApprovals.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Lexicon from "../src/ports/Lexicon.ts"
import * as RunStage from "../src/projections/RunStage.ts"
import * as RunExport from "../src/proof/RunExport.ts"
import * as ActionPage from "../src/reporting/ActionPage.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as HeldActions from "../src/reporting/HeldActions.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as ResumePreview from "../src/reporting/ResumePreview.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

/** Everything that people are told of a run, and messages of errors in it: of functions, and of an expression. */
const toldOf = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const transitions = yield* history.transitions(run)
  const actions = [...ActionHistories.all(transitions).keys()]
  const { state } = yield* history.at(run, transitions.length)
  const pack = yield* library.folding(() => library.packAt(state, transitions.length))
  const errors = pack === undefined ? [] : PackPurity.findings(pack).map(({ message }) => message)
  const told = {
    report: yield* Report.of(run),
    receipt: yield* Receipt.make(run, undefined),
    resume: yield* ResumePreview.plan(run),
    stages: yield* RunStage.look(run),
    explained: yield* Effect.forEach(transitions, ({ tick }) => Explanation.explain(run, tick)),
    pages: yield* Effect.forEach(actions, (action) =>
      ActionPage.of(action, { tenant: run.tenant, run, wrapper: "test@1" })
    ),
    held: yield* HeldActions.list(run.tenant, run),
    approvals: yield* PendingApprovals.ofTenant(run.tenant)
  }
  return { errors: [...errors, "there is no field price"], told }
})

/** Texts of a value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Two words with a space between them, of which no text of the trace or its contract has them. A word begins where no
 * letter precedes it: else a long run of letters, such as a key, would be searched from each of its letters.
 */
const sentences = (text: string, known: string): ReadonlyArray<string> =>
  (PseudoWords.unmarked(text).match(/(?<![A-Za-z])[A-Za-z]{2,}[,:;]? [a-z]{2,}/g) ?? []).filter(
    (found) => !known.includes(found)
  )

describe("Lexicon", () => {
  it.effect("leaves no sentence of ours in reports, receipts, plans, pages, approvals and explanations", () =>
    Effect.gen(function* () {
      const marks = PseudoWords.of(English.words)
      const seen = new Set<string>()
      for (const [group, names] of goldens.groups()) {
        const process = lab.process(yield* lab.shared, { lawless: true, secret: goldens.secretOf(group) })
        const exports = names.map(goldens.read)
        const told = Effect.gen(function* () {
          for (const exported of exports) yield* RunExport.bring(exported)
          return yield* Effect.forEach(exports, ({ run }) => toldOf(run))
        })
        const found = yield* lab.as(process)(told).pipe(Effect.provideService(Lexicon.Lexicon, marks))
        const texts = textsIn(found.map(({ told }) => told))
        const errors = found.flatMap(({ errors }) => errors)
        assert.isTrue(texts.some(PseudoWords.isMarked), group)
        const known = [...exports.map(Export.encode), ...errors].join("\n")
        for (const text of texts) for (const each of sentences(text, known)) seen.add(`${each} in ${text}`)
      }
      assert.deepStrictEqual([...seen], [])
    })
  )
})
