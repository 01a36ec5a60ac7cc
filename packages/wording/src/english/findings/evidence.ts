/** The words of missing evidence: a question without an answer, a record that proves nothing, an unmet expectation. */

import * as Readback from "@backstitch/contracts/Readback"
import * as Field from "@backstitch/expressions/Field"
import type * as Finding from "@backstitch/kernel/Finding"
import * as Meanings from "../../said/meanings.ts"
import { fact, type Tell, tellAll } from "../../said/Said.ts"
import type { Findings } from "../../said/Words.ts"

/** The words of questions without an answer that can be used. */
export const silences = {
  "answer.empty": ({ tool }) => fact(`${tool} accepted a question, and answered nothing`),
  "answer.late": ({ withinMillis }) =>
    fact(
      withinMillis === undefined ? "no answer within the time of the contract" : `no answer within ${withinMillis} ms`
    ),
  "answer.malformed": ({ path, shown, tool, wants }) =>
    fact(
      `${tool} answered ${shown}, which is not of its contract's shape: expected ${Field.inWords(wants)}` +
        (path === "" ? "" : ` at ${path}`)
    ),
  "answer.no_origin": ({ origin }) =>
    fact(`it was read from ${JSON.stringify(origin)}, which is no origin: ${Readback.origins.join(", ")}`),
  "answer.no_question": () => fact("the tool cannot be asked"),
  "answer.no_readback": ({ source }) =>
    fact(source === undefined ? "the tool cannot be read back" : `the tool cannot be read at ${source}`),
  "answer.no_transactions": () => fact("these tools open no transactions"),
  "answer.not_simulated": () => fact("nobody can tell what it shows"),
  "answer.not_allowed": () => fact("nobody may be asked any more"),
  "answer.not_asked": () => fact("it was not asked"),
  "answer.not_recorded": () => fact("the record holds no output for this action"),
  "refusal.too_large": ({ charactersMax }) =>
    fact(`it was refused, and the reason is larger than ${charactersMax} characters`),
  "refusal.unreadable": () => fact("it was refused, and the reason cannot be recorded"),
  "answer.too_large": ({ charactersMax }) => fact(`the answer is larger than ${charactersMax} characters`),
  "value.not_json": ({ kind, path }) =>
    fact(
      kind === undefined
        ? "it has a value that JSON does not carry"
        : path === undefined
          ? `JSON carries nothing of a ${kind} in it`
          : `JSON does not carry the ${kind} at ${path}`
    ),
  "value.too_deep": ({ levelsMax }) => fact(`it nests more than ${levelsMax} levels deep`),
  "answer.superseded": () => fact("a request was refused, and another was begun since"),
  "answer.transaction_closed": () => fact("the transaction is not open in this process"),
  "answer.unbound": ({ tool }) => fact(`no code is bound to ${tool}, which was sent before`),
  "answer.sealed": () => fact("no answer, and what was said of that is sealed"),
  "answer.unreadable": () => fact("it failed with what cannot be read")
} satisfies Partial<Findings>

/** The words of calls of which the record cannot show the effect. */
export const blindness = {
  "record.not_own": () => fact("what the record shows may be somebody else's"),
  "sending.adopted": () => fact("another run did it, and nothing is sent from here"),
  "sending.exhausted": ({ attempts }) => fact(`it was sent ${attempts} times without an answer`),
  "sending.key_expired": () => fact("its key is no longer honoured, so it cannot be sent again"),
  "sending.no_way": () => fact("it can be neither asked about nor sent again"),
  "status.not_found": () => fact("the record does not show its key"),
  "status.unanswered": ({ reason }, tell) => fact(`the system of record could not be asked: ${tell(reason)}`),
  "status.under_way": () => fact("the system of record says that it is still under way"),
  "status.untimed": () => fact("not found proves nothing without its times")
} satisfies Partial<Findings>

const from = (source: string | undefined): string => (source === undefined ? "" : `${source}: `)

/** The words of records that may not be authoritative. */
export const doubts = {
  "source.disagreement": ({ others, showing }) =>
    fact(`the sources disagree: ${showing.join(", ")} shows it, ${others.join(", ")} does not`),
  "source.lagging": ({ origin, source }) => fact(`${from(source)}a ${origin} confirms no write`),
  "source.not_admitted": ({ class: name, origin, source }) =>
    fact(`${from(source)}a ${origin} may not confirm a ${name}`),
  "source.older": ({ source }) =>
    fact(`${from(source)}the read may be older than the write, and shows neither its key nor a later version`)
} satisfies Partial<Findings>

const named = (indicator: string | undefined): string => (indicator === undefined ? "" : `${indicator}: `)

/** The words of expectations that a record does not meet. */
export const unmet = {
  "expectation.unanswered": ({ indicator, source }) => fact(`${named(indicator)}whether ${source} holds has no answer`),
  "expectation.unmet": ({ indicator, source }) =>
    fact(`${named(indicator)}the system of record does not meet ${source}`),
  "original.forgotten": ({ action, tool }) => fact(`the key of ${tool} (${action}) is no longer remembered`),
  "original.refused": ({ tool }) => fact(`${tool} refused to be read`),
  "original.under_way": ({ action, tool }) => fact(`${tool} (${action}) may still take effect`),
  "original.unknown": ({ action }) => fact(`nothing is known of ${action}`),
  "record.astray": ({ found }) => fact(`one of ${JSON.stringify(found)}`),
  "record.changed": () => fact("the record is not as it was before"),
  "record.differs": ({ expected, fact: name, found }, tell, words) =>
    fact(`${Meanings.fact(name, words)} is ${tell(found)} instead of ${tell(expected)}`),
  "record.earlier": () => fact("the record is of an earlier version than the commit"),
  "record.inconclusive": () => fact("it shows nothing that settles it"),
  "record.no_way": () => fact("the contract names no way to ask or to read"),
  "record.not_found": () => fact("the system of record does not show it"),
  "record.not_proven": () => fact("it does not show it, which proves nothing"),
  "record.nothing": () => fact("nothing of it is in the system of record"),
  "record.part_missing": ({ part }) => fact(`${part} is not there`),
  "record.refused": () => fact("the readback was refused"),
  "record.repeated": ({ entries }) => fact(`there are ${entries} entries under its key`),
  "record.under_way": () => fact("it is under way"),
  "record.unread": () => fact("the system of record could not be read"),
  "record.unversioned": () => fact("whether the record is of an earlier version than the commit cannot be told")
} satisfies Partial<Findings>

/** Says which expectations a tool's answer, or its silence, leaves unmet. */
export const unmetIn = (tool: string, executing: boolean, unmet: ReadonlyArray<Finding.Any>, tell: Tell): string =>
  `${tool} ${executing ? "did not answer, and" : "answered, but"} ${tellAll(unmet, tell)}`
