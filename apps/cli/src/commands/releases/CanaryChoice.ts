/** The route of a canary, as its flags name it. */
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"

/** Reads the number of a flag; `undefined` if the flag was not given. */
export const numberOf = (name: string, text: string | undefined): Effect.Effect<number | undefined, Usage> => {
  const value = Number(text)
  return text === undefined
    ? Effect.succeed(undefined)
    : text !== "" && value >= 0
      ? Effect.succeed(value)
      : Effect.fail(new Usage({ problem: `--${name} takes a number that is not negative, and not "${text}"` }))
}

/** Reads the route that the flags name; empty if they name none. */
export const route = Effect.fnUntraced(function* (
  {
    canaryShare,
    canaryTenant
  }: { readonly canaryShare: string | undefined; readonly canaryTenant: string | undefined },
  globals: Globals
) {
  const share = yield* numberOf("canary-share", canaryShare)
  if (canaryTenant === undefined) return { share }
  return { share, tenant: yield* StoreSession.tenant({ ...globals, tenant: canaryTenant }) }
})
