/**
 * Recognises the caller of a request by its key or token, and lets it through if that has the role that the route
 * asks for. A route that asks for none lets nobody through.
 */
import * as Access from "@backstitch/api/Access"
import * as Problem from "@backstitch/api/Problem"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import type * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as KeyRole from "@backstitch/trace/KeyRole"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as BodyDepth from "../answer/BodyDepth.ts"
import * as CallerGone from "../answer/CallerGone.ts"
import * as Writes from "../answer/Writes.ts"
import * as Limits from "../Limits.ts"
import * as Questions from "../questions/Questions.ts"
import * as ServerMetrics from "../upkeep/ServerMetrics.ts"
import * as StoreFaults from "../upkeep/StoreFaults.ts"
import * as IdentityProvider from "./IdentityProvider.ts"
import * as RateLimit from "./RateLimit.ts"
import * as UnknownCallers from "./UnknownCallers.ts"

const lapsed = Problem.make("CallerUnknown", 401, {
  detail: "The key or token was in force when this began, and is no longer. An admin of the tenant makes keys"
})

/** Effect that fails once the key or token of the caller is not in force. An answer that goes on asks it again. */
export const InForce = Context.Reference<Effect.Effect<void, Problem.TypedProblem>>("@backstitch/server/InForce", {
  defaultValue: () => Effect.fail(lapsed)
})

/** Layer of the check, over the keys of the store and the identity provider of the operator. */
export const layer = Layer.effect(
  Access.Authorization,
  Effect.gen(function* () {
    const services = yield* Effect.context<ApiKeys.ApiKeys | IdentityProvider.IdentityProvider>()
    const [rates, unknown] = [yield* RateLimit.make, yield* UnknownCallers.make]
    const recognise = (text: string) =>
      recognised(text).pipe(
        Effect.provideContext(services),
        Effect.tapError(StoreFaults.log),
        Effect.mapError(Problem.of)
      )
    const looks = yield* Cache.make({
      lookup: recognise,
      capacity: Limits.refusing.streamsMax,
      timeToLive: Limits.pacing.keyLookMillis
    })
    const ask = yield* Questions.Questions
    return Access.Authorization.of({
      key: Effect.fnUntraced(function* (endpoint, { credential, endpoint: { annotations, path } }) {
        yield* ServerMetrics.matched(path)
        const text = Redacted.value(credential)
        const caller = yield* unknown.refuse(text, recognise(text))
        yield* Effect.annotateCurrentSpan({ "backstitch.tenant": caller.tenant, "backstitch.role": caller.role })
        yield* rates.take(caller.key)
        yield* permitted(caller.role, annotations)
        const reading = CallerGone.reading(annotations)
        if (ask !== undefined && Context.get(annotations, Access.Dear))
          return yield* reading(Effect.catchTag(ask(caller), "HttpServerError", Effect.die))
        yield* BodyDepth.check
        // Streams of one key, which are sent the same commit, look at it once.
        const inForce = Effect.flatMap(Cache.get(looks, text), (now) =>
          now === undefined ? Effect.fail(lapsed) : Effect.void
        )
        return yield* endpoint.pipe(
          reading,
          Effect.provideService(Access.Caller, caller),
          Effect.provideService(Writes.CallerText, credential),
          Effect.provideService(InForce, inForce)
        )
      })
    })
  })
)

/** A key has a form of its own, and any other text is a token. */
const recognised = Effect.fnUntraced(function* (text: string) {
  if (!CallerKeys.isText(text)) return yield* (yield* IdentityProvider.IdentityProvider).recognise(text)
  const key = yield* CallerKeys.recognise(text)
  if (key === undefined) return undefined
  const { capacities, id, name, role, tenant } = key
  const caller: Access.CallerFacts = { capacities, key: id, name, role, tenant }
  return caller
})

const permitted = (held: KeyRole.KeyRole, annotations: HttpApiEndpoint.Top["annotations"]) => {
  const required = Context.getOrUndefined(annotations, Access.Required)
  if (required !== undefined && KeyRole.permits(held, required)) return Effect.void
  const asks = required === undefined ? "no role that a key may have" : `the role ${required}`
  return Effect.fail(
    Problem.make("RoleInsufficient", 403, { detail: `This asks for ${asks}, and the caller has the role ${held}` })
  )
}
