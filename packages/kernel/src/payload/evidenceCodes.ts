/** The codes of what evidence lacks: why nobody answered, why a record proves nothing, and what it does not meet. */
import * as Field from "@backstitch/expressions/Field"
import { Origin, SideEffect } from "@backstitch/ledger/Payload"
import type * as Finding from "@backstitch/trace/Finding"
import * as Payload from "@backstitch/trace/Payload"
import * as Schema from "effect/Schema"

const { Json, Names, Written, closed, optional } = Payload
const { Natural, String: Text } = Schema

const nothing = Payload.Nothing

/** Why nobody answered, or why an answer counts for none. */
export const silences = {
  /** Nobody answered in time. */
  "answer.late": closed({ withinMillis: optional(Natural) }),
  /** No code is bound to the tool in this process. */
  "answer.unbound": closed({ tool: Text }),
  /** It failed, and what was said of that is sealed: it may hold a sensitive value of the call. */
  "answer.sealed": closed({ written: Json }),
  /** It failed with what cannot be read. */
  "answer.unreadable": nothing,
  /** It was read from what is no origin that a contract knows. */
  "answer.no_origin": closed({ origin: Written }),
  /** The tool cannot be asked about a key. */
  "answer.no_question": nothing,
  /** The tool cannot be read back, from a source that its contract names perhaps. */
  "answer.no_readback": closed({ source: optional(Text) }),
  /** The answer is larger than what a trace keeps. */
  "answer.too_large": closed({ charactersMax: Natural }),
  /** A value nests deeper than what a trace keeps. */
  "value.too_deep": closed({ levelsMax: Natural }),
  /** A value is none that JSON carries. */
  "value.not_json": nothing,
  /** A refusal whose reason is too large to keep. */
  "refusal.too_large": closed({ charactersMax: Natural }),
  /** A refusal whose reason no trace carries. */
  "refusal.unreadable": nothing,
  /** The tools of this process open no transactions. */
  "answer.no_transactions": nothing,
  /** A world that is made up does not say what this record shows. */
  "answer.not_simulated": nothing,
  /** The transaction is not open in this process. */
  "answer.transaction_closed": nothing,
  /** The recorded run holds no answer of the action. */
  "answer.not_recorded": nothing,
  /** The tool accepted a question, and answered nothing. */
  "answer.empty": closed({ tool: Text }),
  /** The answer is not of the shape that its contract declares; `shown` is its text, cut. */
  "answer.malformed": closed({ path: Text, shown: Written, tool: Text, wants: Field.Shape }),
  /** The request was refused, and another was begun since. */
  "answer.superseded": nothing,
  /** Nobody was asked. */
  "answer.not_asked": nothing,
  /** Nobody may be asked any more. */
  "answer.not_allowed": nothing
} as const satisfies Finding.Codes

/** Findings because of which a request is not sent again, and nobody can be asked about it. */
export const blindness = {
  /** Another run did it. */
  "sending.adopted": nothing,
  /** It was sent this often without an answer. */
  "sending.exhausted": closed({ attempts: Natural }),
  /** Its key is no longer honoured. */
  "sending.key_expired": nothing,
  /** It can be neither asked about nor sent again. */
  "sending.no_way": nothing,
  /** The effect on the record may be somebody else's. */
  "record.not_own": nothing,
  /** Not found proves nothing without the times of the contract. */
  "status.untimed": nothing,
  /** The record does not show its key. */
  "status.not_found": nothing,
  /** It is under way, by the record of its key. */
  "status.under_way": nothing,
  /** The record of its key could not be asked. */
  "status.unanswered": closed({ reason: Json })
} as const satisfies Finding.Codes

/** Findings because of which a record proves nothing. */
export const doubts = {
  /** A source lags behind the system of record. */
  "source.lagging": closed({ origin: Origin, source: optional(Text) }),
  /** A source may not confirm an action of this class. */
  "source.not_admitted": closed({ class: SideEffect, origin: Origin, source: optional(Text) }),
  /** A read may be older than the write. */
  "source.older": closed({ source: Text }),
  /** Some sources show it, and others do not. */
  "source.disagreement": closed({ others: Names, showing: Names })
} as const satisfies Finding.Codes

/** Findings about a record that does not meet the contract. */
export const unmet = {
  /** An expectation of the contract does not hold. */
  "expectation.unmet": closed({ indicator: optional(Written), source: Written }),
  /** An expectation of the contract has no answer. */
  "expectation.unanswered": closed({ indicator: optional(Written), source: Written }),
  /** A part of the effect is not there. */
  "record.part_missing": closed({ part: Text }),
  /** There are several entries under one key. */
  "record.repeated": closed({ entries: Natural }),
  /** The record is of an earlier version than the commit. */
  "record.earlier": nothing,
  /** The versions of the record and the commit cannot be compared. */
  "record.unversioned": nothing,
  /** It is under way, by the record. */
  "record.under_way": nothing,
  /** The record does not show it. */
  "record.not_found": nothing,
  /** The read was refused. */
  "record.refused": nothing,
  /** The record could not be read. */
  "record.unread": nothing,
  /** A fact differs. */
  "record.differs": closed({ expected: Json, fact: Text, found: Json }),
  /** Nothing of it is on record. */
  "record.nothing": nothing,
  /** The record is not as it was before. */
  "record.changed": nothing,
  /** The record is about another resource than was authorised. */
  "record.astray": closed({ found: Payload.JsonObject }),
  /** Nothing settles it that the record shows. */
  "record.inconclusive": nothing,
  /** An effect that is not found may still arrive, or is not remembered. */
  "record.not_proven": nothing,
  /** The contract names no way to ask or to read. */
  "record.no_way": nothing,
  /** Nothing is known of the action. */
  "original.unknown": closed({ action: Text }),
  /** The action may still take effect. */
  "original.under_way": closed({ action: Text, tool: Text }),
  /** The key of the action is no longer remembered. */
  "original.forgotten": closed({ action: Text, tool: Text }),
  /** The tool refused to be read. */
  "original.refused": closed({ tool: Text })
} as const satisfies Finding.Codes
