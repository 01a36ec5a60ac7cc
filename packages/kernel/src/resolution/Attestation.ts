/**
 * The attestation of a success by a person. It changes no belief unless a record or an answer supports the change.
 *
 * `world` follows from records of actions, and a person's word is no record. If the system of record was read, or the
 * tool answered, that is believed. If the outcome is unknown, the person has to attest a record that shows the
 * requested effect; otherwise the run would continue as if nothing had happened. The same holds for a tool whose
 * success changes no belief.
 *
 * @source Action Verification, "Review Required"; laws L7 and L8
 */

import * as Operation from "@backstitch/contracts/Operation"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import { answeredWith } from "../action/ActionInFlight.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as Confirmation from "../verification/Confirmation.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"
import { conforming } from "../verification/toolAnswer.ts"

/**
 * The basis of a success that a person declares. `actual` is the believed record, or `null` if there is none;
 * `isRecorded` means that the person attested that record.
 */
export interface Attestation {
  readonly subject: ActionInFlight
  readonly actual: Json
  readonly isRecorded: boolean
}

/** Judges the basis of a success, or names the missing evidence. */
export const of = (subject: ActionInFlight, record: Json | undefined): Result.Result<Attestation, Check.Check> => {
  const { id, open, terms } = subject
  const fail = <C extends Finding.CheckFinding["code"]>(code: C, args: Finding.Args<C>) =>
    Result.fail(Check.fail("approval", id, code, args))
  const isRead = (open.actual ?? null) !== null
  const isAnswered = OpenAction.isAnswered(open) || OpenAction.isRead(open)
  if (isRead && !isAnswered) return fail("record.outdated", { frozen: OpenAction.isFrozen(open) })
  if (record !== undefined) {
    if (record === null) return fail("record.empty", { tool: open.tool, way: wayOf(subject) })
    if (isRead) return fail("record.other", {})
    const attested = answeredWith(subject, { as: "done", at: terms.now, output: record })
    const unmet = unmetBy(attested, record)
    if (unmet.length > 0) return fail("record.not_success", { unmet })
    return believable({ subject: attested, actual: record, isRecorded: true })
  }
  // A record that does not show the effect contradicts the answer of the tool.
  const answer = OpenAction.isAnswered(open) ? open.answer?.output : null
  const actual = isAnswered ? (open.actual ?? answer ?? null) : null
  return believable({ subject, actual, isRecorded: false })
}

/** Refuses an attestation whose record does not determine the changes of a success. */
const believable = (attestation: Attestation): Result.Result<Attestation, Check.Check> => {
  const { actual, subject } = attestation
  const { contract, id, open, state, terms } = subject
  const reduction = contract.onReconciled
  const about = { tool: contract.name, way: wayOf(subject) }
  const missing = () => Result.fail(Check.fail("approval", id, "record.missing", about))
  if (actual === null && open.undoes === undefined && reduction === undefined) return missing()
  const isMasked = open.undoes !== undefined && OpenActions.of(state)[open.undoes] !== undefined
  if (reduction === undefined || terms.pack === undefined || isMasked) return Result.succeed(attestation)
  if (actual === null) return missing()
  const bindings = ExpressionScope.actionBindings(state, open, actual)
  const reduced = Operation.reduce(reduction, state, { fields: terms.pack.fields, bindings })
  return Result.isFailure(reduced)
    ? Result.fail(Check.fail("approval", id, "record.not_foldable", about, reduced.failure.message))
    : Result.succeed(attestation)
}

/** Names the way to a record: asking the system of record if it can be asked, otherwise a person's own look. */
const wayOf = ({ contract, open, state }: ActionInFlight): Finding.Args<"record.missing">["way"] => {
  if (!ToolContract.canBeLearnt(contract)) return "attest"
  const plan = open.undoes === undefined ? undefined : UndoPlan.open(state)
  // If the effect has changed, verifying again would only hold the action again.
  if (plan?.stop === "altered") return "attest_or_give_up"
  return OpenAction.isFrozen(open) || plan?.status === "stopped" ? "reopen" : "resume"
}

/** Lists the findings against a record that should show a success. */
const unmetBy = (subject: ActionInFlight, record: Json): ReadonlyArray<Finding.Any> => {
  const evidence = conforming(subject.contract, { _tag: "Ok", output: record })
  if (evidence._tag === "Unknown") return typeof evidence.reason === "string" ? [] : [evidence.reason]
  const [{ predicates, scoping }] = Confirmation.judge(subject, { evidence }).readings
  if (ScopeCheck.strays(scoping)) {
    return [Finding.make("record.astray", { found: Canonical.objectOf(scoping.found as Json) })]
  }
  return predicates.flatMap(({ held, says }) => (held === true ? [] : [says]))
}
