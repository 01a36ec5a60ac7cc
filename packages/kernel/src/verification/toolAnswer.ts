/**
 * An answer of a tool: whether it counts for a decision, and as it is committed, with its latency and its tokens.
 *
 * An answer that has not the declared form counts as unknown, unless a readback will prove it. So does a refusal of an
 * attempt after which another one has begun, since that one may still succeed.
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Field from "@backstitch/expressions/Field"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { Outcome } from "@backstitch/trace/Transition"
import type { Said } from "../decision/CommitContent.ts"
import type { Evidence } from "../decision/Evidence.ts"
import * as Limits from "../Limits.ts"
import * as Finding from "../payload/Finding.ts"
import type * as Payload from "../payload/Payload.ts"

/** Treats an answer as unreadable if it does not have the contract's shape and no readback would prove it. */
export const conforming = (contract: ToolContract.ToolContract, evidence: Evidence): Evidence => {
  if (evidence._tag === "Accepted" && !ToolContract.isMutating(contract)) {
    return { _tag: "Unknown", reason: Finding.make("answer.empty", { tool: contract.name }) }
  }
  if (evidence._tag !== "Ok" || contract.output === undefined || contract.readback !== undefined) return evidence
  const [issue] = Field.check(contract.output, evidence.output)
  if (issue === undefined) return evidence
  const shown = Canonical.encode(evidence.output).slice(0, Limits.deciding.evidenceCharactersMax).toWellFormed()
  const { path, wants } = issue
  return { _tag: "Unknown", reason: Finding.make("answer.malformed", { path, shown, tool: contract.name, wants }) }
}

/** Treats a refusal as silence if a later attempt has begun since it was asked for: that attempt may still succeed. */
export const current = (
  { startedAt = 0 }: Pick<OpenAction.OpenAction, "startedAt">,
  {
    askedAt,
    evidence,
    via
  }: {
    readonly via: string
    readonly evidence: Evidence
    readonly askedAt?: number | undefined
  }
): Evidence =>
  evidence._tag !== "Error" || via !== "call" || askedAt === undefined || askedAt >= startedAt
    ? evidence
    : { _tag: "Unknown", reason: Finding.make("answer.superseded", {}) }

/** The outcome that an answer tells; `undefined` for one that tells none. */
export const toldBy = (
  evidence: Evidence
): { readonly outcome: "done" | "failed"; readonly output: Json } | undefined => {
  switch (evidence._tag) {
    case "Ok":
      return { outcome: "done", output: evidence.output }
    case "Error":
      return { outcome: "failed", output: evidence.error }
    default:
      return undefined
  }
}

/** Commits an answer, with its latency and its tokens. */
export const answerOf = (
  id: string,
  result: Outcome,
  command: {
    readonly evidence: Evidence
    readonly latencyMillis?: number | undefined
    readonly data?: Payload.Of<"action.result"> | undefined
  }
): Said<"action.result"> => {
  const { data, evidence } = command
  const tokens = evidence._tag === "Ok" || evidence._tag === "Accepted" ? evidence.tokens : undefined
  return {
    action: { id },
    ...defined({ data }),
    result,
    stamp: tokens === undefined ? {} : { spent: { tokens } },
    envelope: {
      ...defined({ latencyMillis: command.latencyMillis, tokens })
    }
  }
}
