/**
 * What a person's word that an action succeeded may change: no belief that nothing was read for.
 *
 * `world` follows from the record of an action, and a word is no record. Where
 * the system of record was read, or the tool has answered, that is what is
 * believed. Where the outcome is unknown, the person attests what the system of
 * record shows, and it has to show what was asked for: otherwise the run would
 * go on as if nothing had happened. That holds for a tool whose success changes
 * no belief, too: what nobody has read and no tool has answered is a word.
 *
 * @source Action Verification, "Review Required"; laws L7 and L8
 * @since 0.1.0
 */
import * as Operation from "@backstitch/contracts/Operation"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Check from "./Check.ts"
import * as Confirmation from "./Confirmation.ts"
import { conforming } from "./internal/evidence.ts"
import { answeredWith } from "./internal/settlement.ts"
import { canBeVerified } from "./internal/verdicts.ts"
import type { Subject } from "./Recovery.ts"
import * as Scoping from "./Scoping.ts"
import * as Terms from "./Terms.ts"

/**
 * What a success rests on. `actual` is what is believed of it, `null` where nothing is; `isRecorded` tells that a
 * person attested it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Attestation {
  readonly subject: Subject
  readonly actual: Json
  readonly isRecorded: boolean
}

/**
 * Judges what a success would rest on, or says what it lacks.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  record: Json | undefined
): Result.Result<Attestation, Check.Check> => {
  const { id, open } = subject
  const fail = (expected: string, found: string, remedy: string) =>
    Result.fail(Check.fail("approval", id, { expected, found, remedy }))
  const isRead = (open.actual ?? null) !== null
  const isAnswered = OpenActions.isAnswered(open) || OpenActions.isRead(open)
  if (isRead && !isAnswered) {
    const remedy = OpenActions.isFrozen(open) ? "reopen it, and resume the run" : "resume the run: it is read again"
    return fail("a record that is later than the last sending", "one from before", remedy)
  }
  if (record !== undefined) {
    if (record === null) return fail("a record of the success", "nothing", remedyOf(state, subject))
    if (isRead) return fail("no other record than the one that was read", "another", "leave the record out")
    const attested = answeredWith(subject, { as: "done", at: terms.now, output: record })
    const doubt = doubtOf(terms, state, attested, record)
    if (doubt !== undefined) return fail("a record of the success", doubt, "correct the record, or settle it otherwise")
    return believable(terms, state, { subject: attested, actual: record, isRecorded: true })
  }
  // Where the system of record was read and does not show it, what the tool answered is contradicted.
  const answer = OpenActions.isAnswered(open) ? open.answer?.output : null
  const actual = isAnswered ? (open.actual ?? answer ?? null) : null
  return believable(terms, state, { subject, actual, isRecorded: false })
}

/** Everything that a success changes has to follow from what is known of it. */
const believable = (
  terms: Terms.Terms,
  state: State,
  attestation: Attestation
): Result.Result<Attestation, Check.Check> => {
  const { actual, subject } = attestation
  const { contract, id, open } = subject
  const reduction = contract.onReconciled
  const known = "what the system of record shows"
  const fail = (expected: string, found: string) =>
    Result.fail(Check.fail("approval", id, { expected, found, remedy: remedyOf(state, subject) }))
  if (actual === null && open.undoes === undefined && reduction === undefined) return fail(known, "a word alone")
  const isMasked = open.undoes !== undefined && OpenActions.of(state)[open.undoes] !== undefined
  if (reduction === undefined || terms.pack === undefined || isMasked) return Result.succeed(attestation)
  const expected = `${known}: what is believed of ${contract.name} follows from it`
  if (actual === null) return fail(expected, "a word alone")
  const bindings = Terms.actionBindings(state, open, actual)
  const reduced = Operation.reduce(reduction, state, { fields: terms.pack.fields, bindings })
  return Result.isFailure(reduced) ? fail(expected, reduced.failure.message) : Result.succeed(attestation)
}

/** How the record is had: from the system of record, where it can be asked, or from whoever looked at it. */
const remedyOf = (state: State, { contract, open }: Subject): string => {
  if (!canBeVerified(contract)) return "give what the system of record shows with `--record FILE`"
  const plan = open.undoes === undefined ? undefined : UndoPlan.open(state)
  // What is not as it was comes to the same hold again, whoever asks.
  if (plan?.stop === "altered") {
    return `give what the system of record shows of ${open.tool} with \`--record FILE\`, or decide failure or abandoned`
  }
  const isStopped = plan?.status === "stopped"
  const asks = OpenActions.isFrozen(open) || isStopped ? "reopen it and resume the run" : "resume the run"
  return `${asks}, which asks the system of record, or give what it shows with \`--record FILE\``
}

/** Why a record shows no success, if it does not. */
const doubtOf = (terms: Terms.Terms, state: State, subject: Subject, record: Json): string | undefined => {
  const evidence = conforming(subject.contract, { _tag: "Ok", output: record })
  if (evidence._tag === "Unknown") return evidence.reason
  const [{ predicates, scoping }] = Confirmation.judge(terms, state, subject, { evidence }).readings
  if (Scoping.strays(scoping)) return `one of ${JSON.stringify(scoping.found)}`
  const unmet = predicates.filter(({ held }) => held !== true)
  return unmet.length === 0 ? undefined : unmet.map(({ says }) => says).join("; ")
}
