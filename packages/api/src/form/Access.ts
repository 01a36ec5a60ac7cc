/**
 * The callers of routes: the role that each route asks for, and the caller whom the server recognised.
 *
 * **Details**
 *
 * A route is declared by the role that it asks for. That adds the check of the key, which is the only source of a
 * {@link Caller}. A handler cannot read a tenant without one, so a route without a declared role does not compile
 * into a server. Whatever a caller claims of itself in a request counts for nothing.
 */

import type { KeyRole } from "@backstitch/trace/KeyRole"
import type { Tenant } from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { documentOperation } from "./documentOperation.ts"
import * as Problem from "./Problem.ts"

/** The holder of a key, or of a token of an identity provider that the server trusts. */
export interface CallerFacts {
  readonly tenant: Tenant
  readonly role: KeyRole
  /** The name under which decisions of the caller are recorded. */
  readonly name: string
  /** The roles of packs in which the caller may decide. */
  readonly capacities: ReadonlyArray<string>
  /** The id of the key, or of the identity provider with the subject. */
  readonly key: string
}

/** Service that names the caller of a request. */
export class Caller extends Context.Service<Caller, CallerFacts>()("@backstitch/api/Caller") {}

/** The role that a route asks for. */
export class Required extends Context.Service<Required, KeyRole>()("@backstitch/api/Required") {}

/**
 * Marks a route whose answer may cost much processor time, by the conditions of a pack or the length of a run. A
 * server may have it answered by a worker, so it needs nothing but the store.
 */
export const Dear = Context.Reference<boolean>("@backstitch/api/Dear", { defaultValue: () => false })

/** Middleware that lets a request through to a route if its key has the role that the route asks for. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { readonly provides: Caller }>()(
  "@backstitch/api/Authorization",
  {
    security: {
      key: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "A key of the server, or a token of its identity provider")
      )
    },
    error: Problem.schemas
  }
) {}

/** Declares the role that a route asks for, with the sentence that documents it. */
export const by =
  (role: KeyRole, summary: string) =>
  <
    Id extends string,
    Method extends HttpApiEndpoint.Top["method"],
    Path extends string,
    Params extends HttpApiEndpoint.Top["~Params"],
    Query extends HttpApiEndpoint.Top["~Query"],
    Payload extends HttpApiEndpoint.Top["~Payload"],
    Headers extends HttpApiEndpoint.Top["~Headers"],
    Success extends HttpApiEndpoint.Top["~Success"],
    Error extends HttpApiEndpoint.Top["~Error"]
  >(
    endpoint: HttpApiEndpoint.HttpApiEndpoint<Id, Method, Path, Params, Query, Payload, Headers, Success, Error>
  ) => {
    const document = documentOperation(endpoint)
    return endpoint
      .middleware(Authorization)
      .annotate(Required, role)
      .annotate(OpenApi.Summary, summary)
      .annotate(OpenApi.Transform, (operation) => ({ ...document(operation), "x-backstitch-role": role }))
  }

/** The sentence that says how the senders of a route are known that asks for no key. */
export class Signed extends Context.Service<Signed, string>()("@backstitch/api/Signed") {}

/** Annotates a route that asks for no key, since its senders are known by what they sign. It has no caller. */
export const bySignature = (summary: string): Context.Context<Signed> =>
  Context.make(Signed, summary).pipe(
    Context.add(OpenApi.Summary, summary),
    Context.add(OpenApi.Transform, (operation) => ({ ...operation, security: [] }))
  )
