/**
 * The problems that the API answers with, from one table of the errors of all packages.
 *
 * An error of a package names a fact and knows no status of HTTP. The table gives its tag a status and a title, and a
 * handler whose errors are not in the table does not compile.
 *
 * @source RFC 9457
 */

import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as ProblemStatus from "./ProblemStatus.ts"

/** The media type of a problem. */
export const contentType = "application/problem+json"

/** A place in the request that does not fit, and why. */
export const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String
})

const isIssues = Schema.is(Schema.Array(Issue))

/** A problem: what happened, to what, and what to do next. */
export interface Problem {
  /** A page of this server that describes the problem. */
  readonly type: string
  readonly status: ProblemStatus.ProblemStatus
  readonly title: string
  readonly detail: string
  /** The name of the error, as `error.tag` of the command line. */
  readonly tag: string
  readonly issues?: ReadonlyArray<typeof Issue.Type>
  /** Steps that may be taken instead, as verbs with their arguments. */
  readonly next?: ReadonlyArray<Schema.Json>
}

const schemaOf = <const S extends ProblemStatus.ProblemStatus>(status: S) =>
  Schema.Struct({
    type: Schema.String,
    status: Schema.Literal(status),
    title: Schema.String,
    detail: Schema.String,
    tag: Schema.String,
    issues: Schema.optionalKey(Schema.Array(Issue)),
    next: Schema.optionalKey(Schema.Array(Schema.Json))
  })
    .annotate({ identifier: `Problem${status}`, description: ProblemStatus.titles[status] })
    .pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType }))

/** The schemas of all problems, one for each status. */
export const schemas = [
  schemaOf(400),
  schemaOf(401),
  schemaOf(403),
  schemaOf(404),
  schemaOf(405),
  schemaOf(408),
  schemaOf(409),
  schemaOf(412),
  schemaOf(413),
  schemaOf(415),
  schemaOf(422),
  schemaOf(429),
  schemaOf(500),
  schemaOf(503)
] as const

/** A problem in the form of one of the schemas. */
export type TypedProblem = (typeof schemas)[number]["Type"]

/** An error that the table has. */
export interface ListedError {
  readonly _tag: ProblemStatus.Tag
  readonly message: string
}

/** Makes the problem of an error. */
export const of = (error: ListedError): TypedProblem => {
  const status = statusOf(error)
  const issues = "issues" in error && isIssues(error.issues) && error.issues.length > 0 ? { issues: error.issues } : {}
  const next = "next" in error && Array.isArray(error.next) && error.next.length > 0 ? { next: error.next } : {}
  return make(error._tag, status, { detail: detailOf(error), ...issues, ...next })
}

/** The words of the error, except those about a store: they name its place, which is for its operator alone. */
const detailOf = (error: ListedError): string => {
  if (error._tag !== "TraceStoreError") return error.message
  if (is(error, "isRetryable")) return "The store does not answer at the moment. Repeat the request"
  return is(error, "isOutage")
    ? "The store keeps nothing at the moment, until its operator has mended that. Repeat the request later"
    : "The store could not answer. Why is in the server's log"
}

/** Makes a problem that no package has an error for, such as a request that does not parse. */
export const make = (
  tag: string,
  status: ProblemStatus.ProblemStatus,
  more: Pick<Problem, "detail" | "issues" | "next">
): TypedProblem => ({ type: typeOf(tag), status, title: ProblemStatus.titles[status], ...more, tag }) as TypedProblem

/** The address of the page that describes a problem. */
export const typeOf = (tag: string): string => `/problems/${tag}`

/** A store that is locked, full or not there is asked again; what is damaged is a fault of the server. */
const statusOf = (error: ListedError): ProblemStatus.ProblemStatus =>
  is(error, "isRetryable") || is(error, "isOutage") ? 503 : ProblemStatus.table[error._tag]

const is = (error: object, what: string): boolean => Reflect.get(error, what) === true
