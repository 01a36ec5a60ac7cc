/**
 * The exit codes of the program.
 *
 * A command that answers decides its code itself, where it answers: `ExitCode.of` of a verdict. A command that fails
 * has the code of its error. An agent that leaves a command unfinished ends it with `failure`.
 */

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
export const ofError = (tag: string): ExitCode => (misuses.has(tag) ? misuse : failure)

/** The errors that mean wrong usage, such as those of a command that names something missing. */
const misuses: ReadonlySet<string> = new Set([
  "ActionUnknown",
  "EmergencyUnfit",
  "NothingRefused",
  "ReviewUnknown",
  "CapacityMissing",
  "SecretInvalid",
  "WebhookUnknown",
  "AddressInvalid",
  "AddressOutOfRange",
  "AddressUnsuited",
  "AgentInvalid",
  "AgentUnfit",
  "TopologyUnfit",
  "AlreadyThere",
  "AskedUnknown",
  "ClausesUnfit",
  "DraftInTheWay",
  "AgentUnreadable",
  "FieldInvalid",
  "FileUnreadable",
  "KeyUnknown",
  "FileUnwritable",
  "RecipientKeyUnfit",
  "SigningKeyUnfit",
  "FieldUnknown",
  "HeadInvalid",
  "RangeReversed",
  "RouteUnfit",
  "NothingRecorded",
  "ForkOfItself",
  "ForkOutOfRange",
  "ForkRuleInvalid",
  "MetricUnknown",
  "NoRebase",
  "NotAnIntent",
  "MappingInvalid",
  "PackUnreadable",
  "PortTaken",
  "RangeInvalid",
  "RunAmbiguous",
  "RecordedInClear",
  "RunUnknown",
  "SecretMissing",
  "ServerUnstarted",
  "SecretsSurplus",
  "SecretRefused",
  "SecretUnplaced",
  "SecretUnreadable",
  "StoreMissing",
  "StoreUnsuited",
  "TickOutOfRange",
  "ToolsMissing",
  "Usage",
  "VerifierInvalid"
])
