/** Answers about the keys of the caller's tenant. */
import * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as KeysApi from "@backstitch/api/KeysApi"
import * as AdministrationLog from "@backstitch/runtime/AdministrationLog"
import * as ApiKeys from "@backstitch/runtime/ApiKeys"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "keys", (endpoints) =>
  endpoints.handleAll({
    list: () =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          const keys = yield* (yield* ApiKeys.ApiKeys).ofTenant(tenant)
          return { keys: keys.map(ApiKeys.told) }
        })
      ),
    create: (arrived) =>
      Writes.writeSecret(arrived, KeysApi.Made, ({ name: by, tenant }) => {
        const { capacities = [], name, role } = arrived.payload
        const record = ({ id }: ApiKeys.ApiKey) =>
          AdministrationLog.record(tenant, {
            act: "key.create",
            by,
            about: { key: id, holder: name, role, capacities }
          })
        return Effect.map(ApiKeys.create({ tenant, name, role, capacities }, record), ({ key, text }) => ({
          key: ApiKeys.told(key),
          text
        }))
      }),
    revoke: (arrived) =>
      Writes.write(
        { ...arrived, payload: null },
        KeysApi.Key,
        Effect.fnUntraced(function* ({ name, tenant }) {
          const { key } = arrived.params
          yield* AdministrationLog.record(tenant, { act: "key.revoke", by: name, about: { key } })
          return ApiKeys.told(yield* ApiKeys.revoke(tenant, key))
        })
      ),
    whoami: () =>
      Effect.map(Access.Caller, ({ capacities, name, role, tenant }) => ({ tenant, name, role, capacities }))
  })
)
