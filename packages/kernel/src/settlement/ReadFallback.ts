/**
 * The decision about the answer of a read: believed as evidence, asked for again, asked of another source, or
 * unavailable.
 *
 * A read has risks, too. If the contract says what an answer has to show, an answer that shows less is not given to
 * the planner. An answer about another tenant or target is not even kept. The fallbacks are tried in the order of the
 * depth table, each once, and are committed:
 *
 * | fallback | what happens |
 * | --- | --- |
 * | retry_verification | the tool is asked again at once, unless each call has a cost |
 * | other_source | each further source of the contract is read, in its order |
 * | unavailable | the read fails, with that reason |
 *
 * After a refusal by the tool no fallback is tried: a refusal is an answer.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": read-only observation
 */

import type * as Readback from "@backstitch/contracts/Readback"
import * as VerificationSource from "@backstitch/contracts/VerificationSource"
import * as Trust from "@backstitch/ledger/Trust"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { Outcome } from "@backstitch/trace/Transition"
import { type ActionInFlight, requestOf } from "../action/ActionInFlight.ts"
import { type Decision, end, go } from "../decision/Decision.ts"
import type { Evidence } from "../decision/Evidence.ts"
import { failureOf, shownBy } from "../decision/Evidence.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"
import { answerOf } from "../verification/toolAnswer.ts"

/** An answer, and the further source of the contract that gave it; none if the tool itself did. */
export interface ReadFallback {
  readonly evidence: Evidence
  readonly source?: string | undefined
  readonly latencyMillis?: number | undefined
}

/** Decides on the answer of a read. */
export const decide = (subject: ActionInFlight, self: ReadFallback): Decision => {
  const { evidence } = self
  if (evidence._tag === "Error") return settled(subject, self)
  if (evidence._tag !== "Ok") return next(subject, { ...self, why: whyOf(evidence) })
  if (subject.contract.readback === undefined) return settled(subject, self)
  const reading = readingOf(subject, self)
  if (ScopeCheck.strays(reading.scoping)) return astray(subject, { reading, self })
  const unmet = reading.predicates.filter(({ held }) => held !== true)
  if (unmet.some(({ otherwise }) => otherwise === "wrong_target_modified")) {
    return astray(subject, { reading, self })
  }
  const why = reading.hint ?? unmet[0]?.says
  return why === undefined ? settled(subject, self) : next(subject, { ...self, why })
}

/** Checks the answer against the expectations for its source. */
const readingOf = (subject: ActionInFlight, { evidence, source }: ReadFallback): Confirmation.CheckedSource => {
  if (source === undefined) return Confirmation.judge(subject, { evidence }).readings[0]
  const others = [{ source, evidence }]
  const { readings } = Confirmation.judge(subject, { evidence: Confirmation.unasked, others })
  return readings.find((reading) => reading.source === source) ?? readings[0]
}

/** The reason why there is no answer. The words of the tool or its transport are kept unchanged. */
const whyOf = (evidence: Evidence): Finding.Any | string => {
  if (evidence._tag === "Unknown") return evidence.reason
  return Finding.make(evidence._tag === "NotFound" ? "record.not_found" : "record.under_way", {})
}

/** A read is settled by its answer. */
const settled = ({ id, terms }: ActionInFlight, self: ReadFallback): Decision => {
  const { evidence, source } = self
  const result: Outcome =
    evidence._tag === "Ok"
      ? { output: evidence.output, status: "ok", trust: Trust.of("word") }
      : {
          output: failureOf(evidence),
          status: evidence._tag === "Unknown" ? "unknown" : "error",
          trust: Trust.of("word")
        }
  const read = answerOf(id, result, { ...self, data: source === undefined ? undefined : { source } })
  return evidence._tag === "Ok"
    ? end({ _tag: "Done", tick: terms.tick, output: evidence.output, basis: "answer" }, { read })
    : end({ _tag: "Failed", tick: terms.tick, error: failureOf(evidence) }, { read })
}

interface Way {
  readonly fallback: VerificationDepth.Fallback
  readonly name: string
  readonly source: string | undefined
}

/** The first fallback that was not tried yet. */
const next = (subject: ActionInFlight, self: ReadFallback & { readonly why: Finding.Any | string }): Decision => {
  const { contract, id, open, terms } = subject
  const tried = open.tried ?? []
  const sources = (contract.readback?.sources ?? []).filter(({ from }) =>
    VerificationSource.admits(contract.class, from)
  )
  const ways = VerificationDepth.of(contract.class).fallback.flatMap(
    (fallback): ReadonlyArray<Way> =>
      fallback === "other_source"
        ? sources.map(({ source }) => ({ fallback, name: `other_source:${source}`, source }))
        : [{ fallback, name: fallback, source: undefined }]
  )
  // A call with a cost is not made twice for one answer.
  const isOpen = ({ fallback, name }: Way) =>
    !tried.includes(name) && !(fallback === "retry_verification" && contract.cost !== undefined)
  const way = ways.find(isOpen)
  const { evidence, source: from, why } = self
  const recovery = Recovery.ofUnread(subject, { _tag: "Unknown", reason: why })
  const isBarred = evidence._tag === "Ok" && !VerificationSource.admits(contract.class, originOf(subject, self))
  const data: Payload.Of<"recovery.decided"> = {
    ...Recovery.toData(recovery),
    ...shownBy(evidence),
    ...(from === undefined ? {} : { source: from }),
    ...(isBarred ? { barred: true } : {}),
    fallback: way?.fallback ?? "unavailable",
    tried: [...tried, way?.name ?? "unavailable"],
    via: from === undefined ? "call" : "source"
  }
  const noted = Recovery.toContent(subject, recovery, data)
  if (way === undefined || way.fallback === "unavailable") {
    const output = Finding.make("failure.unavailable", { tool: contract.name, why })
    const read = answerOf(id, { output, status: "unknown", trust: Trust.of("word") }, self)
    return end({ _tag: "Failed", tick: terms.tick + 1, error: output }, { noted, read })
  }
  const request = requestOf(subject)
  return way.source === undefined
    ? go({ _tag: "Call", request }, { noted })
    : go({ _tag: "ReadBack", request: { ...request, source: way.source } }, { noted })
}

const originOf = (
  { contract }: ActionInFlight,
  { evidence, source }: ReadFallback
): Readback.ReadOrigin | undefined => {
  const given = evidence._tag === "Ok" ? evidence.from : undefined
  const { readback } = contract
  return given ?? (source === undefined ? readback : readback?.sources.find((each) => each.source === source))?.from
}

/** An answer about another tenant or target is neither shown nor kept. Only the names of the differences are. */
const astray = (
  subject: ActionInFlight,
  { reading, self }: { readonly reading: Confirmation.CheckedSource; readonly self: ReadFallback }
): Decision => {
  const { contract, id, terms } = subject
  const { evidence, predicates, scoping } = reading
  const recovery = Recovery.ofReadback(subject, { evidence, predicates, scoping, until: terms.now })
  const output = Finding.make("failure.astray", { tool: contract.name, ...Recovery.toArgs(recovery) })
  return end(
    { _tag: "Failed", tick: terms.tick + 1, error: output },
    {
      recovery: Recovery.toContent(subject, recovery, Recovery.toData(recovery)),
      read: answerOf(id, { output, status: "error", trust: Trust.of("word") }, self)
    }
  )
}
