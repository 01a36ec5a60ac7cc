/** Answers about the keys of the caller's tenant. */
import * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as KeysApi from "@backstitch/api/KeysApi"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as KeyDesk from "@backstitch/runtime/KeyDesk"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "keys", (group) =>
  group.handleAll({
    list: () =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          const keys = yield* (yield* ApiKeys.ApiKeys).ofTenant(tenant)
          return { keys: keys.map(CallerKeys.told) }
        })
      ),
    create: (arrived) =>
      Writes.writeSettled(arrived, KeysApi.Made, {
        call: ({ name: by, tenant }) => KeyDesk.make(tenant, { capacities: [], ...arrived.payload, by }),
        settle: ({ tenant }, made) => CallerKeys.keep(tenant, made)
      }),
    revoke: (arrived) =>
      Writes.write({ ...arrived, payload: null }, KeysApi.Key, ({ name: by, tenant }) =>
        KeyDesk.revoke(tenant, { ...arrived.params, by })
      ),
    whoami: () =>
      Effect.map(Access.Caller, ({ capacities, name, role, tenant }) => ({ tenant, name, role, capacities }))
  })
)
