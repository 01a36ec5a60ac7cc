/**
 * The exit codes of the program.
 *
 * A command that answers decides its code itself, where it answers: `ExitCode.of` of a verdict. A command that fails
 * has the code of its error. An agent that leaves a command unfinished ends it with `failure`.
 */
import * as ProblemStatus from "@backstitch/api/ProblemStatus"

/** A code of the program: of success, of a refusal, a violation or a failure, and of wrong usage. */
export type ExitCode = typeof success | typeof failure | typeof misuse

/** The code of a command that did what it was asked for, and found nothing wrong. */
export const success = 0

/** The code of a command that was refused, has failed, or found something wrong. */
export const failure = 1

/** The code of a command that names something unknown, or whose arguments contradict each other. */
export const misuse = 2

/** Makes the code of an answer from its verdict. */
export const of = (isGood: boolean): ExitCode => (isGood ? success : failure)

/** Makes the code of an error from its tag. */
export const ofError = (tag: string): ExitCode => (isMisuse(tag) ? misuse : failure)

/** Tells whether an error means wrong usage. An error of a request that does not fit does, with few exceptions. */
const isMisuse = (tag: string): boolean => misuses.has(tag) || (isUnfitRequest(tag) && !excepted.has(tag))

const isUnfitRequest = (tag: string): boolean => {
  const status = ProblemStatus.statusOf(tag)
  return status === 400 || status === 404
}

/**
 * The errors that a server answers with 400 or 404, and that are no wrong usage of a command: a file or a text that
 * was given was read and found wrong, or the other side has not what it should have.
 */
export const excepted: ReadonlySet<string> = new Set([
  "CursorUnknown",
  "DeliveryUnwanted",
  "ExportExceeds",
  "ExportMalformed",
  "ExportTruncated",
  "ExportUnsupported",
  "PackInvalid",
  "RevisionMalformed",
  "RouteUnknown"
])

/** The errors that mean wrong usage of a command, and that a server never answers with 400 or 404. */
export const misuses: ReadonlySet<string> = new Set([
  "AddressOutOfRange",
  "AgentInvalid",
  "AgentUnreadable",
  "AlreadyThere",
  "DraftInTheWay",
  "EmergencyUnfit",
  "FileUnreadable",
  "FileUnwritable",
  "MappingInvalid",
  "NoRebase",
  "NothingRecorded",
  "NothingRefused",
  "PackUnreadable",
  "PortTaken",
  "ProtocolUnsupported",
  "RecipientKeyUnfit",
  "RecordedInClear",
  "RouteUnfit",
  "SecretInvalid",
  "SecretMissing",
  "SecretRefused",
  "SecretUnplaced",
  "SecretUnreadable",
  "SecretsSurplus",
  "ServerUnstarted",
  "SigningKeyUnfit",
  "StoreMissing",
  "StoreUnsuited",
  "ToolsMissing",
  "Usage",
  "VerifierInvalid",
  "WebhookUnknown"
])
