/**
 * Claims of a message: the actions that it reports, each with a standing.
 *
 * `data.reports` of a message is a list. A name alone, `"a7"`, reports the action as a success; `{ "action": "a7",
 * "standing": "pending" }` reports another standing. An empty list declares that the message reports none.
 *
 * @source Action Verification, "Reporting Invariant"
 */

import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as Payload from "@backstitch/ledger/Payload"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as ReconciliationStatus from "./ReconciliationStatus.ts"
import * as Reporting from "./Reporting.ts"

/** A statement of a message about one action. */
export interface MessageStatement extends JsonObject {
  readonly action: string
  readonly standing: ReconciliationStatus.ReconciliationStatus
}

/**
 * The payload of a message to people. In a proposal it was not yet checked against the schema of its type, so a field
 * may hold any value.
 */
export interface MessageData extends JsonObject {
  readonly content?: Json | undefined
  readonly marked?: Json | undefined
  readonly message?: Json | undefined
  readonly reports?: Json | undefined
}

/** The statuses of actions, by id. An action that is not listed has not happened. */
export interface Standings {
  readonly [action: string]: ReconciliationStatus.ReconciliationStatus
}

/**
 * Tells whether a transition tells people something. A message does, and so does a goal that is declared reached with
 * words for people, or with reports.
 */
export const isMessage = (body: {
  readonly data?: JsonObject | undefined
  readonly type?: string | undefined
}): boolean => {
  if (body.type === "message.sent") return true
  const { content, message, reports } = Payload.of(body, "goal.complete") ?? {}
  return content !== undefined || message !== undefined || reports !== undefined
}

/** Reads the claims of a message; `undefined` if it has none, or not in the required form. */
export const claims = ({ reports }: MessageData): ReadonlyArray<MessageStatement> | undefined => {
  if (!Array.isArray(reports)) return undefined
  const read = reports.map((report: Json) => {
    const { action, standing = "success" } =
      typeof report === "string" ? { action: report } : Canonical.objectOf(report)
    return typeof action === "string" && ReconciliationStatus.isStatus(standing) ? { action, standing } : undefined
  })
  return read.every((claim) => claim !== undefined) ? read : undefined
}

/** Tells whether an action is a read that was answered. Reporting it as a success claims nothing about the world. */
export const isAnsweredRead = (history: ActionHistory.ActionHistory): boolean =>
  !ActionHistory.isMutating(history) && history.observed?.outcome.status === "ok"

/** The standing with which a message may report an action. A read that was answered is a success. */
export const standingOf = (history: ActionHistory.ActionHistory): ReconciliationStatus.ReconciliationStatus =>
  isAnsweredRead(history) ? "success" : Reporting.report(history).standing

/** Reads the statuses of the actions that a message reports. */
export const standings = (histories: ActionHistories.ActionHistories, told: MessageData): Standings =>
  Object.fromEntries(
    (claims(told) ?? []).flatMap(({ action }) => {
      const history = histories.get(action)
      if (history === undefined) return []
      return [[action, standingOf(history)]]
    })
  )
