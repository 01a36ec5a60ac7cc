/**
 * The codes for missing or insufficient evidence: why no answer came, why a record proves nothing, and which
 * expectations it does not meet.
 */
import * as Field from "@backstitch/expressions/Field"
import { Origin, SideEffect } from "@backstitch/ledger/Payload"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { Json, Names, Written, closed, optional } = Payload
const { Natural, String: Text } = Schema

const nothing = Payload.Nothing

/** Reasons why no answer came, or why an answer counts as none. */
export const silences = {
  /** No answer came in time. */
  "answer.late": closed({ withinMillis: optional(Natural) }),
  /** No code is bound to the tool in this process. */
  "answer.unbound": closed({ tool: Text }),
  /** The call failed, and its error message is sealed, since it may contain a sensitive value of the call. */
  "answer.sealed": closed({ written: Json }),
  /** The call failed with an error that cannot be read. */
  "answer.unreadable": nothing,
  /** The record was read from an origin that no contract knows. */
  "answer.no_origin": closed({ origin: Written }),
  /** The tool has no status by key. */
  "answer.no_question": nothing,
  /** The tool has no readback, or none from the source that its contract names. */
  "answer.no_readback": closed({ source: optional(Text) }),
  /** The answer is larger than a trace may keep. */
  "answer.too_large": closed({ charactersMax: Natural }),
  /** A value is nested more deeply than a trace may keep. */
  "value.too_deep": closed({ levelsMax: Natural }),
  /** JSON cannot carry a value; `kind` names what it would change, such as a `Map` or `NaN`, and `path` its place. */
  "value.not_json": closed({ kind: optional(Text), path: optional(Text) }),
  /** The reason of a refusal is too large to keep. */
  "refusal.too_large": closed({ charactersMax: Natural }),
  /** A trace cannot carry the reason of a refusal. */
  "refusal.unreadable": nothing,
  /** The tools of this process do not support transactions. */
  "answer.no_transactions": nothing,
  /** The simulated world has no answer for this read. */
  "answer.not_simulated": nothing,
  /** The transaction is not open in this process. */
  "answer.transaction_closed": nothing,
  /** The recorded run holds no answer of the action. */
  "answer.not_recorded": nothing,
  /** The tool accepted a question without an answer. */
  "answer.empty": closed({ tool: Text }),
  /** The answer does not have the shape that its contract declares; `shown` is its text, shortened. */
  "answer.malformed": closed({ path: Text, shown: Written, tool: Text, wants: Field.FieldShape }),
  /** The request was refused, and a later attempt was begun. */
  "answer.superseded": nothing,
  /** No system was asked. */
  "answer.not_asked": nothing,
  /** No system may be asked any more. */
  "answer.not_allowed": nothing
} as const satisfies FindingForm.Codes

/** Reasons why a request is neither sent again nor asked about. */
export const blindness = {
  /** Another run did the act. */
  "sending.adopted": nothing,
  /** The request was sent `attempts` times without an answer. */
  "sending.exhausted": closed({ attempts: Natural }),
  /** Its key is no longer honoured. */
  "sending.key_expired": nothing,
  /** The action can be neither asked about nor sent again. */
  "sending.no_way": nothing,
  /** The effect on the record may belong to another action. */
  "record.not_own": nothing,
  /** Without declared times, "not found" proves nothing. */
  "status.untimed": nothing,
  /** The system does not know the key. */
  "status.not_found": nothing,
  /** The status of the key says that the action is under way. */
  "status.under_way": nothing,
  /** The status of the key could not be read. */
  "status.unanswered": closed({ reason: Json })
} as const satisfies FindingForm.Codes

/** Reasons why a record proves nothing. */
export const doubts = {
  /** A source lags behind the system of record. */
  "source.lagging": closed({ origin: Origin, source: optional(Text) }),
  /** A source may not confirm an action of this class. */
  "source.not_admitted": closed({ class: SideEffect, origin: Origin, source: optional(Text) }),
  /** A read may be older than the write. */
  "source.older": closed({ source: Text }),
  /** Some sources show the effect, and others do not. */
  "source.disagreement": closed({ others: Names, showing: Names })
} as const satisfies FindingForm.Codes

/** Findings about a record that does not meet the contract. */
export const unmet = {
  /** An expectation of the contract does not hold. */
  "expectation.unmet": closed({ indicator: optional(Written), source: Written }),
  /** An expectation of the contract could not be evaluated. */
  "expectation.unanswered": closed({ indicator: optional(Written), source: Written }),
  /** A part of the effect is missing. */
  "record.part_missing": closed({ part: Text }),
  /** There are several entries under one key. */
  "record.repeated": closed({ entries: Natural }),
  /** The record is of an earlier version than the commit. */
  "record.earlier": nothing,
  /** The versions of the record and the commit cannot be compared. */
  "record.unversioned": nothing,
  /** The record says that the action is under way. */
  "record.under_way": nothing,
  /** The record does not show the effect. */
  "record.not_found": nothing,
  /** The read was refused. */
  "record.refused": nothing,
  /** The record could not be read. */
  "record.unread": nothing,
  /** A fact differs. */
  "record.differs": closed({ expected: Json, fact: Text, found: Json }),
  /** The record shows no effect of the action. */
  "record.nothing": nothing,
  /** The record differs from the one before the action. */
  "record.changed": nothing,
  /** The record is about another resource than the authorised one. */
  "record.astray": closed({ found: Payload.JsonObject }),
  /** The record does not settle the action. */
  "record.inconclusive": nothing,
  /** The record does not show the effect, which may still arrive, or which the system may have forgotten. */
  "record.not_proven": nothing,
  /** The contract declares neither status by key nor a readback. */
  "record.no_way": nothing,
  /** The trace has no such action. */
  "original.unknown": closed({ action: Text }),
  /** The action may still take effect. */
  "original.under_way": closed({ action: Text, tool: Text }),
  /** The key of the action is no longer remembered. */
  "original.forgotten": closed({ action: Text, tool: Text }),
  /** The tool refused the read. */
  "original.refused": closed({ tool: Text })
} as const satisfies FindingForm.Codes
