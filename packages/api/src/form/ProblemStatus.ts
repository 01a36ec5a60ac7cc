/** The HTTP status of each problem, by the tag of its error. A new error of a package gets a row here. */

/** The statuses of problems, with their titles. */
export const titles = {
  400: "The request does not fit",
  401: "No caller was recognised",
  403: "The caller may not do this",
  404: "It does not exist",
  405: "The path has other methods",
  408: "The request took too long",
  409: "It contradicts what is on record",
  412: "The run is not where the request expects it",
  413: "The request is too large",
  415: "The content has another type",
  422: "It was refused",
  429: "There were too many requests",
  500: "The server is at fault",
  503: "The server cannot answer now"
} as const

/** A status of a problem. */
export type ProblemStatus = keyof typeof titles

const absent = {
  ActionUnknown: 404,
  AgentUnknown: 404,
  CursorUnknown: 404,
  GoalUndeclared: 404,
  DeliveryUnwanted: 404,
  EndpointUnknown: 404,
  RunUnhosted: 404,
  KeyUnknown: 404,
  NoSuchSubtask: 404,
  NoSubtasks: 404,
  PackUnknown: 404,
  ReviewUnknown: 404,
  RouteUnknown: 404,
  RunUnknown: 404,
  TickOutOfRange: 404
} as const

const unfit = {
  AddressInvalid: 400,
  AnswerUnasked: 400,
  AgentUnfit: 400,
  TopologyUnfit: 400,
  PackUnfit: 400,
  AddressUnsuited: 400,
  AskedUnknown: 400,
  CapacityMissing: 400,
  ClausesUnfit: 400,
  DurationInvalid: 400,
  ExportExceeds: 400,
  ExportMalformed: 400,
  ExportTruncated: 400,
  ExportUnsupported: 400,
  EndpointRefused: 400,
  FieldInvalid: 400,
  FieldUnknown: 400,
  ForkOfItself: 400,
  ForkOutOfRange: 400,
  ForkRuleInvalid: 400,
  HeadInvalid: 400,
  MetricUnknown: 400,
  NameInvalid: 400,
  NothingPending: 400,
  NotAnIntent: 400,
  NotCanonical: 400,
  NothingToTry: 400,
  PackInvalid: 400,
  PredicateInvalid: 400,
  RangeInvalid: 400,
  RangeReversed: 400,
  RequestInvalid: 400,
  RevisionEmpty: 400,
  RevisionMalformed: 400,
  RunAmbiguous: 400
} as const

const unrecognised = { CallerUnknown: 401, DeliveryUnsigned: 401, RoleInsufficient: 403, CapacityForeign: 403 } as const

const contradicted = {
  AlreadyThere: 409,
  AnswerSealed: 409,
  ClaimRefused: 409,
  FoldChanged: 409,
  GoalReached: 409,
  HistoryDiffers: 409,
  IdempotencyUnderway: 409,
  ImportContinues: 409,
  KeysDiffer: 409,
  PackChanged: 409,
  QuestionChanged: 409,
  RunExists: 409,
  RunEnded: 409,
  RunForeign: 409,
  RunFollowed: 409,
  RunLeased: 409,
  TickConflict: 409,
  TickUnmatched: 412
} as const

const refused = {
  BlobCorrupt: 422,
  BeginsInClear: 422,
  ChainBroken: 422,
  ExportCarriesCode: 422,
  ExportPartial: 422,
  TenantDiffers: 422,
  DeliveryRefused: 422,
  EmergencyUnfit: 422,
  ForkBehindUndone: 422,
  ForkUnsound: 422,
  IdempotencyDiffers: 422,
  Impure: 422,
  MonotoneUntested: 422,
  NoRebase: 422,
  NotEvaluable: 422,
  NotMonotone: 422,
  RebaseUnsettled: 422,
  RevisionRefused: 422,
  SeedConflict: 422,
  SeedContract: 422,
  SeedUnfit: 422,
  ToolsMissing: 422,
  TransitionInvalid: 422,
  UndoUnproven: 422,
  Unrecordable: 422,
  WordsUnread: 422
} as const

const limited = {
  ContentUnsuited: 415,
  MethodUnsuited: 405,
  RequestSlow: 408,
  RequestTooLarge: 413,
  RequestsTooMany: 429,
  QuestionsTooMany: 429,
  StreamsTooMany: 429
} as const

const atFault = {
  AnswerLate: 503,
  DeliveryUncheckable: 503,
  WorkerLost: 503,
  HostLeaving: 503,
  IdentityUnavailable: 503,
  Defect: 500,
  Draining: 503,
  FunctionRefused: 500,
  IndexLost: 500,
  IssuerDiffers: 500,
  NodeCorrupt: 500,
  NodeMissing: 500,
  PartDoubled: 500,
  PlannerError: 500,
  SealedValueGone: 500,
  SealingUnavailable: 500,
  SecretDiffers: 500,
  SecretInvalid: 500,
  SecretMissing: 500,
  SecretUnknown: 500,
  SourceMissing: 500,
  TenantKeyDiffers: 500,
  TenantKeyError: 500,
  TraceStoreError: 500
} as const

/** The status of each tag. */
export const table = {
  ...absent,
  ...unfit,
  ...unrecognised,
  ...contradicted,
  ...refused,
  ...limited,
  ...atFault
} as const satisfies Readonly<Record<string, ProblemStatus>>

/** A tag of the table. */
export type Tag = keyof typeof table

/** The status of a tag; `undefined` if the table does not have it. */
export const statusOf = (tag: string): ProblemStatus | undefined =>
  Object.hasOwn(table, tag) ? table[tag as Tag] : undefined
