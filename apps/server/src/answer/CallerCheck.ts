/**
 * Recognises the caller of a request by its key, and lets it through if the key has the role that the endpoint asks
 * for. An endpoint that asks for none lets nobody through.
 */
import * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import * as ApiKeys from "@backstitch/runtime/ApiKeys"
import * as Role from "@backstitch/runtime/Role"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RateLimit from "./RateLimit.ts"

const unknown = Problem.make("CallerUnknown", 401, {
  detail: "Send a key as `Authorization: Bearer KEY`. An admin of the tenant makes keys"
})

/** Layer of the check, over the keys of the store. */
export const layer: Layer.Layer<Access.Authorization, never, ApiKeys.ApiKeys> = Layer.effect(
  Access.Authorization,
  Effect.gen(function* () {
    const keys = yield* ApiKeys.ApiKeys
    const rates = yield* RateLimit.make
    return Access.Authorization.of({
      key: Effect.fnUntraced(function* (endpoint, { credential, endpoint: { annotations } }) {
        const key = yield* ApiKeys.recognise(Redacted.value(credential)).pipe(
          Effect.provideService(ApiKeys.ApiKeys, keys),
          Effect.mapError(Problem.of)
        )
        if (key === undefined) return yield* Effect.fail(unknown)
        yield* rates.take(key.id)
        const { capacities, id, name, role, tenant } = key
        yield* permitted(role, annotations)
        return yield* Effect.provideService(endpoint, Access.Caller, { capacities, key: id, name, role, tenant })
      })
    })
  })
)

const permitted = (held: Role.Role, annotations: HttpApiEndpoint.Top["annotations"]) => {
  const required = Context.getOrUndefined(annotations, Access.Required)
  if (required !== undefined && Role.permits(held, required)) return Effect.void
  const asks = required === undefined ? "no role that a key may have" : `the role ${required}`
  return Effect.fail(
    Problem.make("RoleInsufficient", 403, { detail: `This asks for ${asks}, and the key has the role ${held}` })
  )
}
