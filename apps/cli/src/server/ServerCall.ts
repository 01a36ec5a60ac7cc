/** Calls to a server. Its client is loaded when there is one to call. */
import type * as ServerClient from "@backstitch/api/ServerClient"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Server } from "../input/Globals.ts"
import { Usage } from "../terminal/Failure.ts"

/** Makes one call to a server. */
export const ask = <A, E>(server: Server, call: (api: ServerClient.ServerClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(
    Effect.promise(() => import("./ServerSession.ts")),
    (session) => session.ask(server, call)
  )

/** Refuses another name than that of the caller: on a server the key says who acts. */
export const signed = ({ caller }: Server, name: string | undefined, flag: string): Effect.Effect<void, Usage> =>
  name === undefined || name === caller
    ? Effect.void
    : Effect.fail(new Usage({ problem: `The key is that of ${caller}, and ${flag} says ${name}` }))

/** Refuses flags that have a meaning on a store alone, each by its name, and says what to do instead. */
export const refuse = (
  flags: { readonly [flag: string]: string | boolean | ReadonlyArray<string> | undefined },
  why: string
): Effect.Effect<void, Usage> => {
  const isGiven = (value: (typeof flags)[string]): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  const found = Object.keys(flags).find((flag) => isGiven(flags[flag]))
  return found === undefined
    ? Effect.void
    : Effect.fail(new Usage({ problem: `${found} does not go with --server: ${why}` }))
}

/** JSON of a trace as a request has it: its objects have no absent fields. */
export const json = (value: JsonObject): Schema.JsonObject => value as Schema.JsonObject
