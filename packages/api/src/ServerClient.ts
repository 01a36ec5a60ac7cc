/**
 * A typed client of a server: each route is a function, whose request and answer have the types of the API.
 *
 * **Example** (Asking with promises)
 *
 * ```ts fragment
 * const ask = ServerClient.promises({ address: "http://127.0.0.1:4747", key })
 * const { runs } = await ask((api) => api.runs.list({ query: {} }))
 * ```
 */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import { BackstitchApi } from "./BackstitchApi.ts"

/** The address of a server, and the key of the caller. */
export interface ServerAddress {
  readonly address: string
  readonly key: string
}

/** Makes a client. A refusal is a problem in the error channel of a call. */
export const make = ({ address, key }: ServerAddress) =>
  HttpApiClient.make(BackstitchApi, {
    baseUrl: address,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** The client of {@link make}. */
export type ServerClient = Effect.Success<ReturnType<typeof make>>

/** Makes a client that answers with promises. A promise rejects with the problem. */
export const promises = (given: ServerAddress) => {
  const client = make(given)
  return <A, E>(call: (api: ServerClient) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.flatMap(client, call))
}
