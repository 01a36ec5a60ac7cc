/**
 * The report of a run, and the words of an agent in its place where the record bears them.
 *
 * Nobody can read from words what they claim. So a draft is taken to claim that every act of its run is a success, and
 * the kernel decides whether a message may say so (L8).
 */

import * as Report from "@backstitch/runtime/Report"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import type * as Views from "../run/Views.ts"
import * as KernelOutcomes from "../values/kernelOutcomes.ts"
import { heldAction } from "./heldAction.ts"

/** Reports a run. */
export const of = (run: Run) => Effect.map(Report.of(run), plain)

/**
 * Reports a run in the words of a draft, if the kernel admits it as a message that reports each act as a success, and
 * otherwise in the sentences of the report.
 */
export const withDraft = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, draft: string) {
  const { run } = handle
  // Programs without types may leave it out.
  if (typeof draft !== "string") {
    const message = "Give the words of the draft, as in run.report({ draft: text }), or leave all of it out"
    return yield* Effect.fail(new BackstitchError({ code: "draft_missing", message, run: run.id }))
  }
  const before = yield* Report.of(run)
  const why = contrary(before, draft)
  if (why !== undefined) return { ...plain(before), ...truth(before, why) } satisfies Views.DraftReport
  // A model that was cut off may end within a character, which no trace can carry.
  const content = draft.toWellFormed()
  const data = { content, reports: before.actions.map(({ action }) => action) }
  // The same words about the same acts are one message, however often they are asked for. A known command is answered
  // from the record, so acts that stand otherwise by now make another one, which is judged anew.
  const about = { content, acts: before.actions.map(({ action, standing }) => ({ action, standing })) }
  const command = `draft:${Digest.ofBytes(Canonical.encode(about))}`
  const found = yield* KernelOutcomes.outcome(handle, yield* handle.propose({ type: "message.sent", data, command }))
  yield* handle.flush
  const report = yield* Report.of(run)
  const refused = found.status === "done" ? unclaimed(report, data.reports) : found.why
  const drafted: Views.DraftReport = {
    ...plain(report),
    ...(refused === undefined ? { say: content, isDraft: true, why: "" } : truth(report, refused))
  }
  return drafted
})

/**
 * The reason for which a draft is not proposed: it is empty, an act is disputed, a call waits for approval, or a clause
 * of a goal that was reached does not hold. No standing of an act contradicts the draft then.
 */
export const contrary = (
  report: Pick<Report.Report, "actions" | "unmet" | "waits">,
  draft: string
): string | undefined => {
  if (draft.trim() === "") return "the draft is empty"
  const [unbegun] = Report.unbegun(report)
  const waits = unbegun && `${unbegun.tool} needs the approval of ${unbegun.needs.join(" or ")} first`
  return Report.disputes(report) ?? waits ?? report.unmet[0]?.say
}

/** The reason for which a draft that claims these acts is not told: another one has begun since they were listed. */
export const unclaimed = (
  { actions }: Pick<Report.Report, "actions">,
  claims: ReadonlyArray<string>
): string | undefined => {
  const later = actions.find(({ action }) => !claims.includes(action))
  return later && `${later.tool} (${later.action}) began while the draft was looked at`
}

/** The sentences of a report: what is disputed, the run, its clauses, each act, and what remains of undone ones. */
const truth = (report: Report.Report, why: string): Pick<Views.DraftReport, "isDraft" | "say" | "why"> => {
  const disputes = Report.disputes(report)
  const lines = [
    ...(disputes === null ? [] : [disputes]),
    report.say,
    ...report.unmet.map((each) => each.say),
    ...report.actions.map((each) => `${each.tool} (${each.action}): ${Report.sentence(each)}`),
    ...report.residue
  ]
  return { say: lines.join("\n"), isDraft: false, why }
}

const plain = (report: Report.Report): Views.Report => {
  const { actions, held, residue, run, say, standing, tick, unmet, waits } = report
  return {
    run,
    tick,
    standing,
    say,
    done: Report.isDone(report),
    unmet: unmet.map((each) => each.say),
    actions: actions.map(({ action, say, standing, tool, unchecked }) => ({ action, tool, standing, say, unchecked })),
    held: held.map((each) => heldAction(run, each)),
    residue,
    waits: waits.map(({ needs, review, tool }) => ({ review, tool, needs }))
  }
}
